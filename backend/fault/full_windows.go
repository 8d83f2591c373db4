package fault

import "syscall"

// fullErrnos are ERROR_DISK_FULL and ERROR_HANDLE_DISK_FULL.
var fullErrnos = [...]syscall.Errno{112, 39}
