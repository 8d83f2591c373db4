package app

import (
	"context"
	"time"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/library"
	"ragdesk/backend/rag"
	"ragdesk/backend/store"
	"ragdesk/backend/vector"
	"ragdesk/backend/wholefile"
)

// openStore opens the workspace on first use.
func (s *Service) openStore(ctx context.Context) (*store.Store, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.store != nil {
		return s.store, nil
	}
	st, err := store.Open(ctx, s.cfg.Workspace)
	if err != nil {
		return nil, err
	}
	s.store = st
	_ = wholefile.Sweep(s.inWorkspace(BackupsFolder), ".", time.Now()) // of exports that were killed
	s.shelf = library.NewShelf(library.Config{
		Store: roomyStore{st, s.memory}, LoadVectors: loadVectors, Dir: st.IndexDir,
		Texts: func(ctx context.Context, lib rag.Library) (library.TextIndexes, error) {
			z, err := s.analyzers.of(ctx, st, lib)
			return textIndexes{z}, err
		},
		Lock: func(ctx context.Context, purpose string) (library.Writer, func(), error) {
			w, err := st.Lock(ctx, purpose, s.cfg.LockWait)
			if err != nil {
				return nil, nil, err
			}
			return w, func() { unlock(w) }, nil
		},
		Notify: func(kb string, chunks int) {
			s.cfg.Notify("index_rebuild", fault.P("kb", kb), fault.P("chunks", chunks))
		},
	})
	return st, nil
}

// unlock gives the right to write back. The lock dies with its file handle in
// any case, so a failure to tidy up has no consequence to report.
func unlock(w *store.Writer) { _ = w.Unlock() }

func (s *Service) openShelf(ctx context.Context) (*library.Shelf, error) {
	if _, err := s.openStore(ctx); err != nil {
		return nil, err
	}
	return s.shelf, nil
}

func loadVectors(ctx context.Context, b rag.VectorBlock) (rag.VectorIndex, error) {
	return vector.Load(ctx, b.Dim, b.IDs, b.Data)
}

// chunkReader reads the chunks of one library.
type chunkReader struct {
	store *store.Store
	lib   rag.Library
}

func (c chunkReader) ChunksByID(ctx context.Context, ids []rag.ChunkID) ([]rag.ChunkRow, error) {
	return c.store.ChunksByID(ctx, c.lib, ids)
}

// committer commits as one writer.
type committer struct {
	shelf  *library.Shelf
	writer library.Writer
	memory *memory
}

func (c committer) Commit(ctx context.Context, lib rag.Library, change rag.Change) (rag.Library, error) {
	next, err := c.shelf.Commit(ctx, c.writer, lib, change)
	if err == nil {
		c.memory.follow(next)
	}
	return next, err
}

// Info describes the program and what a first screen needs.
func (s *Service) Info(_ context.Context, _ api.InfoRequest) (api.Info, error) {
	rerankers, err := s.rerankerNames()
	if err != nil {
		return api.Info{}, err
	}
	return api.Info{
		Version: Version, Workspace: s.cfg.Workspace, Strategies: rag.StrategyNames(),
		Rerankers: rerankers, Samples: samples(), Embedder: defaultEmbedder,
	}, nil
}
