package ort_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"ragdesk/backend/fault"
	"ragdesk/backend/models"
	"ragdesk/backend/models/modelstest"
	"ragdesk/backend/ort"
)

func graph(tb testing.TB) ort.Graph {
	tb.Helper()
	f := modelstest.Embedder(tb, models.DefaultEmbedder)
	return ort.Graph{Path: f.ModelPath, Inputs: f.Inputs, Output: f.Output}
}

func open(tb testing.TB) *ort.Session {
	tb.Helper()
	s, err := ort.New(modelstest.Runtime(tb)).Open(graph(tb))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// input is a sequence of n tokens that differs for every seed.
func input(n, seed int) ort.Batch {
	ids := make([]int64, n)
	for i := range ids {
		ids[i] = int64(700 + (i*31+seed*17)%5000)
	}
	return ort.Batch{Rows: 1, IDs: ids}
}

func TestRunsAtOnceEqualRunsAlone(t *testing.T) {
	t.Parallel()
	s := open(t)
	const inputs = 12
	var want [inputs]ort.Tensor
	for i := range want {
		var err error
		if want[i], err = s.Run(t.Context(), input(5+7*i, i)); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(want[i].Shape, []int64{1, int64(5 + 7*i), 512}) {
			t.Fatalf("shape %v", want[i].Shape)
		}
	}
	var wait sync.WaitGroup
	for worker := range 4 {
		wait.Go(func() {
			for n := range inputs {
				i := (n + 3*worker) % inputs
				got, err := s.Run(t.Context(), input(5+7*i, i))
				if err != nil || !slices.Equal(got.Data, want[i].Data) {
					t.Errorf("input %d beside others: %v, equal: %t", i, err, slices.Equal(got.Data, want[i].Data))
				}
			}
		})
	}
	wait.Wait()
}

func TestRunRefuses(t *testing.T) {
	t.Parallel()
	s := open(t)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Run(cancelled, input(4, 0)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled context: %v", err)
	}
	if _, err := s.Run(t.Context(), ort.Batch{Rows: 1, IDs: []int64{101, 9_999_999, 102}}); !fault.Is(err, "model_run") {
		t.Errorf("id outside the vocabulary: %v", err)
	}
	for name, b := range map[string]ort.Batch{
		"no ids":     {Rows: 1},
		"no rows":    {IDs: []int64{101}},
		"odd rows":   {Rows: 2, IDs: []int64{101, 1, 102}},
		"short mask": {Rows: 1, IDs: []int64{101, 102}, Mask: []int64{1}},
		"long types": {Rows: 1, IDs: []int64{101, 102}, Types: []int64{0, 0, 0}},
	} {
		if _, err := s.Run(t.Context(), b); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := s.Run(t.Context(), input(4, 0)); err != nil {
		t.Errorf("after refusals: %v", err)
	}
}

func TestMaskHidesPadding(t *testing.T) {
	t.Parallel()
	s := open(t)
	b := input(6, 1)
	b.Mask = []int64{1, 1, 1, 1, 0, 0}
	first, err := s.Run(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	b.Mask, b.Types = nil, make([]int64, 6)
	second, err := s.Run(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	if slices.Equal(first.Data[:512], second.Data[:512]) {
		t.Error("the mask changes nothing")
	}
}

func TestClosedSession(t *testing.T) {
	t.Parallel()
	s := open(t)
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Run(t.Context(), input(4, 0)); !errors.Is(err, ort.ErrClosed) {
		t.Errorf("run after close: %v", err)
	}
}

func TestOpenFaults(t *testing.T) {
	t.Parallel()
	good := graph(t)
	junk := filepath.Join(t.TempDir(), "junk.onnx")
	if err := os.WriteFile(junk, []byte("not a graph"), 0o644); err != nil {
		t.Fatal(err)
	}
	loaded := modelstest.Runtime(t)
	open(t) // so that a library is loaded
	for name, c := range map[string]struct {
		library string
		graph   ort.Graph
		code    string
		path    string
	}{
		"no library":       {filepath.Join(t.TempDir(), "none.so"), good, "runtime_load", ""},
		"another library":  {junk, good, "runtime_load", junk},
		"no model":         {loaded, ort.Graph{Path: junk + "x", Inputs: good.Inputs, Output: good.Output}, "model_load", junk + "x"},
		"model is no ONNX": {loaded, ort.Graph{Path: junk, Inputs: good.Inputs, Output: good.Output}, "model_load", junk},
	} {
		_, err := ort.New(c.library).Open(c.graph)
		if !fault.Is(err, c.code) {
			t.Errorf("%s: %v, want %s", name, err, c.code)
			continue
		}
		if got := fault.Of(err).Params["path"]; c.path != "" && got != c.path {
			t.Errorf("%s: path %q", name, got)
		}
	}
	if _, err := ort.New(loaded).Open(ort.Graph{Path: good.Path}); err == nil {
		t.Error("a graph without inputs opens")
	}
	s, err := ort.New(loaded).Open(ort.Graph{Path: good.Path, Inputs: good.Inputs, Output: "no_such_output"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Run(t.Context(), input(4, 0)); !fault.Is(err, "model_run") {
		t.Errorf("unknown output: %v", err)
	}
}

func TestOptimisedGraphIsKept(t *testing.T) {
	t.Parallel()
	rt, g := ort.New(modelstest.Runtime(t)), graph(t)
	run := func(g ort.Graph) []float32 {
		t.Helper()
		s, err := rt.Open(g)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		out, err := s.Run(t.Context(), input(40, 3))
		if err != nil {
			t.Fatal(err)
		}
		return out.Data
	}
	want := run(g)
	g.Optimised = filepath.Join(t.TempDir(), "optimised.onnx")
	if !slices.Equal(run(g), want) {
		t.Error("keeping the graph changes results")
	}
	kept, err := os.Stat(g.Optimised)
	if err != nil {
		t.Fatal(err)
	}
	original := g.Path
	g.Path = filepath.Join(t.TempDir(), "gone") // now only the kept graph can answer
	if !slices.Equal(run(g), want) {
		t.Error("the kept graph gives other results")
	}
	g.Path = original
	for name, harm := range map[string]func() error{
		"truncated": func() error { return os.Truncate(g.Optimised, kept.Size()/2) },
		"replaced":  func() error { return os.WriteFile(g.Optimised, []byte("junk"), 0o644) },
		"removed":   func() error { return os.Remove(g.Optimised) },
		"unstamped": func() error { return os.Remove(g.Optimised + ".ok") },
	} {
		if err := harm(); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(run(g), want) {
			t.Errorf("%s: other results", name)
		}
		if now, err := os.Stat(g.Optimised); err != nil || now.Size() != kept.Size() {
			t.Errorf("%s: not kept again: %v", name, err)
		}
	}
	g.Optimised = filepath.Join(original, "no folder", "optimised.onnx")
	if !slices.Equal(run(g), want) {
		t.Error("a folder that cannot be written changes results")
	}
}

func BenchmarkOpen(b *testing.B) {
	rt, plain := ort.New(modelstest.Runtime(b)), graph(b)
	kept := plain
	kept.Optimised = filepath.Join(b.TempDir(), "optimised.onnx")
	for name, g := range map[string]ort.Graph{"plain": plain, "kept": kept} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s, err := rt.Open(g)
				if err != nil {
					b.Fatal(err)
				}
				if err := s.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
