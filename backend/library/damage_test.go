package library_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/fault"
	"ragdesk/backend/library"
	"ragdesk/backend/library/librarytest"
	"ragdesk/backend/rag"
)

func TestDamageIsMendedOnOpening(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(dir string) error{
		"folder gone":    os.RemoveAll,
		"folder empty":   func(dir string) error { return errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o755)) },
		"a file instead": func(dir string) error { return errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o600)) },
		"a segment gone": func(dir string) error { return onFirst(dir, "*.zap", os.Remove) },
		"a segment shorter": func(dir string) error {
			return onFirst(dir, "*.zap", func(f string) error { return os.Truncate(f, 100) })
		},
		"manifest no JSON": func(dir string) error {
			return onFirst(dir, "*.json", func(f string) error { return os.WriteFile(f, []byte("{"), 0o600) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			w := librarytest.Open(t, dir)
			lib := w.Create(t, "kb", librarytest.Settings())
			lib = w.Commit(t, lib, put(librarytest.Record("a.txt", "the tide turns", "bread and butter")))
			lib = w.Commit(t, lib, put(librarytest.Record("b.txt", "a tide table for the harbour")))
			want := search(t, open(t, w.Shelf, "kb"), "tide harbour")
			w.Shelf.Close()
			check(t, damage(filepath.Join(w.Store.IndexDir(lib.ID), fmt.Sprintf("text-%d", lib.Revision))))

			again := librarytest.Open(t, dir)
			for range 2 {
				snap := open(t, again.Shelf, "kb")
				if diff := cmp.Diff(want, search(t, snap, "tide harbour")); diff != "" || len(want) != 2 {
					t.Errorf("hits after damage (-before +after):\n%s", diff)
				}
				if snap.Library != lib {
					t.Errorf("library %+v, before %+v", snap.Library, lib)
				}
			}
			if n := again.Rebuilt.Load(); n != 1 {
				t.Errorf("rebuilt %d times, want once", n)
			}
			fresh := librarytest.Open(t, dir)
			open(t, fresh.Shelf, "kb")
			if n := fresh.Rebuilt.Load(); n != 0 {
				t.Errorf("the rebuilt index was rebuilt again")
			}
		})
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// onFirst does something to the first file in dir that matches.
func onFirst(dir, pattern string, do func(file string) error) error {
	found, err := filepath.Glob(filepath.Join(dir, pattern))
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("no %s in %s", pattern, dir)
	}
	if err != nil {
		return err
	}
	return do(found[0])
}

func TestADamagedBaseIsMendedByACommit(t *testing.T) {
	t.Parallel()
	w := librarytest.Open(t, t.TempDir())
	lib := w.Commit(t, w.Create(t, "kb", librarytest.Settings()), put(librarytest.Record("a.txt", "the tide turns")))
	check(t, os.RemoveAll(w.Store.IndexDir(lib.ID)))
	lib = w.Commit(t, lib, put(librarytest.Record("b.txt", "a tide table")))
	if found := search(t, open(t, w.Shelf, "kb"), "tide"); len(found) != 2 || lib.Chunks != 2 {
		t.Errorf("found %v in %d chunks", found, lib.Chunks)
	}
}

func TestAnotherFingerprintMeansARebuild(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := librarytest.Open(t, dir)
	lib := w.Commit(t, w.Create(t, "kb", librarytest.Settings()),
		put(librarytest.Record("a.txt", "the tide turns"), librarytest.Record("b.txt", "a tide table")))
	want := search(t, open(t, w.Shelf, "kb"), "tide")
	w.Shelf.Close()

	other := librarytest.OpenWith(t, dir, librarytest.Texts{Print: "other rules"})
	snap := open(t, other.Shelf, "kb")
	if diff := cmp.Diff(want, search(t, snap, "tide")); diff != "" {
		t.Errorf("hits after a rebuild (-before +after):\n%s", diff)
	}
	if snap.Library.TextFingerprint != "other rules" || snap.Library.Revision != lib.Revision || snap.Library.Terms != lib.Terms {
		t.Errorf("library after a rebuild: %+v, before %+v", snap.Library, lib)
	}
	open(t, librarytest.OpenWith(t, dir, librarytest.Texts{Print: "other rules"}).Shelf, "kb")
	if n := other.Rebuilt.Load(); n != 1 {
		t.Errorf("rebuilt %d times, want once", n)
	}
}

func TestManyWhoFindTheSameDamageMendItOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := librarytest.Open(t, dir)
	lib := w.Commit(t, w.Create(t, "kb", librarytest.Settings()), put(librarytest.Record("a.txt", "the tide turns")))
	w.Shelf.Close()
	check(t, os.RemoveAll(w.Store.IndexDir(lib.ID)))
	var group sync.WaitGroup
	shelves := []*librarytest.Workspace{librarytest.Open(t, dir), librarytest.Open(t, dir)}
	for i := range 8 {
		group.Go(func() {
			snap, err := shelves[i%2].Shelf.Open(t.Context(), "kb")
			if err != nil {
				t.Error(err)
				return
			}
			snap.Release()
		})
	}
	group.Wait()
	if n := shelves[0].Rebuilt.Load() + shelves[1].Rebuilt.Load(); n != 1 {
		t.Errorf("rebuilt %d times, want once", n)
	}
}

func TestARebuildThatCannotLockSaysWhoWrites(t *testing.T) {
	t.Parallel()
	w := librarytest.Open(t, t.TempDir())
	lib := w.Commit(t, w.Create(t, "kb", librarytest.Settings()), put(librarytest.Record("a.txt", "the tide turns")))
	check(t, os.RemoveAll(w.Store.IndexDir(lib.ID)))
	_, unlock := w.Lock(t)
	_, err := w.Shelf.Open(t.Context(), "kb")
	if f := fault.Of(err); !fault.Is(err, "workspace_locked") || f.Params["purpose"] != "test" || f.Params["pid"] != fmt.Sprint(os.Getpid()) {
		t.Errorf("%v, want workspace_locked by this process", err)
	}
	unlock()
	open(t, w.Shelf, "kb")
}

func TestACrashBeforeTheTransactionIsHarmless(t *testing.T) {
	t.Parallel()
	w := librarytest.Open(t, t.TempDir())
	lib := w.Commit(t, w.Create(t, "kb", librarytest.Settings()), put(librarytest.Record("a.txt", "the tide turns")))
	// What is left when the process dies between the two steps: the next revision's
	// index, whole, and half of another.
	next := filepath.Join(w.Store.IndexDir(lib.ID), "text-2")
	if err := (librarytest.Texts{}).Build(t.Context(), "", next, nil, []library.TextEntry{{ID: "ghost", Text: "the tide of a ghost"}}); err != nil {
		t.Fatal(err)
	}
	check(t, os.Mkdir(next+".building-123", 0o755))
	if found := search(t, open(t, w.Shelf, "kb"), "tide"); len(found) != 1 {
		t.Errorf("found %v", found)
	}
	lib = w.Commit(t, lib, put(librarytest.Record("b.txt", "a tide table")))
	snap := open(t, w.Shelf, "kb")
	if found := search(t, snap, "tide"); len(found) != 2 || slices.ContainsFunc(found, func(s rag.Scored) bool { return s.ID == "ghost" }) {
		t.Errorf("found %v at revision %d", found, lib.Revision)
	}
	if got := folders(t, w.Store.IndexDir(lib.ID)); !slices.Equal(got, []string{"text-1", "text-2"}) {
		t.Errorf("folders %v", got)
	}
}

func TestARefusedChangeLeavesNothing(t *testing.T) {
	t.Parallel()
	w := librarytest.Open(t, t.TempDir())
	lib := w.Commit(t, w.Create(t, "kb", librarytest.Settings()), put(librarytest.Record("a.txt", "the tide turns")))
	bad := librarytest.Record("b.txt", "a tide table")
	clear(bad.Vectors)
	wr, unlock := w.Lock(t)
	_, err := w.Shelf.Commit(t.Context(), wr, lib, put(librarytest.Record("c.txt", "high tide"), bad))
	unlock()
	if !fault.Is(err, "vector_invalid") {
		t.Errorf("%v, want vector_invalid", err)
	}
	if got := folders(t, w.Store.IndexDir(lib.ID)); !slices.Equal(got, []string{"text-1"}) {
		t.Errorf("folders %v", got)
	}
	snap := open(t, w.Shelf, "kb")
	if snap.Library != lib || len(search(t, snap, "tide")) != 1 {
		t.Errorf("library %+v, before %+v", snap.Library, lib)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wr, unlock = w.Lock(t)
	_, err = w.Shelf.Commit(ctx, wr, lib, put(librarytest.Record("c.txt", "high tide")))
	unlock()
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if got := folders(t, w.Store.IndexDir(lib.ID)); !slices.Equal(got, []string{"text-1"}) {
		t.Errorf("folders after cancellation: %v", got)
	}
}

func TestLeftoversAreSwept(t *testing.T) {
	t.Parallel()
	w := librarytest.Open(t, t.TempDir())
	lib := w.Create(t, "kb", librarytest.Settings())
	for r := range 4 {
		lib = w.Commit(t, lib, put(librarytest.Record(fmt.Sprintf("%d.txt", r), "the tide turns")))
	}
	dir := w.Store.IndexDir(lib.ID)
	check(t, os.Mkdir(filepath.Join(dir, "text-77"), 0o755))
	check(t, os.Mkdir(filepath.Join(dir, "text-5.building-9"), 0o755))
	check(t, os.WriteFile(filepath.Join(dir, "tokens.bin"), []byte("another's"), 0o600))
	w.Commit(t, lib, put(librarytest.Record("last.txt", "low tide")))
	if got := folders(t, dir); !slices.Equal(got, []string{"text-4", "text-5", "tokens.bin"}) {
		t.Errorf("after a sweep: %v", got)
	}
}
