package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/fault"
	"ragdesk/backend/llm"
	"ragdesk/backend/rag"
)

const done = `{"done":true,"done_reason":"stop","context":[1,2,3,4,5],"total_duration":9,"load_duration":1,"prompt_eval_count":3,"prompt_eval_duration":2,"eval_count":2,"eval_duration":3}`

func TestReplyIsPassedOnPieceByPiece(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.write = lines(`{"response":"年假"}`, ``, `{"thinking":"hm"}`, `{"response":"十天"}`, done)
	var pieces []string
	got, err := f.client(t).Generator("tiny").Generate(t.Context(), rag.GenerateRequest{System: "kurz", Prompt: "a", Schema: json.RawMessage(`{"type":"object"}`)}, func(s string) error {
		pieces = append(pieces, s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	got.Timing.First = 0
	want := rag.Generation{
		Text: "年假十天", Thinking: "hm", Model: "tiny", Digest: "d1", Done: rag.DoneStop,
		Usage:  rag.Usage{PromptTokens: 3, SentTokens: 3, ReplyTokens: 2, Context: 2048},
		Timing: rag.Timing{Load: 1, Prompt: 2, Reply: 3, Total: 9},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"年假", "十天"}, pieces); diff != "" {
		t.Error(diff)
	}
	wantSent := map[string]any{
		"model": "tiny", "prompt": "a", "system": "kurz", "format": map[string]any{"type": "object"},
		"options": map[string]any{"seed": 0., "temperature": 0., "num_ctx": 2048., "num_predict": 1024.},
	}
	if diff := cmp.Diff(wantSent, f.last(t, "/api/generate")); diff != "" {
		t.Error(diff)
	}
}

func TestConversationGoesToChat(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.write = lines(`{"message":{"role":"assistant","content":"yes"}}`, `{"done":true,"done_reason":"length","prompt_eval_count":5,"eval_count":1}`)
	got, err := f.client(t).Generator("tiny").Generate(t.Context(), rag.GenerateRequest{
		System:   "S",
		Messages: []rag.Message{{Role: "user", Content: "q"}, {Role: "assistant", Content: "r"}, {Role: "user", Content: "s"}},
		Options:  rag.GenerateOptions{Seed: 7, Temperature: .5, Context: 4096, MaxTokens: 9, Stop: []string{"\n"}},
	}, nil)
	if err != nil || got.Text != "yes" || got.Done != rag.DoneLength {
		t.Fatalf("%+v, %v", got, err)
	}
	sent := f.last(t, "/api/chat")
	want := map[string]any{"seed": 7., "temperature": .5, "num_ctx": 4096., "num_predict": 9., "stop": []any{"\n"}}
	if diff := cmp.Diff(want, sent["options"]); diff != "" {
		t.Error(diff)
	}
	if m := sent["messages"].([]any); len(m) != 4 || m[0].(map[string]any)["role"] != "system" || sent["format"] != nil || sent["system"] != nil {
		t.Errorf("sent %v", sent)
	}
}

// TestFaults provokes each way in which a host can fail.
func TestFaults(t *testing.T) {
	t.Parallel()
	silent := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	for name, c := range map[string]struct {
		write  http.HandlerFunc
		code   string
		params map[string]string
	}{
		"model missing": {refuse(404, "model 'tiny' not found"), "llm_model_missing", map[string]string{"model": "tiny"}},
		"memory":        {refuse(500, "model requires more system memory (9.1 GiB) than is available (1.2 GiB)"), "llm_out_of_memory", map[string]string{"model": "tiny"}},
		"killed runner": {refuse(500, "llama runner process has terminated: signal: killed"), "llm_out_of_memory", nil},
		"no chat":       {refuse(400, `"tiny" does not support chat`), "llm_unsupported", nil},
		"window":        {refuse(400, "input length exceeds maximum context length"), "llm_context_refused", nil},
		"server error":  {refuse(500, "boom"), "llm_failed", map[string]string{"status": "500", "detail": "boom"}},
		"no JSON": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(502)
			fmt.Fprint(w, "<html>", strings.Repeat("bad gateway ", 100))
		}, "llm_failed", map[string]string{"status": "502"}},
		"busy":                {refuse(503, "server busy"), "llm_failed", map[string]string{"status": "503"}},
		"error midway":        {lines(`{"response":"a"}`, `{"error":"an error was encountered while running the model: CUDA error: out of memory"}`), "llm_out_of_memory", nil},
		"malformed":           {lines(`{"response":"a"}`, `{"respo`), "llm_stream_broken", nil},
		"ends too soon":       {lines(`{"response":"a"}`), "llm_stream_broken", map[string]string{"detail": "unexpected EOF"}},
		"goes on and on":      {lines(slices.Repeat([]string{`{"response":" a"}`}, 31)...), "llm_repeats", map[string]string{"model": "tiny"}},
		"goes on for a while": {lines(slices.Repeat([]string{`{"response":" a"}`}, 20)...), "llm_stream_broken", nil},
		"odd end":             {lines(`{"done":true,"done_reason":"unload"}`), "llm_stream_broken", nil},
		"nothing":             {lines(), "llm_stream_broken", nil},
		"no answer":           {silent, "llm_stalled", map[string]string{"seconds": "2"}},
		"stall midway": {func(w http.ResponseWriter, r *http.Request) {
			lines(`{"response":"a"}`)(w, r)
			silent(w, r)
		}, "llm_stalled", map[string]string{"seconds": "0.3"}},
		"hangs up": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "llm_unreachable", nil},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://example.com/", http.StatusTemporaryRedirect)
		}, "llm_unreachable", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			f.write = c.write
			_, err := f.client(t).Generator("tiny").Generate(t.Context(), rag.GenerateRequest{Prompt: "a"}, nil)
			got := fault.Of(err)
			if got == nil || got.Code != c.code {
				t.Fatalf("got %v, want %s", err, c.code)
			}
			for k, v := range c.params {
				if got.Params[k] != v {
					t.Errorf("%s is %q, want %q", k, got.Params[k], v)
				}
			}
			tries := 1
			if name == "busy" {
				tries = 3
			}
			if n := f.count("/api/generate"); n != tries {
				t.Errorf("sent %d times, want %d", n, tries)
			}
		})
	}
}

func TestHostThatIsAway(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	c := f.client(t)
	f.Close()
	_, err := c.Generator("tiny").Generate(t.Context(), rag.GenerateRequest{Prompt: "a"}, nil)
	if got := fault.Of(err); got.Code != "llm_unreachable" || !strings.HasPrefix(got.Params["host"], "127.0.0.1:") {
		t.Errorf("got %v", err)
	}
}

func TestBusyHostIsAskedAgain(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.write = func(w http.ResponseWriter, r *http.Request) {
		if f.count("/api/generate") < 3 {
			refuse(503, "server busy")(w, r)
			return
		}
		lines(`{"response":"ok"}`, done)(w, r)
	}
	got, err := f.client(t).Generator("tiny").Generate(t.Context(), rag.GenerateRequest{Prompt: "a"}, nil)
	if err != nil || got.Text != "ok" {
		t.Errorf("%q, %v", got.Text, err)
	}
}

func TestCancellingStopsTheHost(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]func(cancel func()) error{
		"by the caller":   func(cancel func()) error { cancel(); return nil },
		"by the receiver": func(func()) error { return errEnough },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			stopped := make(chan struct{})
			f.write = func(w http.ResponseWriter, r *http.Request) {
				lines(`{"response":"a"}`)(w, r)
				<-r.Context().Done()
				close(stopped)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			_, err := f.client(t).Generator("tiny").Generate(ctx, rag.GenerateRequest{Prompt: "a"}, func(string) error { return stop(cancel) })
			if !errors.Is(err, context.Canceled) && !errors.Is(err, errEnough) {
				t.Errorf("got %v", err)
			}
			<-stopped
		})
	}
}

var errEnough = errors.New("enough")

// TestSlowReceiverIsNoStall takes longer over a piece than the host may be silent.
func TestSlowReceiverIsNoStall(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.write = lines(`{"response":"a"}`, `{"response":"b"}`, done)
	got, err := f.client(t).Generator("tiny").Generate(t.Context(), rag.GenerateRequest{Prompt: "a"}, func(string) error {
		time.Sleep(400 * time.Millisecond)
		return nil
	})
	if err != nil || got.Text != "ab" {
		t.Errorf("%q, %v", got.Text, err)
	}
}

func TestRequestsThatMakeNoSense(t *testing.T) {
	t.Parallel()
	g := newFake(t).client(t).Generator("tiny")
	for name, req := range map[string]rag.GenerateRequest{
		"nothing":     {},
		"both":        {Prompt: "a", Messages: []rag.Message{{Role: "user", Content: "b"}}},
		"raw system":  {Prompt: "a", Raw: true, System: "s"},
		"raw chat":    {Raw: true, Messages: []rag.Message{{Role: "user", Content: "b"}}},
		"window":      {Prompt: "a", Options: rag.GenerateOptions{Context: -1}},
		"temperature": {Prompt: "a", Options: rag.GenerateOptions{Temperature: -1}},
		"schema":      {Prompt: "a", Schema: json.RawMessage("{")},
		"cut schema":  {Prompt: "a", Schema: json.RawMessage("{}"), Options: rag.GenerateOptions{Stop: []string{"\n\n"}}},
	} {
		if _, err := g.Generate(t.Context(), req, nil); !fault.Is(err, "llm_request_invalid") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCutPromptIsReported(t *testing.T) {
	t.Parallel()
	words := strings.Repeat("word ", 3000)
	for name, c := range map[string]struct {
		read, sent int
		cut        bool
	}{
		"whole":          {3010, 3010, false},
		"not told":       {0, 0, false},
		"window is full": {8192, 0, true},
		"messages left":  {900, 0, true},
		"host knows":     {3010, 5000, true},
	} {
		f := newFake(t)
		f.write = lines(fmt.Sprintf(`{"done":true,"done_reason":"stop","prompt_eval_count":%d,"context":[%s]}`,
			c.read, strings.TrimSuffix(strings.Repeat("1,", c.sent), ",")))
		got, err := f.client(t).Generator("tiny").Generate(t.Context(), rag.GenerateRequest{Prompt: words}, nil)
		if err != nil || got.Cut != c.cut || got.Usage.Context != 8192 {
			t.Errorf("%s: cut %t of %+v, %v", name, got.Cut, got.Usage, err)
		}
	}
}

func TestPromptThatCannotFitIsNotSent(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	req := rag.GenerateRequest{Prompt: strings.Repeat("word ", 9000)}
	_, err := f.client(t).Generator("tiny").Generate(t.Context(), req, nil)
	if got := fault.Of(err); got.Code != "llm_context_exceeded" || got.Params["tokens"] != "9000" || got.Params["limit"] != "8192" {
		t.Errorf("got %v", err)
	}
	req = rag.GenerateRequest{Prompt: strings.Repeat("word ", 300), Options: rag.GenerateOptions{Context: 256}}
	if _, err = f.client(t).Generator("tiny").Generate(t.Context(), req, nil); !fault.Is(err, "llm_context_exceeded") {
		t.Errorf("got %v", err)
	}
	if f.count("/api/generate") != 0 {
		t.Error("the prompt was sent")
	}
}

func TestWindow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ need, wanted, model, want int }{
		{1, 0, 0, 2048}, {2048, 0, 8192, 2048}, {2049, 0, 8192, 4096}, {9000, 0, 8192, 8192}, {9000, 0, 0, 16384},
		{1, 512, 8192, 512}, {1, 99999, 8192, 8192}, {1, 0, 1024, 1024},
	} {
		if got := llm.Window(c.need, c.wanted, c.model); got != c.want {
			t.Errorf("Window(%d, %d, %d) = %d, want %d", c.need, c.wanted, c.model, got, c.want)
		}
	}
}

func TestEstimateTokens(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]llm.Estimate{
		"": {}, "a": {1, 1}, "hello world": {2, 6}, "a, b": {2, 3}, "年假十天": {1, 12}, "\xff": {0, 3}, "  ": {0, 2}, "x1 = 23;": {2, 8}, "a b": {2, 2},
	} {
		if got := llm.EstimateTokens(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestCountTokens(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	g := f.client(t).Generator("tiny")
	got, err := g.CountTokens(t.Context(), []string{"", "ab", "ab ab", "aba", " a", "中"})
	if err != nil {
		t.Fatal(err)
	}
	// 中 is three bytes, of which the vocabulary has the first.
	if diff := cmp.Diff([]int{0, 1, 2, 2, 2, 3}, got); diff != "" {
		t.Error(diff)
	}
	if _, err := g.CountTokens(t.Context(), []string{"a"}); err != nil || f.count("/api/show") != 1 {
		t.Errorf("asked %d times, %v", f.count("/api/show"), err)
	}
}
