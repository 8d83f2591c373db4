package engine

import (
	"os/exec"
	"syscall"
)

// dieWithParent keeps the keys that a console sends (Ctrl-C) from the child, and
// opens no console for it: it ends when its input does.
func dieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}
