package retrieve_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"ragdesk/backend/rag"
	"ragdesk/backend/retrieve"
)

// slow makes each port of a corpus take a time of its own; in a bubble of
// synctest only they take any.
type slow struct {
	retrieve.Corpus
	legs, load, text, read, rerank, prepares time.Duration
}

func (s slow) corpus() retrieve.Corpus {
	c := s.Corpus
	c.Embedder = slowEmbedder{s.legs}
	c.Load = func(context.Context) error {
		time.Sleep(s.load)
		return nil
	}
	c.Text, c.Vectors = slowText{c.Text, s.text}, slowVectors{c.Vectors, s.legs}
	c.Chunks = slowChunks{c.Chunks, s.read}
	if c.Reranker != nil {
		c.Reranker = slowReranker{c.Reranker, s.rerank, s.prepares}
	}
	return c
}

type slowEmbedder struct{ took time.Duration }

func (e slowEmbedder) Documents(ctx context.Context, texts []string) ([][]float32, error) {
	return fixedEmbedder{}.Documents(ctx, texts)
}

func (e slowEmbedder) Query(ctx context.Context, q string) ([]float32, error) {
	time.Sleep(e.took)
	return fixedEmbedder{}.Query(ctx, q)
}
func (slowEmbedder) Dim() int            { return 2 }
func (slowEmbedder) Fingerprint() string { return "slow" }

type slowVectors struct {
	rag.VectorIndex
	took time.Duration
}

func (v slowVectors) SearchAllowed(ctx context.Context, q []float32, k int, allow func(rag.ChunkID) bool) ([]rag.Scored, error) {
	time.Sleep(v.took)
	return v.VectorIndex.SearchAllowed(ctx, q, k, allow)
}

func (v slowVectors) Score(ctx context.Context, q []float32, ids []rag.ChunkID) ([]float64, error) {
	time.Sleep(v.took)
	return v.VectorIndex.Score(ctx, q, ids)
}

type slowText struct {
	rag.TextIndex
	took time.Duration
}

func (x slowText) Search(ctx context.Context, q string, k int) ([]rag.Scored, error) {
	time.Sleep(x.took)
	return x.TextIndex.Search(ctx, q, k)
}

func (x slowText) Score(ctx context.Context, q string, ids []rag.ChunkID) ([]float64, error) {
	time.Sleep(x.took)
	return x.TextIndex.Score(ctx, q, ids)
}

type slowChunks struct {
	retrieve.ChunkReader
	took time.Duration
}

func (c slowChunks) ChunksByID(ctx context.Context, ids []rag.ChunkID) ([]rag.ChunkRow, error) {
	time.Sleep(c.took)
	return c.ChunkReader.ChunksByID(ctx, ids)
}

type slowReranker struct {
	rag.Reranker
	took time.Duration
	// prepares is how long Prepare takes.
	prepares time.Duration
}

func (r slowReranker) Prepare(context.Context, string) error {
	time.Sleep(r.prepares)
	return nil
}

func (r slowReranker) Rerank(ctx context.Context, q string, p []rag.Passage) ([]rag.Relevance, error) {
	time.Sleep(r.took)
	return r.Reranker.Rerank(ctx, q, p)
}

// TestEveryMomentBelongsToAStep adds up what the steps took, the longer leg of the
// two that run side by side, and expects the whole, to the nanosecond.
func TestEveryMomentBelongsToAStep(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	for _, strategy := range rag.StrategyNames() {
		for text, prepares := range map[time.Duration]time.Duration{3 * ms: 20 * ms, 4 * ms: 60 * ms, 100 * ms: 20 * ms} {
			p, err := rag.ParseStrategy(strategy)
			if err != nil {
				t.Fatal(err)
			}
			s := slow{corpus(t, verdicts{}), 10 * ms, 7 * ms, text, 2 * ms, 5 * ms, prepares}
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				res, err := retrieve.Run(t.Context(), s.corpus(), p, query)
				if err != nil {
					t.Fatal(err)
				}
				whole, took := time.Since(start), res.Took
				sum := max(took[rag.StepEmbed]+took[rag.StepLoad]+took[rag.StageVector], took[rag.StageBM25]) +
					took[rag.StageFusion] + took[rag.StageRerank] + took[rag.StepRead]
				if sum != whole || whole == 0 {
					t.Errorf("%s, text %v: steps of %v in all, the whole took %v: %v", strategy, text, sum, whole, took)
				}
				legs := max(took[rag.StepEmbed]+took[rag.StepLoad]+took[rag.StageVector], took[rag.StageBM25])
				// Preparing longer than the legs, reading the passages, their BM25 scores, the verdicts.
				if late := max(prepares-legs, 0); p.Reranker != rag.RerankNone && took[rag.StageRerank] != late+5*ms+2*ms+text {
					t.Errorf("%s: reranking took %v, want %v", strategy, took[rag.StageRerank], late+5*ms+2*ms+text)
				}
				if _, embedded := took[rag.StepEmbed]; embedded != p.Vector || p.Vector && (took[rag.StepLoad] != 7*ms || took[rag.StageVector] != 10*ms) {
					t.Errorf("%s: %v", strategy, took)
				}
			})
		}
	}
}
