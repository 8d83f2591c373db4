//go:build !headless && !bindings && linux

package desktop

import "os"

// hasScreen reports whether a display server is named: without one GTK ends the
// process instead of returning an error.
func hasScreen() bool { return os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != "" }
