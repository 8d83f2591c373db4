package ingest

import (
	"context"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"ragdesk/backend/rag"
)

// Stored is what another library holds.
type Stored struct {
	Documents []rag.DocumentRow
	Aliases   []rag.Alias
	// Document returns a document with its text.
	Document func(ctx context.Context, id rag.DocumentID) (rag.Document, error)
	// Chunks returns a document's chunks in order. Those of an imported list are
	// taken as they are, since their ids and their cut were given.
	Chunks func(ctx context.Context, id rag.DocumentID) ([]rag.Chunk, error)
}

// RunStored brings lib to hold what from holds, cut and embedded as lib does, and
// nothing else.
func RunStored(ctx context.Context, ports Ports, lib rag.Library, from Stored, progress rag.Progress) (Report, error) {
	start := time.Now()
	known, err := loadKnown(ctx, ports.Catalogue, lib)
	if err != nil {
		return Report{Library: lib}, err
	}
	var size int64
	for _, d := range from.Documents {
		size += d.Bytes
	}
	progress.Stage("ingest", int(size))
	r := restoring{ports: ports, from: from, known: known}
	c := newCommitter(ports.Committer, lib, progress)
	err = run(ctx, ports.Embedder, r.all, c, progress)
	return c.result(start), err
}

// restoring makes the items of a RunStored.
type restoring struct {
	ports Ports
	from  Stored
	known *known
	// seq counts the items passed.
	seq int
}

func (r *restoring) all(ctx context.Context, pass func(*item) error) error {
	next := func(it *item) error {
		it.seq = r.seq
		r.seq++
		return pass(it)
	}
	rows := make(map[rag.DocumentID]rag.DocumentRow, len(r.from.Documents))
	for _, row := range r.from.Documents {
		rows[row.ID] = row
		it, err := r.document(ctx, row)
		if err != nil {
			return err
		}
		if err := next(it); err != nil {
			return err
		}
	}
	wanted := make(map[string]bool, len(r.from.Aliases))
	for _, a := range r.from.Aliases {
		wanted[a.Source] = true
		if r.known.aliases[a.Source] == a {
			continue
		}
		it := &item{alias: &a, outcome: Outcome{Source: a.Source, Status: rag.StatusAlias, Doc: rows[a.DocID]}}
		if err := next(it); err != nil {
			return err
		}
	}
	return r.gone(rows, wanted, next)
}

// gone passes the removal of what the other library does not hold.
func (r *restoring) gone(rows map[rag.DocumentID]rag.DocumentRow, wanted map[string]bool, next func(*item) error) error {
	for _, source := range sortedKeys(r.known.aliases) {
		if wanted[source] {
			continue
		}
		it := &item{removeAlias: source, outcome: Outcome{Source: source, Status: rag.StatusRemoved, Doc: r.known.docs[r.known.aliases[source].DocID]}}
		if err := next(it); err != nil {
			return err
		}
	}
	for _, id := range sortedKeys(r.known.docs) {
		if _, there := rows[id]; there {
			continue
		}
		gone := r.known.docs[id]
		it := &item{removeDoc: id, outcome: Outcome{Source: gone.Source, Status: rag.StatusRemoved, Doc: gone}}
		if err := next(it); err != nil {
			return err
		}
	}
	return nil
}

// document makes the item of one document.
func (r *restoring) document(ctx context.Context, row rag.DocumentRow) (*item, error) {
	had, ok := r.known.docs[row.ID]
	it := &item{size: row.Bytes, outcome: Outcome{Source: row.Source, Status: rag.StatusUnchanged, Doc: had}}
	// The same bytes read in another encoding are another text.
	if ok && had.ContentHash == row.ContentHash && had.Encoding == row.Encoding {
		return it, nil
	}
	if err := r.recut(ctx, row, it); err != nil {
		return nil, fmt.Errorf("cut %s: %w", row.Source, err)
	}
	if ok {
		it.outcome.Status = rag.StatusUpdated
	}
	return it, nil
}

// recut gives the item a record of the document as the library cuts it.
func (r *restoring) recut(ctx context.Context, row rag.DocumentRow, it *item) error {
	doc, err := r.from.Document(ctx, row.ID)
	if err != nil {
		return err
	}
	var chunks []rag.Chunk
	if row.ParsedBy == listParser {
		chunks, err = r.from.Chunks(ctx, row.ID)
	} else {
		chunks, err = r.ports.Chunker.Chunk(ctx, doc)
	}
	if err != nil {
		return err
	}
	row.Warnings = r.ports.restated(row, chunks)
	row.Blocks = doc.Blocks
	record := &rag.DocumentRecord{DocumentRow: row, Text: doc.Text, Chunks: chunks, Counts: make([]rag.TermCounts, len(chunks))}
	record.DocumentRow.Chunks, record.Tokens = len(chunks), 0
	for i, c := range chunks {
		record.Counts[i] = r.ports.Count(c.Text)
		record.Tokens += c.Tokens
	}
	if len(chunks) == 0 && record.Status == rag.StatusIndexed {
		record.Status = rag.StatusEmpty
	}
	record.Chars = utf8.RuneCountInString(doc.Text)
	row = record.DocumentRow
	row.Blocks = nil // they are stored, and nobody here asks for them again
	it.record, it.outcome.Doc, it.outcome.Warnings, it.outcome.Status = record, row, row.Warnings, row.Status
	return nil
}

// restated are a document's warnings with those of cutting and embedding as they
// are for these chunks.
func (p Ports) restated(row rag.DocumentRow, chunks []rag.Chunk) []rag.Notice {
	kept := slices.DeleteFunc(slices.Clone(row.Warnings), func(n rag.Notice) bool {
		return n.Code == truncatedCode || n.Code == "chunk_size_capped" || n.Code == "chunk_overlap_capped"
	})
	if p.Notices != nil && row.ParsedBy != listParser {
		kept = append(kept, p.Notices(row.Language)...)
	}
	return append(kept, p.truncated(chunks)...)
}
