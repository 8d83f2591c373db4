//go:build unix && !linux

package engine

import (
	"os/exec"
	"syscall"
)

// dieWithParent keeps the keys that a terminal sends (Ctrl-C) from the child: it
// ends when its input does.
func dieWithParent(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
