package engine

import (
	"os/exec"
	"syscall"
)

// dieWithParent has the kernel kill the child when this process ends, and keeps the
// keys that a terminal sends (Ctrl-C) from it: the parent decides when it ends.
func dieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
