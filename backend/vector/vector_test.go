package vector_test

import (
	"context"
	"runtime"
	"testing"

	"ragdesk/backend/rag"
	"ragdesk/backend/ragtest"
	"ragdesk/backend/vector"
)

func load(ctx context.Context, dim int, ids []rag.ChunkID, flat []float32) (rag.VectorIndex, error) {
	return vector.Load(ctx, dim, ids, flat)
}

func TestIndex(t *testing.T) {
	ragtest.TestVectorIndex(t, load)
}

// TestLoadKeepsOneBlock measures the heap: an index must cost far less than a
// second copy of its vectors. It does not run in parallel with others.
func TestLoadKeepsOneBlock(t *testing.T) {
	const n, dim = 20_000, 512
	flat, ids := ragtest.UnitVectors(1, n, dim), chunkIDs(n)
	before := heap()
	x, err := vector.Load(t.Context(), dim, ids, flat)
	if err != nil {
		t.Fatal(err)
	}
	grown := heap() - before
	const block = n * dim * 4
	t.Logf("%d vectors: block %d bytes, index %d bytes more", n, block, grown)
	if grown > block/4 {
		t.Errorf("the index costs %d bytes beside a block of %d", grown, block)
	}
	runtime.KeepAlive(x)
	runtime.KeepAlive(flat)
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
