package app

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"ragdesk/backend/library"
	"ragdesk/backend/rag"
	"ragdesk/backend/retrieve"
	"ragdesk/backend/store"
)

// corpus opens what pipeline p needs of a library.
func (s *Service) corpus(ctx context.Context, snap *library.Snapshot, p rag.Pipeline) (retrieve.Corpus, error) {
	model := s.model(snap.Library)
	c := retrieve.Corpus{
		Text: snap.Text, Vectors: snap.Lazy(), Embedder: model,
		Chunks: chunkReader{s.store, snap.Library}, Documents: documentReader{s.store, snap.Library}, Coverage: coverage,
	}
	var err error
	if p.Reranker != rag.RerankNone {
		if c.Reranker, err = s.reranker(p.Reranker, model); err != nil {
			return retrieve.Corpus{}, err
		}
	}
	if p.Filter.IsZero() && p.HeadingBoost == 0 {
		return c, nil
	}
	rows, err := s.store.Documents(ctx, snap.Library)
	if err != nil {
		return retrieve.Corpus{}, err
	}
	titles := make(map[rag.DocumentID]string, len(rows))
	for _, d := range rows {
		titles[d.ID] = d.Title
	}
	c.Titles = func(id rag.DocumentID) string { return titles[id] }
	if !p.Filter.IsZero() {
		chunks, err := s.filtered.chunks(ctx, s.store, snap.Library, p.Filter, rows)
		if err != nil {
			return retrieve.Corpus{}, err
		}
		c.Allow = func(id rag.ChunkID) bool { return chunks[id] }
	}
	return c, nil
}

// documentReader reads the documents of one library.
type documentReader struct {
	store *store.Store
	lib   rag.Library
}

func (d documentReader) Text(ctx context.Context, id rag.DocumentID) (string, error) {
	return d.store.Text(ctx, d.lib, id)
}

func (d documentReader) ChunkIDs(ctx context.Context, docs []rag.DocumentID) ([]rag.ChunkID, error) {
	return d.store.ChunkIDs(ctx, d.lib, docs)
}

// filterCache keeps the chunks that the last filter lets pass, since an
// evaluation asks for the same ones with every question.
type filterCache struct {
	mu     sync.Mutex
	key    string
	passed map[rag.ChunkID]bool
}

func (f *filterCache) chunks(ctx context.Context, st *store.Store, lib rag.Library, filter rag.Filter, rows []rag.DocumentRow) (map[rag.ChunkID]bool, error) {
	parts, err := json.Marshal(filter)
	if err != nil {
		return nil, fmt.Errorf("write a filter: %w", err)
	}
	key := fmt.Sprintf("%d %d %s", lib.ID, lib.Revision, parts)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.key == key {
		return f.passed, nil
	}
	var docs []rag.DocumentID
	for _, d := range rows {
		if filter.Passes(d) {
			docs = append(docs, d.ID)
		}
	}
	ids, err := st.ChunkIDs(ctx, lib, docs)
	if err != nil {
		return nil, err
	}
	passed := make(map[rag.ChunkID]bool, len(ids))
	for _, id := range ids {
		passed[id] = true
	}
	f.key, f.passed = key, passed
	return passed, nil
}

// number gives hits the page on which they begin.
func (s *Service) number(ctx context.Context, lib rag.Library, hits []rag.Hit) error {
	ids := make([]rag.DocumentID, len(hits))
	for i, h := range hits {
		ids[i] = h.Chunk.DocID
	}
	pages, err := s.store.Pages(ctx, lib, ids)
	if err != nil {
		return err
	}
	for i := range hits {
		for n, page := range pages[hits[i].Chunk.DocID] {
			if page.Start <= hits[i].Chunk.Span.Start {
				hits[i].Page = n + 1
			}
		}
	}
	return nil
}
