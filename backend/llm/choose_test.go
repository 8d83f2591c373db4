package llm_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"ragdesk/backend/fault"
	"ragdesk/backend/llm"
	"ragdesk/backend/rag"
)

// engine is a built-in engine that a test makes up.
type engine struct {
	check  error
	client *llm.Client
	starts int
	closed bool
}

func (e *engine) Check() error { return e.check }
func (e *engine) Client(context.Context) (*llm.Client, error) {
	if e.check != nil {
		return nil, e.check
	}
	e.starts++
	return e.client, nil
}
func (e *engine) Running() (*llm.Client, bool) { return e.client, e.starts > 0 }
func (e *engine) Close() error                 { e.closed = true; return nil }

// away is an address where nobody listens.
const away = "127.0.0.1:1"

func TestOrderOfChoice(t *testing.T) {
	t.Parallel()
	configured, ollama, builtin := newFake(t), newFake(t), newFake(t)
	absent := fault.New("engine_absent")
	for name, c := range map[string]struct {
		hosts  llm.Hosts
		engine *engine
		source llm.Source
		host   string
		code   string
	}{
		"configured first":     {llm.Hosts{Configured: configured.URL, Ollama: ollama.URL}, &engine{}, llm.SourceConfigured, configured.URL, ""},
		"then an Ollama":       {llm.Hosts{Ollama: ollama.URL}, &engine{}, llm.SourceOllama, ollama.URL, ""},
		"then the engine":      {llm.Hosts{Ollama: away}, &engine{client: builtin.client(t)}, llm.SourceBuiltin, builtin.URL, ""},
		"remote is not probed": {llm.Hosts{Configured: "llm.example"}, nil, llm.SourceConfigured, "", "llm_remote"},
		"none":                 {llm.Hosts{Ollama: away}, &engine{check: absent}, llm.SourceNone, "", "llm_none"},
		"no engine at all":     {llm.Hosts{Ollama: away}, nil, llm.SourceNone, "", "llm_none"},
		"wrong processor":      {llm.Hosts{Ollama: away}, &engine{check: fault.New("engine_cpu")}, llm.SourceNone, "", "engine_cpu"},
		"engine does not run":  {llm.Hosts{Ollama: away}, &engine{check: fault.New("engine_failed")}, llm.SourceNone, "", "engine_failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var e llm.Engine
			if c.engine != nil {
				e = c.engine
			}
			got, source, err := llm.NewChooser(c.hosts, e).Client(t.Context())
			if source != c.source || (c.code == "") != (err == nil) || (err != nil && fault.Of(err).Code != c.code) {
				t.Fatalf("%s, %v", source, err)
			}
			if err == nil && "http://"+got.Host() != c.host {
				t.Errorf("host %s, want %s", got.Host(), c.host)
			}
			if c.source != llm.SourceBuiltin && c.engine != nil && c.engine.starts > 0 {
				t.Error("the engine was started")
			}
		})
	}
}

func TestModelIsLookedForInTheEngineToo(t *testing.T) {
	t.Parallel()
	ollama, builtin := newFake(t), newFake(t)
	ollama.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/version" {
			_, _ = w.Write([]byte(`{"version":"1"}`))
			return
		}
		_, _ = w.Write([]byte(`{"models":[]}`))
	})
	e := &engine{client: builtin.client(t)}
	c := llm.NewChooser(llm.Hosts{Ollama: ollama.URL}, e)
	g, source, err := c.Generator(t.Context(), "tiny")
	if err != nil || source != llm.SourceBuiltin {
		t.Fatalf("%s, %v", source, err)
	}
	if info, err := g.Info(t.Context()); err != nil || info.Model != "tiny:latest" || info.Digest != "d1" || !info.Chat || info.Remote {
		t.Errorf("%+v, %v", info, err)
	}
	_, source, err = c.Generator(t.Context(), "other")
	if f := fault.Of(err); source != llm.SourceOllama || f.Code != "llm_model_missing" || !strings.Contains(ollama.URL, f.Params["host"]) {
		t.Errorf("%s, %v", source, err)
	}
	if err := c.Close(); err != nil || !e.closed {
		t.Error("the engine was not closed")
	}
}

func TestUnnamedModelIsTheNewest(t *testing.T) {
	t.Parallel()
	g, _, err := llm.NewChooser(llm.Hosts{Configured: newFake(t).URL}, nil).Generator(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := g.Info(t.Context()); err != nil || info.Model != "tiny:latest" {
		t.Errorf("%+v, %v", info, err)
	}
}

func TestCapableModelAnswersWhenNoneIsNamed(t *testing.T) {
	t.Parallel()
	small, large := newFake(t), newFake(t)
	tags := func(f *fake, models string) {
		inner := f.Config.Handler
		f.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/api/tags" {
				_, _ = w.Write([]byte(models))
				return
			}
			inner.ServeHTTP(w, r)
		})
	}
	tags(small, `{"models":[{"name":"qwen3:0.6b","details":{"parameter_size":"751M"}}]}`)
	tags(large, `{"models":[{"name":"qwen3:4b","modified_at":"2026-01-01T00:00:00Z"},{"name":"new:1","modified_at":"2026-03-01T00:00:00Z","details":{"parameter_size":"500M"}},
		{"name":"mine:latest","modified_at":"2026-02-01T00:00:00Z","details":{"parameter_size":"7.6B"}}]}`)
	own := []llm.Model{{Name: "qwen3:8b"}, {Name: "smollm2-135m:latest"}}
	for name, c := range map[string]struct {
		hosts  llm.Hosts
		engine llm.Engine
		own    []llm.Model
		want   string
		code   string
	}{
		"the newest capable":        {llm.Hosts{Ollama: large.URL}, nil, own, "mine:latest", ""},
		"of a configured host":      {llm.Hosts{Configured: large.URL}, nil, own, "mine:latest", ""},
		"a configured host alone":   {llm.Hosts{Configured: small.URL}, &engine{}, own, "", ""},
		"else of the engine":        {llm.Hosts{Ollama: small.URL}, &engine{}, own, "qwen3:8b", ""},
		"without an Ollama":         {llm.Hosts{Ollama: away}, &engine{}, own, "qwen3:8b", ""},
		"small ones do not count":   {llm.Hosts{Ollama: small.URL}, &engine{}, own[1:], "", ""},
		"nor an engine that is not": {llm.Hosts{Ollama: away}, &engine{check: fault.New("engine_cpu")}, own, "", ""},
		"a host that is away":       {llm.Hosts{Configured: away}, &engine{}, own, "", "llm_unreachable"},
		"a host elsewhere":          {llm.Hosts{Configured: "192.0.2.1"}, &engine{}, own, "", "llm_remote"},
	} {
		got, err := llm.NewChooser(c.hosts, c.engine).Capable(t.Context(), c.own)
		if got != c.want || (c.code == "") != (err == nil) || err != nil && !fault.Is(err, c.code) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if e, ok := c.engine.(*engine); ok && e.starts > 0 {
			t.Errorf("%s: the engine was started", name)
		}
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	ollama, builtin := newFake(t), newFake(t)
	e := &engine{client: builtin.client(t)}
	c := llm.NewChooser(llm.Hosts{Ollama: ollama.URL}, e)
	s := c.Status(t.Context(), false)
	if s.Chosen != llm.SourceOllama || len(s.Hosts) != 2 || s.Hosts[1].State != llm.StateStopped || e.starts > 0 {
		t.Fatalf("%+v", s)
	}
	h := s.Hosts[0]
	if h.State != llm.StateRunning || h.Version != "9.9" || len(h.Models) != 2 || h.Models[1].Memory != 2000000 || h.Models[1].Context != 8192 || h.Models[1].Quantization != "Q4_1" {
		t.Errorf("%+v", h)
	}
	if s = c.Status(t.Context(), true); s.Hosts[1].State != llm.StateRunning || e.starts != 1 {
		t.Errorf("%+v", s.Hosts[1])
	}
	s = llm.NewChooser(llm.Hosts{Configured: away, Ollama: away}, &engine{check: fault.New("engine_cpu")}).Status(t.Context(), true)
	if s.Chosen != llm.SourceConfigured || s.Hosts[0].State != llm.StateUnreachable || s.Hosts[0].Fault.Code != "llm_unreachable" ||
		s.Hosts[1].State != llm.StateUnavailable || s.Hosts[1].Fault.Code != "engine_cpu" {
		t.Errorf("%+v", s)
	}
	s = llm.NewChooser(llm.Hosts{Ollama: away}, nil).Status(t.Context(), true)
	if s.Chosen != llm.SourceNone || len(s.Hosts) != 1 || s.Hosts[0].Fault.Code != "engine_absent" {
		t.Errorf("%+v", s)
	}
}

func TestEqualRequestsAreAnsweredFromMemory(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.write = lines(`{"response":"ten"}`, done)
	g := llm.NewCached(f.client(t).Generator("tiny"), llm.Folder(t.TempDir()))
	ask := func(req rag.GenerateRequest) rag.Generation {
		t.Helper()
		var heard string
		got, err := g.Generate(t.Context(), req, func(s string) error { heard += s; return nil })
		if err != nil || got.Text != "ten" || heard != "ten" {
			t.Fatalf("%+v, heard %q, %v", got, heard, err)
		}
		return got
	}
	base := rag.GenerateRequest{Prompt: "a"}
	if first, second := ask(base), ask(base); first.Cached || !second.Cached || second.Usage != first.Usage {
		t.Errorf("%+v, then %+v", first, second)
	}
	for name, req := range map[string]rag.GenerateRequest{
		"prompt": {Prompt: "b"}, "system": {Prompt: "a", System: "s"}, "raw": {Prompt: "a", Raw: true},
		"seed": {Prompt: "a", Options: rag.GenerateOptions{Seed: 1}}, "stop": {Prompt: "a", Options: rag.GenerateOptions{Stop: []string{"x"}}},
		"schema": {Prompt: "a", Schema: []byte(`{}`)},
	} {
		if ask(req).Cached {
			t.Errorf("another %s was answered from memory", name)
		}
	}
	if _, err := g.Generate(t.Context(), base, func(string) error { return errEnough }); !errors.Is(err, errEnough) {
		t.Errorf("got %v", err)
	}
	one, err := llm.RequestKey("d1", base)
	two, err2 := llm.RequestKey("d2", base)
	if err != nil || err2 != nil || one == two {
		t.Errorf("%s, %s, %v, %v", one, two, err, err2)
	}
}
