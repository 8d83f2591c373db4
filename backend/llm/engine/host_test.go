package engine

import (
	"slices"
	"strings"
	"testing"

	"ragdesk/backend/fault"
)

func TestEnvironmentIsOurs(t *testing.T) {
	t.Parallel()
	got := environment([]string{
		"PATH=/bin", "HOME=/home/me", "OLLAMA_MODELS=/home/me/.ollama/models", "OLLAMA_HOST=0.0.0.0", "ollama_debug=1",
		"GGML_X=1", "LLAMA_ARG=1", "GIN_MODE=debug", "HTTPS_PROXY=http://p", "OLLAMA_LLM_LIBRARY=cuda", parentVar + "=1", "OLLAMA=kept",
	}, Config{Dir: "/data/engine"})
	for _, want := range []string{
		"PATH=/bin", "HTTPS_PROXY=http://p", "OLLAMA=kept", "HOME=/data/engine/home", "OLLAMA_MODELS=/data/engine/models",
		"OLLAMA_NOPRUNE=1", "OLLAMA_NUM_PARALLEL=1",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("no %s in %v", want, got)
		}
	}
	seen := map[string]bool{}
	for _, entry := range got {
		key, value, _ := strings.Cut(entry, "=")
		if seen[strings.ToUpper(key)] || strings.Contains(value, "/home/me") {
			t.Errorf("%s", entry)
		}
		seen[strings.ToUpper(key)] = true
	}
	for _, key := range []string{"OLLAMA_HOST", "OLLAMA_DEBUG", "OLLAMA_LLM_LIBRARY", "GGML_X", "LLAMA_ARG", "GIN_MODE"} {
		if seen[key] {
			t.Errorf("%s is left", key)
		}
	}
}

func TestProgramWithoutTheEngineSaysSo(t *testing.T) {
	t.Parallel()
	if Available() {
		t.Skip("this program carries the engine")
	}
	h := New(Config{Command: []string{"true"}, Dir: t.TempDir()})
	if _, err := h.Client(t.Context()); !fault.Is(err, "engine_absent") {
		t.Errorf("got %v", err)
	}
	if err := h.Check(); !fault.Is(err, "engine_absent") {
		t.Errorf("got %v", err)
	}
	if _, running := h.Running(); running || h.Close() != nil {
		t.Error("something runs")
	}
	if _, ok := Child([]string{ServeCommand}); ok {
		t.Error("the program would be an engine")
	}
}
