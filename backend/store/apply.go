package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"unicode/utf8"

	"ragdesk/backend/rag"
)

// Apply does a change in one transaction and returns the library after it, its
// totals included. The change is checked before anything is written, and nothing
// is written unless all of it is. Within it aliases are removed first, then
// documents, then documents put, then aliases; what is known of files that were not
// read comes last, forgotten first.
//
// A document that is put again under its ID keeps its aliases; one that is
// removed takes them along. The counts Chars and Chunks of a put document are
// computed here.
//
// Faults: vector_invalid {chunk, reason} for a vector that is not a finite unit
// vector of the library's dimension; document_unknown {ref} for an ID to remove
// or an alias's document that is not there; kb_unknown {kb}; disk_full {path}.
// lib or c.Revision at the wrong revision is an error that names both.
func (w *Writer) Apply(ctx context.Context, lib rag.Library, c rag.Change) (rag.Library, error) {
	what := fmt.Sprintf("change library %q", lib.Name)
	if err := checkChange(lib, c); err != nil {
		return rag.Library{}, fmt.Errorf("%s: %w", what, err)
	}
	var next rag.Library
	err := w.tx(ctx, what, func(steady context.Context, tx *sql.Tx) error {
		now, err := sameRevision(steady, tx, lib)
		if err != nil {
			return err
		}
		a := applier{tx: tx, lib: now}
		if err := a.apply(steady, c, ctx.Err); err != nil {
			return err
		}
		a.lib.Revision = c.Revision
		next = a.lib
		return a.saveLibrary(steady)
	})
	if err != nil {
		return rag.Library{}, err
	}
	return next, nil
}

// applier carries out one change; lib follows along.
type applier struct {
	tx  *sql.Tx
	lib rag.Library
}

// apply does the steps of c; cancelled is asked before each document.
func (a *applier) apply(ctx context.Context, c rag.Change, cancelled func() error) error {
	for _, source := range c.RemoveAliases {
		_, err := a.tx.ExecContext(ctx, `DELETE FROM alias WHERE library = ? AND source = ?`, a.lib.ID, source)
		if err != nil {
			return fmt.Errorf("remove alias %q: %w", source, err)
		}
	}
	for _, id := range c.Remove {
		if err := errors.Join(cancelled(), a.remove(ctx, id)); err != nil {
			return fmt.Errorf("remove document %q: %w", id, err)
		}
	}
	for i := range c.Put {
		if err := cancelled(); err != nil {
			return err
		}
		if err := a.put(ctx, &c.Put[i]); err != nil {
			return fmt.Errorf("put document %q: %w", c.Put[i].ID, err)
		}
	}
	for _, alias := range c.PutAliases {
		if err := a.putAlias(ctx, alias); err != nil {
			return fmt.Errorf("put alias %q: %w", alias.Source, err)
		}
	}
	return a.unread(ctx, c)
}

func (a *applier) saveLibrary(ctx context.Context) error {
	l := a.lib
	_, err := a.tx.ExecContext(ctx, `UPDATE library SET revision = ?, documents = ?, chunks = ?,
		words = ?, bigrams = ?, singles = ? WHERE id = ?`,
		l.Revision, l.Documents, l.Chunks, l.Terms.Words, l.Terms.Bigrams, l.Terms.Chars, l.ID)
	return err
}

// count adds sign times a document's numbers to the library's totals.
func (a *applier) count(sign, chunks int, terms rag.TermCounts) {
	a.lib.Documents += sign
	a.lib.Chunks += sign * chunks
	a.lib.Terms.Words += sign * terms.Words
	a.lib.Terms.Bigrams += sign * terms.Bigrams
	a.lib.Terms.Chars += sign * terms.Chars
}

// uncount takes a document's numbers off the totals.
func (a *applier) uncount(ctx context.Context, pk int64) error {
	var chunks int
	var t rag.TermCounts
	err := a.tx.QueryRowContext(ctx, `SELECT chunks, words, bigrams, singles FROM document WHERE pk = ?`, pk).
		Scan(&chunks, &t.Words, &t.Bigrams, &t.Chars)
	if err != nil {
		return err
	}
	a.count(-1, chunks, t)
	return nil
}

func (a *applier) remove(ctx context.Context, id rag.DocumentID) error {
	pk, err := docPK(ctx, a.tx, a.lib, id)
	if err != nil {
		return err
	}
	if err := a.uncount(ctx, pk); err != nil {
		return err
	}
	_, err = a.tx.ExecContext(ctx, `DELETE FROM document WHERE pk = ?`, pk)
	return err
}

func (a *applier) put(ctx context.Context, r *rag.DocumentRecord) error {
	if err := a.clear(ctx, r.ID); err != nil {
		return err
	}
	var terms rag.TermCounts
	for _, n := range r.Counts {
		terms = terms.Plus(n)
	}
	pk, err := a.putDocument(ctx, r, terms)
	if err != nil {
		return err
	}
	a.count(1, len(r.Chunks), terms)
	blocks, err := encodeBlocks(r.Blocks)
	if err != nil {
		return err
	}
	_, err = a.tx.ExecContext(ctx, `INSERT INTO body (document, text, blocks) VALUES (?, ?, ?)`, pk, []byte(r.Text), blocks)
	if err != nil {
		return err
	}
	if err := a.putChunks(ctx, pk, r.Chunks); err != nil {
		return err
	}
	return a.putVectors(ctx, pk, r.Vectors)
}

// clear empties the row that a document of this ID already has. The row stays,
// since aliases point to it.
func (a *applier) clear(ctx context.Context, id rag.DocumentID) error {
	var pk int64
	err := a.tx.QueryRowContext(ctx, `SELECT pk FROM document WHERE library = ? AND id = ?`,
		a.lib.ID, string(id)).Scan(&pk)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := a.uncount(ctx, pk); err != nil {
		return err
	}
	for _, query := range []string{
		`DELETE FROM vector_block WHERE document = ?`,
		`DELETE FROM chunk WHERE document = ?`,
		`DELETE FROM body WHERE document = ?`,
	} {
		if _, err := a.tx.ExecContext(ctx, query, pk); err != nil {
			return err
		}
	}
	return nil
}

// putDocument writes a document's own row and returns its key.
func (a *applier) putDocument(ctx context.Context, r *rag.DocumentRecord, terms rag.TermCounts) (pk int64, err error) {
	warnings, err := encodeList(r.Warnings)
	if err != nil {
		return 0, err
	}
	sections, err := encodeSections(r.Sections)
	if err != nil {
		return 0, err
	}
	pages, err := encodePages(r.Pages)
	if err != nil {
		return 0, err
	}
	tags, err := encodeList(r.Tags)
	if err != nil {
		return 0, err
	}
	health, err := encodeHealth(r.Health)
	if err != nil {
		return 0, err
	}
	err = a.tx.QueryRowContext(ctx, `INSERT INTO document (library, id, source, real_path, content_hash,
			bytes, title, media_type, encoding, language, parsed_by, status, warnings, sections, pages,
			chars, chunks, words, bigrams, singles, tokens, health,
			modified, tags)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (library, id) DO UPDATE SET (source, real_path, content_hash, bytes, title, media_type,
			encoding, language, parsed_by, status, warnings, sections, pages, chars, chunks, words, bigrams,
			singles, tokens, health, modified, tags) = (excluded.source, excluded.real_path, excluded.content_hash, excluded.bytes,
			excluded.title, excluded.media_type, excluded.encoding, excluded.language, excluded.parsed_by,
			excluded.status, excluded.warnings, excluded.sections, excluded.pages, excluded.chars,
			excluded.chunks, excluded.words, excluded.bigrams, excluded.singles, excluded.tokens, excluded.health,
			excluded.modified, excluded.tags)
		RETURNING pk`,
		a.lib.ID, string(r.ID), r.Source, r.RealPath, r.ContentHash, r.Bytes, r.Title, r.MediaType, r.Encoding,
		r.Language, r.ParsedBy, r.Status, string(warnings), string(sections), string(pages),
		utf8.RuneCountInString(r.Text), len(r.Chunks), terms.Words, terms.Bigrams, terms.Chars,
		r.Tokens, string(health),
		unixSeconds(r.Modified), string(tags)).Scan(&pk)
	return pk, err
}

func (a *applier) putChunks(ctx context.Context, pk int64, chunks []rag.Chunk) (err error) {
	if len(chunks) == 0 {
		return nil
	}
	insert, err := a.tx.PrepareContext(ctx, `INSERT INTO chunk (library, id, document, ordinal, byte_start,
		byte_end, point_start, point_end, headings, tokens, text,
		parent_start, parent_end) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, insert.Close()) }()
	for _, c := range chunks {
		headings, err := encodeList(c.Headings)
		if err != nil {
			return err
		}
		_, err = insert.ExecContext(ctx, a.lib.ID, string(c.ID), pk, c.Ordinal, c.Span.Start, c.Span.End,
			c.Points.Start, c.Points.End, string(headings), c.Tokens, []byte(c.Text), c.Parent.Start, c.Parent.End)
		if err != nil {
			return fmt.Errorf("chunk %q: %w", c.ID, err)
		}
	}
	return nil
}

func (a *applier) putVectors(ctx context.Context, pk int64, vectors []float32) error {
	step := vectorBlockRows * a.lib.Dim
	for at := 0; at < len(vectors); at += step {
		data := encodeVectors(vectors[at:min(at+step, len(vectors))])
		_, err := a.tx.ExecContext(ctx, `INSERT INTO vector_block (document, first, data) VALUES (?, ?, ?)`,
			pk, at/a.lib.Dim, data)
		if err != nil {
			return fmt.Errorf("vectors: %w", err)
		}
	}
	return nil
}

func (a *applier) putAlias(ctx context.Context, alias rag.Alias) error {
	pk, err := docPK(ctx, a.tx, a.lib, alias.DocID)
	if err != nil {
		return err
	}
	_, err = a.tx.ExecContext(ctx, `INSERT INTO alias (library, source, real_path, content_hash, document)
		VALUES (?, ?, ?, ?, ?) ON CONFLICT (library, source) DO UPDATE SET real_path = excluded.real_path,
		content_hash = excluded.content_hash, document = excluded.document`,
		a.lib.ID, alias.Source, alias.RealPath, alias.ContentHash, pk)
	return err
}
