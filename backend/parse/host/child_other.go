//go:build !linux

package host

import "os/exec"

// dieWithParent has nothing to do: the child ends when its input does.
func dieWithParent(*exec.Cmd) {}

// resident is the memory that the process is known to hold, in bytes.
func resident() int64 { return heap() }
