package host

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// dieWithParent has the kernel kill the child when this process ends.
func dieWithParent(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// resident is the process's resident memory in bytes.
func resident() int64 {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return heap()
	}
	fields := strings.Fields(string(b))
	if len(fields) < 3 {
		return heap()
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return heap()
	}
	// Pages of files, such as the program itself, can be taken back at any time.
	files, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil {
		return heap()
	}
	return (pages - files) * int64(os.Getpagesize())
}
