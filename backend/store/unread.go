package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"ragdesk/backend/rag"
)

// Unread returns the files that gave the library no document by source, then place.
func (s *Store) Unread(ctx context.Context, lib rag.Library) (files []rag.Unread, err error) {
	err = s.snapshot(ctx, lib, "list the files that were not read", func(tx *sql.Tx, _ rag.Library) error {
		return each(ctx, tx, func(rows *sql.Rows) error {
			u, err := scanUnread(rows)
			files = append(files, u)
			return err
		}, `SELECT place, source, status, code, params, warnings, tried FROM unread
			WHERE library = ? ORDER BY source, place`, lib.ID)
	})
	if err != nil {
		return nil, err
	}
	return files, nil
}

func scanUnread(row scanner) (u rag.Unread, err error) {
	var params, warnings []byte
	var tried int64
	if err := row.Scan(&u.Place, &u.Source, &u.Status, &u.Code, &params, &warnings, &tried); err != nil {
		return u, err
	}
	if err := json.Unmarshal(params, &u.Params); err != nil {
		return u, fmt.Errorf("parameters of %q: %w", u.Place, err)
	}
	if u.Warnings, err = decodeList[rag.Notice](warnings); err != nil {
		return u, fmt.Errorf("warnings of %q: %w", u.Place, err)
	}
	u.Tried = time.Unix(tried, 0).UTC()
	return u, nil
}

func (a *applier) unread(ctx context.Context, c rag.Change) error {
	for _, place := range c.ClearUnread {
		_, err := a.tx.ExecContext(ctx, `DELETE FROM unread WHERE library = ? AND place = ?`, a.lib.ID, place)
		if err != nil {
			return fmt.Errorf("forget that %q was not read: %w", place, err)
		}
	}
	for _, u := range c.PutUnread {
		if err := a.putUnread(ctx, u); err != nil {
			return fmt.Errorf("note that %q was not read: %w", u.Place, err)
		}
	}
	return nil
}

func (a *applier) putUnread(ctx context.Context, u rag.Unread) error {
	if u.Params == nil {
		u.Params = map[string]string{}
	}
	params, err := json.Marshal(u.Params)
	if err != nil {
		return err
	}
	warnings, err := encodeList(u.Warnings)
	if err != nil {
		return err
	}
	_, err = a.tx.ExecContext(ctx, `INSERT OR REPLACE INTO unread
		(library, place, source, status, code, params, warnings, tried) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		a.lib.ID, u.Place, u.Source, u.Status, u.Code, string(params), string(warnings), unixSeconds(u.Tried))
	return err
}
