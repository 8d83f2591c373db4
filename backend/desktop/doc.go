// Package desktop opens the page in a window of its own and is the one user of
// Wails.
//
// Invariants: the window loads nothing but the page it is given; its calls go to
// the bound App, whose errors reach the page as api.ErrorBody; job events reach
// it under the name "job", and the page has files kept by the event "save", which a
// dialog of the system asks the place of. Nothing happens before Run, so that a program which
// only lists its bound methods opens no workspace.
//
//	err := desktop.Run(desktop.Config{
//		Title: "ragdesk", Page: dist, App: app, Startup: app.startup, Events: svc, ErrorBody: body,
//	})
package desktop

import (
	"context"
	"io/fs"

	"ragdesk/backend/api"
)

// Config says what the window shows and calls.
type Config struct {
	Title string
	// Page holds index.html at its root.
	Page fs.FS
	// App is bound: the page calls its exported methods.
	App any
	// Startup is called once with the context of the window's life, from a
	// goroutine of its own; the page may be calling App by then.
	Startup func(context.Context)
	Events  api.Events
	// ErrorBody words an error for the page.
	ErrorBody func(error) api.ErrorBody
}
