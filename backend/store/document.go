package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

const documentColumns = `d.id, d.source, d.real_path, d.content_hash, d.bytes, d.title, d.media_type,
	d.encoding, d.language, d.parsed_by, d.status, d.warnings, d.sections, d.pages, d.chars, d.chunks, d.tokens, d.health,
	d.modified, d.tags`

// queryDocuments reads all documents in order.
const queryDocuments = `SELECT ` + documentColumns + ` FROM document d WHERE d.library = ? ORDER BY d.source, d.id`

func scanDocument(row scanner) (d rag.DocumentRow, err error) {
	var warnings, sections, pages, health, tags []byte
	var modified int64
	err = row.Scan(&d.ID, &d.Source, &d.RealPath, &d.ContentHash, &d.Bytes, &d.Title, &d.MediaType,
		&d.Encoding, &d.Language, &d.ParsedBy, &d.Status, &warnings, &sections, &pages, &d.Chars, &d.Chunks, &d.Tokens, &health,
		&modified, &tags)
	if err != nil {
		return d, err
	}
	if d.Warnings, err = decodeList[rag.Notice](warnings); err != nil {
		return d, fmt.Errorf("warnings of document %q: %w", d.ID, err)
	}
	if d.Sections, err = decodeSections(sections); err != nil {
		return d, fmt.Errorf("sections of document %q: %w", d.ID, err)
	}
	if d.Pages, err = decodePages(pages); err != nil {
		return d, fmt.Errorf("pages of document %q: %w", d.ID, err)
	}
	if err := json.Unmarshal(health, &d.Health); err != nil {
		return d, fmt.Errorf("health of document %q: %w", d.ID, err)
	}
	if modified != 0 {
		d.Modified = time.Unix(modified, 0).UTC()
	}
	if d.Tags, err = decodeList[string](tags); err != nil {
		return d, fmt.Errorf("tags of document %q: %w", d.ID, err)
	}
	return d, nil
}

// encodeList writes a list as JSON, one without elements as [].
func encodeList[T any](list []T) ([]byte, error) {
	if len(list) == 0 {
		return []byte("[]"), nil
	}
	return json.Marshal(list)
}

// decodeList reads what encodeList wrote; a list without elements is nil.
func decodeList[T any](b []byte) ([]T, error) {
	var list []T
	if err := json.Unmarshal(b, &list); err != nil || len(list) == 0 {
		return nil, err
	}
	return list, nil
}

// section is a rag.Section as it is stored.
type section struct {
	Level int    `json:"level"`
	Title string `json:"title"`
	Start int    `json:"start"`
	End   int    `json:"end"`
}

func encodeSections(in []rag.Section) ([]byte, error) {
	out := make([]section, len(in))
	for i, s := range in {
		out[i] = section{s.Level, s.Title, s.Span.Start, s.Span.End}
	}
	return encodeList(out)
}

func decodeSections(b []byte) ([]rag.Section, error) {
	in, err := decodeList[section](b)
	if err != nil || in == nil {
		return nil, err
	}
	out := make([]rag.Section, len(in))
	for i, s := range in {
		out[i] = rag.Section{Level: s.Level, Title: s.Title, Span: rag.Span{Start: s.Start, End: s.End}}
	}
	return out, nil
}

func encodePages(in []rag.Span) ([]byte, error) {
	out := make([][2]int, len(in))
	for i, s := range in {
		out[i] = [2]int{s.Start, s.End}
	}
	return encodeList(out)
}

func decodePages(b []byte) ([]rag.Span, error) {
	in, err := decodeList[[2]int](b)
	if err != nil || in == nil {
		return nil, err
	}
	out := make([]rag.Span, len(in))
	for i, s := range in {
		out[i] = rag.Span{Start: s[0], End: s[1]}
	}
	return out, nil
}

// Documents returns the library's documents by source, then ID, without texts.
func (s *Store) Documents(ctx context.Context, lib rag.Library) ([]rag.DocumentRow, error) {
	var docs []rag.DocumentRow
	err := s.snapshot(ctx, lib, "list documents", func(tx *sql.Tx, now rag.Library) error {
		docs = make([]rag.DocumentRow, 0, now.Documents)
		return each(ctx, tx, func(rows *sql.Rows) error {
			d, err := scanDocument(rows)
			docs = append(docs, d)
			return err
		}, queryDocuments, lib.ID)
	})
	if err != nil {
		return nil, err
	}
	return docs, nil
}

// Aliases returns the library's aliases by source.
func (s *Store) Aliases(ctx context.Context, lib rag.Library) ([]rag.Alias, error) {
	var aliases []rag.Alias
	err := s.snapshot(ctx, lib, "list aliases", func(tx *sql.Tx, _ rag.Library) error {
		return each(ctx, tx, func(rows *sql.Rows) error {
			var a rag.Alias
			err := rows.Scan(&a.Source, &a.RealPath, &a.ContentHash, &a.DocID)
			aliases = append(aliases, a)
			return err
		}, `SELECT a.source, a.real_path, a.content_hash, d.id FROM alias a
			JOIN document d ON d.pk = a.document WHERE a.library = ? ORDER BY a.source`, lib.ID)
	})
	if err != nil {
		return nil, err
	}
	return aliases, nil
}

// Text returns a document's text byte for byte, or the fault document_unknown
// {ref}.
func (s *Store) Text(ctx context.Context, lib rag.Library, id rag.DocumentID) (string, error) {
	doc, err := s.Document(ctx, lib, id)
	return doc.Text, err
}

// Document returns a document with its text, or the fault document_unknown {ref}.
func (s *Store) Document(ctx context.Context, lib rag.Library, id rag.DocumentID) (rag.Document, error) {
	var doc rag.Document
	err := s.snapshot(ctx, lib, "read document", func(tx *sql.Tx, now rag.Library) error {
		pk, err := docPK(ctx, tx, now, id)
		if err != nil {
			return err
		}
		row, err := scanDocument(tx.QueryRowContext(ctx, `SELECT `+documentColumns+` FROM document d WHERE d.pk = ?`, pk))
		if err != nil {
			return err
		}
		doc = row.Document
		var blocks []byte
		if err := tx.QueryRowContext(ctx, `SELECT text, blocks FROM body WHERE document = ?`, pk).Scan(&doc.Text, &blocks); err != nil {
			return err
		}
		doc.Blocks, err = decodeBlocks(blocks)
		return err
	})
	if err != nil {
		return rag.Document{}, err
	}
	return doc, nil
}

// FindDocument resolves what a person writes for a document. In this order, the
// first that fits something decides: its ID; its source or an alias of it; the
// ending of a source, beginning after a '/'; such an ending without the
// extension.
//
// Faults: document_unknown {ref}, and document_ambiguous {ref, matches} when
// several documents fit, matches being their sources.
func (s *Store) FindDocument(ctx context.Context, lib rag.Library, ref string) (rag.DocumentRow, error) {
	var doc rag.DocumentRow
	err := s.snapshot(ctx, lib, "find document", func(tx *sql.Tx, now rag.Library) error {
		pk, err := resolve(ctx, tx, now, ref)
		if err != nil {
			return err
		}
		doc, err = scanDocument(tx.QueryRowContext(ctx, `SELECT `+documentColumns+` FROM document d WHERE d.pk = ?`, pk))
		return err
	})
	if err != nil {
		return rag.DocumentRow{}, err
	}
	return doc, nil
}

// resolve returns the row of the document that ref names.
func resolve(ctx context.Context, tx *sql.Tx, lib rag.Library, ref string) (int64, error) {
	pk, err := docPK(ctx, tx, lib, rag.DocumentID(ref))
	if !fault.Is(err, "document_unknown") {
		return pk, err
	}
	matches, err := matchSources(ctx, tx, lib, ref)
	if err != nil {
		return 0, err
	}
	for _, m := range matches {
		switch len(m) {
		case 0:
			continue
		case 1:
			for pk := range m {
				return pk, nil
			}
		}
		sources := make([]string, 0, len(m))
		for _, source := range m {
			sources = append(sources, source)
		}
		slices.Sort(sources)
		return 0, fault.New("document_ambiguous", fault.P("ref", ref), fault.P("matches", strings.Join(sources, ", ")))
	}
	return 0, fault.New("document_unknown", fault.P("ref", ref))
}

// matchSources returns the documents that ref fits, each with the source that
// fitted, for each way of fitting: whole, ending, ending without extension.
func matchSources(ctx context.Context, tx *sql.Tx, lib rag.Library, ref string) ([3]map[int64]string, error) {
	found := [3]map[int64]string{{}, {}, {}}
	clean := path.Clean(strings.ReplaceAll(ref, `\`, "/"))
	err := each(ctx, tx, func(rows *sql.Rows) error {
		var pk int64
		var source string
		if err := rows.Scan(&pk, &source); err != nil {
			return err
		}
		switch bare := strings.TrimSuffix(source, path.Ext(source)); {
		case source == ref || source == clean:
			found[0][pk] = source
		case endsWith(source, clean):
			found[1][pk] = source
		case endsWith(bare, clean):
			found[2][pk] = source
		}
		return nil
	}, `SELECT pk, source FROM document WHERE library = ?1
		UNION ALL SELECT document, source FROM alias WHERE library = ?1`, lib.ID)
	return found, err
}

// endsWith reports whether source ends in whole path elements with ending.
func endsWith(source, ending string) bool {
	before, ok := strings.CutSuffix(source, ending)
	return ok && (before == "" || strings.HasSuffix(before, "/"))
}

// Pages returns the pages of the given documents, those without pages left out.
func (s *Store) Pages(ctx context.Context, lib rag.Library, docs []rag.DocumentID) (map[rag.DocumentID][]rag.Span, error) {
	out := map[rag.DocumentID][]rag.Span{}
	err := s.snapshot(ctx, lib, "read pages", func(tx *sql.Tx, _ rag.Library) error {
		for part := range slices.Chunk(docs, maxArgs) {
			args := []any{lib.ID}
			for _, id := range part {
				args = append(args, string(id))
			}
			err := each(ctx, tx, func(rows *sql.Rows) error {
				var id rag.DocumentID
				var pages []byte
				if err := rows.Scan(&id, &pages); err != nil {
					return err
				}
				spans, err := decodePages(pages)
				if len(spans) > 0 {
					out[id] = spans
				}
				return err
			}, `SELECT d.id, d.pages FROM document d WHERE d.library = ? AND d.id IN (`+placeholders(len(part))+`)`, args...)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
