package library_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"ragdesk/backend/fault"
	"ragdesk/backend/library"
	"ragdesk/backend/library/librarytest"
	"ragdesk/backend/rag"
)

// put is a change that adds documents.
func put(records ...rag.DocumentRecord) rag.Change { return rag.Change{Put: records} }

func open(t *testing.T, s *library.Shelf, name string) *library.Snapshot {
	t.Helper()
	snap, err := s.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(snap.Release)
	return snap
}

func search(t *testing.T, snap *library.Snapshot, query string) []rag.Scored {
	t.Helper()
	found, err := snap.Text.Search(t.Context(), query, 100)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// folders lists what lies in a library's folder.
func folders(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestCommitMakesARevision(t *testing.T) {
	t.Parallel()
	w := librarytest.Open(t, t.TempDir())
	lib := w.Create(t, "kb", librarytest.Settings())
	if snap := open(t, w.Shelf, "kb"); snap.Text.Count() != 0 || len(search(t, snap, "tide")) != 0 {
		t.Error("an empty library finds something")
	}
	a, b := librarytest.Record("a.txt", "the tide turns", "bread and butter"), librarytest.Record("b.txt", "a tide table")
	lib = w.Commit(t, lib, put(a, b))
	if lib.Revision != 1 || lib.Documents != 2 || lib.Chunks != 3 {
		t.Errorf("library after the first commit: %+v", lib)
	}
	snap := open(t, w.Shelf, "kb")
	vectors, err := snap.Vectors(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if snap.Text.Count() != 3 || vectors.Count() != 3 || snap.Lazy().Count() != 3 || len(search(t, snap, "tide")) != 2 {
		t.Errorf("%d chunks in the text index, %d vectors, %d hits", snap.Text.Count(), vectors.Count(), len(search(t, snap, "tide")))
	}
	near, err := snap.Lazy().Search(t.Context(), librarytest.Vector("the tide turns"), 1)
	if err != nil || len(near) != 1 || near[0].ID != a.Chunks[0].ID || near[0].Score < 0.999 {
		t.Errorf("nearest to a chunk's own vector: %v, %v", near, err)
	}
	lib = w.Commit(t, lib, rag.Change{Remove: []rag.DocumentID{a.ID, b.ID}})
	if snap := open(t, w.Shelf, "kb"); lib.Chunks != 0 || len(search(t, snap, "tide")) != 0 {
		t.Error("removed documents are found")
	}
	w.Commit(t, lib, put(b))
	if found := search(t, open(t, w.Shelf, "kb"), "tide"); len(found) != 1 || found[0].ID != b.Chunks[0].ID {
		t.Errorf("found after emptying and filling again: %v", found)
	}
	if n := w.Rebuilt.Load(); n != 0 {
		t.Errorf("%d text indexes were rebuilt", n)
	}
}

func TestAnUpdateReplacesTheDocumentsChunks(t *testing.T) {
	t.Parallel()
	w := librarytest.Open(t, t.TempDir())
	lib := w.Commit(t, w.Create(t, "kb", librarytest.Settings()), put(librarytest.Record("a.txt", "old words", "more old words")))
	next := librarytest.Record("a.txt", "new words")
	lib = w.Commit(t, lib, put(next))
	snap := open(t, w.Shelf, "kb")
	if len(search(t, snap, "old")) != 0 || len(search(t, snap, "words")) != 1 || lib.Chunks != 1 || lib.Documents != 1 {
		t.Errorf("after an update: %v, library %+v", search(t, snap, "words"), lib)
	}
}

func TestAChangeOfAliasesKeepsTheRevision(t *testing.T) {
	t.Parallel()
	w := librarytest.Open(t, t.TempDir())
	a := librarytest.Record("a.txt", "the tide turns")
	lib := w.Commit(t, w.Create(t, "kb", librarytest.Settings()), put(a))
	before := folders(t, w.Store.IndexDir(lib.ID))
	next := w.Commit(t, lib, rag.Change{PutAliases: []rag.Alias{{Source: "b.txt", RealPath: "/real/b.txt", DocID: a.ID}}})
	if next != lib {
		t.Errorf("library after a change of aliases: %+v, before %+v", next, lib)
	}
	if after := folders(t, w.Store.IndexDir(lib.ID)); !slices.Equal(after, before) {
		t.Errorf("folders %v, before %v", after, before)
	}
}

func TestReadersSeeWholeRevisions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := librarytest.Open(t, dir)
	lib := w.Create(t, "kb", librarytest.Settings())
	ctx, done := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	// One reader shares the writer's shelf, one has its own, as another process would.
	for _, shelf := range []*library.Shelf{w.Shelf, librarytest.Open(t, dir).Shelf} {
		readers.Go(func() {
			for ctx.Err() == nil {
				if err := checkWhole(t.Context(), shelf); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	// Revision r holds the documents that do not divide evenly: every commit adds
	// one of r+1 chunks and every third removes one.
	var kept []rag.DocumentRecord
	for r := range 25 {
		paragraphs := make([]string, r%4+1)
		for i := range paragraphs {
			paragraphs[i] = fmt.Sprintf("common words of document %d paragraph %d", r, i)
		}
		change := put(librarytest.Record(fmt.Sprintf("%d.txt", r), paragraphs...))
		kept = append(kept, change.Put[0])
		if r%3 == 2 {
			change.Remove = []rag.DocumentID{kept[0].ID}
			kept = kept[1:]
		}
		lib = w.Commit(t, lib, change)
	}
	done()
	readers.Wait()
	want := 0
	for _, k := range kept {
		want += len(k.Chunks)
	}
	if lib.Chunks != want || lib.Documents != len(kept) {
		t.Errorf("%d documents, %d chunks at the end, want %d and %d", lib.Documents, lib.Chunks, len(kept), want)
	}
	if n := w.Rebuilt.Load(); n != 0 {
		t.Errorf("%d text indexes were rebuilt", n)
	}
}

// checkWhole opens the library once and holds its two indexes and its totals
// against one another.
func checkWhole(ctx context.Context, shelf *library.Shelf) error {
	snap, err := shelf.Open(ctx, "kb")
	if err != nil {
		return err
	}
	defer snap.Release()
	text, err := snap.Text.Search(ctx, "common", 1000)
	if err != nil {
		return fmt.Errorf("search revision %d: %w", snap.Library.Revision, err)
	}
	vectors, err := snap.Vectors(ctx)
	if errors.Is(err, rag.ErrStale) {
		return nil // the library moved on, which is said and not hidden
	}
	if err != nil {
		return err
	}
	near, err := vectors.Search(ctx, librarytest.Vector("common"), 1000)
	if err != nil {
		return err
	}
	inText, inVectors := map[rag.ChunkID]bool{}, map[rag.ChunkID]bool{}
	for _, s := range text {
		inText[s.ID] = true
	}
	for _, s := range near {
		inVectors[s.ID] = true
	}
	if len(text) != snap.Library.Chunks || !maps.Equal(inText, inVectors) {
		return fmt.Errorf("revision %d has %d chunks; %d are found by text, %d by vector",
			snap.Library.Revision, snap.Library.Chunks, len(text), len(near))
	}
	return nil
}

func TestSnapshotsOfTwoRevisionsLiveSideBySide(t *testing.T) {
	t.Parallel()
	w := librarytest.Open(t, t.TempDir())
	a := librarytest.Record("a.txt", "the tide turns")
	lib := w.Commit(t, w.Create(t, "kb", librarytest.Settings()), put(a))
	loaded := open(t, w.Shelf, "kb")
	if _, err := loaded.Vectors(t.Context()); err != nil {
		t.Fatal(err)
	}
	again := open(t, w.Shelf, "kb")
	if again != loaded {
		t.Error("an unchanged library was opened twice")
	}
	other := librarytest.Open(t, w.Store.Dir())
	unloaded := open(t, other.Shelf, "kb")
	for r := range 3 { // far enough for the old folder to be swept
		lib = w.Commit(t, lib, put(librarytest.Record(fmt.Sprintf("%d.txt", r), "high tide")))
	}
	fresh := open(t, w.Shelf, "kb")
	if old, now := len(search(t, loaded, "tide")), len(search(t, fresh, "tide")); old != 1 || now != 4 {
		t.Errorf("the old snapshot finds %d, the new one %d; want 1 and 4", old, now)
	}
	if found, err := loaded.Lazy().Score(t.Context(), librarytest.Vector("x"), []rag.ChunkID{a.Chunks[0].ID}); err != nil || len(found) != 1 {
		t.Errorf("vectors of the old snapshot: %v, %v", found, err)
	}
	if _, err := unloaded.Vectors(t.Context()); !errors.Is(err, rag.ErrStale) {
		t.Errorf("vectors that were not loaded in time: %v, want rag.ErrStale", err)
	}
	if _, err := unloaded.Lazy().Search(t.Context(), librarytest.Vector("x"), 1); !errors.Is(err, rag.ErrStale) {
		t.Errorf("a search in them: %v, want rag.ErrStale", err)
	}
}

func TestVectorsAreLoadedOnceAndWhenNeeded(t *testing.T) {
	t.Parallel()
	w := librarytest.Open(t, t.TempDir())
	w.Commit(t, w.Create(t, "kb", librarytest.Settings()), put(librarytest.Record("a.txt", "the tide turns")))
	snap := open(t, w.Shelf, "kb")
	search(t, snap, "tide")
	if n := w.Loaded.Load(); n != 0 {
		t.Errorf("vectors were loaded %d times for a text search", n)
	}
	var group sync.WaitGroup
	for range 4 {
		snap.Prefetch(t.Context())
		group.Go(func() {
			if _, err := snap.Lazy().Search(t.Context(), librarytest.Vector("tide"), 1); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n := w.Loaded.Load(); n != 1 {
		t.Errorf("vectors were loaded %d times, want once", n)
	}
}

func TestDropForgetsALibrary(t *testing.T) {
	t.Parallel()
	w := librarytest.Open(t, t.TempDir())
	lib := w.Commit(t, w.Create(t, "kb", librarytest.Settings()), put(librarytest.Record("a.txt", "the tide turns")))
	held := open(t, w.Shelf, "kb")
	wr, unlock := w.Lock(t)
	check(t, wr.RemoveLibrary(t.Context(), lib))
	unlock()
	check(t, w.Shelf.Drop(lib))
	if _, err := os.Stat(w.Store.IndexDir(lib.ID)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is still there: %v", err)
	}
	if _, err := w.Shelf.Open(t.Context(), "kb"); !fault.Is(err, "kb_unknown") {
		t.Errorf("opening it: %v, want kb_unknown", err)
	}
	if len(search(t, held, "tide")) != 1 {
		t.Error("whoever still held it lost it")
	}
	next := w.Commit(t, w.Create(t, "kb", librarytest.Settings()), put(librarytest.Record("b.txt", "bread and butter")))
	snap := open(t, w.Shelf, "kb")
	if next.ID == lib.ID || len(search(t, snap, "tide")) != 0 || len(search(t, snap, "bread")) != 1 {
		t.Errorf("a new library of the same name has id %d, the old one %d", next.ID, lib.ID)
	}
}

func TestUnknownLibrary(t *testing.T) {
	t.Parallel()
	w := librarytest.Open(t, t.TempDir())
	if _, err := w.Shelf.Open(t.Context(), "nobody"); !fault.Is(err, "kb_unknown") || strings.Contains(err.Error(), "rebuild") {
		t.Errorf("%v, want kb_unknown", err)
	}
}
