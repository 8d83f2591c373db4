package llm

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// FreeMemory is the memory in bytes that programs can still have without swapping;
// 0 when it is not known.
func FreeMemory() int64 {
	// MEMORYSTATUSEX of the system's headers.
	var status struct {
		length, load                                      uint32
		total, free, totalPage, freePage, totalVirt, virt uint64
		extended                                          uint64
	}
	status.length = uint32(unsafe.Sizeof(status))
	call := windows.NewLazySystemDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx")
	if ok, _, _ := call.Call(uintptr(unsafe.Pointer(&status))); ok == 0 {
		return 0
	}
	return int64(status.free)
}
