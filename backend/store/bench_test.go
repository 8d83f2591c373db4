package store_test

import (
	"fmt"
	"testing"

	"ragdesk/backend/rag"
	"ragdesk/backend/ragtest"
	"ragdesk/backend/store"
)

const (
	// benchDim is the dimension of the default embedder.
	benchDim = 512
	// docChunks is how many chunks a document of the benchmarks has.
	docChunks = 25
)

// benchRecord is a document of docChunks chunks of 250 characters.
func benchRecord(n int, vectors []float32) rag.DocumentRecord {
	const sentence = "向量检索把文本变成数字，再按距离排序；关键词检索看词频。"
	var r rag.DocumentRecord
	r.ID, r.Source = rag.DocumentID(fmt.Sprintf("%016x", n*2654435761)), fmt.Sprintf("docs/%06d.md", n)
	for i := range docChunks {
		start := len(r.Text)
		for range 9 {
			r.Text += sentence
		}
		points := 9 * len([]rune(sentence))
		r.Chunks = append(r.Chunks, rag.Chunk{
			ID: rag.ChunkID(fmt.Sprintf("%016x", uint64(n*docChunks+i)*0x9e3779b97f4a7c15)), DocID: r.ID, Ordinal: i,
			Span: rag.Span{Start: start, End: len(r.Text)}, Points: rag.Span{Start: i * points, End: (i + 1) * points},
			Text: r.Text[start:],
		})
	}
	r.Counts, r.Vectors = make([]rag.TermCounts, docChunks), vectors
	return r
}

// benchLibrary makes a library of n chunks.
func benchLibrary(b *testing.B, n int) (*store.Store, *store.Writer, rag.Library) {
	b.Helper()
	s, err := store.Open(b.Context(), b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	w, err := s.Lock(b.Context(), "bench", 0)
	if err != nil {
		b.Fatal(err)
	}
	set := settings()
	set.Dim = benchDim
	lib, err := w.CreateLibrary(b.Context(), "kb", set)
	if err != nil {
		b.Fatal(err)
	}
	vectors := ragtest.UnitVectors(1, docChunks, benchDim)
	for at := 0; at < n/docChunks; {
		change := rag.Change{Revision: lib.Revision + 1}
		for ; at < n/docChunks && len(change.Put) < 200; at++ {
			change.Put = append(change.Put, benchRecord(at, vectors))
		}
		if lib, err = w.Apply(b.Context(), lib, change); err != nil {
			b.Fatal(err)
		}
	}
	return s, w, lib
}

func BenchmarkLibrary(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		s, _, lib := benchLibrary(b, n)
		b.Run(fmt.Sprintf("Vectors/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if block, err := s.Vectors(b.Context(), lib); err != nil || len(block.IDs) != n {
					b.Fatal(len(block.IDs), err)
				}
			}
		})
		b.Run(fmt.Sprintf("EachChunk/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := s.EachChunk(b.Context(), lib, func(rag.ChunkRow) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("ChunksByID/%d", n), func(b *testing.B) {
			block, err := s.Vectors(b.Context(), lib)
			if err != nil {
				b.Fatal(err)
			}
			var ids []rag.ChunkID
			for i := range 100 {
				ids = append(ids, block.IDs[i*n/100])
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.ChunksByID(b.Context(), lib, ids); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("Open/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				again, err := store.Open(b.Context(), s.Dir())
				if err != nil {
					b.Fatal(err)
				}
				if _, err := again.Library(b.Context(), "kb"); err != nil {
					b.Fatal(err)
				}
				if err := again.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("Check/%d", n), func(b *testing.B) {
			for b.Loop() {
				if err := s.Check(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkApply puts one document of docChunks chunks a transaction.
func BenchmarkApply(b *testing.B) {
	_, w, lib := benchLibrary(b, 1_000)
	vectors := ragtest.UnitVectors(2, docChunks, benchDim)
	n := 1 << 20
	b.ReportAllocs()
	for b.Loop() {
		var err error
		n++
		if lib, err = w.Apply(b.Context(), lib, rag.Change{Revision: lib.Revision + 1, Put: []rag.DocumentRecord{benchRecord(n, vectors)}}); err != nil {
			b.Fatal(err)
		}
	}
}
