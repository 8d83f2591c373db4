package library

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ragdesk/backend/rag"
)

// Commit makes a change visible: the text index of the next revision first, the
// store's transaction after it. Until the transaction commits, every reader
// sees the old revision whole; after it, the new one whole.
func (s *Shelf) Commit(ctx context.Context, w Writer, lib rag.Library, c rag.Change) (rag.Library, error) {
	if !c.TouchesChunks() {
		c.Revision = lib.Revision
		return w.Apply(ctx, lib, c)
	}
	c.Revision = lib.Revision + 1
	remove, err := s.buildNext(ctx, w, lib, c)
	if err != nil {
		return rag.Library{}, err
	}
	next, err := w.Apply(ctx, lib, c)
	if err != nil {
		return rag.Library{}, errors.Join(err, os.RemoveAll(s.textDir(lib, c.Revision)))
	}
	s.carry(ctx, lib, next, c, remove)
	if err := s.sweep(next); err != nil {
		return rag.Library{}, fmt.Errorf("sweep old text indexes: %w", err)
	}
	return next, nil
}

// buildNext makes the text index of c.Revision from that of lib.Revision and
// returns the chunks of the documents that the change removes or replaces.
func (s *Shelf) buildNext(ctx context.Context, w Writer, lib rag.Library, c rag.Change) ([]rag.ChunkID, error) {
	gone := append([]rag.DocumentID(nil), c.Remove...)
	var put []TextEntry
	for _, d := range c.Put {
		gone = append(gone, d.ID)
		for _, chunk := range d.Chunks {
			put = append(put, TextEntry{chunk.ID, chunk.Text})
		}
	}
	remove, err := s.cfg.Store.ChunkIDs(ctx, lib, gone)
	if err != nil {
		return nil, fmt.Errorf("list the chunks to remove: %w", err)
	}
	texts, err := s.cfg.Texts(ctx, lib)
	if err != nil {
		return nil, err
	}
	from, err := s.base(ctx, w, lib)
	if err != nil {
		return nil, err
	}
	to := s.textDir(lib, c.Revision)
	if err := os.RemoveAll(to); err != nil { // left by a crash before its transaction
		return nil, fmt.Errorf("remove an unfinished text index: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return nil, fmt.Errorf("make the index folder: %w", err)
	}
	if err := texts.Build(ctx, from, to, remove, put); err != nil {
		return nil, fmt.Errorf("index %d chunks: %w", len(put), err)
	}
	return remove, nil
}

// base returns the folder of lib's text index, rebuilt if it is damaged, or ""
// while the library is empty.
func (s *Shelf) base(ctx context.Context, w Writer, lib rag.Library) (string, error) {
	if lib.Chunks == 0 {
		return "", nil
	}
	text, err := s.openText(ctx, lib)
	if err != nil {
		if err := s.rebuildLocked(ctx, w, lib); err != nil {
			return "", err
		}
		return s.textDir(lib, lib.Revision), nil
	}
	return s.textDir(lib, lib.Revision), text.Close()
}

// Reword makes other words visible: the text index of the next revision, built by
// texts, first; then record's transaction, which gives the library as it is after it.
// Until that commits, every reader sees the old words with the old index.
func (s *Shelf) Reword(ctx context.Context, lib rag.Library, texts TextIndexes, progress rag.Progress,
	record func(fingerprint string, counts map[rag.ChunkID]rag.TermCounts) (rag.Library, error),
) (rag.Library, error) {
	if err := os.MkdirAll(s.cfg.Dir(lib.ID), 0o755); err != nil {
		return rag.Library{}, fmt.Errorf("make the index folder: %w", err)
	}
	counts, err := s.buildAll(ctx, texts, lib, lib.Revision+1, progress)
	if err != nil {
		return rag.Library{}, err
	}
	next, err := record(texts.Fingerprint(), counts)
	if err != nil {
		return rag.Library{}, errors.Join(err, os.RemoveAll(s.textDir(lib, lib.Revision+1)))
	}
	s.carry(ctx, lib, next, rag.Change{}, nil)
	if err := s.sweep(next); err != nil {
		return rag.Library{}, fmt.Errorf("sweep old text indexes: %w", err)
	}
	return next, nil
}

// sweep removes every text index but those of the current revision and the one
// before it, which a reader may be about to open.
func (s *Shelf) sweep(lib rag.Library) error {
	dir := s.cfg.Dir(lib.ID)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	keep := map[string]bool{
		filepath.Base(s.textDir(lib, lib.Revision)):   true,
		filepath.Base(s.textDir(lib, lib.Revision-1)): true,
	}
	for _, e := range entries {
		if keep[e.Name()] || !strings.HasPrefix(e.Name(), textPrefix) {
			continue
		}
		// A folder that another process still holds open cannot be removed on
		// every system; the next commit tries again.
		_ = os.RemoveAll(filepath.Join(dir, e.Name()))
	}
	return nil
}
