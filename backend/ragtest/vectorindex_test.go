package ragtest_test

import (
	"context"
	"errors"
	"testing"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
	"ragdesk/backend/ragtest"
)

func TestBruteForceVectorIndex(t *testing.T) {
	t.Parallel()
	ragtest.TestVectorIndex(t, loadBruteForce)
}

// bruteForce is the plainest vector index: it scores every chunk and sorts.
type bruteForce struct {
	dim  int
	ids  []rag.ChunkID
	rows map[rag.ChunkID][]float32
}

func loadBruteForce(ctx context.Context, dim int, ids []rag.ChunkID, flat []float32) (rag.VectorIndex, error) {
	if len(flat) != dim*len(ids) {
		return nil, errors.New("block of the wrong size")
	}
	x := &bruteForce{dim, ids, map[rag.ChunkID][]float32{}}
	for i, id := range ids {
		if dim < 1 || id == "" || x.rows[id] != nil {
			return nil, errors.New("no dimension, or an empty or repeated id")
		}
		x.rows[id] = flat[i*dim : (i+1)*dim]
		if err := rag.CheckUnit(x.rows[id], dim); err != nil {
			return nil, fault.New("vector_invalid", fault.P("chunk", id), fault.P("reason", err))
		}
	}
	return x, ctx.Err()
}

func (x *bruteForce) Count() int { return len(x.ids) }

func (x *bruteForce) Search(ctx context.Context, query []float32, k int) ([]rag.Scored, error) {
	return x.SearchAllowed(ctx, query, k, nil)
}

func (x *bruteForce) SearchAllowed(ctx context.Context, query []float32, k int, allow func(rag.ChunkID) bool) ([]rag.Scored, error) {
	scores, err := x.Score(ctx, query, x.ids)
	if err != nil {
		return nil, err
	}
	var hits []rag.Scored
	for i, s := range scores {
		if allow == nil || allow(x.ids[i]) {
			hits = append(hits, rag.Scored{ID: x.ids[i], Score: s})
		}
	}
	rag.SortScored(hits)
	return hits[:max(0, min(k, len(hits)))], nil
}

func (x *bruteForce) Score(ctx context.Context, query []float32, ids []rag.ChunkID) ([]float64, error) {
	if len(query) != x.dim {
		return nil, fault.New("dimension_mismatch", fault.P("want", x.dim), fault.P("got", len(query)))
	}
	if err := rag.CheckUnit(query, x.dim); err != nil {
		return nil, fault.New("query_vector_invalid", fault.P("reason", err))
	}
	out := make([]float64, len(ids))
	for i, id := range ids {
		row, ok := x.rows[id]
		if !ok {
			return nil, errors.New("unknown chunk " + string(id))
		}
		var sum float64
		for j, v := range row {
			sum += float64(v) * float64(query[j])
		}
		out[i] = min(max(sum, -1), 1)
	}
	return out, ctx.Err()
}
