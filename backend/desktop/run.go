//go:build !headless

package desktop

import (
	"context"
	"net/http"
	"runtime"
	"sync"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/logger"
	"github.com/wailsapp/wails/v2/pkg/menu"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
	wails_runtime "github.com/wailsapp/wails/v2/pkg/runtime"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
)

// Available reports whether this build can open a window.
const Available = true

// jobEvent is the name under which the page listens for jobs.
const jobEvent = "job"

// Size of the window in logical pixels, at first and at least.
const (
	width, height       = 1280, 800
	minWidth, minHeight = 900, 600
)

// policy lets the page load what its own file server has and nothing else.
const policy = "default-src 'self'; base-uri 'none'; object-src 'none'; form-action 'none'; frame-ancestors 'none'"

// Run shows the window until it is closed. Its fault is desktop_failed (detail).
func Run(c Config) error {
	if !hasScreen() {
		return fault.New("desktop_failed", fault.P("detail", "neither DISPLAY nor WAYLAND_DISPLAY is set"))
	}
	f := &forwarder{events: c.Events}
	err := wails.Run(&options.App{
		Title: c.Title, Width: width, Height: height, MinWidth: minWidth, MinHeight: minHeight,
		BackgroundColour:         options.NewRGB(245, 246, 248),
		Menu:                     systemMenu(),
		EnableDefaultContextMenu: true, // copying text is half of the work here
		LogLevelProduction:       logger.ERROR,
		DragAndDrop:              &options.DragAndDrop{EnableFileDrop: true}, // the window tells paths, a browser does not
		AssetServer:              &assetserver.Options{Assets: c.Page, Middleware: restrict},
		Bind:                     []any{c.App},
		ErrorFormatter:           func(err error) any { return c.ErrorBody(err) },
		OnStartup: func(ctx context.Context) {
			c.Startup(ctx)
			f.start(ctx)
			keepFiles(ctx, c.ErrorBody)
		},
		OnShutdown: func(context.Context) { f.stop() },
		Linux: &linux.Options{
			ProgramName: c.Title,
			// Without a working GPU, as in virtual machines, WebKit leaves scrolling
			// parts blank when it may use one.
			WebviewGpuPolicy: linux.WebviewGpuPolicyNever,
		},
	})
	if err != nil {
		return fault.Wrap(err, "desktop_failed", fault.P("detail", err))
	}
	return nil
}

// restrict adds the policy that web sends too: neither edge may trust the page
// to load from elsewhere.
func restrict(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		next.ServeHTTP(w, r)
	})
}

// systemMenu has the editing commands without which macOS knows no ⌘C. Other
// systems need none.
func systemMenu() *menu.Menu {
	if runtime.GOOS != "darwin" {
		return nil
	}
	return menu.NewMenuFromItems(menu.AppMenu(), menu.EditMenu())
}

// forwarder carries job events into the page from startup to shutdown.
type forwarder struct {
	events api.Events
	cancel context.CancelFunc
	done   sync.WaitGroup
}

func (f *forwarder) start(ctx context.Context) {
	following, cancel := context.WithCancel(ctx)
	f.cancel = cancel
	f.done.Go(func() {
		// It ends with its context alone: emitting cannot fail, and the page asks
		// for its jobs as well.
		_ = f.events.Subscribe(following, func(e api.Event) error {
			wails_runtime.EventsEmit(ctx, jobEvent, e)
			return nil
		})
	})
}

func (f *forwarder) stop() {
	if f.cancel == nil {
		return
	}
	f.cancel()
	f.done.Wait()
}
