// Package vector ranks chunks by exact cosine with chromem-go, in memory.
//
// Invariants:
//   - The same query gives the same list: equal scores are ordered by chunk ID, at
//     the border of the list too, where chromem alone would let chance decide.
//   - Search and Score give the same number for the same chunk, bit for bit.
//   - Vectors are not copied: chromem's documents are slices of the one block.
//   - Nothing that chromem would spoil enters: dimension, finiteness and length of
//     every vector are checked first, since a single NaN hides better chunks and a
//     single wrong dimension fails every query.
//
// An example, without its error handling:
//
//	index, _ := vector.Load(ctx, block.Dim, block.IDs, block.Data)
//	nearest, _ := index.Search(ctx, query, 50)
package vector

import (
	"context"
	"errors"
	"fmt"

	"github.com/philippgille/chromem-go"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

const (
	// margin is how many candidates beyond k are fetched, so that ties at the
	// border seldom need a second query.
	margin = 16
	// growth is how much more is fetched when they do.
	growth = 4
	// checkEvery is how many vectors are added between looks at the context.
	checkEvery = 1024
)

// Index is a rag.VectorIndex that never changes. It is safe for concurrent use.
type Index struct {
	dim        int
	rows       map[rag.ChunkID]int
	flat       []float32
	collection *chromem.Collection
}

var _ rag.VectorIndex = (*Index)(nil)

// Load makes an index of the vectors in flat, row i of dim values belonging to
// ids[i]. The index keeps flat, which must not change any more.
//
// A vector that is not a finite unit vector is the fault vector_invalid {chunk,
// reason}; an empty or repeated ID and a block of the wrong size are errors.
func Load(ctx context.Context, dim int, ids []rag.ChunkID, flat []float32) (*Index, error) {
	if dim < 1 && len(ids) > 0 || len(flat) != dim*len(ids) {
		return nil, fmt.Errorf("load %d vectors: %d values of dimension %d", len(ids), len(flat), dim)
	}
	collection, err := chromem.NewDB().CreateCollection("chunks", nil, embedNothing)
	if err != nil {
		return nil, fmt.Errorf("load %d vectors: %w", len(ids), err)
	}
	x := &Index{dim: dim, rows: make(map[rag.ChunkID]int, len(ids)), flat: flat, collection: collection}
	for i, id := range ids {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if _, ok := x.rows[id]; ok || id == "" {
			return nil, fmt.Errorf("load %d vectors: chunk id %q is empty or repeated", len(ids), id)
		}
		x.rows[id] = i
		if err := rag.CheckUnit(x.row(i), dim); err != nil {
			return nil, fault.New("vector_invalid", fault.P("chunk", id), fault.P("reason", err))
		}
		// One by one: AddDocuments would start a goroutine for each.
		if err := collection.AddDocument(ctx, chromem.Document{ID: string(id), Embedding: x.row(i)}); err != nil {
			return nil, fmt.Errorf("load vector of chunk %q: %w", id, err)
		}
	}
	return x, nil
}

// embedNothing stands where chromem would call a service to embed texts.
func embedNothing(context.Context, string) ([]float32, error) {
	return nil, errors.New("the vector index embeds no texts")
}

// row returns the i-th vector, capped so that nothing can grow into the next.
func (x *Index) row(i int) []float32 { return x.flat[i*x.dim : (i+1)*x.dim : (i+1)*x.dim] }

// Count returns the number of chunks.
func (x *Index) Count() int { return len(x.rows) }

// Search returns the k nearest chunks by the ordering rule, fewer when the index
// holds fewer, with cosines in [-1, 1]. The query must be a unit vector; its
// faults are dimension_mismatch {want, got} and query_vector_invalid {reason}.
func (x *Index) Search(ctx context.Context, query []float32, k int) ([]rag.Scored, error) {
	if err := x.check(ctx, query); err != nil {
		return nil, err
	}
	k = min(k, x.Count())
	if k < 1 {
		return nil, nil
	}
	for n := min(k+margin, x.Count()); ; n = min(n*growth, x.Count()) {
		hits, err := x.nearest(ctx, query, n)
		if err != nil {
			return nil, err
		}
		// All chunks that score above the last one are there. If it scores less than
		// the k-th, so are all that could be among the first k.
		if n == x.Count() || hits[n-1].Score < hits[k-1].Score {
			return hits[:k], nil
		}
	}
}

// nearest returns n of the nearest chunks by the ordering rule; which of those
// with the last score are among them is up to chance.
func (x *Index) nearest(ctx context.Context, query []float32, n int) ([]rag.Scored, error) {
	found, err := x.collection.QueryEmbedding(ctx, query, n, nil, nil)
	if cancelled := ctx.Err(); cancelled != nil { // then found is partial and err nil
		return nil, cancelled
	}
	if err != nil {
		return nil, fmt.Errorf("search %d vectors: %w", x.Count(), err)
	}
	if len(found) != n {
		return nil, fmt.Errorf("search %d vectors: %d results instead of %d", x.Count(), len(found), n)
	}
	hits := make([]rag.Scored, n)
	for i, f := range found {
		hits[i] = rag.Scored{ID: rag.ChunkID(f.ID), Score: cosine(f.Similarity)}
	}
	rag.SortScored(hits)
	return hits, nil
}

// Score returns the cosine of each chunk, the same as Search gives it. An ID that
// the index does not hold is an error; the query's faults are those of Search.
func (x *Index) Score(ctx context.Context, query []float32, ids []rag.ChunkID) ([]float64, error) {
	if err := x.check(ctx, query); err != nil {
		return nil, err
	}
	out := make([]float64, len(ids))
	for i, id := range ids {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		row, ok := x.rows[id]
		if !ok {
			return nil, fmt.Errorf("score chunk %q: not in the index", id)
		}
		out[i] = cosine(dot(query, x.row(row)))
	}
	return out, nil
}

// check refuses a query that chromem would answer wrongly or change.
func (x *Index) check(ctx context.Context, query []float32) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if x.Count() == 0 {
		return nil
	}
	if len(query) != x.dim {
		return fault.New("dimension_mismatch", fault.P("want", x.dim), fault.P("got", len(query)))
	}
	if err := rag.CheckUnit(query, x.dim); err != nil {
		return fault.New("query_vector_invalid", fault.P("reason", err))
	}
	return nil
}

// dot adds in the order of chromem's own dot product, in float32, so that the
// results are the same to the last bit.
func dot(a, b []float32) float32 {
	var sum float32
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// cosine clamps a dot product of unit vectors, which rounding can push past 1.
func cosine(dot float32) float64 { return float64(min(max(dot, -1), 1)) }
