//go:build !engine

package engine

// linked reports that the engine is part of this program.
const linked = false

// Child runs the engine, or one of its runners, when the arguments and the
// environment say that this process is to be one; handled is false otherwise. A
// program without the engine is never one.
func Child([]string) (code int, handled bool) { return 0, false }
