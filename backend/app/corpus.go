package app

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"ragdesk/backend/lexical"
	"ragdesk/backend/library"
	"ragdesk/backend/rag"
	"ragdesk/backend/retrieve"
	"ragdesk/backend/store"
)

// corpus opens what pipeline p needs of a library.
func (s *Service) corpus(ctx context.Context, snap *library.Snapshot, z lexical.Analyzer, p rag.Pipeline) (retrieve.Corpus, error) {
	model := s.model(snap.Library)
	c := retrieve.Corpus{
		Text: snap.Text, Vectors: snap.Lazy(), Load: loading(snap), Embedder: model,
		Chunks: chunkReader{s.store, snap.Library}, Documents: documentReader{s.store, snap.Library}, Coverage: coverageBy(z),
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
	view, err := s.views.of(ctx, s.store, snap.Library, p.Filter)
	if err != nil {
		return retrieve.Corpus{}, err
	}
	c.Titles = func(id rag.DocumentID) string { return view.titles[id] }
	if !p.Filter.IsZero() {
		c.Allow = func(id rag.ChunkID) bool { return view.passed[id] }
	}
	return c, nil
}

// filtered warns of a filter that no chunk passes, and of what it names that no document has.
func (s *Service) filtered(ctx context.Context, lib rag.Library, filter rag.Filter) ([]rag.Notice, error) {
	if filter.IsZero() {
		return nil, nil
	}
	view, err := s.views.of(ctx, s.store, lib, filter)
	if err != nil {
		return nil, err
	}
	var out []rag.Notice
	if len(view.passed) == 0 {
		out = append(out, rag.Notice{Code: codePassesNothing, Detail: strconv.Itoa(lib.Documents)})
	}
	for _, v := range view.missing {
		out = append(out, rag.Notice{Code: "filter_value_unknown", Detail: fmt.Sprintf("--%s %s (%s)", v.Setting, v.Value, shownValues(v.There))})
	}
	return out, nil
}

// codePassesNothing is the warning of a filter that no chunk passes, and the refusal to evaluate.
const codePassesNothing = "filter_passes_nothing"

// shownValues lists values, the first of many.
func shownValues(values []string) string {
	const most = 12
	switch n := len(values); {
	case n == 0:
		return "–"
	case n > most:
		return strings.Join(values[:most], ", ") + ", …"
	}
	return strings.Join(values, ", ")
}

// loading waits for a snapshot's vectors.
func loading(snap *library.Snapshot) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := snap.Vectors(ctx)
		return err
	}
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

// view is what filters and boosts ask of a library's documents.
type view struct {
	titles map[rag.DocumentID]string
	// passed are the chunks that the filter lets pass.
	passed map[rag.ChunkID]bool
	// missing is what the filter names and no document has.
	missing []rag.FilterValue
}

// viewCache keeps the last view, since an evaluation asks for the same one with
// every question.
type viewCache struct {
	mu   sync.Mutex
	key  string
	view view
}

func (c *viewCache) of(ctx context.Context, st *store.Store, lib rag.Library, filter rag.Filter) (view, error) {
	parts, err := json.Marshal(filter)
	if err != nil {
		return view{}, fmt.Errorf("write a filter: %w", err)
	}
	key := fmt.Sprintf("%d %d %s", lib.ID, lib.Revision, parts)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.key == key {
		return c.view, nil
	}
	v, err := newView(ctx, st, lib, filter)
	if err != nil {
		return view{}, err
	}
	c.key, c.view = key, v
	return v, nil
}

func newView(ctx context.Context, st *store.Store, lib rag.Library, filter rag.Filter) (view, error) {
	rows, err := st.Documents(ctx, lib)
	if err != nil {
		return view{}, err
	}
	v := view{titles: make(map[rag.DocumentID]string, len(rows)), missing: filter.Missing(rows)}
	var docs []rag.DocumentID
	for _, d := range rows {
		v.titles[d.ID] = d.Title
		if filter.Passes(d) {
			docs = append(docs, d.ID)
		}
	}
	if filter.IsZero() {
		return v, nil
	}
	ids, err := st.ChunkIDs(ctx, lib, docs)
	if err != nil {
		return view{}, err
	}
	v.passed = make(map[rag.ChunkID]bool, len(ids))
	for _, id := range ids {
		v.passed[id] = true
	}
	return v, nil
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
