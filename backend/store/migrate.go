package store

import (
	"context"
	"database/sql"
	_ "embed" // the schema files
	"errors"
	"fmt"
	"strconv"

	"ragdesk/backend/fault"
)

//go:embed schema/001.sql
var schema001 string

//go:embed schema/002.sql
var schema002 string

//go:embed schema/003.sql
var schema003 string

//go:embed schema/004.sql
var schema004 string

//go:embed schema/005.sql
var schema005 string

//go:embed schema/006.sql
var schema006 string

// migrations returns the steps from an empty database to the newest schema; the
// step at index i leads from version i to version i+1. A released step is never
// edited: testdata holds what each version looked like.
func migrations() []string {
	return []string{schema001, schema002, schema003, schema004, schema005, schema006}
}

// walMode is SQLite's name for write-ahead logging, which lets readers read while
// the writer writes.
const walMode = "wal"

// errForeign means that the file is a database, but not one of ours.
var errForeign = errors.New("not a ragdesk database")

// querier is what schemaVersion needs of a connection pool or a transaction.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// schemaVersion reads the version of a database, 0 when it is empty.
func schemaVersion(ctx context.Context, q querier) (int, error) {
	var tables, ours int
	err := q.QueryRowContext(ctx, `SELECT count(*), count(CASE WHEN name = 'meta' THEN 1 END)
		FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`).Scan(&tables, &ours)
	switch {
	case err != nil:
		return 0, err
	case tables == 0:
		return 0, nil
	case ours == 0:
		return 0, errForeign
	}
	var text string
	err = q.QueryRowContext(ctx, `SELECT value FROM meta WHERE key = 'schema_version'`).Scan(&text)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", errForeign, err)
	}
	version, err := strconv.Atoi(text)
	if err != nil || version < 1 {
		return 0, fmt.Errorf("%w: schema version %q", errForeign, text)
	}
	return version, nil
}

// upgrade brings the database to the newest schema. It takes the writer's lock
// only if there is something to do.
func (s *Store) upgrade(ctx context.Context) (err error) {
	known := len(migrations())
	done, err := s.upToDate(ctx, known)
	if done || err != nil {
		return err
	}
	w, err := s.Lock(ctx, "migrate", migrateWait)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Unlock()) }()
	if done, err = s.upToDate(ctx, known); done || err != nil {
		return err // by the process that had the lock before
	}
	// A new file's pages are large, since most of it is vectors; a file that has
	// pages already keeps their size.
	if _, err := s.write.ExecContext(ctx, `PRAGMA page_size = 16384`); err != nil {
		return s.fail(err, "set up database of %s", s.dir)
	}
	var mode string
	if err := s.write.QueryRowContext(ctx, `PRAGMA journal_mode = WAL`).Scan(&mode); err != nil {
		return s.fail(err, "set up database of %s", s.dir)
	}
	if mode != walMode {
		return fault.Wrap(fmt.Errorf("journal mode %q", mode), "workspace_unwritable", fault.P("path", s.dir))
	}
	return s.fail(migrate(ctx, s.write, migrations()), "migrate workspace %s", s.dir)
}

// upToDate reports whether the database has the newest schema and a write-ahead
// log, which a restored copy lacks. One newer than known, or none of ours, is a
// fault.
func (s *Store) upToDate(ctx context.Context, known int) (bool, error) {
	version, err := schemaVersion(ctx, s.read)
	switch {
	case errors.Is(err, errForeign):
		return false, fault.Wrap(err, "workspace_damaged", fault.P("path", s.dir))
	case err != nil:
		return false, s.fail(err, "read schema version of %s", s.dir)
	case version > known:
		return false, fault.New("workspace_newer", fault.P("path", s.dir),
			fault.P("found", version), fault.P("known", known))
	}
	var mode string
	err = s.read.QueryRowContext(ctx, `PRAGMA journal_mode`).Scan(&mode)
	return version == known && mode == walMode, s.fail(err, "read journal mode of %s", s.dir)
}

// migrate runs the steps that db lacks, each in a transaction of its own that
// begins with reading the version, so that processes do not step on each other.
func migrate(ctx context.Context, db *sql.DB, steps []string) error {
	for {
		more, err := migrateOne(ctx, db, steps)
		if err != nil || !more {
			return err
		}
	}
}

// migrateOne runs the next step and reports whether there was one.
func migrateOne(ctx context.Context, db *sql.DB, steps []string) (more bool, err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer func() { err = rollback(tx, err) }()
	version, err := schemaVersion(ctx, tx)
	if err != nil || version >= len(steps) {
		return false, err
	}
	if _, err := tx.ExecContext(ctx, steps[version]); err != nil {
		return false, fmt.Errorf("step to version %d: %w", version+1, err)
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO meta (key, value) VALUES ('schema_version', ?)
		ON CONFLICT (key) DO UPDATE SET value = excluded.value`, strconv.Itoa(version+1))
	if err != nil {
		return false, fmt.Errorf("record version %d: %w", version+1, err)
	}
	return true, tx.Commit()
}

// rollback ends tx unless it has been committed, and returns err with what went
// wrong in doing so.
func rollback(tx *sql.Tx, err error) error {
	if end := tx.Rollback(); end != nil && !errors.Is(end, sql.ErrTxDone) {
		return errors.Join(err, end)
	}
	return err
}
