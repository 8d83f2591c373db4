package ocr

import (
	"os/exec"
	"syscall"
)

// dieWithParent has the kernel end tesseract when this process ends.
func dieWithParent(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
