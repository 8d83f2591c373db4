package library

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"ragdesk/backend/rag"
)

// Snapshot is a library at one revision. Its text index is open; its vectors
// are loaded when first needed.
type Snapshot struct {
	Library rag.Library
	Text    rag.TextIndex

	shelf *Shelf
	refs  atomic.Int64

	once    sync.Mutex
	vectors rag.VectorIndex
}

func (s *Snapshot) retain() *Snapshot {
	s.refs.Add(1)
	return s
}

// Release gives the snapshot back; the last release closes its text index.
func (s *Snapshot) Release() {
	if s.refs.Add(-1) == 0 {
		_ = s.Text.Close() // opened read-only: nothing can be lost by it
	}
}

// Vectors returns the vector index. It fails with rag.ErrStale when the store
// has moved on and the block would be of another revision.
func (s *Snapshot) Vectors(ctx context.Context) (rag.VectorIndex, error) {
	s.once.Lock()
	defer s.once.Unlock()
	if s.vectors != nil {
		return s.vectors, nil
	}
	block, err := s.shelf.cfg.Store.Vectors(ctx, s.Library)
	if err != nil {
		return nil, fmt.Errorf("load the vectors of %q: %w", s.Library.Name, err)
	}
	if len(block.IDs) != s.Library.Chunks {
		return nil, fmt.Errorf("library %q has %d chunks and %d vectors", s.Library.Name, s.Library.Chunks, len(block.IDs))
	}
	index, err := s.shelf.cfg.LoadVectors(ctx, block)
	if err != nil {
		return nil, fmt.Errorf("index the vectors of %q: %w", s.Library.Name, err)
	}
	s.vectors = index
	return index, nil
}

// loaded returns the vector index if it is in memory. It does not wait for one
// that is being loaded.
func (s *Snapshot) loaded() rag.VectorIndex {
	if !s.once.TryLock() {
		return nil
	}
	defer s.once.Unlock()
	return s.vectors
}

// Prefetch starts to load the vectors in the background. A failure shows when
// they are used.
func (s *Snapshot) Prefetch(ctx context.Context) {
	s.retain()
	go func() {
		defer s.Release()
		_, _ = s.Vectors(ctx)
	}()
}

// Lazy returns the vector index as a port that loads on first use.
func (s *Snapshot) Lazy() rag.VectorIndex { return lazyVectors{s} }

type lazyVectors struct{ snap *Snapshot }

func (l lazyVectors) Search(ctx context.Context, q []float32, k int) ([]rag.Scored, error) {
	index, err := l.snap.Vectors(ctx)
	if err != nil {
		return nil, err
	}
	return index.Search(ctx, q, k)
}

func (l lazyVectors) SearchAllowed(ctx context.Context, q []float32, k int, allow func(rag.ChunkID) bool) ([]rag.Scored, error) {
	index, err := l.snap.Vectors(ctx)
	if err != nil {
		return nil, err
	}
	return index.SearchAllowed(ctx, q, k, allow)
}

func (l lazyVectors) Score(ctx context.Context, q []float32, ids []rag.ChunkID) ([]float64, error) {
	index, err := l.snap.Vectors(ctx)
	if err != nil {
		return nil, err
	}
	return index.Score(ctx, q, ids)
}

func (l lazyVectors) Count() int { return l.snap.Library.Chunks }

// emptyText is the text index of a library without chunks, which has no folder.
type emptyText struct{}

func (emptyText) Search(context.Context, string, int) ([]rag.Scored, error) { return nil, nil }

func (emptyText) Score(_ context.Context, _ string, ids []rag.ChunkID) ([]float64, error) {
	return make([]float64, len(ids)), nil
}

func (emptyText) Count() int   { return 0 }
func (emptyText) Close() error { return nil }
