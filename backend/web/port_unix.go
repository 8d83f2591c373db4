//go:build !windows

package web

import (
	"errors"
	"syscall"
)

// portTaken reports whether a listen error means that another program has the
// port.
func portTaken(err error) bool { return errors.Is(err, syscall.EADDRINUSE) }
