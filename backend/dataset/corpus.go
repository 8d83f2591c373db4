package dataset

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"ragdesk/backend/rag"
)

// Library is the knowledge base that gold is bound to, at one revision.
type Library interface {
	Documents(ctx context.Context) ([]rag.DocumentRow, error)
	Aliases(ctx context.Context) ([]rag.Alias, error)
	// Text returns a document's text; one that is unknown is an error.
	Text(ctx context.Context, id rag.DocumentID) (string, error)
	// EachChunk calls visit for every chunk and stops at its first error.
	EachChunk(ctx context.Context, visit func(rag.ChunkRow) error) error
}

// Corpus is a library prepared for binding and judging: names of documents and
// places of chunks, without their texts. It is safe for concurrent use when the
// Library is.
type Corpus struct {
	library Library
	docs    map[rag.DocumentID]*document
	// order has the documents by source, then ID.
	order  []*document
	chunks map[rag.ChunkID]place
	// names finds documents by source or alias, by an ending of these, and by such
	// an ending without its extension.
	names [3]map[string][]*document
}

// document is a document with the places of its chunks.
type document struct {
	id     rag.DocumentID
	source string
	// chunks are sorted by start, then end, then ID.
	chunks []span
	// reach[i] is the furthest end among chunks[:i+1].
	reach []int
}

// span is the place of one chunk in bytes.
type span struct {
	id rag.ChunkID
	rag.Span
}

// place is where a chunk lies.
type place struct {
	doc  *document
	span rag.Span
}

// Open reads the names and places of a library.
func Open(ctx context.Context, library Library) (*Corpus, error) {
	c := &Corpus{library: library, docs: map[rag.DocumentID]*document{}, chunks: map[rag.ChunkID]place{}}
	for i := range c.names {
		c.names[i] = map[string][]*document{}
	}
	rows, err := library.Documents(ctx)
	if err != nil {
		return nil, fmt.Errorf("list documents: %w", err)
	}
	for _, row := range rows {
		d := &document{id: row.ID, source: row.Source}
		c.docs[row.ID] = d
		c.order = append(c.order, d)
	}
	slices.SortFunc(c.order, func(a, b *document) int {
		return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.id, b.id))
	})
	for _, d := range c.order {
		c.name(d, d.source)
	}
	aliases, err := library.Aliases(ctx)
	if err != nil {
		return nil, fmt.Errorf("list aliases: %w", err)
	}
	for _, a := range aliases {
		if d := c.docs[a.DocID]; d != nil {
			c.name(d, a.Source)
		}
	}
	return c, c.readChunks(ctx)
}

// readChunks notes the places of all chunks.
func (c *Corpus) readChunks(ctx context.Context) error {
	err := c.library.EachChunk(ctx, func(row rag.ChunkRow) error {
		d := c.docs[row.DocID]
		if d == nil {
			return fmt.Errorf("chunk %q of unknown document %q", row.ID, row.DocID)
		}
		d.chunks = append(d.chunks, span{row.ID, row.Span})
		c.chunks[row.ID] = place{d, row.Span}
		return nil
	})
	if err != nil {
		return fmt.Errorf("list chunks: %w", err)
	}
	for _, d := range c.order {
		slices.SortFunc(d.chunks, func(a, b span) int {
			return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), cmp.Compare(a.id, b.id))
		})
		d.reach = make([]int, len(d.chunks))
		far := 0
		for i, s := range d.chunks {
			far = max(far, s.End)
			d.reach[i] = far
		}
	}
	return nil
}

// name enters a source, its endings that begin after a '/', and these without
// their extension.
func (c *Corpus) name(d *document, source string) {
	c.enter(0, source, d)
	ext := path.Ext(source)
	for ending := source; ; {
		c.enter(1, ending, d)
		if bare := strings.TrimSuffix(ending, ext); bare != ending && bare != "" {
			c.enter(2, bare, d)
		}
		_, rest, ok := strings.Cut(ending, "/")
		if !ok {
			return
		}
		ending = rest
	}
}

func (c *Corpus) enter(kind int, name string, d *document) {
	if !slices.Contains(c.names[kind][name], d) {
		c.names[kind][name] = append(c.names[kind][name], d)
	}
}

// find resolves what gold names: a chunk's id; a document's; a source or alias;
// an ending of one; such an ending without its extension. The first of these that
// fits something decides. It returns the documents that fit, and the chunk's
// span if it was one.
func (c *Corpus) find(ref string) (docs []*document, chunk *rag.Span) {
	if p, ok := c.chunks[rag.ChunkID(ref)]; ok {
		return []*document{p.doc}, &p.span
	}
	if d, ok := c.docs[rag.DocumentID(ref)]; ok {
		return []*document{d}, nil
	}
	clean := path.Clean(strings.ReplaceAll(ref, `\`, "/"))
	for kind, names := range c.names {
		if docs := names[clean]; len(docs) > 0 {
			return docs, nil
		}
		if kind == 0 && len(names[ref]) > 0 {
			return names[ref], nil
		}
	}
	return nil, nil
}

// sources lists the sources of documents for a detail.
func sources(docs []*document) string {
	out := make([]string, len(docs))
	for i, d := range docs {
		out[i] = d.source
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// covering returns the chunks that hold all of s; with touching, those that share
// a position with it.
func (d *document) covering(s rag.Span, touching bool) []span {
	limit := s.Start
	if touching {
		limit = s.End - 1
	}
	// Chunks after these start too late.
	n, _ := slices.BinarySearchFunc(d.chunks, limit+1, func(c span, start int) int { return cmp.Compare(c.Start, start) })
	var out []span
	for i := n - 1; i >= 0; i-- {
		if touching && d.reach[i] <= s.Start || !touching && d.reach[i] < s.End {
			break
		}
		if c := d.chunks[i]; touching && c.Overlaps(s) || !touching && c.Contains(s) {
			out = append(out, c)
		}
	}
	return out
}
