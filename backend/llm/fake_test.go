package llm_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"ragdesk/backend/llm"
)

// fake is a host that behaves as a test says.
type fake struct {
	*httptest.Server
	mu sync.Mutex
	// write answers /api/generate and /api/chat.
	write http.HandlerFunc
	// other answers paths that the fake does not know.
	other http.HandlerFunc
	// asked are the bodies of requests by path.
	asked map[string][]string
}

// show is what the fake says of its model "tiny": a window of 8192 and a template.
const show = `{"template":"<|user|>{{ .Prompt }}","license":"Apache License\nmore","details":{"family":"llama","parameter_size":"1M","quantization_level":"Q4_1"},
"model_info":{"general.architecture":"llama","llama.context_length":8192,"llama.embedding_length":4,"llama.block_count":30,"llama.attention.head_count":9,"llama.attention.head_count_kv":3,"llama.attention.key_length":64,
"tokenizer.ggml.model":"gpt2","tokenizer.ggml.tokens":["a","b","ab","Ġ","Ġab","ä"]},"capabilities":["completion"]}`

func newFake(t *testing.T) *fake {
	t.Helper()
	f := &fake{asked: map[string][]string{}}
	mux := http.NewServeMux()
	say := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) }
	}
	mux.HandleFunc("/api/version", say(`{"version":"9.9"}`))
	mux.HandleFunc("/api/tags", say(`{"models":[
		{"name":"tiny:latest","digest":"d1","size":1000000,"modified_at":"2026-01-01T00:00:00Z","details":{"family":"llama","parameter_size":"1M","quantization_level":"Q4_1"}},
		{"name":"old:1b","digest":"d0","size":5,"modified_at":"2025-01-01T00:00:00Z"}]}`))
	mux.HandleFunc("/api/ps", say(`{"models":[{"name":"tiny:latest","digest":"d1","size":2000000,"size_vram":0}]}`))
	mux.HandleFunc("/api/show", say(show))
	mux.HandleFunc("/api/generate", func(w http.ResponseWriter, r *http.Request) { f.write(w, r) })
	mux.HandleFunc("/api/chat", func(w http.ResponseWriter, r *http.Request) { f.write(w, r) })
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if f.other == nil {
			http.NotFound(w, r)
			return
		}
		f.other(w, r)
	})
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("read request: %v", err)
		}
		f.mu.Lock()
		f.asked[r.URL.Path] = append(f.asked[r.URL.Path], string(body))
		f.mu.Unlock()
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(f.Close)
	return f
}

// last decodes the last request to a path.
func (f *fake) last(t *testing.T, path string) map[string]any {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	bodies := f.asked[path]
	if len(bodies) == 0 {
		t.Fatalf("nothing was asked of %s", path)
	}
	var out map[string]any
	if err := json.Unmarshal([]byte(bodies[len(bodies)-1]), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func (f *fake) count(path string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.asked[path])
}

// client returns a client of the fake with short patience.
func (f *fake) client(t *testing.T) *llm.Client {
	t.Helper()
	c, err := llm.New(llm.Config{Host: f.URL, Timeouts: llm.Timeouts{First: 2 * time.Second, Idle: 300 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// lines answers with the lines, each sent at once.
func lines(all ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for _, l := range all {
			fmt.Fprintln(w, l)
			w.(http.Flusher).Flush()
		}
	}
}

// refuse answers with a status and an error.
func refuse(status int, message string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]string{"error": message})
	}
}
