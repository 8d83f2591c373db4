//go:build !headless && (bindings || !linux)

package desktop

// hasScreen is always true where the system has windows, and when Wails runs
// the program only to list its bound methods.
func hasScreen() bool { return true }
