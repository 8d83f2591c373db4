package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ragdesk/backend/fault"
)

const (
	// stagingMark begins the name of a folder with a backup that is being restored.
	stagingMark = ".restore-"
	// restoreKey is the row of meta that says which one; it is there from the transaction
	// that puts the database in place until the folders beside it are, too.
	restoreKey = "restore"
)

// Restore says what is put in place, of a folder made by Staging that has a database and
// folders beside it.
type Restore struct {
	// Staging is the folder.
	Staging string
	// Add keeps what there is and adds to it; otherwise everything is replaced.
	Add bool
	// Libraries and Datasets are other names for those of the backup, with Add. A dataset
	// with the name "" is not taken.
	Libraries, Datasets map[string]string
	// Parts are the folders of the workspace that the backup has something for. With Add,
	// files that are there stay; of files of lines, .jsonl, the lines that are missing are
	// added.
	Parts []string
	// Since is when the copy of what is replaced began. Of replaced folders that were
	// changed after it the workspace keeps the old ones, in "replaced-…".
	Since time.Time
}

// pending is a restore that is committed and not complete, as it is stored.
type pending struct {
	Folder string    `json:"folder"`
	Add    bool      `json:"add"`
	Parts  []string  `json:"parts"`
	Since  time.Time `json:"since"`
}

// step is called where a test ends the process; nil otherwise.
var step func(name string)

func at(name string) {
	if step != nil {
		step(name)
	}
}

// Staging makes an empty folder in the workspace for a backup that is to be restored, and
// deletes what broken off restores left. The fault is workspace_unwritable {path}.
func (w *Writer) Staging() (string, error) {
	if err := w.check(); err != nil {
		return "", err
	}
	old, err := filepath.Glob(filepath.Join(globQuote(w.s.dir), stagingMark+"*"))
	for _, dir := range old {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	var dir string
	if err == nil {
		dir, err = os.MkdirTemp(w.s.dir, stagingMark)
	}
	if err != nil {
		return "", fault.Wrap(err, "workspace_unwritable", fault.P("path", w.s.dir))
	}
	return dir, nil
}

// globQuote makes a path that Glob takes as it is.
func globQuote(path string) string {
	var b strings.Builder
	for _, r := range path {
		if strings.ContainsRune(`*?[\`, r) && filepath.Separator != r {
			b.WriteString("[" + string(r) + "]")
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Restore puts a backup in place. Its database is brought to the newest schema and checked
// first. One transaction is the moment at which the workspace becomes the other one: until
// then nothing is changed, and whatever breaks off afterwards is completed here, or by the
// next Open. Libraries get ids that were never used, so that no index of an old one is taken
// for theirs.
//
// Faults: workspace_newer, workspace_damaged {path} of the backup, disk_full {path}.
func (w *Writer) Restore(ctx context.Context, r Restore) error {
	if err := w.check(); err != nil {
		return err
	}
	if err := checkCopy(ctx, r.Staging); err != nil {
		return err
	}
	at("checked")
	for _, part := range r.Parts { // so that a part without files is replaced too
		if err := os.MkdirAll(filepath.Join(r.Staging, part), 0o755); err != nil {
			return fault.Wrap(err, "workspace_unwritable", fault.P("path", w.s.dir))
		}
	}
	p := pending{filepath.Base(r.Staging), r.Add, r.Parts, r.Since.UTC()}
	if err := w.take(ctx, r, p); err != nil {
		return w.s.fail(err, "restore workspace %s", w.s.dir)
	}
	at("committed")
	return w.complete(context.WithoutCancel(ctx), p)
}

// checkCopy brings the database of a backup to the newest schema and reads all of it.
func checkCopy(ctx context.Context, dir string) error {
	s, err := Open(ctx, dir)
	if err != nil {
		return err
	}
	return errors.Join(s.Check(ctx), s.Close())
}

// take copies the database of the backup in one transaction.
func (w *Writer) take(ctx context.Context, r Restore, p pending) (err error) {
	note, err := json.Marshal(p)
	if err != nil {
		return err
	}
	conn, err := w.s.write.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	_, err = conn.ExecContext(ctx, `ATTACH DATABASE ? AS kept`, filepath.Join(r.Staging, databaseName))
	if err != nil {
		return err
	}
	steady := context.WithoutCancel(ctx)
	defer func() {
		_, end := conn.ExecContext(steady, `DETACH DATABASE kept`)
		err = errors.Join(err, end)
	}()
	tx, err := conn.BeginTx(steady, nil)
	if err != nil {
		return err
	}
	defer func() { err = rollback(tx, err) }()
	if err := w.copyTables(ctx, tx, r); err != nil {
		return err
	}
	if _, err := tx.ExecContext(steady, `INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)`, restoreKey, string(note)); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	at("copied")
	return tx.Commit()
}

// resume completes a restore that the end of a process broke off.
func (s *Store) resume(ctx context.Context) (err error) {
	p, err := s.pending(ctx)
	if err != nil || p == nil {
		return err
	}
	w, err := s.Lock(ctx, "restore", migrateWait)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Unlock()) }()
	if p, err = s.pending(ctx); err != nil || p == nil {
		return err // whoever had the lock before has done it
	}
	return w.complete(ctx, *p)
}

func (s *Store) pending(ctx context.Context) (*pending, error) {
	var raw string
	err := s.read.QueryRowContext(ctx, `SELECT value FROM meta WHERE key = ?`, restoreKey).Scan(&raw)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil //nolint:nilnil // there is none, as in most workspaces
	}
	if err != nil {
		return nil, s.fail(err, "look for a restore of %s", s.dir)
	}
	var p pending
	if err := json.Unmarshal([]byte(raw), &p); err != nil || !strings.HasPrefix(p.Folder, stagingMark) || filepath.Base(p.Folder) != p.Folder {
		return nil, fault.Wrap(fmt.Errorf("restore %q: %w", raw, err), "workspace_damaged", fault.P("path", s.dir))
	}
	return &p, nil
}

// complete puts the folders of a committed restore in place. It can be broken off and begun
// again at any point.
func (w *Writer) complete(ctx context.Context, p pending) error {
	staging := w.s.path(p.Folder)
	var err error
	for _, part := range p.Parts {
		if p.Add {
			err = mergeInto(filepath.Join(staging, part), w.s.path(part))
		} else {
			err = swap(filepath.Join(staging, part), w.s.path(part), filepath.Join(staging, "old", part))
		}
		if err != nil {
			return fault.Wrap(err, "workspace_unwritable", fault.P("path", w.s.dir))
		}
		at("part " + part)
	}
	if err := w.keepLate(staging, p); err != nil {
		return fault.Wrap(err, "workspace_unwritable", fault.P("path", w.s.dir))
	}
	if _, err := w.s.write.ExecContext(ctx, `DELETE FROM meta WHERE key = ?`, restoreKey); err != nil {
		return w.s.fail(err, "complete the restore of %s", w.s.dir)
	}
	at("completed")
	// What cannot be deleted now is by the next restore.
	_ = os.RemoveAll(staging)
	return nil
}

// swap puts a folder in the place of another, which is moved to old.
func swap(from, to, old string) error {
	if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
		return nil // it is in place
	}
	if err := os.MkdirAll(filepath.Dir(old), 0o755); err != nil {
		return err
	}
	for n := 0; ; n++ { // somebody may have made the folder again meanwhile
		target := old
		if n > 0 {
			target = fmt.Sprintf("%s-%d", old, n)
		}
		if _, err := os.Stat(target); err == nil {
			continue
		}
		if err := os.Rename(to, target); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return os.Rename(from, to)
	}
}

// keepLate keeps replaced folders in which something was written after they were copied.
func (w *Writer) keepLate(staging string, p pending) error {
	old := filepath.Join(staging, "old")
	late := false
	err := filepath.WalkDir(old, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		late = late || err == nil && info.ModTime().After(p.Since)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) || err == nil && !late {
		return nil
	}
	if err != nil {
		return err
	}
	return os.Rename(old, w.s.path("replaced-"+strings.TrimPrefix(p.Folder, stagingMark)))
}
