package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
)

// maxUpload bounds one uploaded file in bytes; ingestion has its own, lower limit
// on what it reads.
const maxUpload = 1 << 30

// A bundle of a whole workspace may be larger than a file that is read.
const (
	maxBundle    = 64 << 30
	bundleEnding = ".ragbundle"
)

// uploadLimit is how large a file of that name may be, in bytes.
func uploadLimit(name string) int64 {
	if path.Ext(name) == bundleEnding {
		return maxBundle
	}
	return maxUpload
}

// upload keeps a file that was dropped into the page, since a browser does not
// tell where files lie: PUT /api/files/FOLDER/PATH with the bytes as
// application/octet-stream writes FOLDER/PATH below Config.Uploads and answers
// with where that is. A file of the same path is replaced as a whole.
func (s *server) upload(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("path")
	switch {
	case r.Method != http.MethodPut:
		w.Header().Set("Allow", http.MethodPut)
		s.fail(w, r, fault.New("method_refused", fault.P("method", r.Method)))
		return
	case r.Header.Get("Content-Type") != "application/octet-stream":
		s.fail(w, r, fault.New("content_type_refused", fault.P("type", r.Header.Get("Content-Type"))))
		return
	case s.cfg.Uploads == "":
		s.unknownOperation(w, r)
		return
	}
	where, err := s.keep(name, http.MaxBytesReader(w, r.Body, uploadLimit(name)))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	b, err := json.Marshal(api.UploadedFile{Path: where})
	if err != nil { // a string always encodes
		panic(err)
	}
	writeJSON(w, http.StatusOK, b)
}

// keep writes body to name below the uploads' folder, by way of a temporary file.
func (s *server) keep(name string, body io.Reader) (where string, err error) {
	if name != path.Clean(name) || !filepath.IsLocal(filepath.FromSlash(name)) || strings.ContainsAny(name, "\\\x00") || name == "." {
		return "", fault.New("upload_name_invalid", fault.P("name", name))
	}
	if err := os.MkdirAll(s.cfg.Uploads, 0o700); err != nil {
		return "", uploadFault(err, s.cfg.Uploads)
	}
	root, err := os.OpenRoot(s.cfg.Uploads)
	if err != nil {
		return "", uploadFault(err, s.cfg.Uploads)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	full := filepath.Join(s.cfg.Uploads, filepath.FromSlash(name))
	if err := root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return "", uploadFault(err, full)
	}
	temp := path.Join(path.Dir(name), "."+path.Base(name)+".part")
	if err := copyTo(root, temp, body); err != nil {
		_ = root.Remove(temp) // what is left of a failed upload
		return "", uploadFault(err, full)
	}
	if err := root.Rename(temp, name); err != nil {
		return "", uploadFault(err, full)
	}
	return full, nil
}

func copyTo(root *os.Root, name string, body io.Reader) (err error) {
	f, err := root.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := io.Copy(f, body); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

func uploadFault(err error, where string) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return fault.Wrap(err, "body_too_large", fault.P("limit", tooLarge.Limit))
	}
	return fault.Wrap(err, "unwritable", fault.P("path", where))
}
