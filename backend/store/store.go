// Package store keeps a workspace on disk: one folder that holds
//
//	ragdesk.db   the truth: libraries, documents, texts, chunks and vectors (SQLite)
//	lock         taken by the one writer; says who that is
//	index/       derived indexes, one folder a library; other packages own their content
//	.restore-*   a backup that is being put in place; see Writer.Restore
//
// Invariants:
//   - A document becomes visible, changes or disappears in one transaction,
//     together with its chunks, its vectors and its library's totals.
//   - What was reported as done survives the end of the process at any point
//     (write-ahead log, synchronous=FULL).
//   - One process writes, the holder of the lock. Readers take no lock and wait
//     for nobody; each read sees one state of the database.
//   - Nothing is silently short: a read of a library that is gone is an error.
//
// An example, without its error handling:
//
//	s, _ := store.Open(ctx, dir)
//	defer s.Close()
//	w, _ := s.Lock(ctx, "ingest", 5*time.Second)
//	defer w.Unlock()
//	lib, _ := w.CreateLibrary(ctx, "notes", store.Settings{Chunker: "tokens", Dim: 512})
//	lib, _ = w.Apply(ctx, lib, store.Change{Revision: lib.Revision + 1, Put: records})
//	block, _ := s.Vectors(ctx, lib)
//
// A Store is safe for concurrent use; a Writer is for one goroutine.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"ragdesk/backend/fault"
)

const (
	databaseName = "ragdesk.db"
	lockName     = "lock"
	indexName    = "index"
)

// busyTimeout bounds how long a statement waits for another connection, such as
// one that recovers the log of a killed process.
const busyTimeout = 5 * time.Second

// migrateWait is how long Open waits for another process that creates or migrates
// the same workspace.
const migrateWait = 30 * time.Second

// Store is an open workspace.
type Store struct {
	dir string
	// read is a pool of connections that cannot write.
	read *sql.DB
	// write has one connection, opened by the first Writer.
	write *sql.DB
	// turn is full while a Writer of this Store exists.
	turn chan struct{}
}

// Open opens the workspace in dir, creating the folder and the database when
// they are missing, migrating an older schema, and completing a restore that the end of a
// process broke off. With nothing of that to do it
// takes no lock, and is quick: only Check looks at the whole database.
//
// Faults: workspace_newer {path, found, known}, workspace_damaged {path},
// workspace_unwritable {path}, workspace_is_file {path}, and workspace_locked when another process keeps
// an old workspace from being migrated.
func Open(ctx context.Context, dir string) (*Store, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open workspace %s: %w", dir, err)
	}
	s := &Store{dir: abs, turn: make(chan struct{}, 1)}
	if err := s.create(); err != nil {
		return nil, err
	}
	if s.read, err = sql.Open("sqlite3", s.dsn("mode=rw&_query_only=1")); err != nil {
		return nil, fmt.Errorf("open workspace %s: %w", abs, err)
	}
	s.read.SetMaxIdleConns(4)
	if s.write, err = sql.Open("sqlite3", s.dsn("mode=rwc&_txlock=immediate")); err != nil {
		return nil, errors.Join(fmt.Errorf("open workspace %s: %w", abs, err), s.read.Close())
	}
	s.write.SetMaxOpenConns(1)
	err = s.upgrade(ctx)
	if err == nil {
		err = s.resume(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// create makes the folders and an empty database file where none is.
func (s *Store) create() error {
	path := s.path(databaseName)
	if info, err := os.Stat(s.dir); err == nil && !info.IsDir() {
		return fault.New("workspace_is_file", fault.P("path", s.dir))
	}
	if _, err := os.Stat(path); err == nil {
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fault.Wrap(err, "workspace_unwritable", fault.P("path", s.dir))
	}
	err := os.MkdirAll(s.path(indexName), 0o700)
	if err == nil {
		var f *os.File
		if f, err = os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600); err == nil {
			err = f.Close()
		}
	}
	if err != nil {
		return fault.Wrap(err, "workspace_unwritable", fault.P("path", s.dir))
	}
	return nil
}

// dsn names the database to the driver, with what holds for every connection.
func (s *Store) dsn(params string) string { return fileDSN(s.path(databaseName)) + "&" + params }

func fileDSN(path string) string {
	path = filepath.ToSlash(path)
	if path[0] != '/' { // a drive letter
		path = "/" + path
	}
	u := url.URL{Scheme: "file", Path: path}
	return u.String() + "?_foreign_keys=1&_synchronous=FULL&_busy_timeout=" +
		strconv.FormatInt(busyTimeout.Milliseconds(), 10)
}

// Close releases the workspace. Writers must have been unlocked.
func (s *Store) Close() error {
	if err := errors.Join(s.read.Close(), s.write.Close()); err != nil {
		return fmt.Errorf("close workspace %s: %w", s.dir, err)
	}
	return nil
}

// Dir returns the workspace's folder as an absolute path.
func (s *Store) Dir() string { return s.dir }

// IndexDir returns the folder for the derived indexes of a library; it need not
// exist. Ids of libraries are never used again.
func (s *Store) IndexDir(libID int64) string {
	return filepath.Join(s.dir, indexName, strconv.FormatInt(libID, 10))
}

func (s *Store) path(name string) string { return filepath.Join(s.dir, name) }
