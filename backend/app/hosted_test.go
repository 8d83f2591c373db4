package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
)

// embedding makes the host serve an embedding model of four dimensions: one for
// each of three words and one for the length. digest is the model's, and refuse
// what it answers to a text with "cursed".
type embedding struct {
	mu     sync.Mutex
	inputs []string
	digest string
	refuse string
}

func (e *embedding) serve(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Model, Input string
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Model != "nomic-embed-text" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	e.mu.Lock()
	e.inputs = append(e.inputs, in.Input)
	refuse := e.refuse
	e.mu.Unlock()
	if strings.Contains(in.Input, "cursed") && refuse != "" {
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprintf(w, `{"error":%q}`, refuse)
		return
	}
	v := []float64{0.1, 0.1, 0.1, 0.1}
	for i, word := range []string{"年假", "食堂", "bread"} {
		v[i] += float64(strings.Count(in.Input, word))
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"embeddings": [][]float64{v}})
}

func newEmbedding(t *testing.T) (*ollama, *embedding) {
	t.Helper()
	e := &embedding{digest: "e1", refuse: "failed to encode response: json: unsupported value: NaN"}
	mux := http.NewServeMux()
	mux.HandleFunc("/api/version", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"version":"0.9.6"}`) })
	mux.HandleFunc("/api/tags", func(w http.ResponseWriter, _ *http.Request) {
		e.mu.Lock()
		defer e.mu.Unlock()
		fmt.Fprintf(w, `{"models":[{"name":"nomic-embed-text:latest","digest":%q,"size":270000000}]}`, e.digest)
	})
	mux.HandleFunc("/api/show", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"model_info":{"general.architecture":"nomic-bert","nomic-bert.context_length":2048,"nomic-bert.embedding_length":4},"capabilities":["embedding"]}`)
	})
	mux.HandleFunc("/api/embed", e.serve)
	return serving(t, mux), e
}

func TestAHostEmbedsALibrary(t *testing.T) {
	t.Parallel()
	f, e := newEmbedding(t)
	s := f.with(t, filled(t))
	j := reindexed(t, s, api.ReindexRequest{Embedder: "ollama:nomic-embed-text"})
	if j.State != "done" {
		t.Fatalf("reindex: %+v", j.Error)
	}
	lib := libraryNow(t, s)
	if lib.Embedder != "ollama:nomic-embed-text" || lib.Dim != 4 {
		t.Errorf("embedder %s, %d dimensions", lib.Embedder, lib.Dim)
	}
	for _, strategy := range []string{"vector", "hybrid", "hybrid+rerank"} {
		out, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: "年假有几天", Strategy: strategy})
		if err != nil || len(out.Hits) == 0 || !strings.Contains(out.Hits[0].Text, "年假") {
			t.Errorf("%s: %v, %+v", strategy, err, out.Hits)
		}
	}
	e.mu.Lock()
	last := e.inputs[len(e.inputs)-1]
	for _, in := range e.inputs {
		if !strings.HasPrefix(in, "search_document: ") && !strings.HasPrefix(in, "search_query: ") {
			t.Errorf("embedded %q", in)
		}
	}
	e.digest = "e2" // another model under the old name
	e.mu.Unlock()
	if last != "search_query: 年假有几天" {
		t.Errorf("the question was sent as %q", last)
	}
	if _, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: "年假", Strategy: "vector"}); !fault.Is(err, "embedder_mismatch") {
		t.Errorf("after the model was replaced: %v", err)
	}
	if _, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: "年假", Strategy: "bm25"}); err != nil {
		t.Errorf("BM25 needs no host: %v", err)
	}
	f.Close()
	if _, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: "年假", Strategy: "vector"}); !fault.Is(err, "llm_unreachable") {
		t.Errorf("without the host: %v", err)
	}
}

func TestAHostsBadVectorIsItsDocumentsFault(t *testing.T) {
	t.Parallel()
	f, e := newEmbedding(t)
	s := f.with(t, filled(t))
	dir := t.TempDir()
	for name, text := range map[string]string{"a.txt": "bread", "b.txt": "cursed", "c.txt": "食堂"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for reason, want := range map[string]map[string]string{
		e.refuse: {"a.txt": "indexed", "b.txt": "failed vector_invalid", "c.txt": "indexed"},
		"the input length exceeds the context length": {"a.txt": "indexed", "b.txt": "failed vector_invalid", "c.txt": "indexed"},
	} {
		e.mu.Lock()
		e.refuse = reason
		e.mu.Unlock()
		j, err := s.StartIngest(t.Context(), api.IngestRequest{KB: "x" + reason[:3], Embedder: "ollama:nomic-embed-text", Paths: []string{dir}})
		j = ended(t, s, j, err)
		got := map[string]string{}
		for _, d := range j.Report.Documents {
			got[filepath.Base(d.Source)] = strings.TrimSpace(d.Status + " " + code(d.Error))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", reason, diff)
		}
	}
}

func code(e *api.ErrorBody) string {
	if e == nil {
		return ""
	}
	return e.Code
}

func TestAnEmbedderOfAHostThatLacksIt(t *testing.T) {
	t.Parallel()
	f := newOllama(t) // its model gives no embeddings
	s := f.with(t, filled(t))
	for name, want := range map[string]string{"ollama:tiny": "llm_unsupported", "ollama:": "embedder_unknown", "ollama:a+b": "embedder_unknown"} {
		if _, err := s.StartReindex(t.Context(), api.ReindexRequest{KB: "kb", Embedder: name}); !fault.Is(err, want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}
