package web

import (
	"io/fs"
	"net/http"
	"path"
	"strings"

	"ragdesk/backend/fault"
)

// mediaTypes names what the page is built of. The system's own table is not
// asked: it differs by machine, and nosniff makes a wrong entry fatal.
var mediaTypes = map[string]string{ //nolint:gochecknoglobals // a constant table
	".html":  "text/html; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".css":   "text/css; charset=utf-8",
	".json":  "application/json; charset=utf-8",
	".svg":   "image/svg+xml",
	".png":   "image/png",
	".ico":   "image/x-icon",
	".woff2": "font/woff2",
	".txt":   "text/plain; charset=utf-8",
}

// assets serves the built page. Names without an extension are screens of the
// page and get index.html; files under assets/ carry a hash in their name and
// may be kept for ever.
func (s *server) assets() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			s.fail(w, r, fault.New("method_refused", fault.P("method", r.Method)))
			return
		}
		name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
		if path.Ext(name) == "" {
			name = "index.html"
		}
		b, err := fs.ReadFile(s.cfg.Assets, name)
		if err != nil {
			s.failAsset(w, r, name, err)
			return
		}
		media, ok := mediaTypes[path.Ext(name)]
		if !ok {
			media = "application/octet-stream"
		}
		w.Header().Set("Content-Type", media)
		w.Header().Set("Cache-Control", "no-cache")
		if strings.HasPrefix(name, "assets/") {
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		}
		if r.Method == http.MethodGet {
			_, _ = w.Write(b) // the caller is gone if this fails
		}
	})
}

// failAsset tells a page that was never built from a file that does not exist.
func (s *server) failAsset(w http.ResponseWriter, r *http.Request, name string, err error) {
	if name == "index.html" {
		s.fail(w, r, fault.Wrap(err, "page_missing"))
		return
	}
	s.fail(w, r, fault.Wrap(err, "not_found", fault.P("path", r.URL.Path)))
}
