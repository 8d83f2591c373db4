//go:build !linux && !windows

package llm

// FreeMemory is the memory in bytes that programs can still have without swapping.
// It is not known here: 0.
func FreeMemory() int64 { return 0 }
