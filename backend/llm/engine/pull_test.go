//go:build engine

package engine_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"ragdesk/backend/fault"
	"ragdesk/backend/llm"
	"ragdesk/backend/rag"
)

// registry is a registry of models with one of them, "library/tiny", made of a GGUF
// file. Like the public one it sends clients to another address for what is large.
type registry struct {
	*httptest.Server
	blobs    map[string][]byte
	manifest []byte
	mu       sync.Mutex
	// hold is after how many bytes of a blob the registry falls silent; 0 never.
	hold int
	// ranges are the ranges that were asked for.
	ranges []string
}

func newRegistry(t *testing.T, gguf []byte) *registry {
	t.Helper()
	r := &registry{blobs: map[string][]byte{}}
	layer := func(media string, content []byte) map[string]any {
		sum := sha256.Sum256(content)
		digest := "sha256:" + hex.EncodeToString(sum[:])
		r.blobs[digest] = content
		return map[string]any{"mediaType": media, "digest": digest, "size": len(content)}
	}
	var err error
	r.manifest, err = json.Marshal(map[string]any{
		"schemaVersion": 2, "mediaType": "application/vnd.docker.distribution.manifest.v2+json",
		"config": layer("application/vnd.docker.container.image.v1+json", []byte(`{"model_format":"gguf","model_family":"llama","model_families":["llama"],"model_type":"134.52M","file_type":"Q4_1"}`)),
		"layers": []any{layer("application/vnd.ollama.image.model", gguf)},
	})
	if err != nil {
		t.Fatal(err)
	}
	r.Server = httptest.NewServer(http.HandlerFunc(r.answer))
	t.Cleanup(r.Close)
	return r
}

func (r *registry) answer(w http.ResponseWriter, req *http.Request) {
	path := req.URL.Path
	digest := path[strings.LastIndex(path, "/")+1:]
	content, ok := r.blobs[digest]
	switch {
	case path == "/v2/library/tiny/manifests/latest":
		_, _ = w.Write(r.manifest)
	case !ok:
		http.NotFound(w, req)
	case strings.HasPrefix(path, "/v2/") && req.Method == http.MethodGet:
		_, port, _ := strings.Cut(req.Host, ":")
		http.Redirect(w, req, "http://localhost:"+port+"/store/"+digest, http.StatusTemporaryRedirect)
	default:
		r.mu.Lock()
		hold := r.hold
		if len(content) > 1<<20 {
			r.ranges = append(r.ranges, req.Header.Get("Range"))
		}
		r.mu.Unlock()
		if hold > 0 && req.Method == http.MethodGet && len(content) > hold {
			w = &held{w, hold, req.Context()}
		}
		http.ServeContent(w, req, "", time.Time{}, strings.NewReader(string(content)))
	}
}

// held falls silent after some bytes, until the client goes away.
type held struct {
	http.ResponseWriter
	left int
	ctx  context.Context //nolint:containedctx // that of one request
}

// Write implements io.Writer.
func (h *held) Write(p []byte) (int, error) {
	n, err := h.ResponseWriter.Write(p[:min(len(p), h.left)])
	if h.left -= n; h.left <= 0 && err == nil {
		h.ResponseWriter.(http.Flusher).Flush()
		<-h.ctx.Done()
		err = io.ErrClosedPipe
	}
	return n, err
}

// meter counts the bytes of a pull.
type meter struct {
	mu          sync.Mutex
	total, done int
	at          func(done int)
}

// Stage implements rag.Progress.
func (m *meter) Stage(_ string, total int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.total, m.done = total, 0
}

// Add implements rag.Progress.
func (m *meter) Add(n int) {
	m.mu.Lock()
	m.done += n
	done := m.done
	m.mu.Unlock()
	if m.at != nil {
		m.at(done)
	}
}

// Note implements rag.Progress.
func (m *meter) Note(any) {}

// TestPullGoesOnWhereItStopped has the engine download a model, stops it in the middle
// and starts it again.
func TestPullGoesOnWhereItStopped(t *testing.T) {
	gguf, err := os.ReadFile(asset(t, smollm))
	if err != nil {
		t.Fatal(err)
	}
	r := newRegistry(t, gguf)
	h, config := newHost(t)
	client, err := h.Client(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(r.URL, "http://") + "/library/tiny"
	const hold = 10 << 20
	r.hold = hold
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err = client.Pull(ctx, name, &meter{at: func(done int) {
		if done >= hold {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled: %v", err)
	}
	if list, err := client.List(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("half a model is listed: %v, %v", list, err)
	}
	r.mu.Lock()
	r.hold, r.ranges = 0, nil
	r.mu.Unlock()
	var m meter
	got, err := client.Pull(t.Context(), name, &m)
	if err != nil {
		t.Fatal(err)
	}
	if m.total < len(gguf) || m.done != m.total {
		t.Errorf("%d of %d bytes, the file has %d", m.done, m.total, len(gguf))
	}
	if len(r.ranges) == 0 || strings.HasPrefix(r.ranges[len(r.ranges)-1], "bytes=0-") {
		t.Errorf("asked for %q", r.ranges)
	}
	t.Logf("the second pull asked for %q", r.ranges)
	reply, err := client.Generator(got).Generate(t.Context(), rag.GenerateRequest{Prompt: "Hello", Options: rag.GenerateOptions{MaxTokens: 2}}, nil)
	if err != nil || reply.Text == "" {
		t.Errorf("%q, %v", reply.Text, err)
	}
	checked, err := llm.Verify(t.Context(), config.Models(), got, rag.NoProgress{})
	if err != nil || len(checked) != 1 || len(checked[0].Damaged) != 0 || checked[0].Bytes < int64(len(gguf)) {
		t.Errorf("%+v, %v", checked, err)
	}
	if _, err := client.Pull(t.Context(), strings.Replace(name, "tiny", "nobody", 1), rag.NoProgress{}); !fault.Is(err, "llm_model_unknown") {
		t.Errorf("a model that is not there: %v", err)
	}
}
