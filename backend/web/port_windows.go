//go:build windows

package web

import (
	"errors"
	"syscall"
)

// wsaAddrInUse is WSAEADDRINUSE of Winsock, which package syscall does not name.
const wsaAddrInUse = syscall.Errno(10048)

// portTaken reports whether a listen error means that another program has the
// port.
func portTaken(err error) bool { return errors.Is(err, wsaAddrInUse) }
