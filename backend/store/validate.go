package store

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// checkChange returns the first thing wrong with a change to lib.
func checkChange(lib rag.Library, c rag.Change) error {
	want := lib.Revision
	if c.TouchesChunks() {
		want++
	}
	if c.Revision != want {
		return fmt.Errorf("change to revision %d of a library at %d, want %d", c.Revision, lib.Revision, want)
	}
	seen := make(map[rag.DocumentID]bool, len(c.Put))
	for i := range c.Put {
		r := &c.Put[i]
		if seen[r.ID] {
			return fmt.Errorf("document %q is put twice", r.ID)
		}
		seen[r.ID] = true
		if err := checkRecord(lib, r); err != nil {
			return fmt.Errorf("document %q: %w", r.ID, err)
		}
	}
	for _, u := range c.PutUnread {
		if u.Place == "" || u.Source == "" {
			return fmt.Errorf("a file that was not read, %q, has no place or no source", u.Place+u.Source)
		}
	}
	return nil
}

// checkRecord returns the first thing wrong with a document to put.
func checkRecord(lib rag.Library, r *rag.DocumentRecord) error {
	switch {
	case r.ID == "":
		return errors.New("no id")
	case r.Source == "":
		return errors.New("no source")
	case len(r.Counts) != len(r.Chunks):
		return fmt.Errorf("%d term counts for %d chunks", len(r.Counts), len(r.Chunks))
	}
	if err := checkChunks(r); err != nil {
		return err
	}
	return checkVectors(lib.Dim, r.Chunks, r.Vectors)
}

// checkChunks holds the chunks against the document's text.
func checkChunks(r *rag.DocumentRecord) error {
	spans := make([]rag.Span, len(r.Chunks))
	for i, c := range r.Chunks {
		text, err := c.Span.Of(r.Text)
		switch {
		case c.ID == "":
			return fmt.Errorf("chunk %d has no id", i)
		case c.DocID != r.ID:
			return fmt.Errorf("chunk %q belongs to document %q", c.ID, c.DocID)
		case c.Ordinal != i:
			return fmt.Errorf("chunk %q has ordinal %d, want %d", c.ID, c.Ordinal, i)
		case err != nil:
			return fmt.Errorf("chunk %q: %w", c.ID, err)
		case text != c.Text:
			return fmt.Errorf("chunk %q differs from its span of the text", c.ID)
		case !onRunes(r.Text, c.Span):
			return fmt.Errorf("chunk %q cuts a character", c.ID)
		case c.Parent != rag.Span{} && (!c.Parent.Contains(c.Span) || c.Parent.End > len(r.Text) || !onRunes(r.Text, c.Parent)):
			return fmt.Errorf("chunk %q lies outside its parent", c.ID)
		}
		spans[i] = c.Span
	}
	for i, points := range rag.Points(r.Text, spans) {
		if c := r.Chunks[i]; c.Points != points {
			return fmt.Errorf("chunk %q is at points [%d,%d), want [%d,%d)",
				c.ID, c.Points.Start, c.Points.End, points.Start, points.End)
		}
	}
	return nil
}

// onRunes reports whether both ends of s lie between characters of text.
func onRunes(text string, s rag.Span) bool {
	between := func(at int) bool { return at == len(text) || utf8.RuneStart(text[at]) || !utf8.ValidString(text) }
	return between(s.Start) && between(s.End)
}

// checkVectors returns the fault vector_invalid {chunk, reason} for the first
// chunk without a finite unit vector of dimension dim.
func checkVectors(dim int, chunks []rag.Chunk, vectors []float32) error {
	for i, c := range chunks {
		if dim == 0 {
			break
		}
		v := vectors[min(i*dim, len(vectors)):min((i+1)*dim, len(vectors))]
		if err := rag.CheckUnit(v, dim); err != nil {
			return fault.New("vector_invalid", fault.P("chunk", c.ID), fault.P("reason", err))
		}
	}
	if extra := len(vectors) - len(chunks)*dim; extra > 0 {
		return fmt.Errorf("%d vector values too many", extra)
	}
	return nil
}
