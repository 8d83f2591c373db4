package evaluate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"testing"

	"ragdesk/backend/evaluate"
	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
	"ragdesk/backend/runstore"
)

// The example of three questions whose values were worked out by hand: {D2, D5}
// found at 1 and never; {D9} at 4; {D1, D4, D7} at 1, 3 and never.
func TestThreeQuestionsByHand(t *testing.T) {
	t.Parallel()
	s := &script{lists: map[string]map[string][]rag.ChunkID{"vector": {
		"Q1": {"D2", "D3", "D8", "D6", "D10"},
		"Q2": {"D3", "D8", "D6", "D9", "D10"},
		"Q3": {"D1", "D3", "D4", "D8", "D6"},
	}}}
	exp := run(t, evaluate.Setup{
		Questions: []evaluate.Question{
			{ID: "Q1", Text: "Q1", Answerable: true}, {ID: "Q2", Text: "Q2", Answerable: true}, {ID: "Q3", Text: "Q3", Answerable: true},
		},
		Entries: []evaluate.Entry{{Pipeline: strategy(t, "vector")}}, Searcher: s,
		Judge: labels{
			label{grades: map[rag.ChunkID]int{"D2": 1, "D5": 1}},
			label{grades: map[rag.ChunkID]int{"D9": 1}},
			label{grades: map[rag.ChunkID]int{"D1": 1, "D4": 1, "D7": 1}},
		},
		Metrics: []string{"Hit@2", "Recall@2", "Recall@5", "MRR"}, Resamples: 500, Now: started(),
	})
	want := map[string][3]float64{
		"Hit@2": {1, 0, 1}, "Recall@2": {.5, 0, 1. / 3}, "Recall@5": {.5, 1, 2. / 3}, "MRR": {1, .25, 1},
	}
	for name, values := range want {
		sum := 0.0
		for q, v := range values {
			got := exp.Runs[0].Stored.Records[q].Metrics[name]
			if got == nil || math.Abs(*got-v) > 1e-12 {
				t.Errorf("%s of Q%d = %v, want %v", name, q+1, got, v)
			}
			sum += v
		}
		m := exp.Runs[0].Metrics[name]
		if m.Value == nil || math.Abs(*m.Value-sum/3) > 1e-12 || m.N != 3 || m.Of != 3 {
			t.Errorf("%s = %+v, want mean %v of 3", name, m, sum/3)
		}
	}
	if exp.Runs[0].FailedQueries != 0 || exp.Runs[0].Depth != 5 {
		t.Errorf("failed %d at depth %d, want 0 at 5", exp.Runs[0].FailedQueries, exp.Runs[0].Depth)
	}
}

// A relevant chunk that moves from rank 1 or 2 to rank 4 in most questions.
func regressed(q int) (int, int) { return 1 + q%2, 4 - q%3 }

func TestPlantedRegressionIsWorse(t *testing.T) {
	t.Parallel()
	s, _ := synthetic(t, 120, regressed)
	exp := run(t, s)
	c := exp.Comparisons[0]
	if c.Metric != "ndcg@10" || c.Exploratory || c.Verdict != runs.Worse || c.A != "vector" || c.B != "hybrid" {
		t.Errorf("first comparison is %+v, want ndcg@10 worse", c)
	}
	if *c.Diff >= 0 || math.Abs(*c.Diff-(*c.ValueB-*c.ValueA)) > 1e-12 || c.N != 120 || c.Wins+c.Losses+c.Ties != 120 {
		t.Errorf("diff %v of %v and %v, %d/%d/%d", *c.Diff, *c.ValueA, *c.ValueB, c.Wins, c.Losses, c.Ties)
	}
	for _, c := range exp.Comparisons[1:] {
		if !c.Exploratory || c.PAdj != nil {
			t.Errorf("%s is not marked exploratory: %+v", c.Metric, c)
		}
	}
	if a := find(exp.Advice, "hybrid_below_leg"); a == nil || a.Params["other"] != "vector" || a.Params["verdict"] != runs.Worse {
		t.Errorf("advice %v does not say that hybrid falls below its leg", codes(exp.Advice))
	}
}

func TestSameStrategyTwiceIsInconclusive(t *testing.T) {
	t.Parallel()
	s, _ := synthetic(t, 60, func(q int) (int, int) { return q % 8, q % 8 })
	for seed := range uint64(4) {
		s.Seed = seed
		for _, c := range run(t, s).Comparisons {
			if c.Verdict != runs.Inconclusive || *c.P != 1 || *c.Diff != 0 {
				t.Errorf("seed %d: %s is %s with p %v, want no difference", seed, c.Metric, c.Verdict, *c.P)
			}
		}
	}
}

// Two strategies that differ by chance alone must rarely get a verdict.
func TestNoiseIsInconclusive(t *testing.T) {
	t.Parallel()
	verdicts := 0
	for trial := range 20 {
		s, _ := synthetic(t, 60, func(q int) (int, int) {
			x := (q*7919 + trial*104729) % 1009
			return 1 + x%5, 1 + (x/5)%5
		})
		s.Resamples = 1000
		if run(t, s).Comparisons[0].Verdict != runs.Inconclusive {
			verdicts++
		}
	}
	if verdicts > 4 { // 5 % of 20 is 1; more than 4 has a chance of .003
		t.Errorf("%d of 20 comparisons of noise got a verdict", verdicts)
	}
}

// Errors lower n, widen the bounds, and take a verdict away where they could turn
// it, but never turn it.
func TestErrorsNeverFlip(t *testing.T) {
	t.Parallel()
	small := func(q int) (int, int) { // hybrid mends every tenth question
		if q%10 == 0 {
			return 0, 1
		}
		return 1, 1
	}
	s, searcher := synthetic(t, 100, small)
	whole := run(t, s).Comparisons[0]
	if whole.Verdict != runs.Better || whole.N != 100 || whole.Bounds != nil {
		t.Fatalf("without errors: %+v, want better on 100", whole)
	}
	searcher.fails = map[string]map[string]error{"hybrid": {}}
	for q := 5; q < 100; q += 10 {
		searcher.fails["hybrid"][fmt.Sprintf("question %d", q)] = errors.New("out of memory")
	}
	exp := run(t, s)
	c, m := exp.Comparisons[0], exp.Runs[1].Metrics["ndcg@10"]
	if c.N != 90 || c.Of != 100 || c.Bounds == nil || c.Verdict != runs.Inconclusive || c.Note == nil || *c.Note != runs.NoteErrors {
		t.Errorf("with a tenth missing: %+v, want inconclusive for the errors", c)
	}
	// The ten missing pairs have 1 under vector: the difference is between
	// (10 − 10)/100 and 10/100.
	if c.Bounds != nil && (math.Abs(c.Bounds[0]) > 1e-12 || math.Abs(c.Bounds[1]-.1) > 1e-12) {
		t.Errorf("bounds = %v, want [0, .1]", *c.Bounds)
	}
	if m.N != 90 || m.Of != 100 || m.Bounds == nil || m.Bounds[0] != .9 || m.Bounds[1] != 1 || m.Missing["not_run"] != 10 {
		t.Errorf("ndcg@10 of hybrid = %+v, want 90 of 100 within [.9, 1]", m)
	}
	if find(exp.Advice, "queries_errored") == nil || find(exp.Advice, "verdict_errors") == nil {
		t.Errorf("advice %v does not tell of the errors", codes(exp.Advice))
	}

	large, searcher := synthetic(t, 100, func(q int) (int, int) { return 4, 1 })
	searcher.fails = map[string]map[string]error{"hybrid": {"question 3": errors.New("out of memory")}}
	if c := run(t, large).Comparisons[0]; c.Verdict != runs.Better || c.N != 99 {
		t.Errorf("one error in 100 hides a large difference: %+v", c)
	}
}

func TestRunFailsWhenNothingWasSearched(t *testing.T) {
	t.Parallel()
	s, searcher := synthetic(t, 3, regressed)
	searcher.fails = map[string]map[string]error{"vector": {}, "hybrid": {}}
	for _, q := range s.Questions {
		for _, strategy := range []string{"vector", "hybrid"} {
			searcher.fails[strategy][q.Text] = fault.New("model_missing")
		}
	}
	_, err := evaluate.Run(t.Context(), s, rag.NoProgress{})
	wantCode(t, err, "model_missing")
}

// journal opens a journal for the setup in a folder.
func journal(t *testing.T, dir string, s evaluate.Setup) *runstore.Journal {
	t.Helper()
	key, err := s.Key()
	if err != nil {
		t.Fatal(err)
	}
	j, err := runstore.Open(dir).Journal(key)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestCancelAndResumeEqualsUninterrupted(t *testing.T) {
	t.Parallel()
	fails := map[string]map[string]error{"hybrid": {"question 4": fault.New("model_missing", fault.P("model", "m"))}}
	s, searcher := synthetic(t, 40, regressed)
	searcher.fails = fails
	want := run(t, s)

	for _, stop := range []int{1, 17, 79} {
		t.Run(fmt.Sprint("after ", stop), func(t *testing.T) {
			t.Parallel()
			s, searcher := synthetic(t, 40, regressed)
			searcher.fails = fails
			searcher.lists["vector"]["question 1"][0] = "bad\xff"
			want := want
			if stop == 17 { // text that is no UTF-8 must survive the journal too
				want = run(t, s)
			} else {
				searcher.lists["vector"]["question 1"][0] = listWith("gold001", 2)[0]
			}
			dir := t.TempDir()
			ctx, cancel := context.WithCancel(t.Context())
			searcher.calls = 0
			searcher.before = func(call int) {
				if call > stop {
					cancel()
				}
			}
			j := journal(t, dir, s)
			s.Journal = j
			if _, err := evaluate.Run(ctx, s, rag.NoProgress{}); !errors.Is(err, context.Canceled) {
				t.Fatalf("error after cancel is %v", err)
			}
			if err := j.Close(); err != nil {
				t.Fatal(err)
			}

			searcher.before, searcher.calls = nil, 0
			j = journal(t, dir, s)
			s.Journal = j
			kept, err := j.Finished(t.Context())
			if err != nil || len(kept) == 0 || len(kept) > stop {
				t.Fatalf("journal has %d searches (%v), want 1 to %d", len(kept), err, stop)
			}
			s.Workers = 3
			got := run(t, s)
			if searcher.calls != 80-len(kept) {
				t.Errorf("%d searches after the first %d, want %d", searcher.calls, len(kept), 80-len(kept))
			}
			if !bytes.Equal(stable(t, got), stable(t, want)) {
				t.Error("a resumed evaluation differs from an uninterrupted one")
			}
			if n := len(got.Runs[0].Stored.Timing.Queries); n != 40 {
				t.Errorf("timings of %d questions, want 40", n)
			}
			if err := j.Remove(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestWorkersDoNotChangeResults(t *testing.T) {
	t.Parallel()
	s, _ := synthetic(t, 50, regressed)
	s.Workers = 1
	one := stable(t, run(t, s))
	s.Workers = 8
	if !bytes.Equal(one, stable(t, run(t, s))) {
		t.Error("the number of workers changes the result")
	}
}

func TestGoldenExperiment(t *testing.T) {
	t.Parallel()
	s, searcher := synthetic(t, 12, func(q int) (int, int) { return q % 7, 1 + q%3 })
	s.Questions[3].Cluster, s.Questions[4].Cluster = "q003", "q003"
	searcher.fails = map[string]map[string]error{"hybrid": {"question 11": fault.New("timeout")}}
	exp := run(t, s)
	for i := range exp.Runs {
		exp.Runs[i].LatencyMS = nil // the clock's
	}
	for i := range exp.Pairs {
		exp.Pairs[i].LatencyMS = nil
	}
	b, err := json.MarshalIndent(exp, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "experiment.golden.json", append(b, '\n'))
}

func TestSetupFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*evaluate.Setup)
		code   string
	}{
		"no questions":     {func(s *evaluate.Setup) { s.Questions = nil }, "eval_empty"},
		"no strategies":    {func(s *evaluate.Setup) { s.Entries = nil }, "eval_empty"},
		"same name":        {func(s *evaluate.Setup) { s.Entries[1].Name = "vector" }, "run_name_twice"},
		"unknown baseline": {func(s *evaluate.Setup) { s.Baseline = "bm25" }, "baseline_unknown"},
		"unknown primary":  {func(s *evaluate.Setup) { s.Primary = "Recall@7" }, "primary_unknown"},
		"unknown metric":   {func(s *evaluate.Setup) { s.Metrics = []string{"accuracy@5"} }, "metric_unknown"},
		"bad pipeline":     {func(s *evaluate.Setup) { s.Entries[0].Pipeline.TopK = 0 }, "pipeline_invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := synthetic(t, 3, regressed)
			c.change(&s)
			_, err := evaluate.Run(t.Context(), s, rag.NoProgress{})
			wantCode(t, err, c.code)
		})
	}
}

func TestLibraryThatChanges(t *testing.T) {
	t.Parallel()
	s, searcher := synthetic(t, 10, regressed)
	s.Workers = 1
	searcher.before = func(call int) {
		if call == 9 {
			searcher.print = "index-2"
		}
	}
	_, err := evaluate.Run(t.Context(), s, rag.NoProgress{})
	wantCode(t, err, "library_changed")
}

func TestForeignJournalIsRefused(t *testing.T) {
	t.Parallel()
	s, _ := synthetic(t, 4, regressed)
	s.Journal = foreign{}
	_, err := evaluate.Run(t.Context(), s, rag.NoProgress{})
	wantCode(t, err, "journal_mismatch")
}

type foreign struct{}

func (foreign) Finished(context.Context) ([]runs.Finished, error) {
	return []runs.Finished{{Entry: 1, Question: 2, Record: runs.Record{QueryID: "another"}}}, nil
}

func (foreign) Append(runs.Finished) error { return nil }
