package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"ragdesk/backend/rag"
)

// SetTuned keeps what was tuned for lib, in place of what was kept before. A
// library that is gone is the fault kb_unknown {kb}.
func (w *Writer) SetTuned(ctx context.Context, lib rag.Library, tuned rag.Tuned) error {
	body, err := json.Marshal(tuned)
	if err != nil {
		return fmt.Errorf("write what was tuned for %q: %w", lib.Name, err)
	}
	return w.tx(ctx, fmt.Sprintf("keep what was tuned for %q", lib.Name), func(ctx context.Context, tx *sql.Tx) error {
		if _, err := libraryByID(ctx, tx, lib); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO tuned (library, body) VALUES (?, ?)
			ON CONFLICT (library) DO UPDATE SET body = excluded.body`, lib.ID, string(body))
		return err
	})
}

// ForgetTuned drops what was tuned for lib, if anything was. A library that is gone
// is the fault kb_unknown {kb}.
func (w *Writer) ForgetTuned(ctx context.Context, lib rag.Library) error {
	return w.tx(ctx, fmt.Sprintf("forget what was tuned for %q", lib.Name), func(ctx context.Context, tx *sql.Tx) error {
		if _, err := libraryByID(ctx, tx, lib); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM tuned WHERE library = ?`, lib.ID)
		return err
	})
}

// Tuned returns what SetTuned kept, or nil. A library that is gone is the fault
// kb_unknown {kb}.
func (s *Store) Tuned(ctx context.Context, lib rag.Library) (tuned *rag.Tuned, err error) {
	err = s.snapshot(ctx, lib, "read what was tuned", func(tx *sql.Tx, _ rag.Library) error {
		var body string
		err := tx.QueryRowContext(ctx, `SELECT body FROM tuned WHERE library = ?`, lib.ID).Scan(&body)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		return json.Unmarshal([]byte(body), &tuned)
	})
	if err != nil {
		return nil, err
	}
	return tuned, nil
}
