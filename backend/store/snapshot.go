package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// snapshot runs read in a transaction that sees one state of the database. The
// library it gets is that of the same state; a library that is gone is the fault
// kb_unknown. Errors are wrapped with what, which says what was read.
func (s *Store) snapshot(ctx context.Context, lib rag.Library, what string,
	read func(tx *sql.Tx, now rag.Library) error,
) (err error) {
	tx, err := s.read.BeginTx(ctx, nil)
	if err != nil {
		return s.fail(err, "%s of %q", what, lib.Name)
	}
	defer func() {
		if err = rollback(tx, err); err != nil && ctx.Err() != nil {
			err = ctx.Err() // the driver may have said something else
		}
		err = s.fail(err, "%s of %q", what, lib.Name)
	}()
	now, err := libraryByID(ctx, tx, lib)
	if err != nil {
		return err
	}
	return read(tx, now)
}

// libraryByID reads the present state of lib.
func libraryByID(ctx context.Context, q querier, lib rag.Library) (rag.Library, error) {
	now, err := scanLibrary(q.QueryRowContext(ctx, selectLibrary+` WHERE id = ?`, lib.ID))
	if errors.Is(err, sql.ErrNoRows) {
		return rag.Library{}, fault.New("kb_unknown", fault.P("kb", lib.Name))
	}
	return now, err
}

// each calls visit for every row of a query.
func each(ctx context.Context, tx *sql.Tx, visit func(*sql.Rows) error, query string, args ...any) error {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := visit(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// docPK returns the row of a document, or the fault document_unknown {ref}.
func docPK(ctx context.Context, q querier, lib rag.Library, id rag.DocumentID) (int64, error) {
	var pk int64
	err := q.QueryRowContext(ctx, `SELECT pk FROM document WHERE library = ? AND id = ?`, lib.ID, string(id)).Scan(&pk)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, fault.New("document_unknown", fault.P("ref", id))
	}
	if err != nil {
		return 0, fmt.Errorf("find document %q: %w", id, err)
	}
	return pk, nil
}
