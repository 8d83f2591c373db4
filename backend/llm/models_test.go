package llm_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/fault"
	"ragdesk/backend/llm"
	"ragdesk/backend/rag"
	"ragdesk/build"
)

func TestListAndShow(t *testing.T) {
	t.Parallel()
	c := newFake(t).client(t)
	models, err := c.List(t.Context())
	if err != nil || len(models) != 2 || models[0].Name != "old:1b" {
		t.Fatalf("%v, %v", models, err)
	}
	d, err := c.Show(t.Context(), "tiny")
	if err != nil {
		t.Fatal(err)
	}
	d.Modified = models[1].Modified
	want := llm.Details{
		Model: models[1], Context: 8192, Chat: true, Dim: 4, CacheBytes: 2 * 2 * 30 * 3 * 64,
		Licence: "Apache License", Template: "<|user|>{{ .Prompt }}",
	}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Error(diff)
	}
	loaded, err := c.Running(t.Context())
	if err != nil || len(loaded) != 1 || loaded[0].Memory != 2000000 {
		t.Errorf("%v, %v", loaded, err)
	}
}

func TestModelWithoutTemplateIsNoChat(t *testing.T) {
	t.Parallel()
	for template, want := range map[string]bool{"": false, "{{ .Prompt }}": false, "{{.Prompt}}\n": false, "<s>{{ .Prompt }}": true} {
		f := newFake(t)
		f.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/api/show" {
				fmt.Fprintf(w, `{"template":%q}`, template)
				return
			}
			fmt.Fprint(w, `{"models":[]}`)
		})
		if d, err := f.client(t).Show(t.Context(), "x"); err != nil || d.Chat != want || d.Context != 0 {
			t.Errorf("%q: %+v, %v", template, d, err)
		}
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	models := []llm.Model{{Name: "a:latest"}, {Name: "reg.example:5000/b/c:latest"}, {Name: "a:1b"}}
	for name, want := range map[string]string{"a": "a:latest", "A:1B": "a:1b", "reg.example:5000/b/c": "reg.example:5000/b/c:latest", "b": ""} {
		if got, ok := llm.Find(models, name); got.Name != want || ok != (want != "") {
			t.Errorf("%s: %q, %t", name, got.Name, ok)
		}
	}
}

// recorder keeps what progress was reported.
type recorder struct {
	mu     sync.Mutex
	stages []string
	total  int
	added  int
}

func (r *recorder) Stage(name string, total int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stages, r.total, r.added = append(r.stages, name), total, 0
}

func (r *recorder) Add(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.added += n
}

func (r *recorder) Note(any) {}

func TestPullReportsBytes(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.other = lines(`{"status":"pulling manifest"}`,
		`{"status":"pulling a","digest":"a","total":100,"completed":40}`, `{"status":"pulling a","digest":"a","total":100,"completed":100}`,
		`{"status":"pulling b","digest":"b","total":10}`, `{"status":"pulling b","digest":"b","total":10,"completed":10}`,
		`{"status":"verifying sha256 digest"}`, `{"status":"success"}`)
	var r recorder
	if name, err := f.client(t).Pull(t.Context(), "qwen3:1.7b", &r); err != nil || name != "qwen3:1.7b" {
		t.Fatal(name, err)
	}
	if r.total != 110 || r.added != 110 {
		t.Errorf("%d of %d bytes", r.added, r.total)
	}
	if f.count("/api/copy") != 0 || f.last(t, "/api/pull")["insecure"] != nil {
		t.Errorf("asked %v", f.asked)
	}
	// The catalogue's name is not the registry's.
	if name, err := f.client(t).Pull(t.Context(), "smollm2-135m", &r); err != nil || name != "smollm2-135m" {
		t.Fatal(name, err)
	}
	if diff := cmp.Diff(map[string]any{"source": "smollm2:135m", "destination": "smollm2-135m"}, f.last(t, "/api/copy")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]any{"model": "smollm2:135m"}, f.last(t, "/api/delete")); diff != "" {
		t.Error(diff)
	}
}

func TestPullFaults(t *testing.T) {
	t.Parallel()
	for line, code := range map[string]string{
		`{"error":"pull model manifest: file does not exist"}`:                                         "llm_model_unknown",
		`{"error":"pull model manifest: Get \"https://x/\": dial tcp: lookup x: no such host"}`:        "llm_pull_failed",
		`{"error":"max retries exceeded: Get \"https://x/\": dial tcp 1.2.3.4:443: connect: refused"}`: "llm_pull_failed",
		`{"status":"pulling manifest"}`:                                                                "llm_stream_broken",
	} {
		f := newFake(t)
		f.other = lines(line)
		if _, err := f.client(t).Pull(t.Context(), "x", rag.NoProgress{}); !fault.Is(err, code) {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// gguf is the head of a model file of version 3 with a tensor and a value.
var gguf = []byte("GGUF\x03\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00and so on")

func write(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestImport(t *testing.T) {
	t.Parallel()
	for _, there := range []bool{false, true} {
		f := newFake(t)
		f.other = func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/api/create":
				lines(`{"status":"parsing GGUF"}`, `{"status":"success"}`)(w, r)
			case r.Method == http.MethodHead && !there:
				http.NotFound(w, r)
			}
		}
		var r recorder
		path := write(t, "My Model Q4_0.gguf", gguf)
		name, err := f.client(t).Import(t.Context(), filepath.Dir(path), "", &r)
		if err != nil || name != "my-model-q4_0" {
			t.Fatalf("%q, %v", name, err)
		}
		sum := sha256.Sum256(gguf)
		digest := "sha256:" + hex.EncodeToString(sum[:])
		want := map[string]any{"model": name, "files": map[string]any{"My Model Q4_0.gguf": digest}}
		if diff := cmp.Diff(want, f.last(t, "/api/create")); diff != "" {
			t.Error(diff)
		}
		stages, sent := []string{llm.StageHash, llm.StageUpload, llm.StageCreate}, []string{"", string(gguf)}
		if there {
			stages, sent = []string{llm.StageHash, llm.StageCreate}, []string{""}
		}
		if diff := cmp.Diff(stages, r.stages); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(sent, f.asked["/api/blobs/"+digest]); diff != "" {
			t.Error(diff)
		}
	}
}

func TestImportRefusesOtherFiles(t *testing.T) {
	t.Parallel()
	c := newFake(t).client(t)
	two := t.TempDir()
	for _, name := range []string{"a.gguf", "b.GGUF"} {
		if err := os.WriteFile(filepath.Join(two, name), gguf, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	version := append([]byte(nil), gguf...)
	version[4] = 1
	none := append([]byte(nil), gguf...)
	none[8] = 0
	for path, code := range map[string]string{
		two: "gguf_many", t.TempDir(): "gguf_missing", filepath.Join(two, "none"): "gguf_missing",
		write(t, "short.gguf", gguf[:20]):                             "gguf_invalid",
		write(t, "zip.gguf", []byte(strings.Repeat("PK\x03\x04", 9))): "gguf_invalid",
		write(t, "old.gguf", version):                                 "gguf_invalid",
		write(t, "none.gguf", none):                                   "gguf_invalid",
		write(t, "big-00001-of-00003.gguf", gguf):                     "gguf_invalid",
	} {
		if _, err := c.Import(t.Context(), path, "x", rag.NoProgress{}); !fault.Is(err, code) {
			t.Errorf("%s: %v, want %s", path, err, code)
		}
	}
}

func TestEmbedder(t *testing.T) {
	t.Parallel()
	for vector, code := range map[string]string{
		"[3,0,4,0]": "", "[0,0,0,0]": "vector_invalid", "[1,0]": "vector_invalid", "[1e30,1e30,0,1e39]": "llm_stream_broken",
	} {
		f := newFake(t)
		f.other = func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, `{"embeddings":[%s]}`, vector) }
		e, err := f.client(t).Embedder(t.Context(), "tiny", llm.Prefixes{Query: "query: "})
		if err != nil {
			t.Fatal(err)
		}
		got, err := e.Query(t.Context(), "a")
		if code != "" {
			if !fault.Is(err, code) {
				t.Errorf("%s: %v, %v", vector, got, err)
			}
			continue
		}
		if diff := cmp.Diff([]float32{.6, 0, .8, 0}, got); diff != "" || err != nil {
			t.Error(diff, err)
		}
		want := map[string]any{"model": "tiny", "input": "query: a", "truncate": false, "options": map[string]any{"num_ctx": 8192.}}
		if diff := cmp.Diff(want, f.last(t, "/api/embed")); diff != "" {
			t.Error(diff)
		}
		if both, err := e.Documents(t.Context(), []string{"a", "b"}); err != nil || len(both) != 2 {
			t.Errorf("%v, %v", both, err)
		}
	}
}

func TestCapability(t *testing.T) {
	t.Parallel()
	for m, want := range map[llm.Model]llm.Capability{
		{Name: "gemma3-270m:latest", Parameters: "270M"}: llm.Demonstration,
		{Name: "smollm2:135m"}:                           llm.Demonstration,
		{Name: "qwen3:4b"}:                               llm.Capable,
		{Name: "Llama3.2:3B", Parameters: "3.2B"}:        llm.Capable,
		{Name: "mine:latest", Parameters: "7.6B"}:        llm.Capable,
		{Name: "mine:latest", Parameters: "134.52M"}:     llm.Demonstration,
		{Name: "mine:latest", Parameters: "1.5B"}:        llm.Demonstration,
		{Name: "mine:latest"}:                            llm.CapabilityUnknown,
		{Name: "mine:latest", Parameters: "many"}:        llm.CapabilityUnknown,
	} {
		if got := llm.CapabilityOf(m); got != want {
			t.Errorf("%+v: %s, want %s", m, got, want)
		}
	}
}

func TestOffersAreUsable(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, o := range llm.Offers() {
		if seen[o.Name] || o.Bytes < 1e6 || o.CacheBytes < 1e3 || o.Context < 2048 || len(o.Languages) == 0 || o.Licence == "" || o.Purpose == "" {
			t.Errorf("%+v", o)
		}
		seen[o.Name] = true
		if found, ok := llm.FindOffer(strings.ToUpper(o.Name)); !ok || found.Name != o.Name {
			t.Errorf("%s is found as %q", o.Name, found.Name)
		}
	}
	assets, err := build.Assets()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range assets {
		if a.Kind != build.KindChat {
			continue
		}
		i := slices.IndexFunc(llm.Offers(), func(o llm.Offer) bool { return o.Asset == a.Name })
		if i < 0 || llm.Offers()[i].SHA256 != a.SHA256 {
			t.Errorf("%s is not the catalogue's", a.Name)
		}
	}
	needs := llm.Needs(1_000_000_000, 100_000, 10_000)
	if needs != 2_300_000_000 {
		t.Errorf("needs %d", needs)
	}
	for free, want := range map[int64]llm.Fit{0: llm.FitUnknown, 4e9: llm.FitGood, 3e9: llm.FitTight, 2.3e9: llm.FitTight, 2e9: llm.FitNone} {
		if got := llm.Advise(needs, free); got != want {
			t.Errorf("%d free: %s, want %s", free, got, want)
		}
	}
}
