package evaluate_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"testing"

	"ragdesk/backend/evaluate"
	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
)

// allOf is a script as the searcher of many pipelines; it remembers the queries.
type allOf struct {
	*script
	mu      sync.Mutex
	queries []string
}

func (a *allOf) SearchAll(ctx context.Context, pipelines []rag.Pipeline, query string) ([]evaluate.Result, error) {
	a.mu.Lock()
	a.queries = append(a.queries, query)
	a.mu.Unlock()
	out := make([]evaluate.Result, len(pipelines))
	for i, p := range pipelines {
		var err error
		if out[i], err = a.Search(ctx, p, query); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// halves divides n questions by turns.
func halves(n int) (h evaluate.Halves) {
	for i := range n {
		if i%2 == 0 {
			h.Dev = append(h.Dev, i)
		} else {
			h.HeldOut = append(h.HeldOut, i)
		}
	}
	return h
}

// tuning is an evaluation whose entries rank the gold of question q at
// ranks[strategy](q); the first strategy is the baseline.
func tuning(t *testing.T, n int, strategies []string, ranks map[string]func(q int) int) (evaluate.Setup, *allOf) {
	t.Helper()
	setup, s := synthetic(t, n, func(int) (int, int) { return 1, 1 })
	setup.Entries = nil
	setup.Primary = "MRR@10"
	for _, name := range strategies {
		s.lists[name] = map[string][]rag.ChunkID{}
		for q, question := range setup.Questions {
			s.lists[name][question.Text] = listWith(rag.ChunkID(question.Expected[0].Doc[:len("gold000")]), ranks[name](q))
		}
		setup.Entries = append(setup.Entries, evaluate.Entry{Pipeline: strategy(t, name)})
	}
	return setup, &allOf{script: s}
}

func always(rank int) func(int) int { return func(int) int { return rank } }

func tune(t *testing.T, s evaluate.Setup, all evaluate.AllSearcher) (runs.Tuning, error) {
	t.Helper()
	return evaluate.Tune(t.Context(), s, all, halves(len(s.Questions)), func(ctx context.Context, s evaluate.Setup) (runs.Experiment, error) {
		return evaluate.Run(ctx, s, rag.NoProgress{})
	}, rag.NoProgress{})
}

func TestTuneChoosesOnOneHalfAndConfirmsOnTheOther(t *testing.T) {
	t.Parallel()
	setup, all := tuning(t, 80, []string{"hybrid", "weighted", "union", "bm25"}, map[string]func(int) int{
		"hybrid": always(3), "union": always(5), "bm25": always(9),
		"weighted": func(q int) int { return 1 + q%5/4 }, // 1, at times 2
	})
	got, err := tune(t, setup, all)
	if err != nil {
		t.Fatal(err)
	}
	if got.Winner != "weighted" || got.Verdict == nil || *got.Verdict != runs.Better || got.Confirmed.A != "hybrid" || got.Confirmed.N != 40 {
		t.Errorf("winner %s, verdict %v, %+v", got.Winner, got.Verdict, got.Confirmed)
	}
	if got.Dev.N != 40 || math.Abs(got.Candidates[0].Value-1./3) > 1e-12 || !got.Candidates[3].HeldOut || got.WinnerPipeline().Fusion != rag.FusionWeighted {
		t.Errorf("dev %+v, candidates %+v", got.Dev, got.Candidates)
	}
	// No question is on both sides.
	for i, r := range got.HeldOut.Runs[0].Stored.Records {
		if want := setup.Questions[2*i+1]; r.QueryID != want.ID || slices.Contains(all.queries, r.Query) {
			t.Errorf("%s of the held-out half, %s wanted", r.QueryID, want.ID)
		}
	}
	if len(all.queries) != 40 || len(got.HeldOut.Runs) != 4 || got.HeldOut.Baseline != "hybrid" {
		t.Errorf("%d queries chose, %d runs confirmed", len(all.queries), len(got.HeldOut.Runs))
	}
	if find(got.Advice, runs.TuneQuestionsFew) != nil {
		t.Error("80 questions are few")
	}
}

func TestTuneConfirmsNoChanceWinner(t *testing.T) {
	t.Parallel()
	// On the dev half, the even questions, "weighted" is better; on the other, worse.
	setup, all := tuning(t, 40, []string{"hybrid", "weighted"}, map[string]func(int) int{
		"hybrid": always(2), "weighted": func(q int) int { return 1 + 2*(q%2) },
	})
	got, err := tune(t, setup, all)
	if err != nil {
		t.Fatal(err)
	}
	if got.Winner != "weighted" || *got.Verdict != runs.Worse {
		t.Errorf("winner %s, verdict %s", got.Winner, *got.Verdict)
	}
	if a := find(got.Advice, runs.TuneQuestionsFew); a == nil || a.Params["n"] != "40" {
		t.Errorf("advice %v", codes(got.Advice))
	}
}

func TestTuneKeepsTheBaselineOfEquals(t *testing.T) {
	t.Parallel()
	setup, all := tuning(t, 20, []string{"union", "hybrid", "weighted"}, map[string]func(int) int{
		"union": always(2), "hybrid": always(2), "weighted": always(2),
	})
	setup.Baseline = "hybrid"
	got, err := tune(t, setup, all)
	if err != nil {
		t.Fatal(err)
	}
	if got.Winner != "hybrid" || got.Verdict != nil || got.Confirmed != nil || got.HeldOut.Runs[0].Name != "hybrid" {
		t.Errorf("winner %s, verdict %v", got.Winner, got.Verdict)
	}
}

func TestTuneLeavesOutWhatFailed(t *testing.T) {
	t.Parallel()
	ranks := map[string]func(int) int{"hybrid": always(2), "union": always(1)}
	setup, all := tuning(t, 20, []string{"hybrid", "union"}, ranks)
	all.fails = map[string]map[string]error{"union": {"question 4": fault.New("query_vector_invalid")}}
	got, err := tune(t, setup, all)
	if err != nil {
		t.Fatal(err)
	}
	if got.Dev.N != 9 || got.Dev.Errored != 1 || find(got.Advice, runs.TuneErrored) == nil {
		t.Errorf("dev %+v, advice %v", got.Dev, codes(got.Advice))
	}
	for _, q := range setup.Questions {
		all.fails["union"][q.Text] = fault.New("query_vector_invalid")
	}
	_, err = tune(t, setup, all)
	wantCode(t, err, "query_vector_invalid")
}

func TestTuneRefuses(t *testing.T) {
	t.Parallel()
	ranks := map[string]func(int) int{"hybrid": always(2), "union": always(1)}
	setup, all := tuning(t, 20, []string{"hybrid", "union"}, ranks)
	for i := range setup.Questions {
		setup.Questions[i].Answerable = i%2 == 0 // none on the held-out half
	}
	_, err := tune(t, setup, all)
	wantCode(t, err, "tune_too_few")

	setup, all = tuning(t, 20, []string{"hybrid", "union"}, ranks)
	setup.Metrics, setup.Primary = []string{"Recall(rel=9)@5"}, "" // no grade is so high
	_, err = tune(t, setup, all)
	wantCode(t, err, "tune_too_few")
	setup.Metrics = []string{"faithfulness"}
	_, err = tune(t, setup, all)
	wantCode(t, err, "tune_metric_answers")

	setup, all = tuning(t, 20, []string{"hybrid", "union"}, ranks)
	all.before = func(call int) {
		if call == 15 {
			all.print = "index-2"
		}
	}
	setup.Workers = 1
	_, err = tune(t, setup, all)
	wantCode(t, err, "library_changed")

	setup, all = tuning(t, 20, []string{"hybrid", "union"}, ranks)
	ctx, cancel := context.WithCancel(t.Context())
	all.before = func(int) { cancel() }
	_, err = evaluate.Tune(ctx, setup, all, halves(20), nil, rag.NoProgress{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
