package ingest

import (
	"context"
	"time"
	"unicode/utf8"

	"ragdesk/backend/rag"
)

// RunStored brings lib to hold the given documents of another library, cut and
// embedded as lib does, and nothing else. read returns a document with its
// text.
func RunStored(ctx context.Context, ports Ports, lib rag.Library, docs []rag.DocumentRow,
	read func(context.Context, rag.DocumentID) (rag.Document, error), progress rag.Progress,
) (Report, error) {
	start := time.Now()
	known, err := loadKnown(ctx, ports.Catalogue, lib)
	if err != nil {
		return Report{Library: lib}, err
	}
	var size int64
	for _, d := range docs {
		size += d.Bytes
	}
	progress.Stage("ingest", int(size))
	produce := func(ctx context.Context, pass func(*item) error) error {
		wanted := make(map[rag.DocumentID]bool, len(docs))
		for seq, row := range docs {
			wanted[row.ID] = true
			had, ok := known.docs[row.ID]
			it := &item{seq: seq, size: row.Bytes, outcome: Outcome{Source: row.Source, Status: rag.StatusUnchanged, Doc: had}}
			// The same bytes read in another encoding are another text.
			if !ok || had.ContentHash != row.ContentHash || had.Encoding != row.Encoding {
				if err := recut(ctx, ports, row, read, it); err != nil {
					return err
				}
				if ok {
					it.outcome.Status = rag.StatusUpdated
				}
			}
			if err := pass(it); err != nil {
				return err
			}
		}
		for i, id := range sortedKeys(known.docs) {
			if wanted[id] {
				continue
			}
			gone := known.docs[id]
			it := &item{seq: len(docs) + i, removeDoc: id, outcome: Outcome{Source: gone.Source, Status: rag.StatusRemoved, Doc: gone}}
			if err := pass(it); err != nil {
				return err
			}
		}
		return nil
	}
	c := newCommitter(ports.Committer, lib, progress)
	err = run(ctx, ports.Embedder, produce, c, progress)
	return c.result(start), err
}

func recut(ctx context.Context, ports Ports, row rag.DocumentRow, read func(context.Context, rag.DocumentID) (rag.Document, error), it *item) error {
	doc, err := read(ctx, row.ID)
	if err != nil {
		return err
	}
	chunks, err := ports.Chunker.Chunk(ctx, doc)
	if err != nil {
		return err
	}
	record := &rag.DocumentRecord{DocumentRow: row, Text: doc.Text, Chunks: chunks, Counts: make([]rag.TermCounts, len(chunks))}
	for i, c := range chunks {
		record.Counts[i] = ports.Count(c.Text)
	}
	record.DocumentRow.Chunks = len(chunks)
	record.Chars = utf8.RuneCountInString(doc.Text)
	it.record, it.outcome.Doc, it.outcome.Status = record, record.DocumentRow, rag.StatusIndexed
	return nil
}
