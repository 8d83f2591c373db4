//go:build !headless

package desktop

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	wails_runtime "github.com/wailsapp/wails/v2/pkg/runtime"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
)

// The page asks by saveEvent to keep a file where the user says, and is answered
// by savedEvent. Saving is no operation of the Service: a browser does it itself.
const (
	saveEvent  = "save"
	savedEvent = "saved"
)

// wish is what the page wants kept.
type wish struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
	// Data is the file in base64.
	Data string `json:"data"`
}

// outcome is what became of a wish: kept, given up by the user, or failed.
type outcome struct {
	ID    int            `json:"id"`
	Saved bool           `json:"saved"`
	Error *api.ErrorBody `json:"error"`
}

// keepFiles answers the page's wishes until the window is closed.
func keepFiles(ctx context.Context, body func(error) api.ErrorBody) {
	wails_runtime.EventsOn(ctx, saveEvent, func(data ...any) {
		w, err := readWish(data)
		if err != nil {
			return // nothing waits for an answer that names no wish
		}
		o := outcome{ID: w.ID}
		if o.Saved, err = keep(ctx, w); err != nil {
			b := body(err)
			o.Error = &b
		}
		wails_runtime.EventsEmit(ctx, savedEvent, o)
	})
}

func readWish(data []any) (w wish, err error) {
	if len(data) != 1 {
		return w, errors.New("a wish has one part")
	}
	raw, err := json.Marshal(data[0])
	if err != nil {
		return w, err
	}
	return w, json.Unmarshal(raw, &w)
}

// keep asks where to and writes the file; false when the user thinks better of it.
// Its faults are desktop_failed (detail) and unwritable (path).
func keep(ctx context.Context, w wish) (bool, error) {
	content, err := base64.StdEncoding.DecodeString(w.Data)
	if err != nil {
		return false, fmt.Errorf("read what is to be saved: %w", err)
	}
	path, err := wails_runtime.SaveFileDialog(ctx, wails_runtime.SaveDialogOptions{Title: w.Name, DefaultFilename: w.Name, CanCreateDirectories: true})
	if err != nil {
		return false, fault.Wrap(err, "desktop_failed", fault.P("detail", err))
	}
	if path == "" {
		return false, nil
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return false, fault.Wrap(err, "unwritable", fault.P("path", path))
	}
	return true, nil
}
