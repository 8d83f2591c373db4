package modelstest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"ragdesk/build/standin"
)

// Hub answers as the public hub does, on this machine, from stand-ins.
type Hub struct {
	*httptest.Server
	dirs map[string]string

	mu       sync.Mutex
	requests []string
	// hold is the file that is sent up to holdAt bytes, once.
	hold   string
	holdAt int
}

// StartHub serves a stand-in for each repository, OWNER/NAME, until the test
// ends.
func StartHub(tb testing.TB, repos map[string]standin.Kind) *Hub {
	tb.Helper()
	h := &Hub{dirs: map[string]string{}}
	mux := http.NewServeMux()
	for repo, kind := range repos {
		dir := StandIn(tb, kind)
		h.dirs[repo] = dir
		mux.HandleFunc("GET /api/models/"+repo+"/tree/main", func(w http.ResponseWriter, _ *http.Request) { tree(w, dir) })
		mux.HandleFunc("GET /"+repo+"/resolve/main/{file...}", func(w http.ResponseWriter, r *http.Request) { h.resolve(w, r, dir) })
	}
	h.Server = httptest.NewServer(mux)
	tb.Cleanup(h.Close)
	return h
}

// Hold lets the next request for a file of that base name get its first bytes and
// then nothing, until the client hangs up.
func (h *Hub) Hold(name string, bytes int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hold, h.holdAt = name, bytes
}

// Requests returns what was asked for since the last call, "FILE RANGE", in
// order.
func (h *Hub) Requests() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := h.requests
	h.requests = nil
	return out
}

// Path is where a file of a repository lies, for a test to damage.
func (h *Hub) Path(repo, file string) string {
	return filepath.Join(h.dirs[repo], filepath.FromSlash(file))
}

// tree lists the files of a repository.
func tree(w http.ResponseWriter, dir string) {
	type large struct {
		OID  string `json:"oid"`
		Size int    `json:"size"`
	}
	type entry struct {
		Type string `json:"type"`
		Path string `json:"path"`
		Size int    `json:"size"`
		LFS  large  `json:"lfs"`
	}
	var list []entry
	root := os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(root, name)
		sum := sha256.Sum256(content)
		list = append(list, entry{"file", name, len(content), large{hex.EncodeToString(sum[:]), len(content)}})
		return err
	})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_ = json.NewEncoder(w).Encode(list) // the client is gone if this fails
}

// resolve sends a file.
func (h *Hub) resolve(w http.ResponseWriter, r *http.Request, dir string) {
	file := r.PathValue("file")
	if !fs.ValidPath(file) {
		http.NotFound(w, r)
		return
	}
	h.mu.Lock()
	h.requests = append(h.requests, strings.TrimSpace(file+" "+r.Header.Get("Range")))
	held := h.hold == path.Base(file)
	if held {
		h.hold = ""
	}
	h.mu.Unlock()
	local := filepath.Join(dir, filepath.FromSlash(file))
	if !held {
		http.ServeFile(w, r, local)
		return
	}
	content, err := os.ReadFile(local)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Length", fmt.Sprint(len(content)))
	_, _ = w.Write(slices.Clone(content[:min(h.holdAt, len(content))]))
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
	<-r.Context().Done()
}
