package web

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDownloadSendsABackupAndNothingElse(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	dir := t.TempDir()
	s.cfg.Backups = filepath.Join(dir, "backups")
	for name, content := range map[string]string{"backups/my 备份.ragbundle": "PK", "ragdesk.db": "secret", "backups/a.txt": "no", "x.ragbundle": "outside"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "x.ragbundle"), filepath.Join(s.cfg.Backups, "link.ragbundle")); err != nil {
		t.Skip("no symbolic links here")
	}
	get := func(path string, edit func(*http.Request)) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		s.handler().ServeHTTP(w, with(http.MethodGet, path, "", edit))
		return w
	}
	w := get("/api/backups/my%20%E5%A4%87%E4%BB%BD.ragbundle", nil)
	if w.Code != http.StatusOK || w.Body.String() != "PK" || !strings.HasPrefix(w.Header().Get("Content-Disposition"), "attachment") {
		t.Errorf("%d %q %v", w.Code, w.Body, w.Header())
	}
	for _, path := range []string{"a.txt", "none.ragbundle", "link.ragbundle", "..%2Fragdesk.db", "..%2Fx.ragbundle", "%2e%2e%2fx.ragbundle"} {
		if w := get("/api/backups/"+path, nil); w.Code == http.StatusOK {
			t.Errorf("%s: sent %q", path, w.Body)
		}
	}
	if w := get("/api/backups/my%20%E5%A4%87%E4%BB%BD.ragbundle", func(r *http.Request) { r.Header.Del("Authorization"); r.Header.Del("Cookie") }); w.Code == http.StatusOK {
		t.Error("sent without the key")
	}
}
