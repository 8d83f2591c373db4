package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"ragdesk/backend/fault"
)

// InWorkspace begins the path of a file that lies in the workspace itself, in a backup:
// the workspace may be elsewhere when it is restored.
const InWorkspace = "$WORKSPACE/"

// Backup says what of the database goes into a copy.
type Backup struct {
	// NoPaths leaves out where the documents' files lie, those in the workspace apart.
	// Reading the same files again then makes aliases of them, or further documents.
	NoPaths bool
	// Without names libraries that are left out.
	Without []string
}

// Backup writes one state of the database to a new file, which is compact and needs no log
// beside it; equal contents give equal bytes. It takes no lock: whoever writes meanwhile is
// neither waited for nor seen in part. Faults: disk_full {path} and those of reading.
func (s *Store) Backup(ctx context.Context, path string, b Backup) (err error) {
	what := "back up workspace " + s.dir
	if path, err = filepath.Abs(path); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	// A connection of its own: those for reading refuse what writes anywhere.
	db, err := sql.Open("sqlite3", s.dsn("mode=rw"))
	if err != nil {
		return s.fail(err, "%s", what)
	}
	_, err = db.ExecContext(ctx, `VACUUM INTO ?`, path)
	if err = errors.Join(err, db.Close()); err != nil {
		return backupFault(s.fail(err, "%s", what), path)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	copied := &Store{dir: s.dir}
	db, err = sql.Open("sqlite3", fileDSN(path)+"&mode=rw")
	if err != nil {
		return copied.fail(err, "%s", what)
	}
	db.SetMaxOpenConns(1)
	err = s.strip(ctx, db, b)
	return backupFault(copied.fail(errors.Join(err, db.Close()), "%s", what), path)
}

// backupFault names the disk that is full, which is that of the copy.
func backupFault(err error, path string) error {
	if fault.Is(err, "disk_full") {
		return fault.Wrap(err, "disk_full", fault.P("path", path))
	}
	return err
}

// strip takes out of a copy what does not belong into it.
func (s *Store) strip(ctx context.Context, db *sql.DB, b Backup) error {
	real, err := filepath.EvalSymlinks(s.dir)
	if err != nil {
		return err
	}
	own := real + string(filepath.Separator)
	changed := int64(0)
	change := func(query string, args ...any) error {
		r, err := db.ExecContext(ctx, query, args...)
		if err != nil {
			return err
		}
		n, err := r.RowsAffected()
		changed += n
		return err
	}
	for _, name := range b.Without {
		if err := change(`DELETE FROM library WHERE name = ?`, name); err != nil {
			return err
		}
	}
	for _, table := range []string{"document", "alias"} {
		err := change(`UPDATE `+table+` SET real_path = ? || substr(real_path, ?) WHERE substr(real_path, 1, ?) = ?`,
			InWorkspace, runes(own)+1, runes(own), own)
		if err == nil && b.NoPaths {
			err = change(`UPDATE `+table+` SET real_path = '' WHERE real_path <> '' AND substr(real_path, 1, ?) <> ?`, runes(InWorkspace), InWorkspace)
		}
		if err != nil {
			return err
		}
	}
	// What was not read is known by its place, and its error may name it.
	err = change(`UPDATE unread SET place = ? || substr(place, ?), params = replace(params, ?, ?) WHERE substr(place, 1, ?) = ?`,
		InWorkspace, runes(own)+1, own, InWorkspace, runes(own), own)
	if err == nil && b.NoPaths {
		err = change(`DELETE FROM unread WHERE substr(place, 1, ?) <> ?`, runes(InWorkspace), InWorkspace)
	}
	if err != nil {
		return err
	}
	if changed == 0 {
		return nil
	}
	// What was overwritten is still in the file until it is written anew.
	if _, err := db.ExecContext(ctx, `VACUUM`); err != nil {
		return fmt.Errorf("compact the copy: %w", err)
	}
	return nil
}

func runes(s string) int { return len([]rune(s)) }
