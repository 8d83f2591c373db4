package models

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
	"ragdesk/build/standin"
)

// standInHub answers as the public hub does, from a folder.
type standInHub struct {
	*httptest.Server
	dir string
	mu  sync.Mutex
	// requests are paths with the first byte asked for.
	requests []string
	// change may answer a request for a file in another way; it reports whether it
	// did. n counts requests of that file from 1.
	change func(w http.ResponseWriter, r *http.Request, file string, n int) bool
	counts map[string]int
	// plain leaves hashes out of the list.
	plain bool
}

const testRepo = "stand/in"

func startHub(t *testing.T, kind standin.Kind) *standInHub {
	t.Helper()
	h := &standInHub{dir: t.TempDir(), counts: map[string]int{}}
	if err := standin.Write(h.dir, kind); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/models/"+testRepo+"/tree/main", h.tree)
	mux.HandleFunc("GET /"+testRepo+"/resolve/main/", h.resolve)
	mux.HandleFunc("GET /cdn/", h.cdn)
	h.Server = httptest.NewServer(mux)
	t.Cleanup(h.Close)
	return h
}

func (h *standInHub) files() []string {
	var names []string
	_ = fs.WalkDir(os.DirFS(h.dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, path)
		}
		return err
	})
	return names
}

// tree answers in two pages.
func (h *standInHub) tree(w http.ResponseWriter, r *http.Request) {
	files := h.files()
	half := len(files) / 2
	if r.URL.Query().Get("page") == "" {
		w.Header().Set("Link", fmt.Sprintf("<%s%s?recursive=true&page=2>; rel=\"next\"", h.URL, r.URL.Path))
		files = files[:half]
	} else {
		files = files[half:]
	}
	list := []treeEntry{{Type: "directory", Path: "onnx"}, {Type: "file", Path: "../evil.onnx", Size: 1}}
	for _, name := range files {
		content, _ := os.ReadFile(filepath.Join(h.dir, name))
		e := treeEntry{Type: "file", Path: name, Size: int64(len(content))}
		git := sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(content)), content...))
		e.OID = hex.EncodeToString(git[:])
		if large(name) && !h.plain {
			sum := sha256.Sum256(content)
			e.LFS = &struct {
				OID  string `json:"oid"`
				Size int64  `json:"size"`
			}{hex.EncodeToString(sum[:]), int64(len(content))}
			e.OID, e.Size = strings.Repeat("0", 40), 134
		}
		if h.plain {
			e.OID = ""
		}
		list = append(list, e)
	}
	_ = json.NewEncoder(w).Encode(list)
}

func large(name string) bool { return strings.Contains(name, ".onnx") }

// resolve serves small files and redirects for large ones.
func (h *standInHub) resolve(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/"+testRepo+"/resolve/main/")
	h.mu.Lock()
	h.counts[name]++
	n := h.counts[name]
	h.requests = append(h.requests, name+" "+r.Header.Get("Range"))
	change := h.change
	h.mu.Unlock()
	if change != nil && change(w, r, name, n) {
		return
	}
	if large(name) {
		content, err := os.ReadFile(filepath.Join(h.dir, name))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		sum := sha256.Sum256(content)
		w.Header().Set("X-Linked-Etag", `"`+hex.EncodeToString(sum[:])+`"`)
		http.Redirect(w, r, "/cdn/"+name, http.StatusFound)
		return
	}
	http.ServeFile(w, r, filepath.Join(h.dir, name))
}

func (h *standInHub) cdn(w http.ResponseWriter, r *http.Request) {
	http.ServeFile(w, r, filepath.Join(h.dir, strings.TrimPrefix(r.URL.Path, "/cdn/")))
}

// client is a hub client that does not wait between tries.
func (h *standInHub) client(t *testing.T) *Hub {
	t.Helper()
	c, err := NewHub(h.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.pause = func(ctx context.Context, _ int, _ time.Duration) error { return ctx.Err() }
	return c
}

var testEntry = Entry{Name: "small", Repo: testRepo, Revision: "main", Precisions: []Precision{INT8, FP32, FP16}, Licence: "MIT"}

func testFolder(t *testing.T) *Folder {
	t.Helper()
	f, err := OpenFolder(filepath.Join(t.TempDir(), "models"))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// counter is a progress that adds up.
type counter struct {
	rag.NoProgress
	mu           sync.Mutex
	total, added int
}

func (c *counter) Stage(name string, total int) {
	if name == "download" {
		c.total = total
	}
}

func (c *counter) Add(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.added += n
}

func TestPull(t *testing.T) {
	t.Parallel()
	h, f := startHub(t, standin.XLMRReranker), testFolder(t)
	var told counter
	m, err := f.Pull(t.Context(), h.client(t), testEntry, "", &told)
	if err != nil {
		t.Fatal(err)
	}
	if m.Task != TaskRerank || len(m.Variants) != 1 || m.Variants[0].Precision != INT8 || m.Manifest.Licence != "MIT" {
		t.Errorf("installed %+v", m.Manifest)
	}
	if want := "hub:" + strings.TrimPrefix(h.URL, "http://") + "/stand/in@main"; m.Manifest.Source != want {
		t.Errorf("source %q, want %q", m.Manifest.Source, want)
	}
	if told.added != told.total || int64(told.total) != m.Manifest.Bytes() {
		t.Errorf("progress %d of %d, %d bytes", told.added, told.total, m.Manifest.Bytes())
	}
	if m.VariantSHA256(m.Variants[0]) == "" || m.SHA256(m.Tokenizer) == "" || m.SHA256("elsewhere") != "" {
		t.Error("hashes of files are missing")
	}
	if _, err := f.Verify(t.Context(), "SMALL", rag.NoProgress{}); err != nil {
		t.Error(err)
	}
	before := len(h.requests)
	if _, err := f.Pull(t.Context(), h.client(t), testEntry, INT8, rag.NoProgress{}); err != nil || len(h.requests) != before {
		t.Errorf("a second pull asked %d times: %v", len(h.requests)-before, err)
	}
	m, err = f.Pull(t.Context(), h.client(t), testEntry, FP32, rag.NoProgress{})
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Manifest.Precisions) != 2 || m.Manifest.Precisions[0] != INT8 || m.Manifest.Precisions[1] != FP32 {
		t.Errorf("precisions %v after a second one", m.Manifest.Precisions)
	}
	if _, err := f.Verify(t.Context(), "small", rag.NoProgress{}); err != nil {
		t.Error(err)
	}
	if list, err := f.List(); err != nil || len(list) != 1 || list[0].Name != "small" {
		t.Errorf("list %v, %v", list, err)
	}
}

func TestPullTakesExternalWeights(t *testing.T) {
	t.Parallel()
	h, f := startHub(t, standin.XLMRExternal), testFolder(t)
	m, err := f.Pull(t.Context(), h.client(t), testEntry, FP32, rag.NoProgress{})
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Variants[0].Data) != 1 || !strings.Contains(m.VariantSHA256(m.Variants[0]), "+") {
		t.Errorf("variant %+v", m.Variants[0])
	}
}

// cut sends the first part of a file and then breaks the connection.
func cut(h *standInHub, w http.ResponseWriter, r *http.Request, name string, bytes int) {
	content, _ := os.ReadFile(filepath.Join(h.dir, name))
	from := 0
	if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from); err == nil {
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(content)-1, len(content)))
	}
	w.Header().Set("Content-Length", fmt.Sprint(len(content)-from))
	if from > 0 {
		w.WriteHeader(http.StatusPartialContent)
	}
	_, _ = w.Write(content[from:min(from+bytes, len(content))])
	panic(http.ErrAbortHandler)
}

const bigFile = "onnx/model_quantized.onnx"

func TestInterruptedDownloadGoesOn(t *testing.T) {
	t.Parallel()
	h, f := startHub(t, standin.XLMRReranker), testFolder(t)
	h.change = func(w http.ResponseWriter, r *http.Request, file string, n int) bool {
		if file != bigFile || n > 12 {
			return false
		}
		cut(h, w, r, file, 50_000)
		return true
	}
	if _, err := f.Pull(t.Context(), h.client(t), testEntry, "", rag.NoProgress{}); err != nil {
		t.Fatal(err)
	}
	ranges := 0
	for _, r := range h.requests {
		if strings.HasPrefix(r, bigFile+" bytes=") {
			ranges++
		}
	}
	if ranges != 12 {
		t.Errorf("%d requests went on where another stopped, want 12: more than may fail without progress", ranges)
	}
}

func TestCancelledDownloadIsContinuedLater(t *testing.T) {
	t.Parallel()
	h, f := startHub(t, standin.XLMRReranker), testFolder(t)
	ctx, cancel := context.WithCancel(t.Context())
	h.change = func(w http.ResponseWriter, r *http.Request, file string, n int) bool {
		if file != bigFile || n > 1 {
			return false
		}
		content, _ := os.ReadFile(filepath.Join(h.dir, file))
		w.Header().Set("Content-Length", fmt.Sprint(len(content)))
		_, _ = w.Write(content[:100_000])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		return true
	}
	var once sync.Once
	told := &watcher{add: func(n int) {
		if n > 50_000 {
			once.Do(cancel)
		}
	}}
	if _, err := f.Pull(ctx, h.client(t), testEntry, "", told); !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled: %v", err)
	}
	part := filepath.Join(f.staging("small"), bigFile+partMark)
	info, err := os.Stat(part)
	if err != nil || info.Size() < 1 || info.Size() > 100_000 {
		t.Fatalf("the part is %v, %v", info, err)
	}
	if list, err := f.List(); err != nil || len(list) != 0 {
		t.Errorf("an unfinished model is listed: %v, %v", list, err)
	}
	if _, err := f.Model("small"); !fault.Is(err, "model_not_installed") {
		t.Errorf("an unfinished model opens: %v", err)
	}
	h.requests = nil
	if _, err := f.Pull(t.Context(), h.client(t), testEntry, "", rag.NoProgress{}); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("%s bytes=%d-", bigFile, info.Size()); !strings.Contains(strings.Join(h.requests, "\n"), want) {
		t.Errorf("requests %q, want %q among them", h.requests, want)
	}
	for _, r := range h.requests {
		if strings.HasPrefix(r, "config.json") && strings.Contains(r, "bytes") {
			t.Errorf("a complete file was asked for again: %s", r)
		}
	}
}

// watcher is a progress that tells of bytes.
type watcher struct {
	rag.NoProgress
	add func(int)
}

func (w *watcher) Add(n int) { w.add(n) }

func TestDownloadsThatFail(t *testing.T) {
	t.Parallel()
	answer := func(status int) func(*standInHub, http.ResponseWriter, *http.Request, string, int) bool {
		return func(_ *standInHub, w http.ResponseWriter, _ *http.Request, file string, _ int) bool {
			if file == bigFile {
				w.WriteHeader(status)
			}
			return file == bigFile
		}
	}
	for name, c := range map[string]struct {
		change func(h *standInHub, w http.ResponseWriter, r *http.Request, file string, n int) bool
		code   string
		asked  int // how often the file is asked for
		gone   bool
	}{
		"not there":       {answer(404), "hub_not_found", 1, false},
		"not allowed":     {answer(401), "hub_denied", 1, false},
		"odd answer":      {answer(418), "hub_unreachable", 1, false},
		"always too busy": {answer(503), "hub_unreachable", attempts, false},
		"nothing comes": {func(_ *standInHub, w http.ResponseWriter, r *http.Request, f string, _ int) bool {
			return f == bigFile && stall(w, r)
		}, "hub_unreachable", attempts, false},
		"connection drops": {func(h *standInHub, w http.ResponseWriter, r *http.Request, f string, _ int) bool {
			return f == bigFile && drop()
		}, "hub_unreachable", -1, false},
		"wrong content": {func(h *standInHub, w http.ResponseWriter, _ *http.Request, f string, _ int) bool {
			if f != bigFile {
				return false
			}
			content, _ := os.ReadFile(filepath.Join(h.dir, f))
			content[len(content)/2] ^= 1
			_, _ = w.Write(content)
			return true
		}, "model_corrupt", 1, true},
		"small file with another hash": {func(h *standInHub, w http.ResponseWriter, _ *http.Request, f string, _ int) bool {
			if f != "config.json" {
				return false
			}
			content, _ := os.ReadFile(filepath.Join(h.dir, f))
			_, _ = w.Write(bytes.Replace(content, []byte("roberta"), []byte("rOberta"), 1))
			return true
		}, "model_corrupt", -1, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, f := startHub(t, standin.XLMRReranker), testFolder(t)
			h.change = func(w http.ResponseWriter, r *http.Request, file string, n int) bool {
				return c.change(h, w, r, file, n)
			}
			client := h.client(t)
			client.idle = 50 * time.Millisecond
			if name != "nothing comes" {
				client.idle = time.Minute
			}
			_, err := f.Pull(t.Context(), client, testEntry, "", rag.NoProgress{})
			if !fault.Is(err, c.code) || errors.Is(err, context.Canceled) {
				t.Fatalf("error %v, want %s", err, c.code)
			}
			if c.asked > 0 && h.counts[bigFile] != c.asked {
				t.Errorf("asked %d times, want %d", h.counts[bigFile], c.asked)
			}
			if host := fault.Of(err).Params["host"]; host != client.Host() {
				t.Errorf("host %q", host)
			}
			if list, _ := f.List(); len(list) != 0 {
				t.Error("a model is installed all the same")
			}
			if _, err := os.Stat(filepath.Join(f.staging("small"), bigFile+partMark)); c.gone && err == nil {
				t.Error("the wrong file is still there")
			}
		})
	}
}

// stall gives nothing until the client goes.
func stall(w http.ResponseWriter, r *http.Request) bool {
	w.WriteHeader(http.StatusOK)
	w.(http.Flusher).Flush()
	<-r.Context().Done()
	return true
}

func drop() bool { panic(http.ErrAbortHandler) }

func TestRangesThatAreNotKept(t *testing.T) {
	t.Parallel()
	for name, second := range map[string]func(w http.ResponseWriter, content []byte){
		"whole file for a range": func(w http.ResponseWriter, content []byte) { _, _ = w.Write(content) },
		"another range": func(w http.ResponseWriter, content []byte) {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes 10-%d/%d", len(content)-1, len(content)))
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write(content[10:])
		},
		"no such range": func(w http.ResponseWriter, _ []byte) { w.WriteHeader(http.StatusRequestedRangeNotSatisfiable) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, f := startHub(t, standin.XLMRReranker), testFolder(t)
			h.change = func(w http.ResponseWriter, r *http.Request, file string, n int) bool {
				content, _ := os.ReadFile(filepath.Join(h.dir, file))
				switch {
				case file != bigFile || n > 2:
					return false
				case n == 1:
					cut(h, w, r, file, 1000)
				default:
					second(w, content)
				}
				return true
			}
			if _, err := f.Pull(t.Context(), h.client(t), testEntry, "", rag.NoProgress{}); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestHashOfTheRedirectIsChecked(t *testing.T) {
	t.Parallel()
	h, f := startHub(t, standin.XLMRReranker), testFolder(t)
	h.plain = true // the list has no hashes: the answers have
	if _, err := f.Pull(t.Context(), h.client(t), testEntry, "", rag.NoProgress{}); err != nil {
		t.Fatal(err)
	}
	if err := f.Remove("small"); err != nil {
		t.Fatal(err)
	}
	h.change = func(w http.ResponseWriter, r *http.Request, file string, _ int) bool {
		if file != bigFile {
			return false
		}
		w.Header().Set("X-Linked-Etag", `"`+strings.Repeat("ab", 32)+`"`)
		http.Redirect(w, r, "/cdn/"+file, http.StatusFound)
		return true
	}
	if _, err := f.Pull(t.Context(), h.client(t), testEntry, "", rag.NoProgress{}); !fault.Is(err, "model_corrupt") {
		t.Errorf("another hash in the redirect: %v", err)
	}
}

func TestHubAddresses(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"ftp://host", "host", "https://", "https://user:word@host", "https://host?x=1", "://"} {
		if _, err := NewHub(base, nil); !fault.Is(err, "hub_address") {
			t.Errorf("%s: %v", base, err)
		}
	}
	h, err := NewHub("https://mirror.example/hf/", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := h.address("a/b", "resolve", "v 1", "onnx/model.onnx"); got != "https://mirror.example/hf/a/b/resolve/v%201/onnx/model.onnx" {
		t.Errorf("address %s", got)
	}
	if h, err := NewHub("", nil); err != nil || h.Host() != "huggingface.co" {
		t.Errorf("the default is %v, %v", h, err)
	}
}

func TestRedirectsStaySecure(t *testing.T) {
	t.Parallel()
	at := func(address string) *http.Request { return httptest.NewRequest(http.MethodGet, address, nil) }
	if err := secure(at("http://host/x"), []*http.Request{at("https://host/x")}); err == nil {
		t.Error("a redirect from https to http is followed")
	}
	if err := secure(at("https://cdn/x"), []*http.Request{at("https://host/x")}); err != nil {
		t.Error(err)
	}
	var via []*http.Request
	for range longestRedirect {
		via = append(via, at("https://host/x"))
	}
	if err := secure(at("https://host/x"), via); err == nil {
		t.Error("endless redirects are followed")
	}
}

func TestUnreachableHub(t *testing.T) {
	t.Parallel()
	h := startHub(t, standin.XLMRReranker)
	client := h.client(t)
	h.Close()
	_, err := testFolder(t).Pull(t.Context(), client, testEntry, "", rag.NoProgress{})
	if !fault.Is(err, "hub_unreachable") {
		t.Errorf("error %v", err)
	}
	other := testEntry
	other.Repo = "no/such"
	h = startHub(t, standin.XLMRReranker)
	if _, err := testFolder(t).Pull(t.Context(), h.client(t), other, "", rag.NoProgress{}); !fault.Is(err, "hub_not_found") {
		t.Errorf("no such repository: %v", err)
	}
	if _, err := testFolder(t).Pull(t.Context(), h.client(t), testEntry, Q4, rag.NoProgress{}); !fault.Is(err, "hub_not_found") {
		t.Errorf("no such precision: %v", err)
	}
}

func TestPauses(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := pause(ctx, 40, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled pause: %v", err)
	}
}
