// Package library keeps a library's derived indexes in step with the store.
//
// The store is the truth. The text index of revision r lies in its own folder
// "text-r", which is complete before the store's transaction names r and is
// never written again: readers of any process open it without a lock, and a
// crash leaves at most a folder that no revision names. The vectors live in
// memory, loaded from the store.
//
//	snap, err := shelf.Open(ctx, "handbook") // checked, rebuilt if damaged
//	defer snap.Release()
package library

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// Store reads the libraries.
type Store interface {
	Library(ctx context.Context, name string) (rag.Library, error)
	Vectors(ctx context.Context, lib rag.Library) (rag.VectorBlock, error)
	EachChunk(ctx context.Context, lib rag.Library, visit func(rag.ChunkRow) error) error
	ChunkIDs(ctx context.Context, lib rag.Library, docs []rag.DocumentID) ([]rag.ChunkID, error)
}

// Writer changes libraries; whoever holds one is the only writer.
type Writer interface {
	Apply(ctx context.Context, lib rag.Library, c rag.Change) (rag.Library, error)
	// SetTextIndex records the fingerprint and the counts of a rebuilt index.
	SetTextIndex(ctx context.Context, lib rag.Library, fingerprint string, counts map[rag.ChunkID]rag.TermCounts) (rag.Library, error)
}

// TextEntry is a chunk to index.
type TextEntry struct {
	ID   rag.ChunkID
	Text string
}

// TextIndexes makes and opens text indexes on disk.
type TextIndexes interface {
	// Build makes the index folder to from the folder from ("" for an empty one)
	// without touching from; to appears whole or not at all.
	Build(ctx context.Context, from, to string, remove []rag.ChunkID, put []TextEntry) error
	// Open opens a folder for reading; a damaged or missing one is the fault
	// "index_damaged".
	Open(dir string, chunks int, terms rag.TermCounts) (rag.TextIndex, error)
	// Count counts a text's terms as the index does.
	Count(text string) rag.TermCounts
	Fingerprint() string
}

// Config wires a Shelf.
type Config struct {
	Store Store
	// Texts returns the text indexes of a library, which depend on its words.
	Texts func(ctx context.Context, lib rag.Library) (TextIndexes, error)
	// LoadVectors makes a vector index of a block.
	LoadVectors func(ctx context.Context, block rag.VectorBlock) (rag.VectorIndex, error)
	// Dir returns the folder of a library's derived files.
	Dir func(libraryID int64) string
	// Lock becomes the writer for a rebuild, or fails naming who is.
	Lock func(ctx context.Context, purpose string) (w Writer, unlock func(), err error)
	// Notify is told of a rebuild, which can take a while; it may be nil.
	Notify func(kb string, chunks int)
}

// Shelf opens libraries and keeps the newest snapshot of each in memory. It is
// safe for concurrent use.
type Shelf struct {
	cfg     Config
	mu      sync.Mutex
	open    map[string]*Snapshot
	carried map[string]carried
}

// NewShelf returns an empty shelf.
func NewShelf(cfg Config) *Shelf {
	return &Shelf{cfg: cfg, open: map[string]*Snapshot{}, carried: map[string]carried{}}
}

// openTries bounds how often Open follows a library that keeps moving on.
const openTries = 8

// Open returns a snapshot of the library's newest revision. The text index is
// checked by fingerprint and count and rebuilt when the check fails. The caller
// releases the snapshot.
func (s *Shelf) Open(ctx context.Context, name string) (*Snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for range openTries {
		lib, err := s.cfg.Store.Library(ctx, name)
		if err != nil {
			return nil, err
		}
		if have := s.open[name]; have != nil && have.Library == lib {
			return have.retain(), nil
		}
		text, err := s.openText(ctx, lib)
		if err != nil {
			now, again := s.cfg.Store.Library(ctx, name)
			if again != nil {
				return nil, again
			}
			if now != lib {
				continue // the revision was swept away while we looked at it
			}
			if err := s.rebuild(ctx, lib); err != nil {
				return nil, err
			}
			continue
		}
		if have := s.open[name]; have != nil {
			have.Release()
		}
		snap := &Snapshot{Library: lib, Text: text, shelf: s, vectors: s.vectorsOf(lib)}
		delete(s.carried, name)
		s.open[name] = snap.retain()
		return snap.retain(), nil
	}
	return nil, fmt.Errorf("open library %q: %w", name, rag.ErrStale)
}

// Drop forgets a removed library and deletes its derived files.
func (s *Shelf) Drop(lib rag.Library) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if snap := s.open[lib.Name]; snap != nil && snap.Library.ID == lib.ID {
		snap.Release()
		delete(s.open, lib.Name)
	}
	delete(s.carried, lib.Name)
	return os.RemoveAll(s.cfg.Dir(lib.ID))
}

// Close releases the snapshots the shelf keeps.
func (s *Shelf) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, snap := range s.open {
		snap.Release()
		delete(s.open, name)
	}
	clear(s.carried)
}

// textPrefix begins the name of a text index; temporary ones of its maker too.
const textPrefix = "text-"

func (s *Shelf) textDir(lib rag.Library, revision int64) string {
	return filepath.Join(s.cfg.Dir(lib.ID), fmt.Sprintf("%s%d", textPrefix, revision))
}

// openText opens and checks the text index of lib's revision.
func (s *Shelf) openText(ctx context.Context, lib rag.Library) (rag.TextIndex, error) {
	texts, err := s.cfg.Texts(ctx, lib)
	if err != nil {
		return nil, err
	}
	dir := s.textDir(lib, lib.Revision)
	if want := texts.Fingerprint(); lib.TextFingerprint != want {
		return nil, fault.New("index_damaged", fault.P("path", dir))
	}
	if lib.Chunks == 0 {
		return emptyText{}, nil
	}
	text, err := texts.Open(dir, lib.Chunks, lib.Terms)
	if err != nil {
		return nil, err
	}
	if text.Count() != lib.Chunks {
		return nil, errors.Join(fault.New("index_damaged", fault.P("path", dir)), text.Close())
	}
	return text, nil
}

// rebuild makes lib's text index again from the store, as the writer.
func (s *Shelf) rebuild(ctx context.Context, lib rag.Library) error {
	w, unlock, err := s.cfg.Lock(ctx, "rebuild "+lib.Name)
	if err != nil {
		return fmt.Errorf("rebuild the text index of %q: %w", lib.Name, err)
	}
	defer unlock()
	lib, err = s.cfg.Store.Library(ctx, lib.Name)
	if err != nil {
		return err
	}
	if text, err := s.openText(ctx, lib); err == nil {
		return text.Close() // somebody else rebuilt it while we waited
	}
	return s.rebuildLocked(ctx, w, lib)
}

func (s *Shelf) rebuildLocked(ctx context.Context, w Writer, lib rag.Library) error {
	if s.cfg.Notify != nil {
		s.cfg.Notify(lib.Name, lib.Chunks)
	}
	texts, err := s.cfg.Texts(ctx, lib)
	if err != nil {
		return err
	}
	counts, err := s.buildAll(ctx, texts, lib, lib.Revision, rag.NoProgress{})
	if err != nil {
		return err
	}
	if _, err := w.SetTextIndex(ctx, lib, texts.Fingerprint(), counts); err != nil {
		return fmt.Errorf("record the rebuilt text index: %w", err)
	}
	return nil
}

// buildAll makes the text index of lib as its revision's, in the place of any that is
// there, from the chunks in the store, and counts their terms. Each chunk is two units
// of the step "index".
func (s *Shelf) buildAll(ctx context.Context, texts TextIndexes, lib rag.Library, revision int64, progress rag.Progress) (map[rag.ChunkID]rag.TermCounts, error) {
	progress.Stage("index", 2*lib.Chunks)
	put := make([]TextEntry, 0, lib.Chunks)
	counts := make(map[rag.ChunkID]rag.TermCounts, lib.Chunks)
	err := s.cfg.Store.EachChunk(ctx, lib, func(c rag.ChunkRow) error {
		put = append(put, TextEntry{c.ID, c.Text})
		counts[c.ID] = texts.Count(c.Text)
		progress.Add(1)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the chunks of %q: %w", lib.Name, err)
	}
	dir := s.textDir(lib, revision)
	if err := os.RemoveAll(dir); err != nil {
		return nil, fmt.Errorf("remove the damaged text index: %w", err)
	}
	if len(put) > 0 {
		if err := texts.Build(ctx, "", dir, nil, put); err != nil {
			return nil, fmt.Errorf("rebuild the text index of %q: %w", lib.Name, err)
		}
	}
	progress.Add(len(put))
	return counts, nil
}
