package web

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

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

// What becomes of a file whose name another file has, of other content; unless one of
// these is said, nothing is kept of it.
const (
	keepBeside  = "beside"
	keepInstead = "replace"
)

// upload keeps a file that was dropped into the page, since a browser does not
// tell where files lie: PUT /api/files/FOLDER/PATH with the bytes as
// application/octet-stream writes FOLDER/PATH below Config.Uploads and answers
// with where that is. Nothing that lies there is replaced unless ?taken=replace
// says so; with ?taken=beside the file gets a free name, and without either the
// answer has only the name that would be free. The same content is the same file.
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
	kept, err := s.keep(name, r.URL.Query().Get("taken"), http.MaxBytesReader(w, r.Body, uploadLimit(name)))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	b, err := json.Marshal(kept)
	if err != nil { // strings always encode
		panic(err)
	}
	writeJSON(w, http.StatusOK, b)
}

// keep writes body to name below the uploads' folder, by way of a temporary file.
func (s *server) keep(name, taken string, body io.Reader) (kept api.UploadedFile, err error) {
	if name != path.Clean(name) || !filepath.IsLocal(filepath.FromSlash(name)) || strings.ContainsAny(name, "\\\x00") || name == "." {
		return kept, fault.New("upload_name_invalid", fault.P("name", name))
	}
	if err := os.MkdirAll(s.cfg.Uploads, 0o700); err != nil {
		return kept, uploadFault(err, s.cfg.Uploads)
	}
	root, err := os.OpenRoot(s.cfg.Uploads)
	if err != nil {
		return kept, uploadFault(err, s.cfg.Uploads)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	full := filepath.Join(s.cfg.Uploads, filepath.FromSlash(name))
	if err := root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return kept, uploadFault(err, full)
	}
	temp := path.Join(path.Dir(name), ".part-"+rand.Text())
	defer func() { _ = root.Remove(temp) }() // what was not kept
	if err := copyTo(root, temp, body); err != nil {
		return kept, uploadFault(err, full)
	}
	s.placing.Lock()
	defer s.placing.Unlock()
	at, free, err := place(root, temp, name, taken)
	if err != nil {
		return kept, uploadFault(err, full)
	}
	if free != "" {
		return api.UploadedFile{Free: free}, nil
	}
	return api.UploadedFile{Path: filepath.Join(s.cfg.Uploads, filepath.FromSlash(at))}, nil
}

// place gives the file temp its name and returns it, or the name that would be free where
// another file has that name and taken says nothing of it.
func place(root *os.Root, temp, name, taken string) (at, free string, err error) {
	if taken == keepInstead {
		return name, "", root.Rename(temp, name)
	}
	at, same, err := placeFor(root, temp, name)
	switch {
	case err != nil || same:
		return at, "", err
	case at != name && taken != keepBeside:
		return "", path.Base(at), nil
	}
	return at, "", root.Rename(temp, at)
}

// placeFor is the first of name, "name (2)", … that is free or has what temp has already.
func placeFor(root *os.Root, temp, name string) (at string, same bool, err error) {
	for n := 1; ; n++ {
		at = numbered(name, n)
		switch _, err := root.Lstat(at); {
		case errors.Is(err, fs.ErrNotExist):
			return at, false, nil
		case err != nil:
			return "", false, err
		}
		if same, err = sameContent(root, temp, at); err != nil || same {
			return at, same, err
		}
	}
}

// maxName bounds a file's name in bytes, as file systems do.
const maxName = 255

// numbered is the name of the n-th file of a name: notes.md, notes (2).md and so on.
func numbered(name string, n int) string {
	if n == 1 {
		return name
	}
	dir, base := path.Split(name)
	ext := path.Ext(base)
	if ext == base { // .profile has no ending
		ext = ""
	}
	stem, end := strings.TrimSuffix(base, ext), fmt.Sprintf(" (%d)%s", n, ext)
	for len(stem)+len(end) > maxName && stem != "" {
		_, last := utf8.DecodeLastRuneInString(stem)
		stem = stem[:len(stem)-last]
	}
	return dir + stem + end
}

// sameContent reports whether two places hold files of the same bytes.
func sameContent(root *os.Root, a, b string) (same bool, err error) {
	one, err := root.Lstat(a)
	if err != nil {
		return false, err
	}
	other, err := root.Lstat(b)
	if err != nil || !other.Mode().IsRegular() || one.Size() != other.Size() {
		return false, err
	}
	sums := [2][sha256.Size]byte{}
	for i, name := range []string{a, b} {
		if sums[i], err = digest(root, name); err != nil {
			return false, err
		}
	}
	return sums[0] == sums[1], nil
}

func digest(root *os.Root, name string) (sum [sha256.Size]byte, err error) {
	f, err := root.Open(name)
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return sum, err
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}

func copyTo(root *os.Root, name string, body io.Reader) (err error) {
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := io.Copy(f, body); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return f.Sync()
}

func uploadFault(err error, where string) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return fault.Wrap(err, "body_too_large", fault.P("limit", tooLarge.Limit))
	}
	return fault.Wrap(err, "unwritable", fault.P("path", where))
}
