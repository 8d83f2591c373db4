//go:build !windows

package fault

import "syscall"

// fullErrnos are the system's words for a disk, or a share of it, without space.
var fullErrnos = [...]syscall.Errno{syscall.ENOSPC, syscall.EDQUOT}
