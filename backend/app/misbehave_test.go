package app

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
)

// TestTheApplicationOutlivesItsHost asks a host that misbehaves in each way: the
// answer is a fault, and search, the extractive answer and the next question to the
// model work after it. In the end nothing of the requests is left; goroutines are
// counted, so it runs alone.
func TestTheApplicationOutlivesItsHost(t *testing.T) {
	f := newOllama(t)
	var mood http.HandlerFunc
	inner := f.Config.Handler
	f.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if mood != nil && r.URL.Path == "/api/chat" {
			if _, err := io.ReadAll(r.Body); err != nil { // a server sees its client leave only after that
				t.Error(err)
			}
			mood(w, r)
			return
		}
		inner.ServeHTTP(w, r)
	})
	s := f.with(t, filled(t))
	question := api.AskRequest{KB: "kb", Query: "年假有几天", Model: "tiny", Fresh: true}
	ask(t, s, api.AskRequest{Fresh: true}) // everything is open now
	f.CloseClientConnections()
	time.Sleep(200 * time.Millisecond)
	before := runtime.NumGoroutine()
	flush := func(w http.ResponseWriter, lines ...string) {
		for _, l := range lines {
			fmt.Fprintln(w, l)
			w.(http.Flusher).Flush()
		}
	}
	token := `{"message":{"content":"年"}}`
	for name, c := range map[string]struct {
		mood http.HandlerFunc
		code string
	}{
		"stalls after three tokens": {func(w http.ResponseWriter, r *http.Request) { flush(w, token, token, token); <-r.Context().Done() }, "llm_stalled"},
		"cuts its JSON":             {func(w http.ResponseWriter, _ *http.Request) { flush(w, token, `{"mess`) }, "llm_stream_broken"},
		"answers 500":               {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }, "llm_failed"},
		"answers with a page":       {func(w http.ResponseWriter, _ *http.Request) { flush(w, "<!doctype html>") }, "llm_stream_broken"},
		"sends no headers":          {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "llm_stalled"},
		"sends a line of 10 MB": {func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"message":{"content":%q}}`, strings.Repeat("x", 10_000_000))
		}, "llm_stream_broken"},
	} {
		mood = c.mood
		if _, err := s.Ask(t.Context(), question); !fault.Is(err, c.code) {
			t.Errorf("a host that %s: %v, want %s", name, err, c.code)
		}
		if _, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: "年假"}); err != nil {
			t.Errorf("a host that %s: search: %v", name, err)
		}
		if _, err := s.Ask(t.Context(), api.AskRequest{KB: "kb", Query: "年假", Model: "extractive"}); err != nil {
			t.Errorf("a host that %s: extractive: %v", name, err)
		}
		mood = nil
		if out, err := s.Ask(t.Context(), question); err != nil || out.Answer == "" {
			t.Errorf("after a host that %s: %v", name, err)
		}
	}
	f.CloseClientConnections() // the idle ones
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before+2; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, before %d:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
	}
}
