//go:build unix

package bundle

import "golang.org/x/sys/unix"

// FreeSpace is how many bytes this user can still write into the folder dir; -1 when that is
// not known.
func FreeSpace(dir string) int64 {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return -1
	}
	return int64(s.Bavail) * int64(s.Bsize) //nolint:unconvert // the types differ between systems
}
