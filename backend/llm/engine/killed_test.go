//go:build engine

package engine_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"ragdesk/backend/fault"
	"ragdesk/backend/llm"
	"ragdesk/backend/rag"
)

// killedRunner kills the runner in the middle of a reply: that is a fault, and the
// next question is answered by a new runner.
func killedRunner(t *testing.T, client *llm.Client) {
	engines := childrenOf(t, os.Getpid())
	if len(engines) != 1 {
		t.Fatalf("engines %v", engines)
	}
	pieces := 0
	_, err := client.Generator(model).Generate(t.Context(),
		rag.GenerateRequest{Prompt: "Write a long story about a river.", Options: rag.GenerateOptions{MaxTokens: 1500}},
		func(string) error {
			if pieces++; pieces == 3 {
				for _, runner := range childrenOf(t, engines[0]) {
					if err := syscall.Kill(runner, syscall.SIGKILL); err != nil {
						t.Error(err)
					}
				}
			}
			return nil
		})
	if f := fault.Of(err); err == nil || f.Code != "llm_failed" && f.Code != "llm_stream_broken" && f.Code != "llm_out_of_memory" {
		t.Errorf("%d pieces, %v", pieces, err)
	}
	t.Logf("after %d pieces: %v", pieces, err)
	got, err := client.Generator(model).Generate(t.Context(), rag.GenerateRequest{Prompt: "Hello", Options: rag.GenerateOptions{MaxTokens: 2}}, nil)
	if err != nil || got.Text == "" {
		t.Errorf("afterwards: %q, %v", got.Text, err)
	}
}

// kills is how often a parent is killed.
const kills = 20

// TestNothingOutlivesAKilledParent kills a program that uses the engine, again and
// again: while the engine starts, while the model is loaded, and when it has
// answered. The program's standard output has nothing but what it wrote itself.
func TestNothingOutlivesAKilledParent(t *testing.T) {
	path := asset(t, smollm)
	h, config := newHost(t)
	client, err := h.Client(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Import(t.Context(), path, model, rag.NoProgress{}); err != nil {
		t.Fatal(err)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	moments := map[string]int{}
	for i := range kills {
		moments[killParent(t, config.Dir, i%3)]++
	}
	t.Logf("%d killed: %v", kills, moments)
}

// killParent starts a program that uses the engine, kills it at a moment (0 when the
// engine runs, 1 when its runner does, 2 when it has answered) and waits for the end
// of what it started. It returns what that was.
func killParent(t *testing.T, dir string, moment int) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), parentVar+"="+dir)
	var out, stderr said
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// Whatever it starts is found by its place among the processes.
	var engines, runners []int
	waitFor(t, func() bool {
		engines, runners = childrenOf(t, cmd.Process.Pid), nil
		if len(engines) > 0 {
			runners = childrenOf(t, engines[0])
		}
		return stderr.String() != "" || out.String() != "" || moment == 0 && len(engines) > 0 || moment == 1 && len(runners) > 0
	})
	if stderr.String() != "" || len(engines) != 1 || moment == 2 && (out.String() != "ready\n" || len(runners) != 1) {
		t.Fatalf("engines %v, runners %v, stdout %q, stderr %q", engines, runners, out.String(), stderr.String())
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	started := append(engines, runners...)
	waitFor(t, func() bool {
		for _, pid := range started {
			if alive(pid) {
				return false
			}
		}
		// A runner that was started in the last moment has our folder in its command.
		return len(mentioning(t, dir)) == 0
	})
	if said := strings.TrimPrefix(out.String(), "ready\n"); said != "" || stderr.String() != "" {
		t.Errorf("stdout %q, stderr %q", out.String(), stderr.String())
	}
	return fmt.Sprintf("%d engine, %d runner", len(engines), len(runners))
}

// said keeps what a program writes.
type said struct {
	mu sync.Mutex
	b  strings.Builder
}

// Write implements io.Writer.
func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
