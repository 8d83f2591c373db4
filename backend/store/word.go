package store

import (
	"context"
	"database/sql"
	"fmt"

	"ragdesk/backend/rag"
)

// Words returns the words that lib's text index is told of, in no order that means
// anything.
func (s *Store) Words(ctx context.Context, lib rag.Library) (words []rag.Word, err error) {
	err = s.snapshot(ctx, lib, "read the words", func(tx *sql.Tx, _ rag.Library) error {
		return each(ctx, tx, func(rows *sql.Rows) error {
			var w rag.Word
			err := rows.Scan(&w.Word, &w.Freq, &w.Stop)
			words = append(words, w)
			return err
		}, `SELECT word, freq, stop FROM word WHERE library = ? ORDER BY word`, lib.ID)
	})
	if err != nil {
		return nil, err
	}
	return words, nil
}

// SetWords puts words in the place of lib's own, and the text index that was built
// with them in the place of the present one, as the library's next revision. Faults:
// kb_unknown {kb}; disk_full {path}. A lib that is not at its newest revision is an
// error that names both.
func (w *Writer) SetWords(ctx context.Context, lib rag.Library, set rag.Wording) (rag.Library, error) {
	var next rag.Library
	err := w.tx(ctx, fmt.Sprintf("set the words of %q", lib.Name), func(ctx context.Context, tx *sql.Tx) error {
		now, err := sameRevision(ctx, tx, lib)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM word WHERE library = ?`, lib.ID); err != nil {
			return err
		}
		for _, word := range set.Words {
			_, err := tx.ExecContext(ctx, `INSERT INTO word (library, word, freq, stop) VALUES (?, ?, ?, ?)`,
				lib.ID, word.Word, word.Freq, word.Stop)
			if err != nil {
				return fmt.Errorf("word %q: %w", word.Word, err)
			}
		}
		if now, err = indexed(ctx, tx, now, set.TextFingerprint, set.Counts); err != nil {
			return err
		}
		now.Revision++
		now.Words = set.Hash
		next = now
		_, err = tx.ExecContext(ctx, `UPDATE library SET revision = ?, words_hash = ? WHERE id = ?`, now.Revision, now.Words, lib.ID)
		return err
	})
	if err != nil {
		return rag.Library{}, err
	}
	return next, nil
}

// CopyWords gives the library to the words of from. What its text index was built with
// is not looked at: to must be empty, or have been built with them.
func (w *Writer) CopyWords(ctx context.Context, from, to rag.Library) error {
	return w.tx(ctx, fmt.Sprintf("copy the words of %q", from.Name), func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO word (library, word, freq, stop)
			SELECT ?, word, freq, stop FROM word WHERE library = ?`, to.ID, from.ID)
		return err
	})
}
