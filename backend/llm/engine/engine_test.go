//go:build engine

package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/fault"
	"ragdesk/backend/llm"
	"ragdesk/backend/llm/engine"
	"ragdesk/backend/rag"
	"ragdesk/build"
)

// asset returns the path of an optional asset in a download cache; the test is
// skipped where it is not.
func asset(t *testing.T, name string) string {
	t.Helper()
	all, err := build.Assets()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		if a.Name != name {
			continue
		}
		for _, cache := range []string{filepath.Join("..", "..", "..", "build", "cache"), os.Getenv("RAGDESK_ASSET_CACHE")} {
			path := filepath.Join(cache, "assets", a.Cached())
			if _, err := os.Stat(path); err == nil && cache != "" {
				return path
			}
		}
		t.Skipf("%s is not in a download cache; go run ./build/assets -optional fetches it", name)
	}
	t.Fatalf("no asset %s", name)
	return ""
}

const (
	smollm = "smollm2-135m-instruct-q4_1.gguf"
	gemma  = "gemma-3-270m-q4_k_m.gguf"
)

// newHost returns an engine in a folder of its own.
func newHost(t *testing.T) (*engine.Host, engine.Config) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	config := engine.Config{Command: []string{exe, engine.ServeCommand}, Dir: t.TempDir(), Threads: 1}
	if err := engine.Check(); err != nil {
		t.Skipf("the engine does not run here: %v", err)
	}
	h := engine.New(config)
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			log, err := os.ReadFile(config.Log())
			t.Logf("engine's log (%v):\n%s", err, log[max(0, len(log)-4000):])
		}
	})
	return h, config
}

// withModel returns a client of an engine that has an asset as a model.
func withModel(t *testing.T, file, name string) (*llm.Client, engine.Config) {
	t.Helper()
	path := asset(t, file)
	h, config := newHost(t)
	client, err := h.Client(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Import(t.Context(), path, name, rag.NoProgress{}); err != nil {
		t.Fatal(err)
	}
	return client, config
}

func TestEngineAnswers(t *testing.T) {
	// The user's own Ollama, as the environment tells of it, is left alone.
	home := t.TempDir()
	foreign := ownOllama(t, home)
	before := snapshot(t, home)
	t.Setenv("HOME", home)
	t.Setenv("OLLAMA_MODELS", foreign)
	t.Setenv("OLLAMA_HOST", "0.0.0.0:11434")
	t.Setenv("OLLAMA_NOPRUNE", "")
	client, config := withModel(t, smollm, model)
	t.Run("information", func(t *testing.T) { information(t, client) })
	t.Run("same reply each time", func(t *testing.T) { sameReply(t, client) })
	t.Run("cancelled", func(t *testing.T) { cancelled(t, client) })
	t.Run("window", func(t *testing.T) { window(t, client) })
	t.Run("schema", func(t *testing.T) { schema(t, client) })
	t.Run("token counts", func(t *testing.T) { counts(t, client.Generator(model)) })
	t.Run("embeddings", func(t *testing.T) { embeddings(t, client) })
	t.Run("killed runner", func(t *testing.T) { killedRunner(t, client) })
	t.Run("missing model", func(t *testing.T) {
		_, err := client.Generator("nobody").Generate(t.Context(), rag.GenerateRequest{Prompt: "a"}, nil)
		if !fault.Is(err, "llm_model_missing") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("key", func(t *testing.T) { key(t, client) })
	t.Run("listeners", func(t *testing.T) { listeners(t) })
	t.Run("removal", func(t *testing.T) {
		if err := client.Delete(t.Context(), model); err != nil {
			t.Fatal(err)
		}
		if models, err := client.List(t.Context()); err != nil || len(models) != 0 {
			t.Errorf("%v, %v", models, err)
		}
	})
	if diff := cmp.Diff(before, snapshot(t, home)); diff != "" {
		t.Errorf("the user's own Ollama was touched (-before +after):\n%s", diff)
	}
	if log, err := os.ReadFile(config.Log()); err != nil || len(log) == 0 {
		t.Errorf("a log of %d bytes, %v", len(log), err)
	}
}

func information(t *testing.T, client *llm.Client) {
	d, err := client.Show(t.Context(), model)
	if err != nil {
		t.Fatal(err)
	}
	if d.Context != 8192 || d.Quantization != "Q4_1" || !d.Chat || d.Embeds || d.Family != "llama" || d.CacheBytes != 2*2*30*3*64 || len(d.Digest) != 64 {
		t.Errorf("%+v", d)
	}
	mod, err := os.ReadFile(filepath.Join("..", "..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if v, err := client.Version(t.Context()); err != nil || !strings.Contains(string(mod), "github.com/ollama/ollama v"+v+"\n") {
		t.Errorf("version %q is not that of go.mod, %v", v, err)
	}
}

func sameReply(t *testing.T, client *llm.Client) {
	req := rag.GenerateRequest{Prompt: "What is the capital of France?", Options: rag.GenerateOptions{MaxTokens: 12}}
	var first string
	for range 2 {
		var heard strings.Builder
		got, err := client.Generator(model).Generate(t.Context(), req, func(s string) error { heard.WriteString(s); return nil })
		if err != nil {
			t.Fatal(err)
		}
		if got.Text != heard.String() || !strings.Contains(got.Text, "Paris") || got.Cut || got.Usage.Context != 2048 ||
			got.Usage.PromptTokens == 0 || got.Usage.ReplyTokens == 0 || got.Timing.First <= 0 {
			t.Errorf("%+v", got)
		}
		if first != "" && got.Text != first {
			t.Errorf("%q, then %q", first, got.Text)
		}
		first = got.Text
		t.Logf("%q: %+v, %+v", got.Text, got.Usage, got.Timing)
	}
	loaded, err := client.Running(t.Context())
	if err != nil || len(loaded) != 1 || loaded[0].Memory < 98_000_000 {
		t.Errorf("%v, %v", loaded, err)
	}
}

func cancelled(t *testing.T, client *llm.Client) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req := rag.GenerateRequest{Prompt: "Write a long story about a river.", Options: rag.GenerateOptions{MaxTokens: 1500}}
	pieces := 0
	_, err := client.Generator(model).Generate(ctx, req, func(string) error {
		if pieces++; pieces == 3 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || pieces > 20 {
		t.Errorf("%d pieces, %v", pieces, err)
	}
}

// window sends a text of few words and many tokens through a small window.
func window(t *testing.T, client *llm.Client) {
	text := strings.Repeat("antidisestablishmentarianism ", 60)
	for size, cut := range map[int]bool{256: true, 0: false} {
		got, err := client.Generator(model).Generate(t.Context(),
			rag.GenerateRequest{Prompt: text, Options: rag.GenerateOptions{Context: size, MaxTokens: 4}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got.Cut != cut || got.Usage.SentTokens < 300 || cut && got.Usage.PromptTokens > 256 {
			t.Errorf("window %d: %+v, cut %t", size, got.Usage, got.Cut)
		}
	}
}

func schema(t *testing.T, client *llm.Client) {
	got, err := client.Generator(model).Generate(t.Context(), rag.GenerateRequest{
		Messages: []rag.Message{{Role: "user", Content: "Is Paris in France? Answer as JSON."}},
		Schema:   json.RawMessage(`{"type":"object","properties":{"answer":{"type":"boolean"}},"required":["answer"]}`),
		Options:  rag.GenerateOptions{MaxTokens: 24},
	}, nil)
	var reply struct{ Answer *bool }
	if err != nil || json.Unmarshal([]byte(got.Text), &reply) != nil || reply.Answer == nil {
		t.Errorf("%q, %v", got.Text, err)
	}
}

// counts compares our counts with the model's own: raw prompts, whose length the
// engine tells.
func counts(t *testing.T, g *llm.Generator) {
	texts := []string{
		strings.Repeat("Employees receive ten days of paid annual leave, which must be taken before the end of March. ", 2),
		strings.Repeat("员工每年享有十天带薪年假，须在次年三月底前休完；逾期作废。", 2),
		"func main() {\n\tfmt.Println(\"hello\", 42)\n}\n", "x = 3.14159 * (a[17] - b_2);",
	}
	ours, err := g.CountTokens(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		got, err := g.Generate(t.Context(), rag.GenerateRequest{Prompt: text, Raw: true, Options: rag.GenerateOptions{MaxTokens: 1, Context: 2048}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		theirs, bounds := got.Usage.PromptTokens, llm.EstimateTokens(text)
		t.Logf("%d tokens, counted %d, estimated %v: %.20q", theirs, ours[i], bounds, text)
		if off := ours[i] - theirs; off < -3-theirs/10 || off > 3+theirs/10 {
			t.Errorf("counted %d, the model has %d: %.20q", ours[i], theirs, text)
		}
		if theirs < bounds.Low || theirs > bounds.High+1 {
			t.Errorf("%d tokens are outside %v: %.20q", theirs, bounds, text)
		}
	}
}

func embeddings(t *testing.T, client *llm.Client) {
	e, err := client.Embedder(t.Context(), model, llm.Prefixes{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := e.Documents(t.Context(), []string{"hello"})
	if err != nil || len(v[0]) != 576 || e.Dim() != 576 {
		t.Errorf("%d values, %v", len(v), err)
	}
}

// key asks without the key, and for what is not the API.
func key(t *testing.T, client *llm.Client) {
	for _, path := range []string{"/api/version", "/debug/pprof/", "/"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+client.Host()+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if _ = res.Body.Close(); res.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: %s", path, res.Status)
		}
	}
}

func TestBaseModelContinuesText(t *testing.T) {
	client, _ := withModel(t, gemma, "gemma")
	g := client.Generator("gemma")
	info, err := g.Info(t.Context())
	if err != nil || info.Chat || info.Context != 32768 {
		t.Errorf("%+v, %v", info, err)
	}
	got, err := g.Generate(t.Context(), rag.GenerateRequest{
		Prompt: "资料：员工每年有十天年假。\n问题：员工每年有几天年假？\n答案：", Raw: true,
		Options: rag.GenerateOptions{MaxTokens: 24, Stop: []string{"\n", "问题"}},
	}, nil)
	if err != nil || got.Text == "" || strings.ContainsAny(got.Text, "\n") || got.Usage.ReplyTokens > 24 {
		t.Errorf("%+v, %v", got, err)
	}
	t.Logf("%q, %s, %+v", got.Text, got.Done, got.Usage)
	counts(t, g)
}

func TestEngineStartsAgain(t *testing.T) {
	h, _ := newHost(t)
	first, err := h.Client(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again, err := h.Client(t.Context())
	if err != nil || again != first {
		t.Errorf("a second engine: %v", err)
	}
	for _, pid := range childrenOf(t, os.Getpid()) {
		p, err := os.FindProcess(pid)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	waitFor(t, func() bool { _, running := h.Running(); return !running })
	if _, err := first.Version(t.Context()); !fault.Is(err, "llm_unreachable") {
		t.Errorf("a dead engine: %v", err)
	}
	second, err := h.Client(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := second.Version(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestEngineThatCannotStart(t *testing.T) {
	if err := engine.Check(); err != nil {
		t.Skip(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]engine.Config{
		"no program":      {Command: []string{filepath.Join(t.TempDir(), "none")}, Dir: t.TempDir()},
		"another program": {Command: []string{"true"}, Dir: t.TempDir()},
		"no folder":       {Command: []string{"true"}, Dir: file},
	} {
		if _, err := engine.New(c).Client(t.Context()); !fault.Is(err, "engine_failed") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOtherProcessorIsRefused runs this program on an emulated processor of 2008:
// it must get as far as saying what is missing.
func TestOtherProcessorIsRefused(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the emulated processor is an x86-64 one under Linux")
	}
	qemu, err := exec.LookPath("qemu-x86_64")
	if err != nil {
		t.Skip("qemu-x86_64 is not installed (Debian's qemu-user)")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), qemu, "-cpu", "Nehalem", exe)
	cmd.Env = append(os.Environ(), checkVar+"=1")
	out, err := cmd.Output()
	if err != nil || !strings.HasPrefix(string(out), `engine_cpu missing="AVX, AVX2, `) {
		t.Errorf("%q, %v", out, err)
	}
}
