package web

import (
	"errors"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path/filepath"

	"ragdesk/backend/fault"
)

// download sends one of the workspace's backups, for a browser to keep where its reader wants:
// GET /api/backups/NAME. No name leads out of their folder.
func (s *server) download(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", http.MethodGet)
		s.fail(w, r, fault.New("method_refused", fault.P("method", r.Method)))
		return
	case s.cfg.Backups == "":
		s.unknownOperation(w, r)
		return
	}
	f, info, err := openBackup(s.cfg.Backups, name)
	if err != nil {
		s.fail(w, r, fault.Wrap(err, "backup_unknown", fault.P("name", name), fault.P("path", s.cfg.Backups)))
		return
	}
	defer func() { _ = f.Close() }() // opened for reading
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	h.Set("Cache-Control", "no-store")
	http.ServeContent(w, r, "", info.ModTime(), f)
}

func openBackup(dir, name string) (*os.File, fs.FileInfo, error) {
	if filepath.Base(name) != name || filepath.Ext(name) != bundleEnding {
		return nil, nil, fs.ErrNotExist
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, err
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, nil, errors.Join(err, root.Close())
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrNotExist
	}
	if err = errors.Join(err, root.Close()); err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}
