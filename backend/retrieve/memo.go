package retrieve

import (
	"context"
	"slices"
	"sync"

	"ragdesk/backend/rag"
)

// RunAll is Run of several pipelines on one query that asks the models and the
// indexes for each value once: the pipelines share the query's vector, the legs'
// candidates, and what the legs and the reranker say of a chunk. The results are
// those of Run, since no port's answer for a chunk depends on those beside it; the
// times are not, since a stage that found its values there took none.
//
// The pipelines search the same documents, and those that rerank do so with the
// reranker of c.
func RunAll(ctx context.Context, c Corpus, pipelines []rag.Pipeline, query string) ([]Result, error) {
	shared := share(c)
	out := make([]Result, len(pipelines))
	for i, p := range pipelines {
		var err error
		if out[i], err = Run(ctx, shared, p, query); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// share wraps the ports of a corpus that serves one query.
func share(c Corpus) Corpus {
	c.Text = &sharedText{TextIndex: c.Text}
	c.Vectors = &sharedVectors{VectorIndex: c.Vectors}
	c.Embedder = &sharedEmbedder{Embedder: c.Embedder}
	c.Chunks = &sharedChunks{from: c.Chunks}
	if c.Reranker != nil {
		c.Reranker = &sharedReranker{Reranker: c.Reranker}
	}
	return c
}

// values remembers a value a chunk.
type values[V any] struct {
	mu    sync.Mutex
	known map[rag.ChunkID]V
}

// of returns the values of items by their chunks, asking for those that are not
// known yet.
func (v *values[V]) of(ids []rag.ChunkID, ask func(missing []int) ([]V, error)) ([]V, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.known == nil {
		v.known = make(map[rag.ChunkID]V, len(ids))
	}
	var missing []int
	for i, id := range ids {
		if _, known := v.known[id]; !known {
			missing = append(missing, i)
		}
	}
	if len(missing) > 0 {
		got, err := ask(missing)
		if err != nil {
			return nil, err
		}
		for at, i := range missing {
			v.known[ids[i]] = got[at]
		}
	}
	out := make([]V, len(ids))
	for i, id := range ids {
		out[i] = v.known[id]
	}
	return out, nil
}

// pick returns the items at the given places.
func pick[T any](items []T, at []int) []T {
	out := make([]T, len(at))
	for n, i := range at {
		out[n] = items[i]
	}
	return out
}

// longest remembers the longest list of candidates that was fetched.
type longest struct {
	mu     sync.Mutex
	asked  int
	ranked []rag.Scored
}

// first returns the first k candidates. They are the caller's to change.
func (l *longest) first(k int, fetch func() ([]rag.Scored, error)) ([]rag.Scored, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if k > l.asked {
		ranked, err := fetch()
		if err != nil {
			return nil, err
		}
		l.asked, l.ranked = k, ranked
	}
	return slices.Clone(l.ranked[:min(k, len(l.ranked))]), nil
}

type sharedText struct {
	rag.TextIndex
	candidates longest
	scores     values[float64]
}

func (t *sharedText) Search(ctx context.Context, query string, k int) ([]rag.Scored, error) {
	return t.candidates.first(k, func() ([]rag.Scored, error) { return t.TextIndex.Search(ctx, query, k) })
}

func (t *sharedText) SearchAllowed(ctx context.Context, query string, k int, allow func(rag.ChunkID) bool) ([]rag.Scored, error) {
	return t.candidates.first(k, func() ([]rag.Scored, error) { return searchAllowed(ctx, t.TextIndex, query, k, allow) })
}

func (t *sharedText) Score(ctx context.Context, query string, ids []rag.ChunkID) ([]float64, error) {
	return t.scores.of(ids, func(at []int) ([]float64, error) { return t.TextIndex.Score(ctx, query, pick(ids, at)) })
}

type sharedVectors struct {
	rag.VectorIndex
	candidates longest
	scores     values[float64]
}

func (v *sharedVectors) SearchAllowed(ctx context.Context, query []float32, k int, allow func(rag.ChunkID) bool) ([]rag.Scored, error) {
	return v.candidates.first(k, func() ([]rag.Scored, error) { return v.VectorIndex.SearchAllowed(ctx, query, k, allow) })
}

func (v *sharedVectors) Score(ctx context.Context, query []float32, ids []rag.ChunkID) ([]float64, error) {
	return v.scores.of(ids, func(at []int) ([]float64, error) { return v.VectorIndex.Score(ctx, query, pick(ids, at)) })
}

type sharedEmbedder struct {
	rag.Embedder
	mu     sync.Mutex
	vector []float32
}

func (e *sharedEmbedder) Query(ctx context.Context, text string) ([]float32, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.vector == nil {
		v, err := e.Embedder.Query(ctx, text)
		if err != nil {
			return nil, err
		}
		e.vector = v
	}
	return e.vector, nil
}

type sharedChunks struct {
	from ChunkReader
	rows values[rag.ChunkRow]
}

func (c *sharedChunks) ChunksByID(ctx context.Context, ids []rag.ChunkID) ([]rag.ChunkRow, error) {
	return c.rows.of(ids, func(at []int) ([]rag.ChunkRow, error) { return c.from.ChunksByID(ctx, pick(ids, at)) })
}

type sharedReranker struct {
	rag.Reranker
	verdicts values[rag.Relevance]
}

func (r *sharedReranker) Rerank(ctx context.Context, query string, passages []rag.Passage) ([]rag.Relevance, error) {
	ids := make([]rag.ChunkID, len(passages))
	for i, p := range passages {
		ids[i] = p.ID
	}
	return r.verdicts.of(ids, func(at []int) ([]rag.Relevance, error) {
		return r.Reranker.Rerank(ctx, query, pick(passages, at))
	})
}
