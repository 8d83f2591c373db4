package llm_test

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"ragdesk/backend/fault"
	"ragdesk/backend/llm"
	"ragdesk/backend/rag"
)

// TestHostThatMisbehaves asks one client of one host again and again while that
// misbehaves in each way. The client says what is wrong, and after each of them it
// still works; in the end nothing of the requests is left: goroutines are counted, so it
// runs alone.
func TestHostThatMisbehaves(t *testing.T) {
	before := runtime.NumGoroutine()
	f := newFake(t)
	c, err := llm.New(llm.Config{Host: f.URL, Timeouts: llm.Timeouts{First: 2 * time.Second, Idle: 2 * time.Second, Answer: 2 * time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	g := c.Generator("tiny")
	three := lines(`{"response":"a"}`, `{"response":"b"}`, `{"response":"c"}`)
	wait := func(r *http.Request) { <-r.Context().Done() }
	for _, b := range []struct {
		name  string
		write http.HandlerFunc
		code  string
		// heard is what the caller had got by then.
		heard string
	}{
		{"stalls after three tokens", func(w http.ResponseWriter, r *http.Request) { three(w, r); wait(r) }, "llm_stalled", "abc"},
		{"cuts its JSON", lines(`{"response":"a"}`, `{"response":"b`), "llm_stream_broken", "a"},
		{"answers 500", refuse(500, "boom"), "llm_failed", ""},
		{"answers 500 with a page", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprint(w, "<html><body>oops</body></html>")
		}, "llm_failed", ""},
		{"answers with a page", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<!doctype html>\n<title>Sign in</title>\n")
		}, "llm_stream_broken", ""},
		{"sends no headers", func(_ http.ResponseWriter, r *http.Request) { wait(r) }, "llm_stalled", ""},
		{"sends headers and no body", func(w http.ResponseWriter, r *http.Request) { w.(http.Flusher).Flush(); wait(r) }, "llm_stalled", ""},
		{"sends a line of 10 MB", lines(`{"response":"a"}`, `{"response":"`+strings.Repeat("x", 10_000_000)+`"}`, done), "llm_stream_broken", "a"},
		{"hangs up midway", func(w http.ResponseWriter, r *http.Request) { three(w, r); panic(http.ErrAbortHandler) }, "llm_stream_broken", "abc"},
		{"says an error midway", lines(`{"response":"a"}`, `{"error":"llama runner process has terminated: exit status 2"}`), "llm_failed", "a"},
	} {
		f.write = b.write
		var heard strings.Builder
		_, err := g.Generate(t.Context(), rag.GenerateRequest{Prompt: "a"}, func(s string) error { heard.WriteString(s); return nil })
		if !fault.Is(err, b.code) || heard.String() != b.heard {
			t.Errorf("a host that %s: heard %q, %v, want %s", b.name, heard.String(), err, b.code)
		}
		f.write = lines(`{"response":"ok"}`, done)
		if got, err := g.Generate(t.Context(), rag.GenerateRequest{Prompt: "a"}, nil); err != nil || got.Text != "ok" {
			t.Errorf("after a host that %s: %q, %v", b.name, got.Text, err)
		}
	}
	// A caller that goes away leaves nothing either.
	f.write = func(w http.ResponseWriter, r *http.Request) { three(w, r); wait(r) }
	for range 10 {
		ctx, cancel := context.WithCancel(t.Context())
		if _, err := g.Generate(ctx, rag.GenerateRequest{Prompt: "a"}, func(string) error { cancel(); return nil }); err == nil {
			t.Error("a cancelled request has a reply")
		}
		cancel()
	}
	c.Close()
	f.Close()
	http.DefaultClient.CloseIdleConnections()
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, before %d:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
	}
}
