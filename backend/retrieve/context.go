package retrieve

import (
	"context"
	"fmt"
	"slices"

	"ragdesk/backend/rag"
)

// DocumentReader reads what stands around a chunk in its document.
type DocumentReader interface {
	// Text returns a document's text.
	Text(ctx context.Context, id rag.DocumentID) (string, error)
	// ChunkIDs returns the documents' chunks in order.
	ChunkIDs(ctx context.Context, docs []rag.DocumentID) ([]rag.ChunkID, error)
}

// widen gives each hit the passage that the prompt shows for it: its parent, and
// its neighbours where the pipeline asks for them.
func (r *run) widen(ctx context.Context, hits []rag.Hit) error {
	texts := map[rag.DocumentID]string{}
	for i := range hits {
		h := &hits[i]
		span := h.Chunk.Span
		if h.Chunk.Parent.Contains(span) {
			span = h.Chunk.Parent
		}
		if r.pipeline.Neighbours > 0 {
			around, err := r.neighbours(ctx, h.Chunk)
			if err != nil {
				return err
			}
			span = rag.Span{Start: min(span.Start, around.Start), End: max(span.End, around.End)}
		}
		if span == h.Chunk.Span {
			continue
		}
		text, known := texts[h.Chunk.DocID]
		if !known {
			var err error
			if text, err = r.corpus.Documents.Text(ctx, h.Chunk.DocID); err != nil {
				return fmt.Errorf("read the text around chunk %s: %w", h.Chunk.ID, err)
			}
			texts[h.Chunk.DocID] = text
		}
		passage, err := span.Of(text)
		if err != nil {
			return fmt.Errorf("passage of chunk %s: %w", h.Chunk.ID, err)
		}
		h.Passage = rag.Passed{Span: span, Points: rag.Points(text, []rag.Span{span})[0], Text: passage}
	}
	return nil
}

// neighbours is the span from so many chunks before c to so many after it.
func (r *run) neighbours(ctx context.Context, c rag.Chunk) (rag.Span, error) {
	ids, err := r.corpus.Documents.ChunkIDs(ctx, []rag.DocumentID{c.DocID})
	if err != nil {
		return rag.Span{}, fmt.Errorf("list the chunks beside %s: %w", c.ID, err)
	}
	at := slices.Index(ids, c.ID)
	if at < 0 {
		return rag.Span{}, fmt.Errorf("chunk %s: %w", c.ID, rag.ErrStale)
	}
	beside := ids[max(at-r.pipeline.Neighbours, 0):min(at+r.pipeline.Neighbours+1, len(ids))]
	if err := r.read(ctx, beside); err != nil {
		return rag.Span{}, err
	}
	span := c.Span
	for _, id := range beside {
		s := r.rows[id].Span
		span = rag.Span{Start: min(span.Start, s.Start), End: max(span.End, s.End)}
	}
	return span, nil
}
