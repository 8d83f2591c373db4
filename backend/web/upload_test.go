package web

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
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

func TestUploadKeepsAFile(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	s.cfg.Uploads = filepath.Join(t.TempDir(), "uploads")
	for _, body := range []string{"一", "another, which replaces it"} {
		w := put(t, s, "/api/files/%E6%88%91%E7%9A%84/a/b%20c.md", body, nil)
		where := filepath.Join(s.cfg.Uploads, "我的", "a", "b c.md")
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "b c.md") {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		if got, err := os.ReadFile(where); err != nil || string(got) != body {
			t.Errorf("%s holds %q, %v", where, got, err)
		}
	}
	left, err := os.ReadDir(filepath.Join(s.cfg.Uploads, "我的", "a"))
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v %v", left, err)
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
