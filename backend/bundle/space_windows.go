package bundle

import "golang.org/x/sys/windows"

// FreeSpace is how many bytes this user can still write into the folder dir; -1 when that is
// not known.
func FreeSpace(dir string) int64 {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return -1
	}
	var free uint64
	if err := windows.GetDiskFreeSpaceEx(path, &free, nil, nil); err != nil {
		return -1
	}
	return int64(free)
}
