package retrieve_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/fault"
	"ragdesk/backend/lexical"
	"ragdesk/backend/rag"
	"ragdesk/backend/retrieve"
	"ragdesk/backend/vector"
)

// The corpus is small enough to rank by hand. Its vectors lie in a plane, at an
// angle to the query's; "tie1" and "tie2" are the same text at the same place.
var passages = []struct {
	id    rag.ChunkID
	angle float64 // degrees from the query's vector
	text  string
}{
	{"far", 80, "harbour harbour harbour tide"},
	{"near", 5, "a boat leaves at noon"},
	{"both", 20, "the harbour at noon"},
	{"none", 120, "bread and butter"},
	{"tie2", 60, "the tide turns"},
	{"tie1", 60, "the tide turns"},
}

const query = "harbour tide"

// fixedEmbedder gives every query the vector (1, 0).
type fixedEmbedder struct{}

func (fixedEmbedder) Documents(context.Context, []string) ([][]float32, error) {
	return nil, errors.New("retrieval embeds no documents")
}
func (fixedEmbedder) Query(context.Context, string) ([]float32, error) { return []float32{1, 0}, nil }
func (fixedEmbedder) Dim() int                                         { return 2 }
func (fixedEmbedder) Fingerprint() string                              { return "fixed" }

// chunkMap is a ChunkReader over the passages.
type chunkMap map[rag.ChunkID]rag.ChunkRow

func (m chunkMap) ChunksByID(_ context.Context, ids []rag.ChunkID) ([]rag.ChunkRow, error) {
	out := make([]rag.ChunkRow, len(ids))
	for i, id := range ids {
		row, ok := m[id]
		if !ok {
			return nil, fmt.Errorf("no chunk %s", id)
		}
		out[i] = row
	}
	return out, nil
}

// verdicts is a reranker with given scores, 0 for others.
type verdicts map[rag.ChunkID]float64

func (v verdicts) Rerank(_ context.Context, _ string, in []rag.Passage) ([]rag.Relevance, error) {
	out := make([]rag.Relevance, len(in))
	for i, p := range in {
		out[i] = rag.Relevance{Score: v[p.ID], Parts: []rag.Part{{Name: "bm25", Value: p.BM25}}}
	}
	return out, nil
}
func (verdicts) Name() string        { return "verdicts" }
func (verdicts) Fingerprint() string { return "verdicts" }

// corpus indexes the passages for real.
func corpus(t *testing.T, reranker rag.Reranker) retrieve.Corpus {
	t.Helper()
	var entries []lexical.Entry
	var stats lexical.Stats
	var ids []rag.ChunkID
	var flat []float32
	chunks := chunkMap{}
	for _, p := range passages {
		entries = append(entries, lexical.Entry{ID: p.id, Text: p.text})
		stats.Chunks++
		stats.Terms = stats.Terms.Plus(lexical.Analyzer{}.Count(p.text))
		ids = append(ids, p.id)
		sin, cos := math.Sincos(p.angle * math.Pi / 180)
		flat = append(flat, float32(cos), float32(sin))
		chunks[p.id] = rag.ChunkRow{Source: string(p.id) + ".txt", Chunk: rag.Chunk{ID: p.id, DocID: "d", Text: p.text}}
	}
	dir := filepath.Join(t.TempDir(), "text")
	if err := (lexical.Analyzer{}).Build(t.Context(), "", dir, nil, entries); err != nil {
		t.Fatal(err)
	}
	text, err := lexical.Analyzer{}.Open(dir, stats)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := text.Close(); err != nil {
			t.Error(err)
		}
	})
	vectors, err := vector.Load(t.Context(), 2, ids, flat)
	if err != nil {
		t.Fatal(err)
	}
	return retrieve.Corpus{Text: text, Vectors: vectors, Embedder: fixedEmbedder{}, Chunks: chunks, Reranker: reranker}
}

// pipeline parses a strategy and changes it.
func pipeline(t *testing.T, strategy string, change func(*rag.Pipeline)) rag.Pipeline {
	t.Helper()
	p, err := rag.ParseStrategy(strategy)
	if err != nil {
		t.Fatal(err)
	}
	p.TopK = 10
	if change != nil {
		change(&p)
	}
	return p
}

func run(t *testing.T, c retrieve.Corpus, p rag.Pipeline) retrieve.Result {
	t.Helper()
	res, err := retrieve.Run(t.Context(), c, p, query)
	if err != nil {
		t.Fatal(err)
	}
	for i, h := range res.Hits {
		if h.Rank != i+1 || h.Source != string(h.Chunk.ID)+".txt" || h.Chunk.Text == "" {
			t.Errorf("hit %d: rank %d, source %q, text %q", i, h.Rank, h.Source, h.Chunk.Text)
		}
		if len(h.Trace) != len(p.Stages()) {
			t.Errorf("hit %d has a trace of %d stages, want %v", i, len(h.Trace), p.Stages())
		}
	}
	return res
}

func order(hits []rag.Hit) []string {
	out := make([]string, len(hits))
	for i, h := range hits {
		out[i] = string(h.Chunk.ID)
	}
	return out
}

func TestEachStrategyRanksAsWorkedOutByHand(t *testing.T) {
	t.Parallel()
	c := corpus(t, verdicts{"none": 0.9, "tie1": 0.5, "tie2": 0.5})
	for strategy, want := range map[string][]string{
		// By angle; the two at 60° by id.
		"vector": {"near", "both", "tie1", "tie2", "far", "none"},
		// "far" has both terms; "harbour" is in two passages, "tide" in three.
		"bm25": {"far", "both", "tie1", "tie2"},
		// 2/62, 1/65 + 1/61, 2/63, 2/64, 1/61, 1/66.
		"hybrid": {"both", "far", "tie1", "tie2", "near", "none"},
		"union":  {"near", "both", "tie1", "tie2", "far", "none"},
		// The reranked in order of score, ties by id; all six are within depth 20.
		"hybrid+rerank": {"none", "tie1", "tie2", "both", "far", "near"},
	} {
		if got := order(run(t, c, pipeline(t, strategy, nil)).Hits); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", strategy, got, want)
		}
	}
}

func TestTraceHasEveryStagesOwnRankAndScore(t *testing.T) {
	t.Parallel()
	c := corpus(t, verdicts{"near": 1})
	vectors, err := c.Vectors.Search(t.Context(), []float32{1, 0}, 10)
	if err != nil {
		t.Fatal(err)
	}
	lexical, err := c.Text.Search(t.Context(), query, 10)
	if err != nil {
		t.Fatal(err)
	}
	native := func(stage rag.Stage, in []rag.Scored, id rag.ChunkID) rag.StageScore {
		for i, s := range in {
			if s.ID == id {
				return rag.StageScore{Stage: stage, Rank: i + 1, Score: s.Score}
			}
		}
		return rag.StageScore{Stage: stage}
	}
	for _, h := range run(t, c, pipeline(t, "hybrid+rerank", nil)).Hits {
		id := h.Chunk.ID
		v, b := native(rag.StageVector, vectors, id), native(rag.StageBM25, lexical, id)
		sum := 0.0
		for _, s := range []rag.StageScore{v, b} {
			if s.Rank > 0 {
				sum += 1 / float64(60+s.Rank)
			}
		}
		if diff := cmp.Diff([]rag.StageScore{v, b}, h.Trace[:2]); diff != "" {
			t.Errorf("%s: legs differ from the indexes' own (-want +got):\n%s", id, diff)
		}
		if got := h.Trace[2]; got.Stage != rag.StageFusion || math.Abs(got.Score-sum) > 1e-15 {
			t.Errorf("%s: fusion %+v, want score %g", id, got, sum)
		}
		if got := h.Trace[3]; got.Stage != rag.StageRerank || got.Rank != h.Rank || got.Score != h.Score ||
			h.ScoreStage != rag.StageRerank || got.Parts[0].Value != b.Score {
			t.Errorf("%s: rerank %+v of hit %d with score %g", id, got, h.Rank, h.Score)
		}
	}
}

func TestTheTailKeepsItsFusedOrderBelowTheRerankedHead(t *testing.T) {
	t.Parallel()
	c := corpus(t, verdicts{"both": 0.2, "far": 0.1}) // tie1 0
	res := run(t, c, pipeline(t, "hybrid+rerank", func(p *rag.Pipeline) { p.RerankDepth = 3 }))
	if got, want := order(res.Hits), []string{"both", "far", "tie1", "tie2", "near", "none"}; !slices.Equal(got, want) {
		t.Fatalf("order %v, want %v", got, want)
	}
	for i, h := range res.Hits {
		last, stage := h.Trace[3], rag.StageRerank
		if i >= 3 {
			last, stage = h.Trace[2], rag.StageFusion
			if diff := cmp.Diff(rag.StageScore{Stage: rag.StageRerank}, h.Trace[3]); diff != "" {
				t.Errorf("%s was not reranked, but its trace says (-want +got):\n%s", h.Chunk.ID, diff)
			}
		}
		if h.ScoreStage != stage || h.Score != last.Score {
			t.Errorf("%s: score %g of %s, want %g of %s", h.Chunk.ID, h.Score, h.ScoreStage, last.Score, stage)
		}
	}
}

func TestTopKCutsAndCandidatesBound(t *testing.T) {
	t.Parallel()
	c := corpus(t, nil)
	res := run(t, c, pipeline(t, "hybrid", func(p *rag.Pipeline) { p.TopK = 2 }))
	if got, want := order(res.Hits), []string{"both", "far"}; !slices.Equal(got, want) {
		t.Errorf("top 2: %v, want %v", got, want)
	}
	// One candidate a leg: near and far, 1/61 each.
	res = run(t, c, pipeline(t, "hybrid", func(p *rag.Pipeline) { p.Candidates = 1 }))
	if got, want := order(res.Hits), []string{"far", "near"}; !slices.Equal(got, want) {
		t.Errorf("one candidate a leg: %v, want %v", got, want)
	}
}

func TestWeightedScoresBothLegsOfEveryCandidate(t *testing.T) {
	t.Parallel()
	c := corpus(t, nil)
	// With one candidate a leg, near has no BM25 rank and far no vector rank, but
	// both have both scores.
	res := run(t, c, pipeline(t, "weighted", func(p *rag.Pipeline) { p.Candidates = 1; p.Alpha = 0.3 }))
	if len(res.Hits) != 2 {
		t.Fatalf("%d hits", len(res.Hits))
	}
	for _, h := range res.Hits {
		cosines, err := c.Vectors.Score(t.Context(), []float32{1, 0}, []rag.ChunkID{h.Chunk.ID})
		if err != nil {
			t.Fatal(err)
		}
		scores, err := c.Text.Score(t.Context(), query, []rag.ChunkID{h.Chunk.ID})
		if err != nil {
			t.Fatal(err)
		}
		want := 0.3*cosines[0] + 0.7*scores[0]/(scores[0]+5)
		if math.Abs(h.Score-want) > 1e-12 || h.Trace[2].Parts[0].Value != cosines[0] {
			t.Errorf("%s: %g, want %g; parts %v", h.Chunk.ID, h.Score, want, h.Trace[2].Parts)
		}
	}
}

func TestThresholdsDropAndListByStage(t *testing.T) {
	t.Parallel()
	limit := func(s rag.Stage, v float64) func(*rag.Pipeline) {
		return func(p *rag.Pipeline) { p.Thresholds = map[rag.Stage]float64{s: v} }
	}
	type dropped struct {
		ID     string
		Scored bool
	}
	for name, c := range map[string]struct {
		strategy string
		change   func(*rag.Pipeline)
		hits     []string
		dropped  []dropped
	}{
		"vector": {"vector", limit(rag.StageVector, 0.4), // 60° and nearer
			[]string{"near", "both", "tie1", "tie2"}, []dropped{{"far", true}, {"none", true}}},
		"at the threshold": {"union", limit(rag.StageFusion, 0.5), // 1, 1/2 stay, 1/3… go
			[]string{"near", "both"}, []dropped{{"tie1", true}, {"tie2", true}, {"far", true}, {"none", true}}},
		"all": {"bm25", limit(rag.StageBM25, 1000),
			[]string{}, []dropped{{"far", true}, {"both", true}, {"tie1", true}, {"tie2", true}}},
		"a leg's, under fusion": {"hybrid", limit(rag.StageVector, 0.9), // 2/62, 1/61, 1/61, 1/63, 1/64
			[]string{"both", "far", "near", "tie1", "tie2"},
			[]dropped{{"tie1", true}, {"tie2", true}, {"far", true}, {"none", true}}},
		"rerank, and what it never came to": {"hybrid+rerank", func(p *rag.Pipeline) {
			p.RerankDepth = 3 // tie1 0, both 0.6, far 0.3
			limit(rag.StageRerank, 0.3)(p)
		}, []string{"both", "far"}, []dropped{{"tie1", true}, {"tie2", false}, {"near", false}, {"none", false}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := pipeline(t, c.strategy, c.change)
			res := run(t, corpus(t, verdicts{"both": 0.6, "far": 0.3, "near": 1}), p)
			if got := order(res.Hits); !slices.Equal(got, c.hits) {
				t.Errorf("hits %v, want %v", got, c.hits)
			}
			var got []dropped
			for _, d := range res.Dropped {
				got = append(got, dropped{string(d.Chunk.ID), d.Scored})
				limit, ok := p.Thresholds[d.Stage]
				switch {
				case !ok || d.Threshold == nil || *d.Threshold != limit || d.Source == "":
					t.Errorf("dropped %+v by no threshold", d)
				case d.Scored && d.Score >= limit, !d.Scored && d.Score != 0:
					t.Errorf("%s scored %g (%t) and was dropped below %g", d.Chunk.ID, d.Score, d.Scored, limit)
				}
			}
			if !slices.Equal(got, c.dropped) {
				t.Errorf("dropped %v, want %v", got, c.dropped)
			}
		})
	}
}

func TestADroppedCandidateKeepsNoRankOfItsStage(t *testing.T) {
	t.Parallel()
	res := run(t, corpus(t, nil), pipeline(t, "hybrid", func(p *rag.Pipeline) {
		p.Thresholds = map[rag.Stage]float64{rag.StageVector: 0.9}
	}))
	for _, h := range res.Hits {
		if h.Chunk.ID == "far" && (h.Trace[0].Rank != 0 || h.Trace[1].Rank != 1) {
			t.Errorf("far was dropped by the vector leg alone, its trace says %+v", h.Trace)
		}
		if h.Chunk.ID == "both" && h.Trace[0].Rank != 2 {
			t.Errorf("both has vector rank %d, want 2", h.Trace[0].Rank)
		}
	}
}

func TestEqualRunsGiveEqualResults(t *testing.T) {
	t.Parallel()
	c := corpus(t, verdicts{"both": 0.5})
	for _, strategy := range rag.StrategyNames() {
		p := pipeline(t, strategy, nil)
		first := run(t, c, p)
		for range 5 {
			again := run(t, c, p)
			if diff := cmp.Diff(first.Hits, again.Hits); diff != "" {
				t.Fatalf("%s: %s", strategy, diff)
			}
		}
	}
}

func TestTookHasTheStagesThatRan(t *testing.T) {
	t.Parallel()
	for _, strategy := range []string{"vector", "bm25", "union", "default"} {
		p := pipeline(t, strategy, nil)
		res := run(t, corpus(t, verdicts{}), p)
		for _, s := range rag.Stages() {
			if _, took := res.Took[s]; took != slices.Contains(p.Stages(), s) {
				t.Errorf("%s: time of %s given: %t", strategy, s, took)
			}
		}
	}
}

func TestRunRefusesAndStops(t *testing.T) {
	t.Parallel()
	c := corpus(t, nil)
	if _, err := retrieve.Run(t.Context(), c, pipeline(t, "vector", func(p *rag.Pipeline) { p.TopK = 0 }), query); !fault.Is(err, "pipeline_invalid") {
		t.Errorf("top-k 0: %v, want pipeline_invalid", err)
	}
	if _, err := retrieve.Run(t.Context(), c, pipeline(t, "default", nil), query); err == nil {
		t.Error("a pipeline with a reranker ran without one")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := retrieve.Run(ctx, c, pipeline(t, "hybrid", nil), query); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	c.Embedder = brokenEmbedder{}
	if _, err := retrieve.Run(t.Context(), c, pipeline(t, "hybrid", nil), query); !fault.Is(err, "query_vector_invalid") {
		t.Errorf("broken embedder: %v, want its fault", err)
	}
}

// brokenEmbedder refuses every query.
type brokenEmbedder struct{ fixedEmbedder }

func (brokenEmbedder) Query(context.Context, string) ([]float32, error) {
	return nil, fault.New("query_vector_invalid", fault.P("reason", "NaN"))
}
