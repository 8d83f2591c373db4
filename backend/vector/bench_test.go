package vector_test

import (
	"fmt"
	"testing"

	"ragdesk/backend/rag"
	"ragdesk/backend/ragtest"
	"ragdesk/backend/vector"
)

// benchDim is the dimension of the default embedder.
const benchDim = 512

func chunkIDs(n int) []rag.ChunkID {
	ids := make([]rag.ChunkID, n)
	for i := range ids {
		ids[i] = rag.ChunkID(fmt.Sprintf("%016x", i*2654435761))
	}
	return ids
}

func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		flat, ids := ragtest.UnitVectors(1, n, benchDim), chunkIDs(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			before := heap()
			x, err := vector.Load(b.Context(), benchDim, ids, flat)
			if err != nil {
				b.Fatal(err)
			}
			grown := heap() - before
			for b.Loop() {
				if x, err = vector.Load(b.Context(), benchDim, ids, flat); err != nil {
					b.Fatal(err)
				}
			}
			if x.Count() != n {
				b.Fatal(x.Count())
			}
			b.ReportMetric(float64(grown)/float64(n), "heap-B/chunk")
		})
	}
}

func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		x, err := vector.Load(b.Context(), benchDim, chunkIDs(n), ragtest.UnitVectors(1, n, benchDim))
		if err != nil {
			b.Fatal(err)
		}
		query := ragtest.UnitVectors(2, 1, benchDim)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := x.Search(b.Context(), query, 50); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkWith replaces 100 of many chunks.
func BenchmarkWith(b *testing.B) {
	const change = 100
	for _, n := range []int{1_000, 10_000, 100_000} {
		ids := chunkIDs(n)
		x, err := vector.Load(b.Context(), benchDim, ids, ragtest.UnitVectors(1, n, benchDim))
		if err != nil {
			b.Fatal(err)
		}
		flat := ragtest.UnitVectors(2, change, benchDim)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := x.With(b.Context(), ids[change:2*change], ids[:change], flat); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
