package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
	"ragdesk/backend/store"
)

// content is all that a database tells, without the numbers of libraries.
func content(t *testing.T, s *store.Store) string {
	t.Helper()
	ctx := t.Context()
	var b strings.Builder
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	libs, err := s.Libraries(ctx)
	must(err)
	for _, lib := range libs {
		docs, err := s.Documents(ctx, lib)
		must(err)
		aliases, err := s.Aliases(ctx, lib)
		must(err)
		words, err := s.Words(ctx, lib)
		must(err)
		tuned, err := s.Tuned(ctx, lib)
		must(err)
		vectors, err := s.Vectors(ctx, lib)
		must(err)
		bindings, err := s.Bindings(ctx, lib, "00")
		must(err)
		must(s.EachChunk(ctx, lib, func(c rag.ChunkRow) error {
			fmt.Fprintf(&b, "%+v\n", c)
			return nil
		}))
		for _, d := range docs {
			text, err := s.Text(ctx, lib, d.ID)
			must(err)
			fmt.Fprintf(&b, "%q\n", text)
		}
		lib.ID = 0
		fmt.Fprintf(&b, "%+v\n%+v\n%+v\n%+v\n%+v\n%+v\n%s\n", lib, docs, aliases, words, tuned, vectors, bindings)
	}
	sets, err := s.Datasets(ctx)
	must(err)
	for _, set := range sets {
		_, body, err := s.Dataset(ctx, set.Name, set.Version)
		must(err)
		fmt.Fprintf(&b, "%+v %s\n", set, body)
	}
	return b.String()
}

// other makes a workspace with every kind of row and returns its backup.
func other(t *testing.T, b store.Backup) (s *store.Store, backup string) {
	t.Helper()
	s = open(t, t.TempDir())
	store.FillSample(t, s)
	backup = filepath.Join(t.TempDir(), "copy.db")
	if err := s.Backup(t.Context(), backup, b); err != nil {
		t.Fatal(err)
	}
	return s, backup
}

// staged makes a folder to restore from: the backup and a part with a file.
func staged(t *testing.T, w *store.Writer, backup string) string {
	t.Helper()
	dir, err := stage(w, backup)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func stage(w *store.Writer, backup string) (string, error) {
	dir, err := w.Staging()
	if err != nil {
		return "", err
	}
	raw, err := os.ReadFile(backup)
	return dir, errors.Join(err, os.WriteFile(filepath.Join(dir, "ragdesk.db"), raw, 0o600), put(dir, "runs/new/run.json", "new"), put(dir, "labels/claims.jsonl", "b\nc\n"))
}

func put(dir, name, content string) error {
	path := filepath.Join(dir, name)
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o600))
}

// old fills a workspace that is going to be restored over.
func old(dir string) error {
	return errors.Join(put(dir, "runs/old/run.json", "old"), put(dir, "runs/new/run.json", "was here"), put(dir, "labels/claims.jsonl", "a\nb\n"))
}

func parts() []string { return []string{"labels", "runs"} }

func TestABackupIsOneStateWhileOthersWrite(t *testing.T) {
	t.Parallel()
	s, first := other(t, store.Backup{})
	w := lock(t, s) // whoever holds the lock is not waited for
	again := filepath.Join(t.TempDir(), "again.db")
	if err := s.Backup(t.Context(), again, store.Backup{}); err != nil {
		t.Fatal(err)
	}
	a, errA := os.ReadFile(first)
	b, errB := os.ReadFile(again)
	if err := errors.Join(errA, errB); err != nil || !bytes.Equal(a, b) {
		t.Errorf("two backups of one state differ (%d and %d bytes), %v", len(a), len(b), err)
	}
	if _, err := w.CreateLibrary(t.Context(), "later", settings()); err != nil {
		t.Fatal(err)
	}
	fresh := open(t, t.TempDir())
	fw := lock(t, fresh)
	if err := fw.Restore(t.Context(), store.Restore{Staging: staged(t, fw, first), Parts: parts()}); err != nil {
		t.Fatal(err)
	}
	check(t, fresh)
	if _, err := fresh.Library(t.Context(), "later"); !fault.Is(err, "kb_unknown") {
		t.Errorf("a later library is in it: %v", err)
	}
	if err := w.RemoveLibrary(t.Context(), libraryNamed(t, s, "later")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(content(t, s), content(t, fresh)); diff != "" {
		t.Errorf("restored into an empty workspace (-want +got):\n%s", diff)
	}
	if got := tree(t, fresh.Dir(), "runs", "labels"); got != "labels/claims.jsonl=b\nc\n runs/new/run.json=new " {
		t.Errorf("parts are %q", got)
	}
}

func libraryNamed(t *testing.T, s *store.Store, name string) rag.Library {
	t.Helper()
	lib, err := s.Library(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return lib
}

// tree lists the files below folders of dir with what is in them.
func tree(t *testing.T, dir string, folders ...string) string {
	t.Helper()
	var b strings.Builder
	for _, folder := range slices.Sorted(slices.Values(folders)) {
		err := filepath.WalkDir(filepath.Join(dir, folder), func(path string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			raw, err := os.ReadFile(path)
			rel, relErr := filepath.Rel(dir, path)
			fmt.Fprintf(&b, "%s=%s ", filepath.ToSlash(rel), raw)
			return errors.Join(err, relErr)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

func TestRestoreReplacesEverything(t *testing.T) {
	t.Parallel()
	from, backup := other(t, store.Backup{})
	s := open(t, t.TempDir())
	w := lock(t, s)
	was := library(t, s, w, "样本", record("a.txt", "会被替换的文档"))
	if err := old(s.Dir()); err != nil {
		t.Fatal(err)
	}
	if err := w.Restore(t.Context(), store.Restore{Staging: staged(t, w, backup), Parts: parts(), Since: time.Now().Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	check(t, s)
	if diff := cmp.Diff(content(t, from), content(t, s)); diff != "" {
		t.Errorf("restored (-want +got):\n%s", diff)
	}
	now := libraryNamed(t, s, "样本")
	if now.ID <= was.ID {
		t.Errorf("the library got id %d, which the folder of an index may have: there was %d", now.ID, was.ID)
	}
	if got := tree(t, s.Dir(), "runs", "labels"); got != "labels/claims.jsonl=b\nc\n runs/new/run.json=new " {
		t.Errorf("parts are %q", got)
	}
	if left, err := filepath.Glob(filepath.Join(s.Dir(), "*re*")); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestRestoreKeepsWhatWasWrittenMeanwhile replaces a folder in which another process wrote
// after it was copied.
func TestRestoreKeepsWhatWasWrittenMeanwhile(t *testing.T) {
	t.Parallel()
	_, backup := other(t, store.Backup{})
	s := open(t, t.TempDir())
	w := lock(t, s)
	if err := old(s.Dir()); err != nil {
		t.Fatal(err)
	}
	if err := w.Restore(t.Context(), store.Restore{Staging: staged(t, w, backup), Parts: parts(), Since: time.Now().Add(-time.Hour)}); err != nil {
		t.Fatal(err)
	}
	kept, err := filepath.Glob(filepath.Join(s.Dir(), "replaced-*", "runs", "old", "run.json"))
	if err != nil || len(kept) != 1 {
		t.Errorf("kept %v, %v", kept, err)
	}
}

func TestRestoreAdds(t *testing.T) {
	t.Parallel()
	_, backup := other(t, store.Backup{})
	s := open(t, t.TempDir())
	w := lock(t, s)
	library(t, s, w, "样本", record("a.txt", "留下的文档"))
	before := content(t, s)
	if err := old(s.Dir()); err != nil {
		t.Fatal(err)
	}
	err := w.Restore(t.Context(), store.Restore{
		Staging: staged(t, w, backup), Add: true, Parts: parts(),
		Libraries: map[string]string{"样本": "样本-2"}, Datasets: map[string]string{"题": ""},
	})
	if err != nil {
		t.Fatal(err)
	}
	check(t, s)
	if libs, err := s.Libraries(t.Context()); err != nil || len(libs) != 3 {
		t.Errorf("%d libraries, %v", len(libs), err)
	}
	if sets, err := s.Datasets(t.Context()); err != nil || len(sets) != 0 {
		t.Errorf("datasets %v, %v", sets, err)
	}
	if !strings.Contains(content(t, s), strings.TrimSpace(strings.Split(before, "\n")[0])) {
		t.Error("what there was is gone")
	}
	if got, want := tree(t, s.Dir(), "runs", "labels"), "labels/claims.jsonl=a\nb\nc\n runs/new/run.json=was here runs/old/run.json=old "; got != want {
		t.Errorf("parts are %q, want %q", got, want)
	}
	if _, err := s.Library(t.Context(), "样本-2"); err != nil {
		t.Error(err)
	}
}

func TestPathsOfABackup(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		backup  store.Backup
		outside string
	}{"with": {store.Backup{}, "/real/a.txt"}, "without": {store.Backup{NoPaths: true}, ""}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, t.TempDir())
			w := lock(t, s)
			real, err := filepath.EvalSymlinks(s.Dir())
			if err != nil {
				t.Fatal(err)
			}
			inside := record("b.txt", "在工作区里的文件")
			inside.RealPath = filepath.Join(real, "uploads", "b.txt")
			lib := library(t, s, w, "k", record("a.txt", "别处的文件"), inside)
			unread := rag.Change{Revision: lib.Revision}
			for _, place := range []string{"/real/bad.pdf", filepath.Join(real, "uploads", "bad.pdf")} {
				unread.PutUnread = append(unread.PutUnread, rag.Unread{
					Place: place, Source: filepath.Base(filepath.Dir(place)) + "/bad.pdf", Status: rag.StatusFailed, Code: "permission", Params: map[string]string{"path": place},
				})
			}
			if _, err := w.Apply(t.Context(), lib, unread); err != nil {
				t.Fatal(err)
			}
			library(t, s, w, ".reindex-1", record("c.txt", "不完整的索引"))
			c.backup.Without = []string{".reindex-1"}
			backup := filepath.Join(t.TempDir(), "copy.db")
			if err := s.Backup(t.Context(), backup, c.backup); err != nil {
				t.Fatal(err)
			}
			raw, err := os.ReadFile(backup)
			if err != nil {
				t.Fatal(err)
			}
			for _, gone := range []string{real, "不完整的索引"} {
				if bytes.Contains(raw, []byte(gone)) {
					t.Errorf("the backup still has %q", gone)
				}
			}
			if bytes.Contains(raw, []byte("/real/")) != (c.outside != "") {
				t.Error("paths of files are not as asked for")
			}
			to := open(t, t.TempDir())
			tw := lock(t, to)
			if err := tw.Restore(t.Context(), store.Restore{Staging: staged(t, tw, backup), Parts: parts()}); err != nil {
				t.Fatal(err)
			}
			docs, err := to.Documents(t.Context(), libraryNamed(t, to, "k"))
			if err != nil || len(docs) != 2 {
				t.Fatal(docs, err)
			}
			files, err := to.Unread(t.Context(), libraryNamed(t, to, "k"))
			if err != nil || len(files) == 0 || (len(files) == 2) != (c.outside != "") {
				t.Errorf("not read: %+v, %v", files, err)
			}
			if last := files[len(files)-1]; !strings.HasPrefix(last.Place, to.Dir()) || last.Params["path"] != last.Place {
				t.Errorf("not read, in the workspace: %+v", last)
			}
			here, err := filepath.EvalSymlinks(to.Dir())
			if err != nil || docs[0].RealPath != c.outside || docs[1].RealPath != filepath.Join(here, "uploads", "b.txt") {
				t.Errorf("paths %q and %q, %v", docs[0].RealPath, docs[1].RealPath, err)
			}
		})
	}
}

func TestForeignDatabasesAreRefused(t *testing.T) {
	t.Parallel()
	_, backup := other(t, store.Backup{})
	for name, query := range map[string]string{
		"a trigger":         `CREATE TRIGGER x AFTER INSERT ON document BEGIN DELETE FROM library; END`,
		"a table":           `CREATE TABLE more (x)`,
		"a later version":   `UPDATE meta SET value = '99' WHERE key = 'schema_version'`,
		"a chunk elsewhere": `UPDATE chunk SET byte_start = 1`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, t.TempDir())
			w := lock(t, s)
			library(t, s, w, "k", record("a.txt", "留下的文档"))
			before := content(t, s)
			dir := staged(t, w, backup)
			run(t, raw(t, dir), query)
			err := w.Restore(t.Context(), store.Restore{Staging: dir, Parts: parts()})
			if !fault.Is(err, "workspace_damaged") && !fault.Is(err, "workspace_newer") {
				t.Errorf("%v", err)
			}
			if diff := cmp.Diff(before, content(t, s)); diff != "" {
				t.Errorf("changed:\n%s", diff)
			}
			check(t, s)
		})
	}
}

// stepEnv names the step at which a restoring process ends itself, backupEnv what it restores.
const (
	stepEnv   = "RAGDESK_STORE_STEP"
	backupEnv = "RAGDESK_STORE_BACKUP"
)

func restoreRole(ctx context.Context, dir string) error {
	store.SetStep(func(name string) {
		if name == os.Getenv(stepEnv) {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
	})
	s, err := store.Open(ctx, dir)
	if err != nil {
		return err
	}
	w, err := s.Lock(ctx, "restore", 0)
	if err != nil {
		return err
	}
	staging, err := stage(w, os.Getenv(backupEnv))
	if err != nil {
		return err
	}
	return w.Restore(ctx, store.Restore{Staging: staging, Parts: parts(), Since: time.Now().Add(time.Hour)})
}

// TestAKilledRestoreIsWhole ends the restoring process at each step.
func TestAKilledRestoreIsWhole(t *testing.T) {
	t.Parallel()
	from, backup := other(t, store.Backup{})
	for name, done := range map[string]bool{
		"checked": false, "copied": false, "committed": true, "part labels": true, "part runs": true, "completed": true, "never": true,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s := open(t, dir)
			w := lock(t, s)
			library(t, s, w, "k", record("a.txt", "会被替换的文档"))
			if err := errors.Join(old(dir), w.Unlock()); err != nil {
				t.Fatal(err)
			}
			want, wantTree := content(t, s), tree(t, dir, "runs", "labels")
			if done {
				want, wantTree = content(t, from), "labels/claims.jsonl=b\nc\n runs/new/run.json=new "
			}
			p := start(t, "restore", dir, stepEnv+"="+name, backupEnv+"="+backup)
			err := p.Wait()
			if (err == nil) != (name == "never") {
				t.Fatalf("the process ended with %v: %s", err, p.err)
			}
			after := open(t, dir)
			check(t, after)
			if diff := cmp.Diff(want, content(t, after)); diff != "" {
				t.Errorf("after %s (-want +got):\n%s", name, diff)
			}
			if diff := cmp.Diff(wantTree, tree(t, dir, "runs", "labels")); diff != "" {
				t.Errorf("parts after %s (-want +got):\n%s", name, diff)
			}
			// Whatever is left is swept by the next.
			aw := lock(t, after)
			if err := aw.Restore(t.Context(), store.Restore{Staging: staged(t, aw, backup), Parts: parts(), Since: time.Now().Add(time.Hour)}); err != nil {
				t.Fatal(err)
			}
			if left, err := filepath.Glob(filepath.Join(dir, ".restore-*")); err != nil || len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}
