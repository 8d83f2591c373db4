package retrieve_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/rag"
	"ragdesk/backend/retrieve"
)

// counted counts what is asked of a reranker and an embedder.
type counted struct {
	verdicts
	fixedEmbedder
	passages map[rag.ChunkID]int
	queries  int
}

func (c *counted) Rerank(ctx context.Context, query string, in []rag.Passage) ([]rag.Relevance, error) {
	for _, p := range in {
		c.passages[p.ID]++
	}
	return c.verdicts.Rerank(ctx, query, in)
}

func (c *counted) Query(ctx context.Context, text string) ([]float32, error) {
	c.queries++
	return c.fixedEmbedder.Query(ctx, text)
}

func (c *counted) Name() string        { return c.verdicts.Name() }
func (c *counted) Fingerprint() string { return c.verdicts.Fingerprint() }

// manyPipelines are strategies with random settings.
func manyPipelines(t *testing.T, rng *rand.Rand) []rag.Pipeline {
	t.Helper()
	names := rag.StrategyNames()
	out := make([]rag.Pipeline, 40)
	for i := range out {
		out[i] = pipeline(t, names[rng.IntN(len(names))], func(p *rag.Pipeline) {
			p.Candidates, p.RerankDepth, p.TopK = 1+rng.IntN(7), 1+rng.IntN(7), 1+rng.IntN(8)
			p.Alpha = float64(rng.IntN(11)) / 10
			if rng.IntN(4) == 0 {
				p.Thresholds = map[rag.Stage]float64{p.Stages()[0]: rng.Float64()}
			}
			if rng.IntN(4) == 0 {
				p.FoldDuplicates = 0.9
			}
			if rng.IntN(4) == 0 {
				p.Diversity = 0.5
			}
			if p.BM25 && rng.IntN(4) == 0 {
				p.HeadingBoost = 2
			}
		})
	}
	return out
}

func TestRunAllGivesWhatRunGives(t *testing.T) {
	t.Parallel()
	seen := &counted{verdicts: verdicts{"none": 0.9, "far": 0.4, "tie1": 0.5, "tie2": 0.5}, passages: map[rag.ChunkID]int{}}
	c := corpus(t, seen.verdicts)
	c.Titles = func(rag.DocumentID) string { return "harbour" }
	c.Coverage = func(string, string) float64 { return 0.5 }
	for _, allow := range []func(rag.ChunkID) bool{nil, func(id rag.ChunkID) bool { return id != "both" }} {
		c.Allow = allow
		pipelines := manyPipelines(t, rand.New(rand.NewPCG(1, 2)))
		want := make([]retrieve.Result, len(pipelines))
		for i, p := range pipelines {
			want[i] = run(t, c, p)
		}
		counting := c
		counting.Reranker, counting.Embedder = seen, seen
		clear(seen.passages)
		seen.queries = 0
		got, err := retrieve.RunAll(t.Context(), counting, pipelines, query)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range pipelines {
			got[i].Took, want[i].Took = nil, nil
			if diff := cmp.Diff(want[i], got[i]); diff != "" {
				t.Errorf("%+v (-Run +RunAll):\n%s", p, diff)
			}
		}
		if seen.queries != 1 || len(seen.passages) == 0 {
			t.Errorf("the query was embedded %d times, %d passages reranked", seen.queries, len(seen.passages))
		}
		for id, n := range seen.passages {
			if n != 1 {
				t.Errorf("%s was reranked %d times", id, n)
			}
		}
	}
}

func TestRunAllReportsTheFirstFault(t *testing.T) {
	t.Parallel()
	c := corpus(t, nil)
	c.Embedder = brokenEmbedder{}
	pipelines := []rag.Pipeline{pipeline(t, "bm25", nil), pipeline(t, "vector", nil)}
	if got, err := retrieve.RunAll(t.Context(), c, pipelines, query); err == nil {
		t.Errorf("a broken embedder gave %d results", len(got))
	}
}
