package web

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"ragdesk/backend/api"
)

func put(t *testing.T, s *server, path, body string, edit func(*http.Request)) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	s.handler().ServeHTTP(w, with(http.MethodPut, path, body, func(r *http.Request) {
		r.Header.Set("Content-Type", "application/octet-stream")
		if edit != nil {
			edit(r)
		}
	}))
	return w
}

// sendTo sends a file and returns where it lies below the uploads' folder, or which name is free.
func sendTo(t *testing.T, s *server, where, body string) (at, free string) {
	t.Helper()
	w := put(t, s, "/api/files/"+where, body, nil)
	var kept api.UploadedFile
	if err := json.Unmarshal(w.Body.Bytes(), &kept); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", where, w.Code, w.Body)
	}
	if kept.Path == "" {
		return "", kept.Free
	}
	at, err := filepath.Rel(s.cfg.Uploads, kept.Path)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.ToSlash(at), kept.Free
}

// folder returns what the files of a folder hold, by name.
func folder(t *testing.T, dir string) map[string]string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, e := range list {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = string(b)
	}
	return out
}

func TestUploadReplacesNothingUnasked(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	s.cfg.Uploads = filepath.Join(t.TempDir(), "uploads")
	dir := filepath.Join(s.cfg.Uploads, "我的", "a")
	const here = "%E6%88%91%E7%9A%84/a/b%20c.md"
	for _, c := range []struct {
		what, query, body, at, free string
		want                        map[string]string
	}{
		{"a new file", "", "一", "我的/a/b c.md", "", map[string]string{"b c.md": "一"}},
		{"the same once more", "", "一", "我的/a/b c.md", "", map[string]string{"b c.md": "一"}},
		{"another", "", "二", "", "b c (2).md", map[string]string{"b c.md": "一"}},
		{"another, whatever is asked", "?taken=what", "二", "", "b c (2).md", map[string]string{"b c.md": "一"}},
		{"beside", "?taken=beside", "二", "我的/a/b c (2).md", "", map[string]string{"b c.md": "一", "b c (2).md": "二"}},
		{"the same as the second", "", "二", "我的/a/b c (2).md", "", map[string]string{"b c.md": "一", "b c (2).md": "二"}},
		{"a third", "", "三", "", "b c (3).md", map[string]string{"b c.md": "一", "b c (2).md": "二"}},
		{"in the first's place", "?taken=replace", "三", "我的/a/b c.md", "", map[string]string{"b c.md": "三", "b c (2).md": "二"}},
	} {
		if at, free := sendTo(t, s, here+c.query, c.body); at != c.at || free != c.free {
			t.Errorf("%s: at %q, free %q, want %q and %q", c.what, at, free, c.at, c.free)
		}
		if got := folder(t, dir); !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

// A file that breaks off leaves what was there, and nothing of its own.
func TestUploadIsWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	s.cfg.Uploads = filepath.Join(t.TempDir(), "uploads")
	sendTo(t, s, "kb/a.md", "one")
	for _, query := range []string{"", "?taken=beside", "?taken=replace"} {
		w := put(t, s, "/api/files/kb/a.md"+query, "", func(r *http.Request) {
			r.Body = io.NopCloser(io.MultiReader(strings.NewReader("half"), iotest.ErrReader(io.ErrUnexpectedEOF)))
		})
		if got := folder(t, filepath.Join(s.cfg.Uploads, "kb")); w.Code == http.StatusOK || !maps.Equal(got, map[string]string{"a.md": "one"}) {
			t.Errorf("%q: %d, %v", query, w.Code, got)
		}
	}
}

// Files of one name that come at once all stay.
func TestUploadsOfOneNameAtOnce(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	s.cfg.Uploads = filepath.Join(t.TempDir(), "uploads")
	var sending sync.WaitGroup
	for i := range 8 {
		sending.Go(func() { put(t, s, "/api/files/kb/a.md?taken=beside", fmt.Sprint(i), nil) })
	}
	sending.Wait()
	if got := slices.Sorted(maps.Values(folder(t, filepath.Join(s.cfg.Uploads, "kb")))); !slices.Equal(got, strings.Split("01234567", "")) {
		t.Errorf("kept: %v", got)
	}
}

func TestNumberedNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("水", 84) + ".md"
	for name, want := range map[string]string{
		"kb/a.md": "kb/a (2).md", "kb/.profile": "kb/.profile (2)", "kb/a.tar.gz": "kb/a.tar (2).gz", "kb/README": "kb/README (2)",
		"kb/" + long: "kb/" + strings.Repeat("水", 82) + " (2).md",
	} {
		if got := numbered(name, 2); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestUploadStaysInItsFolder(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	dir := t.TempDir()
	s.cfg.Uploads = filepath.Join(dir, "uploads")
	if err := os.MkdirAll(s.cfg.Uploads, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, filepath.Join(s.cfg.Uploads, "link")); err != nil {
		t.Skip("no symbolic links here")
	}
	for _, path := range []string{"%2e%2e/x.md", "a/%2e%2e/%2e%2e/x.md", "link/x.md", "a%5Cx.md", "a%00b", "%2Fetc%2Fx"} {
		if w := put(t, s, "/api/files/"+path, "x", nil); w.Code == http.StatusOK {
			t.Errorf("%s: kept, %s", path, w.Body)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "x.md")); err == nil {
		t.Error("a file outside of the folder was written")
	}
}

func TestUploadIsGuardedLikeOperations(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	s.cfg.Uploads = t.TempDir()
	for name, c := range map[string]struct {
		edit func(*http.Request)
		want int
	}{
		"no key":         {func(r *http.Request) { r.Header.Del("Authorization"); r.Header.Del("Cookie") }, http.StatusUnauthorized},
		"foreign origin": {func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }, http.StatusForbidden},
		"a form":         {func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, http.StatusUnsupportedMediaType},
		"wrong method":   {func(r *http.Request) { r.Method = http.MethodPost }, http.StatusMethodNotAllowed},
		"sound":          {nil, http.StatusOK},
	} {
		if w := put(t, s, "/api/files/kb/a.md", "x", c.edit); w.Code != c.want {
			t.Errorf("%s: %d %s, want %d", name, w.Code, w.Body, c.want)
		}
	}
}
