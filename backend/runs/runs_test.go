package runs_test

import (
	"encoding/json"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/measure"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
)

func pipeline(t *testing.T, name string, change func(*rag.Pipeline)) rag.Pipeline {
	t.Helper()
	p, err := rag.ParseStrategy(name)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(&p)
	}
	return p
}

func TestPipelineVariables(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		a, b rag.Pipeline
		want []runs.Variable
	}{
		"same":                      {pipeline(t, "hybrid", nil), pipeline(t, "rrf", nil), nil},
		"a leg more brings fusion":  {pipeline(t, "vector", nil), pipeline(t, "hybrid", nil), []runs.Variable{{"legs", "vector", "bm25+vector"}}},
		"fusion":                    {pipeline(t, "union", nil), pipeline(t, "hybrid", nil), []runs.Variable{{"fusion", "union", "rrf"}}},
		"reranker brings its depth": {pipeline(t, "bm25", nil), pipeline(t, "bm25+rerank", nil), []runs.Variable{{"reranker", "none", "default"}}},
		"alpha counts when weighted": {pipeline(t, "weighted", nil), pipeline(t, "weighted", func(p *rag.Pipeline) { p.Alpha = .3 }),
			[]runs.Variable{{"alpha", "0.5", "0.3"}}},
		"alpha is idle elsewhere": {pipeline(t, "hybrid", nil), pipeline(t, "hybrid", func(p *rag.Pipeline) { p.Alpha = .3 }), nil},
		"everything": {
			pipeline(t, "classic", nil),
			pipeline(t, "default", func(p *rag.Pipeline) {
				p.RRFK, p.Thresholds = 9, map[rag.Stage]float64{rag.StageVector: .2, rag.StageRerank: .01}
			}),
			[]runs.Variable{
				{"fusion", "union", "rrf"}, {"candidates", "5", "50"}, {"rerank_depth", "10", "20"}, {"top_k", "3", "5"},
				{"threshold.vector", "", "0.2"}, {"threshold.rerank", "", "0.01"},
			},
		},
		"what is seldom set": {
			pipeline(t, "hybrid", nil),
			pipeline(t, "hybrid", func(p *rag.Pipeline) {
				p.MaxRanks = map[rag.Stage]int{rag.StageBM25: 7}
				p.Filter = rag.Filter{Folders: []string{"a", "b"}, Languages: []string{"zh"}, After: "2024-01-01"}
				p.HeadingBoost, p.FoldDuplicates, p.Diversity, p.Neighbours = .5, .9, .3, 1
				p.ContextOrder, p.Rewrite, p.RewriteModel = rag.OrderEdges, rag.RewriteHyDE, "m"
			}),
			[]runs.Variable{
				{"max_rank.bm25", "", "7"}, {"filter", "", "folder=a|b lang=zh after=2024-01-01"}, {"heading_boost", "", "0.5"},
				{"fold_duplicates", "", "0.9"}, {"diversity", "", "0.3"}, {"neighbours", "", "1"}, {"context_order", "", "edges"}, {"rewrite", "", "hyde"},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, runs.PipelineVariables(c.a, c.b)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestVariablesOfLibraryAndQuestions(t *testing.T) {
	t.Parallel()
	a := runs.Run{
		Pipeline: pipeline(t, "vector", nil), Relevance: "contains", Unit: "chunk", Dataset: runs.Dataset{Hash: "1"},
		Library: runs.Library{
			KB: "small", Fingerprint: "f1", Content: "c", Documents: 3, Chunker: "tokens", ChunkSize: 256, ChunkOverlap: 50, Embedder: "e",
		},
	}
	b := a
	b.Library.KB, b.Library.Fingerprint, b.Library.ChunkSize = "large", "f2", 512
	if got := runs.Names(runs.Variables(a, b)); got != "chunk_size" {
		t.Errorf("two chunk sizes over the same documents differ in %s", got)
	}
	b = a
	b.Library.Fingerprint = "f2"
	if got := runs.Names(runs.Variables(a, b)); got != "library" {
		t.Errorf("another fingerprint alone differs in %s", got)
	}
	b = a
	b.Library.Content, b.Dataset.Hash, b.Relevance, b.Unit = "d", "2", "overlaps", "gold"
	if got := runs.Names(runs.Variables(a, b)); got != "documents, dataset, relevance, unit" {
		t.Errorf("differs in %s", got)
	}
	b = a
	b.Library.Content, b.Library.Documents = "", 4
	if got := runs.Names(runs.Variables(a, b)); got != "documents" {
		t.Errorf("another number of documents differs in %s", got)
	}
}

func TestRankingCutsAndNamesItems(t *testing.T) {
	t.Parallel()
	doc := "doc"
	r := runs.Record{
		Ideal: []int{1}, HasGold: true,
		Retrieved: []runs.Retrieved{{ChunkID: "c1", Item: &doc}, {ChunkID: "c2", Item: &doc, Grade: 1}, {ChunkID: "c3"}},
	}
	got := r.Ranking(2)
	want := measure.Ranking{Items: []measure.Item{{ID: "doc"}, {ID: "doc", Grade: 1}}, Ideal: []int{1}, HasGold: true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if n := len(r.Ranking(0).Items); n != 3 {
		t.Errorf("a whole ranking has %d items, want 3", n)
	}
	if n := len(r.Ranking(9).Items); n != 3 {
		t.Errorf("a ranking cut below its end has %d items, want 3", n)
	}
}

func TestLatencyQuantiles(t *testing.T) {
	t.Parallel()
	var timing runs.Timing
	for _, ms := range []float64{40, 10, 30, 20, 50} {
		timing.Queries = append(timing.Queries, runs.QueryTiming{MS: map[string]float64{"total": ms, "vector": 1}})
	}
	got := timing.Latency()
	// The 95th percentile of five lies at 3.8: 40 + .8 × 10.
	if q := got["total"]; q.P50 != 30 || math.Abs(q.P95-48) > 1e-9 || q.N != 5 {
		t.Errorf("total = %+v, want 30 and 48 of 5", q)
	}
	if q := got["vector"]; q.P50 != 1 || q.P95 != 1 {
		t.Errorf("vector = %+v, want 1 and 1", q)
	}
	if (runs.Timing{}).Latency() != nil {
		t.Error("no timings have a latency")
	}
}

func TestNewID(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("east", 8*3600))
	shape := regexp.MustCompile(`^20260101-190405-[a-z0-9-]+-[0-9a-f]{6}$`)
	seen := map[string]bool{}
	for _, name := range []string{"hybrid+rerank", "../../etc", "混合", "", strings.Repeat("long name ", 20)} {
		id := runs.NewID(runs.Run{Name: name, Created: at})
		if !shape.MatchString(id) || seen[id] || len(id) > 60 {
			t.Errorf("id of %q is %q", name, id)
		}
		seen[id] = true
	}
	a, b := runs.Run{Name: "x", Created: at}, runs.Run{Name: "x", Created: at.Add(time.Nanosecond)}
	if runs.NewID(a) == runs.NewID(b) {
		t.Error("two runs of different times share an id")
	}
}

// Keys that readers rely on are there, null where they do not apply.
func TestKeysAreAlwaysThere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value any
		keys  []string
	}{
		{runs.Metric{}, []string{"value", "ci", "n", "of", "gain", "bounds", "missing"}},
		{runs.Comparison{}, []string{"metric", "a", "b", "diff", "ci", "p", "p_adj", "verdict", "n", "exploratory", "note"}},
		{runs.Result{}, []string{
			"run_id", "strategy", "name", "metrics", "groups", "depth", "total_queries", "unanswerable", "failed_queries",
			"errored_queries", "failures", "latency_ms",
		}},
		{runs.FailedOutcome{}, []string{"query_id", "query", "retrieved", "expected", "cause"}},
		{runs.Experiment{}, []string{"runs", "comparisons", "advice", "pairs", "metrics", "primary", "baseline"}},
	} {
		b, err := json.Marshal(c.value)
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatal(err)
		}
		for _, k := range c.keys {
			if _, ok := got[k]; !ok {
				t.Errorf("%T has no key %q: %s", c.value, k, b)
			}
		}
	}
}
