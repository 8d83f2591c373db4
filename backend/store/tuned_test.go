package store_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

func TestTunedGoesWithItsLibrary(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := open(t, t.TempDir())
	w := lock(t, s)
	lib, err := w.CreateLibrary(ctx, "库", settings())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Tuned(ctx, lib); got != nil || err != nil {
		t.Errorf("nothing tuned: %+v, error %v", got, err)
	}
	diff := 0.25
	for _, want := range []rag.Tuned{
		{Pipeline: rag.Pipeline{Strategy: "union", Alpha: 0.3}, Dataset: "题"},
		{Pipeline: rag.Pipeline{Strategy: "weighted+rerank", Fusion: rag.FusionWeighted, Alpha: 0.7, Thresholds: map[rag.Stage]float64{rag.StageBM25: 1}}, Diff: &diff, PAdj: &diff, Verdict: "better", N: 9},
	} {
		if err := w.SetTuned(ctx, lib, want); err != nil {
			t.Fatal(err)
		}
		got, err := s.Tuned(ctx, lib)
		if d := cmp.Diff(&want, got); err != nil || d != "" {
			t.Errorf("error %v (-want +got):\n%s", err, d)
		}
	}
	for range 2 { // the second time there is nothing to forget
		if err := w.ForgetTuned(ctx, lib); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := s.Tuned(ctx, lib); got != nil || err != nil {
		t.Errorf("forgotten: %+v, error %v", got, err)
	}
	if err := w.SetTuned(ctx, lib, rag.Tuned{}); err != nil {
		t.Fatal(err)
	}
	if err := w.RemoveLibrary(ctx, lib); err != nil {
		t.Fatal(err)
	}
	again, err := w.CreateLibrary(ctx, "库", settings())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Tuned(ctx, again); got != nil || err != nil {
		t.Errorf("a new library of the name has %+v, error %v", got, err)
	}
	for name, err := range map[string]error{"set": w.SetTuned(ctx, lib, rag.Tuned{}), "forget": w.ForgetTuned(ctx, lib)} {
		if !fault.Is(err, "kb_unknown") {
			t.Errorf("%s for a library that is gone: %v", name, err)
		}
	}
	if _, err := s.Tuned(ctx, lib); !fault.Is(err, "kb_unknown") {
		t.Errorf("read of a library that is gone: %v", err)
	}
}
