package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// maxNameLength bounds a library's name, in code points.
const maxNameLength = 100

const selectLibrary = `SELECT id, name, revision, chunker, chunk_size, chunk_overlap,
	chunker_fingerprint, embedder, embedder_fingerprint, dim, text_fingerprint,
	words_hash, documents, chunks, words, bigrams, singles FROM library`

// scanner is a row or the current one of several.
type scanner interface{ Scan(dest ...any) error }

func scanLibrary(row scanner) (l rag.Library, err error) {
	err = row.Scan(&l.ID, &l.Name, &l.Revision, &l.Chunker, &l.ChunkSize, &l.ChunkOverlap,
		&l.ChunkerFingerprint, &l.Embedder, &l.EmbedderFingerprint, &l.Dim, &l.TextFingerprint,
		&l.Words, &l.Documents, &l.Chunks, &l.Terms.Words, &l.Terms.Bigrams, &l.Terms.Chars)
	return l, err
}

// Libraries returns all libraries by name.
func (s *Store) Libraries(ctx context.Context) (libs []rag.Library, err error) {
	rows, err := s.read.QueryContext(ctx, selectLibrary+` ORDER BY name`)
	if err != nil {
		return nil, s.fail(err, "list libraries")
	}
	defer rows.Close()
	for rows.Next() {
		lib, err := scanLibrary(rows)
		if err != nil {
			return nil, s.fail(err, "list libraries")
		}
		libs = append(libs, lib)
	}
	return libs, s.fail(rows.Err(), "list libraries")
}

// Library returns the library of that name, or the fault kb_unknown {kb}.
func (s *Store) Library(ctx context.Context, name string) (rag.Library, error) {
	lib, err := scanLibrary(s.read.QueryRowContext(ctx, selectLibrary+` WHERE name = ?`, name))
	if errors.Is(err, sql.ErrNoRows) {
		return rag.Library{}, fault.New("kb_unknown", fault.P("kb", name))
	}
	return lib, s.fail(err, "read library %q", name)
}

// Revision returns the present revision of lib, or the fault kb_unknown {kb}.
func (s *Store) Revision(ctx context.Context, lib rag.Library) (int64, error) {
	var revision int64
	err := s.read.QueryRowContext(ctx, `SELECT revision FROM library WHERE id = ?`, lib.ID).Scan(&revision)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, fault.New("kb_unknown", fault.P("kb", lib.Name))
	}
	return revision, s.fail(err, "read revision of %q", lib.Name)
}

// CreateLibrary makes an empty library at revision 0. Faults: kb_name_invalid
// {kb} and kb_exists {kb}.
func (w *Writer) CreateLibrary(ctx context.Context, name string, set rag.Settings) (rag.Library, error) {
	if err := CheckName(name); err != nil {
		return rag.Library{}, err
	}
	if set.Dim < 0 {
		return rag.Library{}, fmt.Errorf("create library %q: dimension %d", name, set.Dim)
	}
	var lib rag.Library
	err := w.tx(ctx, fmt.Sprintf("create library %q", name), func(ctx context.Context, tx *sql.Tx) error {
		var taken int
		err := tx.QueryRowContext(ctx, `SELECT count(*) FROM library WHERE name = ?`, name).Scan(&taken)
		if err != nil {
			return err
		}
		if taken > 0 {
			return fault.New("kb_exists", fault.P("kb", name))
		}
		res, err := tx.ExecContext(ctx, `INSERT INTO library (name, revision, chunker, chunk_size,
			chunk_overlap, chunker_fingerprint, embedder, embedder_fingerprint, dim, text_fingerprint, words_hash)
			VALUES (?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, name, set.Chunker, set.ChunkSize, set.ChunkOverlap,
			set.ChunkerFingerprint, set.Embedder, set.EmbedderFingerprint, set.Dim, set.TextFingerprint, set.Words)
		if err != nil {
			return err
		}
		id, err := res.LastInsertId()
		lib = rag.Library{ID: id, Name: name, Settings: set}
		return err
	})
	if err != nil {
		return rag.Library{}, err
	}
	return lib, nil
}

// RemoveLibrary deletes a library with everything in it; the folder of its
// indexes is left to their owner. A library that is gone is the fault kb_unknown
// {kb}.
func (w *Writer) RemoveLibrary(ctx context.Context, lib rag.Library) error {
	return w.tx(ctx, fmt.Sprintf("remove library %q", lib.Name), func(ctx context.Context, tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, `DELETE FROM library WHERE id = ?`, lib.ID)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		if err == nil && n == 0 {
			return fault.New("kb_unknown", fault.P("kb", lib.Name))
		}
		return err
	})
}

// SetTextIndex records that lib's text index was built again with the given
// fingerprint; counts has every chunk of the library. The revision stays.
func (w *Writer) SetTextIndex(ctx context.Context, lib rag.Library, fingerprint string,
	counts map[rag.ChunkID]rag.TermCounts,
) (rag.Library, error) {
	what := fmt.Sprintf("record the text index of %q", lib.Name)
	var next rag.Library
	err := w.tx(ctx, what, func(ctx context.Context, tx *sql.Tx) error {
		now, err := sameRevision(ctx, tx, lib)
		if err != nil {
			return err
		}
		next, err = indexed(ctx, tx, now, fingerprint, counts)
		return err
	})
	if err != nil {
		return rag.Library{}, err
	}
	return next, nil
}

// indexed records that the text index of lib is another, and returns lib with it.
func indexed(ctx context.Context, tx *sql.Tx, lib rag.Library, fingerprint string, counts map[rag.ChunkID]rag.TermCounts) (rag.Library, error) {
	if lib.Chunks != len(counts) {
		return lib, fmt.Errorf("%d chunks counted of %d", len(counts), lib.Chunks)
	}
	var err error
	if lib.Terms, err = recount(ctx, tx, lib, counts); err != nil {
		return lib, err
	}
	lib.TextFingerprint = fingerprint
	_, err = tx.ExecContext(ctx, `UPDATE library SET text_fingerprint = ?, words = ?, bigrams = ?, singles = ?
		WHERE id = ?`, fingerprint, lib.Terms.Words, lib.Terms.Bigrams, lib.Terms.Chars, lib.ID)
	return lib, err
}

// recount sums counts by document, stores the sums and returns their total.
func recount(ctx context.Context, tx *sql.Tx, lib rag.Library, counts map[rag.ChunkID]rag.TermCounts) (rag.TermCounts, error) {
	sums := map[int64]rag.TermCounts{}
	var total rag.TermCounts
	err := each(ctx, tx, func(rows *sql.Rows) error {
		var id string
		var pk int64
		if err := rows.Scan(&id, &pk); err != nil {
			return err
		}
		n, ok := counts[rag.ChunkID(id)]
		if !ok {
			return fmt.Errorf("chunk %q is not counted", id)
		}
		sums[pk] = sums[pk].Plus(n)
		total = total.Plus(n)
		return nil
	}, `SELECT id, document FROM chunk WHERE library = ?`, lib.ID)
	if err != nil {
		return total, err
	}
	for pk, n := range sums {
		_, err := tx.ExecContext(ctx, `UPDATE document SET words = ?, bigrams = ?, singles = ? WHERE pk = ?`,
			n.Words, n.Bigrams, n.Chars, pk)
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

// sameRevision returns the library as it is stored, or an error naming both
// revisions when lib is not at its newest.
func sameRevision(ctx context.Context, tx *sql.Tx, lib rag.Library) (rag.Library, error) {
	now, err := libraryByID(ctx, tx, lib)
	if err != nil {
		return rag.Library{}, err
	}
	if now.Revision != lib.Revision {
		return rag.Library{}, fmt.Errorf("%w: at %d, written from %d", rag.ErrStale, now.Revision, lib.Revision)
	}
	return now, nil
}

// tx runs write in a transaction that is committed if write returns nil. The
// statements themselves are not interrupted; write looks at ctx between them.
func (w *Writer) tx(ctx context.Context, what string, write func(context.Context, *sql.Tx) error) error {
	if err := w.check(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	steady := context.WithoutCancel(ctx)
	tx, err := w.s.write.BeginTx(steady, nil)
	if err != nil {
		return w.s.fail(err, "%s", what)
	}
	if err = write(steady, tx); err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = tx.Commit()
	}
	return w.s.fail(rollback(tx, err), "%s", what)
}

// CheckName returns the fault kb_name_invalid {kb} for a name that cannot be a
// library's.
func CheckName(name string) error {
	bad := strings.TrimSpace(name) == "" || !utf8.ValidString(name) ||
		utf8.RuneCountInString(name) > maxNameLength || strings.ContainsAny(name, `/\`) ||
		strings.ContainsFunc(name, unicode.IsControl)
	if bad {
		return fault.New("kb_name_invalid", fault.P("kb", name))
	}
	return nil
}

// ReplaceLibrary puts lib in the place of old in one transaction: lib takes old's
// name, the bindings of datasets, which hold for its documents as they did for
// old's, and the files that were not read, and old is deleted with everything in it; the folder of its indexes is
// left to their owner. Both must be at the given revisions. Faults: kb_unknown
// {kb}; an old revision is an error that names both.
func (w *Writer) ReplaceLibrary(ctx context.Context, old, lib rag.Library) (rag.Library, error) {
	what := fmt.Sprintf("put library %q in the place of %q", lib.Name, old.Name)
	if old.ID == lib.ID {
		return rag.Library{}, fmt.Errorf("%s: they are one", what)
	}
	err := w.tx(ctx, what, func(ctx context.Context, tx *sql.Tx) error {
		for _, l := range []rag.Library{old, lib} {
			if _, err := sameRevision(ctx, tx, l); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, `UPDATE OR REPLACE binding SET library = ? WHERE library = ?`, lib.ID, old.ID)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE OR REPLACE unread SET library = ? WHERE library = ?`, lib.ID, old.ID); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM library WHERE id = ?`, old.ID); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE library SET name = ? WHERE id = ?`, old.Name, lib.ID)
		return err
	})
	if err != nil {
		return rag.Library{}, err
	}
	lib.Name = old.Name
	return lib, nil
}
