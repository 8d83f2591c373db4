package library

import (
	"context"

	"ragdesk/backend/rag"
)

// changeable is a vector index that gives the index after a change for what the
// change costs. The IDs added replace chunks of the same ID.
type changeable interface {
	With(ctx context.Context, remove, ids []rag.ChunkID, flat []float32) (rag.VectorIndex, error)
}

// carried are the vectors of a revision that nobody has opened yet.
type carried struct {
	lib     rag.Library
	vectors rag.VectorIndex
}

// carry takes the vectors over from lib to next, so that the next search need
// not load all of them again. It does nothing where they were not loaded or are
// of another revision, and where it fails: they are loaded from the store then.
func (s *Shelf) carry(ctx context.Context, lib, next rag.Library, c rag.Change, remove []rag.ChunkID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	from, ok := s.vectorsOf(lib).(changeable)
	delete(s.carried, lib.Name)
	if !ok {
		return
	}
	var ids []rag.ChunkID
	var flat []float32
	for i := range c.Put {
		for _, chunk := range c.Put[i].Chunks {
			ids = append(ids, chunk.ID)
		}
		flat = append(flat, c.Put[i].Vectors...)
	}
	vectors, err := from.With(ctx, remove, ids, flat)
	if err == nil && vectors.Count() == next.Chunks {
		s.carried[lib.Name] = carried{next, vectors}
	}
}

// vectorsOf returns the vectors of lib's revision if they are in memory; s.mu is
// held.
func (s *Shelf) vectorsOf(lib rag.Library) rag.VectorIndex {
	if c, ok := s.carried[lib.Name]; ok && c.lib == lib {
		return c.vectors
	}
	if snap := s.open[lib.Name]; snap != nil && snap.Library == lib {
		return snap.loaded()
	}
	return nil
}
