package store_test

import (
	"bytes"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	sqlite3 "github.com/mattn/go-sqlite3"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
	"ragdesk/backend/store"
)

// raw opens a workspace's database without the store.
func raw(t *testing.T, dir string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite3", filepath.Join(dir, "ragdesk.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func run(t *testing.T, db *sql.DB, query string, args ...any) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

func TestOpenInOddPlaces(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"plain", "not/yet/there", "空 格 %20 ?mode=memory&x=1 #frag", "a;b'c\"d", "100%"} {
		dir := filepath.Join(t.TempDir(), filepath.FromSlash(name))
		s := open(t, dir)
		library(t, s, lock(t, s), "kb", record("a.txt", "在这里"))
		if s.Dir() != dir {
			t.Errorf("dir %q, want %q", s.Dir(), dir)
		}
		if info, err := os.Stat(filepath.Join(dir, "ragdesk.db")); err != nil || info.Size() == 0 {
			t.Errorf("%q: database %v, error %v", name, info, err)
		}
		again := open(t, dir)
		if lib, err := again.Library(t.Context(), "kb"); err != nil || lib.Documents != 1 {
			t.Errorf("%q: library %+v, error %v", name, lib, err)
		}
	}
}

func TestOpenRelative(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	s := open(t, "ws")
	t.Chdir(t.TempDir())
	library(t, s, lock(t, s), "kb")
	if _, err := open(t, filepath.Join(dir, "ws")).Library(t.Context(), "kb"); err != nil {
		t.Error(err)
	}
}

// TestOpenNeedsNoLock opens a workspace and reads it while another writes, in the
// midst of a transaction even.
func TestOpenNeedsNoLock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	library(t, s, lock(t, s), "kb", record("a.txt", "甲"))
	db := raw(t, dir)
	db.SetMaxOpenConns(1)
	run(t, db, `BEGIN IMMEDIATE`)
	run(t, db, `DELETE FROM library`)
	lib, err := open(t, dir).Library(t.Context(), "kb")
	if err != nil || lib.Chunks != 1 {
		t.Errorf("library %+v, error %v", lib, err)
	}
	run(t, db, `ROLLBACK`)
}

func TestOpenAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			s, err := store.Open(t.Context(), dir)
			if err != nil {
				t.Error(err)
				return
			}
			if err := errors.Join(s.Check(t.Context()), s.Close()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestOpenNewerWorkspace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	open(t, dir)
	run(t, raw(t, dir), `UPDATE meta SET value = '9' WHERE key = 'schema_version'`)
	_, err := store.Open(t.Context(), dir)
	wantFault(t, err, "workspace_newer", fault.P("path", dir), fault.P("found", 9), fault.P("known", 6))
}

func TestOpenDamagedWorkspace(t *testing.T) {
	t.Parallel()
	// A sound database of several hundred pages, all of it in one file.
	sound := t.TempDir()
	s, err := store.Open(t.Context(), sound)
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.Lock(t.Context(), "test", 0)
	if err != nil {
		t.Fatal(err)
	}
	library(t, s, w, "kb", record("a.txt", strings.Repeat("损坏的文件。", 20000)))
	if err := errors.Join(w.Unlock(), s.Close()); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(filepath.Join(sound, "ragdesk.db"))
	if err != nil {
		t.Fatal(err)
	}
	spoilt := func(at, n int) []byte {
		b := bytes.Clone(file)
		for i := at; i < at+n; i++ {
			b[i] ^= 0xa5
		}
		return b
	}
	for _, c := range []struct {
		name   string
		bytes  []byte
		opens  bool // then Check finds it
		detail string
	}{
		{"text file", []byte(strings.Repeat("this is no database\n", 500)), false, "not a database"},
		{"spoilt header", spoilt(0, 16), false, "not a database"},
		{"spoilt schema", spoilt(100, 300), false, "malformed"},
		{"other database", otherDatabase(t), false, "not a ragdesk database"},
		{"other database with a table meta", otherDatabase(t, `CREATE TABLE meta (a)`), false, "not a ragdesk database"},
		{"cut off", file[:len(file)/2], true, ""},
		{"spoilt middle", spoilt(len(file)/2, 20000), true, ""},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "ragdesk.db"), c.bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := store.Open(t.Context(), dir)
		if err == nil {
			if !c.opens {
				t.Errorf("%s: opened", c.name)
			}
			err = errors.Join(s.Check(t.Context()), s.Close())
		}
		t.Log(c.name, err)
		wantFault(t, err, "workspace_damaged", fault.P("path", dir))
		if err == nil || !strings.Contains(err.Error(), c.detail) {
			t.Errorf("%s: error %v, want one that says %q", c.name, err, c.detail)
		}
		if left, err := os.ReadFile(filepath.Join(dir, "ragdesk.db")); err != nil || !bytes.Equal(left, c.bytes) {
			t.Errorf("%s: the file was changed, error %v", c.name, err)
		}
	}
}

// otherDatabase returns a database file that some other program made.
func otherDatabase(t *testing.T, queries ...string) []byte {
	t.Helper()
	dir := t.TempDir()
	db := raw(t, dir)
	for _, q := range append([]string{`CREATE TABLE theirs (x)`}, queries...) {
		run(t, db, q)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, "ragdesk.db"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestOpenUnwritablePlace(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for dir, code := range map[string]string{file: "workspace_is_file", filepath.Join(file, "below"): "workspace_unwritable"} {
		_, err := store.Open(t.Context(), dir)
		wantFault(t, err, code, fault.P("path", dir))
	}
	occupied := t.TempDir()
	if err := os.Mkdir(filepath.Join(occupied, "ragdesk.db"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := store.Open(t.Context(), occupied)
	wantFault(t, err, "workspace_unwritable", fault.P("path", occupied))

	if os.Getuid() == 0 {
		t.Skip("the rest needs a user whom permissions bind")
	}
	locked := t.TempDir()
	if err := os.Chmod(locked, 0o500); err != nil {
		t.Fatal(err)
	}
	_, err = store.Open(t.Context(), locked)
	wantFault(t, err, "workspace_unwritable", fault.P("path", locked))
	if !errors.Is(err, fs.ErrPermission) {
		t.Errorf("error %v does not tell its cause", err)
	}
}

// TestFullDisk gives the database a limit of pages, which SQLite reports as a
// full disk does.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	w := lock(t, s)
	lib := library(t, s, w, "kb", record("a.txt", "甲"))
	store.LimitPages(t, s, 25)
	_, err := w.Apply(t.Context(), lib, rag.Change{Revision: 2, Put: []rag.DocumentRecord{record("b.txt", strings.Repeat("满。", 50000))}})
	wantFault(t, err, "disk_full", fault.P("path", dir))
	var cause sqlite3.Error
	if !errors.As(err, &cause) || cause.Code != sqlite3.ErrFull {
		t.Errorf("error %v does not tell its cause", err)
	}
	if now, err := s.Library(t.Context(), "kb"); err != nil || now != lib {
		t.Errorf("the library is now %+v, error %v", now, err)
	}
	check(t, s)
}

// TestRestoredCopy opens what SQLite's own backup leaves: a file without a log.
func TestRestoredCopy(t *testing.T) {
	t.Parallel()
	dir, copied := t.TempDir(), t.TempDir()
	s := open(t, dir)
	library(t, s, lock(t, s), "kb", record("a.txt", "甲"))
	run(t, raw(t, dir), `VACUUM INTO ?`, filepath.Join(copied, "ragdesk.db"))
	again := open(t, copied)
	check(t, again)
	var mode string
	if err := raw(t, copied).QueryRowContext(t.Context(), `PRAGMA journal_mode`).Scan(&mode); err != nil || mode != "wal" {
		t.Errorf("journal mode %q, error %v", mode, err)
	}
}

// TestEveryConnectionIsSafe looks at what the pools' connections were opened with.
func TestEveryConnectionIsSafe(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	for name, db := range store.Pools(s) {
		conn, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		var n int // reading is when a connection notices the log
		if err := conn.QueryRowContext(t.Context(), `SELECT count(*) FROM library`).Scan(&n); err != nil {
			t.Error(err)
		}
		for pragma, want := range map[string]string{
			"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "5000",
			"query_only": map[string]string{"read": "1", "write": "0"}[name],
		} {
			var got string
			if err := conn.QueryRowContext(t.Context(), `PRAGMA `+pragma).Scan(&got); err != nil || got != want {
				t.Errorf("%s: %s is %q, error %v, want %q", name, pragma, got, err, want)
			}
		}
	}
	_, err := store.Pools(s)["read"].ExecContext(t.Context(), `DELETE FROM library`)
	if err == nil {
		t.Error("the read pool writes")
	}
}
