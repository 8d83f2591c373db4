package evaluate_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/evaluate"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
	"ragdesk/backend/stats"
)

// The comparison must be what package stats says of the differences themselves.
func TestComparisonIsThatOfTheDifferences(t *testing.T) {
	t.Parallel()
	ranksA, ranksB := []int{2, 2, 1, 4, 1, 0}, []int{1, 1, 1, 2, 2, 5}
	s, _ := synthetic(t, 6, func(q int) (int, int) { return ranksA[q], ranksB[q] })
	s.Metrics, s.Primary = []string{"MRR", "Hit@1"}, "MRR"
	exp := run(t, s)
	var diff []float64
	for i := range ranksA {
		diff = append(diff, reciprocal(ranksB[i])-reciprocal(ranksA[i]))
	}
	test, err := stats.SignFlip(diff, stats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := exp.Comparisons[0]
	if c.Test != "sign_flip" || math.Abs(*c.P-test.P) > 1e-12 || *c.PAdj != *c.P || c.Wins != 4 || c.Losses != 1 || c.Ties != 1 {
		t.Errorf("%+v, want p %v and 4/1/1", c, test.P)
	}
	sum := 0.0
	for _, d := range diff {
		sum += d
	}
	if math.Abs(*c.Diff-sum/6) > 1e-12 {
		t.Errorf("diff %v, want %v", *c.Diff, sum/6)
	}
	// Hit@1: hybrid wins questions 0 and 1 and loses 4; exact McNemar of 2 and 1 is 1.
	hit := exp.Comparisons[1]
	if hit.Test != "mcnemar" || hit.Wins != 2 || hit.Losses != 1 || *hit.P != 1 {
		t.Errorf("Hit@1: %+v, want McNemar of 2 and 1", hit)
	}
}

func reciprocal(rank int) float64 {
	if rank == 0 {
		return 0
	}
	return 1 / float64(rank)
}

// Holm covers the comparisons of the primary metric alone.
func TestHolmOverPrimary(t *testing.T) {
	t.Parallel()
	s, searcher := synthetic(t, 30, func(q int) (int, int) { return 1 + q%3, 1 + (q/4)%3 })
	searcher.lists["bm25"] = map[string][]rag.ChunkID{}
	for q, question := range s.Questions {
		searcher.lists["bm25"][question.Text] = listWith(rag.ChunkID("gold"+question.ID[1:]), 1+q%2)
	}
	s.Entries = append(s.Entries, evaluate.Entry{Pipeline: strategy(t, "bm25")})
	exp := run(t, s)
	var ps, adjusted []float64
	for _, c := range exp.Comparisons {
		if !c.Exploratory {
			ps, adjusted = append(ps, *c.P), append(adjusted, *c.PAdj)
		}
	}
	want, err := stats.Holm(ps)
	if err != nil || len(ps) != 2 {
		t.Fatalf("%d comparisons of the primary metric (%v), want 2", len(ps), err)
	}
	if diff := cmp.Diff(want, adjusted); diff != "" {
		t.Error(diff)
	}
}

// Variants of one question are one observation: copies must not make a verdict.
func TestVariantsClusterTogether(t *testing.T) {
	t.Parallel()
	s, _ := synthetic(t, 40, func(q int) (int, int) {
		if q < 32 { // four questions of eight variants each
			return 2, 1
		}
		return 1, 1
	})
	alone := run(t, s).Comparisons[0]
	if alone.Verdict != runs.Better {
		t.Fatalf("40 independent questions: %+v, want better", alone)
	}
	for q := range 32 {
		s.Questions[q].Cluster = []string{"A", "B", "C", "D"}[q/8]
	}
	c := run(t, s).Comparisons[0]
	// Four clusters of one sign have an exact two-sided p of 2/16.
	if c.Verdict != runs.Inconclusive || c.Clusters != 12 || *c.P != .125 || c.Test != "cluster_sign_flip" {
		t.Errorf("four clusters: %+v, want p .125 and no verdict", c)
	}
}

func TestFewPairs(t *testing.T) {
	t.Parallel()
	s, _ := synthetic(t, 1, func(int) (int, int) { return 3, 1 })
	c := run(t, s).Comparisons[0]
	if c.CI != nil || c.P != nil || c.Verdict != runs.Inconclusive || c.Note == nil || *c.Note != runs.NoteFewPairs {
		t.Errorf("one pair: %+v, want nothing but a note", c)
	}
}

func TestBaselineNeedNotBeFirst(t *testing.T) {
	t.Parallel()
	s, _ := synthetic(t, 40, regressed)
	s.Baseline = "hybrid"
	c := run(t, s).Comparisons[0]
	if c.A != "hybrid" || c.B != "vector" || c.Verdict != runs.Better {
		t.Errorf("%+v, want vector better than the baseline hybrid", c)
	}
}

func TestPairsListWhatMoved(t *testing.T) {
	t.Parallel()
	from, to := []int{7, 0, 1, 2, 5, 0}, []int{1, 6, 8, 2, 0, 0}
	s, _ := synthetic(t, 6, func(q int) (int, int) { return from[q], to[q] })
	p := run(t, s).Pairs[0]
	ids := func(ms []runs.Moved) (out []string) {
		for _, m := range ms {
			out = append(out, m.QueryID)
		}
		return out
	}
	if !slices.Equal(ids(p.Mended), []string{"q000"}) || !slices.Equal(ids(p.Broken), []string{"q002", "q004"}) {
		t.Errorf("mended %v and broken %v, want q000 and q002, q004", ids(p.Mended), ids(p.Broken))
	}
	if p.Raised != 2 || p.Lowered != 2 || p.Kept != 2 {
		t.Errorf("raised %d, lowered %d, kept %d, want 2 of each", p.Raised, p.Lowered, p.Kept)
	}
	if len(p.Variables) != 1 || p.Variables[0].Name != "legs" {
		t.Errorf("variables %v, want the legs alone", p.Variables)
	}
}

// stored returns the runs of an experiment under new ids.
func stored(exp runs.Experiment, suffix string) []runs.Stored {
	var out []runs.Stored
	for _, r := range exp.Runs {
		s := r.Stored
		s.ID += suffix
		out = append(out, s)
	}
	return out
}

func TestCompareStoredRuns(t *testing.T) {
	t.Parallel()
	s, _ := synthetic(t, 40, regressed)
	exp := run(t, s)
	again, err := evaluate.Compare(t.Context(), stored(exp, ""), evaluate.Choices{Seed: s.Seed, Resamples: s.Resamples})
	if err != nil {
		t.Fatal(err)
	}
	if string(stable(t, again)) != string(stable(t, exp)) {
		t.Error("the same runs, stored, give other results")
	}
}

func TestCompareKeepsCommonQuestions(t *testing.T) {
	t.Parallel()
	s, _ := synthetic(t, 30, regressed)
	a := run(t, s)
	shorter := s
	shorter.Questions, shorter.Judge = slices.Clone(s.Questions[:20]), s.Judge
	shorter.Questions[4].Text = "question 4, put another way"
	shorter.Entries = s.Entries[:1]
	b := run(t, shorter)
	exp, err := evaluate.Compare(t.Context(), append(stored(a, "-a")[:1], stored(b, "-b")...), evaluate.Choices{})
	if err != nil {
		t.Fatal(err)
	}
	if n := exp.Runs[0].TotalQueries; n != 19 {
		t.Errorf("%d common questions, want 19", n)
	}
	if exp.Runs[0].Name == exp.Runs[1].Name || !strings.HasSuffix(exp.Runs[1].Name, "-b") {
		t.Errorf("runs of one name are called %q and %q", exp.Runs[0].Name, exp.Runs[1].Name)
	}
	if a := find(exp.Advice, "questions_differ"); a == nil || a.Params["left"] != "11" || a.Params["common"] != "19" {
		t.Errorf("advice %+v, want questions_differ with 11 left", exp.Advice)
	}
}

func TestCompareCutsToTheSmallestDepth(t *testing.T) {
	t.Parallel()
	s, _ := synthetic(t, 30, func(int) (int, int) { return 8, 8 })
	a := run(t, s)
	s.Metrics = []string{"ndcg@6", "MRR"}
	b := run(t, s)
	exp, err := evaluate.Compare(t.Context(), append(stored(a, "-a")[:1], stored(b, "-b")[1:]...),
		evaluate.Choices{Metrics: []string{"MRR", "ndcg@10"}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(exp.Metrics, []string{"MRR"}) || *exp.Runs[0].Metrics["MRR"].Value != 0 {
		t.Errorf("metrics %v, MRR %v: want MRR alone, over the first 6", exp.Metrics, *exp.Runs[0].Metrics["MRR"].Value)
	}
	if find(exp.Advice, "metrics_left_out") == nil || find(exp.Advice, "depths_differ") == nil {
		t.Errorf("advice %v", codes(exp.Advice))
	}
	if a.Runs[0].Stored.Records[0].Metrics["ndcg@10"] == nil {
		t.Error("comparing changed the runs it was given")
	}
}

func TestCompareFaults(t *testing.T) {
	t.Parallel()
	s, _ := synthetic(t, 5, regressed)
	one := stored(run(t, s), "")
	other := slices.Clone(one[:1])
	other[0].ID = "other"
	other[0].Records = slices.Clone(other[0].Records)
	for i := range other[0].Records {
		other[0].Records[i].QueryID += "x"
	}
	for name, c := range map[string]struct {
		runs    []runs.Stored
		choices evaluate.Choices
		code    string
	}{
		"none":             {nil, evaluate.Choices{}, "runs_missing"},
		"twice":            {append(slices.Clone(one), one[0]), evaluate.Choices{}, "run_twice"},
		"nothing common":   {append(slices.Clone(one), other...), evaluate.Choices{}, "runs_apart"},
		"too deep":         {one, evaluate.Choices{Metrics: []string{"Recall@11"}}, "metrics_too_deep"},
		"unknown baseline": {one, evaluate.Choices{Baseline: "x"}, "baseline_unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := evaluate.Compare(t.Context(), c.runs, c.choices)
			wantCode(t, err, c.code)
		})
	}
}

func TestAdvice(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		n      int
		ranks  func(q int) (int, int)
		change func(*evaluate.Setup)
		want   []string
		not    []string
	}{
		"small": {30, func(q int) (int, int) { return 1, 1 }, nil, []string{"questions_very_few"}, []string{"questions_few"}},
		"rather small": {60, func(q int) (int, int) { return 1, 1 }, nil,
			[]string{"questions_few"}, []string{"questions_very_few", "variables_several"}},
		"large": {200, func(q int) (int, int) { return 1, 1 }, nil, []string{"types_rare"}, []string{"questions_few"}},
		"one metric": {10, func(q int) (int, int) { return 1, 1 }, func(s *evaluate.Setup) { s.Metrics = []string{"MRR"} },
			[]string{"metric_alone"}, nil},
		"two variables": {10, func(q int) (int, int) { return 1, 1 }, func(s *evaluate.Setup) { s.Entries[1].Pipeline.TopK = 7 },
			[]string{"variables_several"}, nil},
		"own pipeline left out": {10, func(q int) (int, int) { return 1, 1 }, func(s *evaluate.Setup) {
			own := s.Entries[0].Pipeline
			own.TopK = 9
			s.Own = &own
		}, []string{"pipeline_not_own"}, nil},
		"own pipeline there": {10, func(q int) (int, int) { return 1, 1 }, func(s *evaluate.Setup) { s.Own = &s.Entries[0].Pipeline },
			nil, []string{"pipeline_not_own"}},
		"short lists": {10, func(q int) (int, int) { return 1, 1 }, func(s *evaluate.Setup) { s.Entries[0].Pipeline.Candidates = 5 },
			[]string{"list_short"}, nil},
		"recall low":  {10, func(q int) (int, int) { return 0, q % 2 }, nil, []string{"recall_low"}, []string{"order_low", "precision_low"}},
		"order low":   {10, func(q int) (int, int) { return 0, 6 }, nil, []string{"order_low"}, []string{"recall_low"}},
		"all is well": {10, func(q int) (int, int) { return 2, 1 }, nil, []string{"precision_low"}, []string{"order_low"}},
		"no types": {4, func(q int) (int, int) { return 1, 1 }, func(s *evaluate.Setup) {
			for i := range s.Questions {
				s.Questions[i].Type = ""
			}
		}, []string{"types_unknown"}, []string{"types_rare"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := synthetic(t, c.n, c.ranks)
			s.Resamples = 200
			if c.change != nil {
				c.change(&s)
			}
			got := codes(run(t, s).Advice)
			for _, code := range c.want {
				if !slices.Contains(got, code) {
					t.Errorf("advice %v lacks %s", got, code)
				}
			}
			for _, code := range c.not {
				if slices.Contains(got, code) {
					t.Errorf("advice %v has %s", got, code)
				}
			}
		})
	}
}

func TestRerankThatLowersIsSaid(t *testing.T) {
	t.Parallel()
	s, searcher := synthetic(t, 40, func(int) (int, int) { return 1, 1 })
	searcher.lists["vector+rerank"] = map[string][]rag.ChunkID{}
	for _, q := range s.Questions {
		searcher.lists["vector+rerank"][q.Text] = listWith(rag.ChunkID("gold"+q.ID[1:]), 3)
	}
	s.Entries[1] = evaluate.Entry{Pipeline: strategy(t, "vector+rerank")}
	a := find(run(t, s).Advice, "rerank_below")
	if a == nil || a.Params["run"] != "vector+rerank" || a.Params["other"] != "vector" || a.Params["diff"] != "-0.500" {
		t.Errorf("advice is %+v, want rerank_below by .5", a)
	}
}

// Of four passages that come back, the one with a label is all that the labels
// allow, whatever the cut.
func TestNoiseIsMeasuredAgainstWhatComesBack(t *testing.T) {
	t.Parallel()
	s := &script{lists: map[string]map[string][]rag.ChunkID{"vector": {}}}
	setup := evaluate.Setup{Entries: []evaluate.Entry{{Pipeline: strategy(t, "vector")}}, Searcher: s,
		Metrics: []string{"nDCG@10", "Recall@5"}, Resamples: 200, Now: started()}
	var judge labels
	for q := range 10 {
		text := fmt.Sprint("question ", q)
		s.lists["vector"][text] = []rag.ChunkID{"a", "b", "c", "d"}
		setup.Questions = append(setup.Questions, evaluate.Question{ID: text, Text: text, Answerable: true})
		judge = append(judge, label{grades: map[rag.ChunkID]int{"a": 2}})
	}
	setup.Judge = judge
	a := find(run(t, setup).Advice, "precision_low")
	if a == nil || a.Params["precision"] != "0.250" || a.Params["most"] != "0.250" {
		t.Errorf("advice %+v, want a quarter of at most a quarter", a)
	}
}

func TestCompareSaysThatLibrariesDiffer(t *testing.T) {
	t.Parallel()
	s, _ := synthetic(t, 30, regressed)
	s.Entries = s.Entries[:1]
	s.Library = runs.Library{KB: "docs", Content: "one"}
	a := run(t, s)
	for _, c := range []struct {
		name    string
		library runs.Library
		want    bool
	}{
		{"the same", s.Library, false},
		{"other documents", runs.Library{KB: "recipes", Content: "two"}, true},
		{"documents unknown", runs.Library{KB: "recipes"}, true},
		{"the same documents, cut in another way", runs.Library{KB: "docs-small", Content: "one"}, false},
		{"the library after a change", runs.Library{KB: "docs", Content: "two"}, false},
	} {
		s.Library = c.library
		exp, err := evaluate.Compare(t.Context(), append(stored(a, "-a"), stored(run(t, s), "-b")...), evaluate.Choices{})
		if err != nil {
			t.Fatal(err)
		}
		said := find(exp.Advice, runs.LibrariesDiffer)
		if (said != nil) != c.want || said != nil && (said.Params["kb_a"] != "docs" || said.Params["kb_b"] != "recipes") {
			t.Errorf("%s: %+v, want said %t", c.name, said, c.want)
		}
	}
}
