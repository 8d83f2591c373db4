package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"ragdesk/backend/rag"
)

const chunkColumns = `c.id, d.id, d.source, c.ordinal, c.byte_start, c.byte_end,
	c.point_start, c.point_end, c.headings, c.tokens, c.text,
	c.parent_start, c.parent_end`

func scanChunk(row scanner) (c rag.ChunkRow, err error) {
	var headings, text sql.RawBytes
	err = row.Scan(&c.ID, &c.DocID, &c.Source, &c.Ordinal, &c.Span.Start, &c.Span.End,
		&c.Points.Start, &c.Points.End, &headings, &c.Tokens, &text,
		&c.Parent.Start, &c.Parent.End)
	if err != nil {
		return c, err
	}
	c.Text = string(text)
	if c.Headings, err = decodeList[string](headings); err != nil {
		return c, fmt.Errorf("headings of chunk %q: %w", c.ID, err)
	}
	return c, nil
}

// queryChunks reads all chunks in order. CROSS JOIN keeps SQLite to this order of
// loops, in which nothing has to be sorted.
const queryChunks = `SELECT ` + chunkColumns + ` FROM document d CROSS JOIN chunk c ON c.document = d.pk
	WHERE d.library = ? ORDER BY d.source, d.id, c.ordinal`

// maxArgs bounds the placeholders of one statement.
const maxArgs = 500

// ChunksByID returns the chunks in the order of ids, an id that repeats included.
// When one is not in the library the error is rag.ErrStale.
func (s *Store) ChunksByID(ctx context.Context, lib rag.Library, ids []rag.ChunkID) ([]rag.ChunkRow, error) {
	found := make(map[rag.ChunkID]rag.ChunkRow, len(ids))
	err := s.snapshot(ctx, lib, "read chunks", func(tx *sql.Tx, _ rag.Library) error {
		for part := range slices.Chunk(ids, maxArgs) {
			err := each(ctx, tx, func(rows *sql.Rows) error {
				c, err := scanChunk(rows)
				found[c.ID] = c
				return err
			}, `SELECT `+chunkColumns+` FROM chunk c JOIN document d ON d.pk = c.document
				WHERE c.library = ? AND c.id IN (`+placeholders(len(part))+`)`, idArgs(lib, part)...)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := make([]rag.ChunkRow, len(ids))
	for i, id := range ids {
		c, ok := found[id]
		if !ok {
			return nil, fmt.Errorf("read chunk %q of %q: %w", id, lib.Name, rag.ErrStale)
		}
		out[i] = c
	}
	return out, nil
}

// EachChunk calls visit for every chunk, ordered by source, document and ordinal,
// and stops at its first error.
func (s *Store) EachChunk(ctx context.Context, lib rag.Library, visit func(rag.ChunkRow) error) error {
	return s.snapshot(ctx, lib, "read chunks", func(tx *sql.Tx, _ rag.Library) error {
		return each(ctx, tx, func(rows *sql.Rows) error {
			c, err := scanChunk(rows)
			if err != nil {
				return err
			}
			return visit(c)
		}, queryChunks, lib.ID)
	})
}

// ChunkIDs returns the IDs of the documents' chunks, document by document and by
// ordinal. A document that the library does not have has none.
func (s *Store) ChunkIDs(ctx context.Context, lib rag.Library, docs []rag.DocumentID) ([]rag.ChunkID, error) {
	var ids []rag.ChunkID
	err := s.snapshot(ctx, lib, "list chunks", func(tx *sql.Tx, _ rag.Library) error {
		for _, doc := range docs {
			err := each(ctx, tx, func(rows *sql.Rows) error {
				var id rag.ChunkID
				err := rows.Scan(&id)
				ids = append(ids, id)
				return err
			}, `SELECT c.id FROM document d CROSS JOIN chunk c ON c.document = d.pk
				WHERE d.library = ? AND d.id = ? ORDER BY c.ordinal`, lib.ID, string(doc))
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return ids, nil
}

func placeholders(n int) string { return strings.TrimSuffix(strings.Repeat("?,", n), ",") }

func idArgs(lib rag.Library, ids []rag.ChunkID) []any {
	args := make([]any, 0, len(ids)+1)
	args = append(args, lib.ID)
	for _, id := range ids {
		args = append(args, string(id))
	}
	return args
}
