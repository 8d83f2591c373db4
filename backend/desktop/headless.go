//go:build headless

package desktop

import "ragdesk/backend/fault"

// Available reports whether this build can open a window.
const Available = false

// Run reports the fault desktop_unavailable: this build has no window.
func Run(Config) error { return fault.New("desktop_unavailable") }
