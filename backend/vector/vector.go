// Package vector ranks chunks by exact cosine, in memory, over a chromem-go
// collection.
//
// Invariants:
//   - The list is the one that chromem would give if it ordered equal scores by
//     chunk ID: every score is computed in chromem's own order of additions. Which
//     chunks can be among the first is found out before, in one pass over memory
//     that a bound on its rounding keeps from missing any; see search.go.
//   - The same query gives the same list, at the border of the list too, where
//     chromem alone would let chance decide.
//   - Search and Score give the same number for the same chunk, bit for bit.
//   - Vectors are not copied: chromem's documents are slices of one block.
//   - Nothing that chromem would spoil enters: dimension, finiteness and length of
//     every vector are checked first, since a single NaN hides better chunks and a
//     single wrong dimension fails every query.
//   - A change costs what it changes: With shares the blocks that stay.
//
// An example, without its error handling:
//
//	index, _ := vector.Load(ctx, block.Dim, block.IDs, block.Data)
//	nearest, _ := index.Search(ctx, query, 50)
//	next, _ := index.With(ctx, removed, added.IDs, added.Data)
package vector

import (
	"context"
	"fmt"
	"sync"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// checkEvery is how many vectors are handled between looks at the context.
const checkEvery = 1024

// Index is a rag.VectorIndex that never changes. It is safe for concurrent use.
type Index struct {
	dim   int
	parts []part
	// rows counts the vectors in all parts, alive those that are not dead.
	rows, alive int
	// scores spares the garbage of a score a row and query.
	scores sync.Pool // of *[]float32
}

var _ rag.VectorIndex = (*Index)(nil)

// Load makes an index of the vectors in flat, row i of dim values belonging to
// ids[i]. The index keeps both slices, which must not change any more.
//
// A vector that is not a finite unit vector is the fault vector_invalid {chunk,
// reason}; an empty or repeated ID and a block of the wrong size are errors.
func Load(ctx context.Context, dim int, ids []rag.ChunkID, flat []float32) (*Index, error) {
	x := &Index{dim: dim}
	seg, err := newSegment(ctx, dim, ids, flat)
	if err != nil {
		return nil, err
	}
	if len(ids) > 0 {
		x.parts = []part{{segment: seg}}
	}
	x.count()
	return x, nil
}

// count sets the totals over the parts.
func (x *Index) count() {
	x.rows, x.alive = 0, 0
	for _, p := range x.parts {
		x.rows += len(p.ids)
		x.alive += len(p.ids) - p.dead.count
	}
}

// Count returns the number of chunks.
func (x *Index) Count() int { return x.alive }

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
		p, row, ok := x.find(ctx, id)
		if !ok {
			return nil, fmt.Errorf("score chunk %q: not in the index", id)
		}
		out[i] = cosine(query, x.parts[p].row(row))
	}
	return out, nil
}

// find returns the part and the row in it that hold a chunk. The newest parts are
// the last, and at most one holds a chunk alive.
func (x *Index) find(ctx context.Context, id rag.ChunkID) (p, row int, ok bool) {
	for p := len(x.parts) - 1; p >= 0; p-- {
		if row, ok := x.parts[p].find(ctx, id); ok && !x.parts[p].dead.has(row) {
			return p, row, true
		}
	}
	return 0, 0, false
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

// cosine is the dot product of unit vectors, clamped since rounding can push it
// past 1. It adds in the order of chromem's own dot product, in float32, so that
// the results are the same to the last bit.
func cosine(a, b []float32) float64 {
	b = b[:len(a)]
	var sum float32
	for i := range a {
		sum += a[i] * b[i]
	}
	return float64(clamp(sum))
}

func clamp(dot float32) float32 { return min(max(dot, -1), 1) }
