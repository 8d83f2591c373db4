package library_test

import (
	"fmt"
	"slices"
	"testing"

	"ragdesk/backend/library"
	"ragdesk/backend/library/librarytest"
	"ragdesk/backend/rag"
)

// nearest returns the chunks of a snapshot nearest to a text's vector.
func nearest(t *testing.T, snap *library.Snapshot, text string) []rag.Scored {
	t.Helper()
	found, err := snap.Lazy().Search(t.Context(), librarytest.Vector(text), 100)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// sameAsLoaded compares a snapshot's vectors with those that a shelf of its own
// loads from the store.
func sameAsLoaded(t *testing.T, w *librarytest.Workspace, when string) {
	t.Helper()
	fresh := librarytest.Open(t, w.Store.Dir())
	want, got := nearest(t, open(t, fresh.Shelf, "kb"), "the tide turns"), nearest(t, open(t, w.Shelf, "kb"), "the tide turns")
	if !slices.Equal(want, got) {
		t.Fatalf("%s: vectors in memory give\n%v\nthose of the store\n%v", when, got, want)
	}
}

// TestVectorsFollowCommits holds that a process which searches and changes a
// library loads its vectors once, and that they stay those of the store.
func TestVectorsFollowCommits(t *testing.T) {
	t.Parallel()
	w := librarytest.Open(t, t.TempDir())
	lib := w.Create(t, "kb", librarytest.Settings())
	lib = w.Commit(t, lib, put(librarytest.Record("a.txt", "the tide turns", "bread and butter"), librarytest.Record("b.txt", "a tide table")))
	if n := w.Loaded.Load(); n != 0 {
		t.Errorf("%d loads before the first search", n)
	}
	before := open(t, w.Shelf, "kb")
	was := nearest(t, before, "the tide turns")
	for i := range 12 {
		var c rag.Change
		switch i % 4 {
		case 0, 1:
			c = put(librarytest.Record(fmt.Sprintf("n%d.txt", i), "a new text", fmt.Sprintf("number %d", i)))
		case 2:
			c = put(librarytest.Record("a.txt", fmt.Sprintf("version %d", i)))
		case 3:
			c = rag.Change{Remove: []rag.DocumentID{librarytest.Record(fmt.Sprintf("n%d.txt", i-2)).ID}}
		}
		lib = w.Commit(t, lib, c)
		if i%3 > 0 { // every third commit follows another that nobody looked at
			sameAsLoaded(t, w, fmt.Sprintf("commit %d", i))
		}
	}
	lib = w.Commit(t, lib, rag.Change{PutAliases: []rag.Alias{{Source: "z.txt", RealPath: "/z.txt", DocID: librarytest.Record("b.txt").ID}}})
	sameAsLoaded(t, w, "after a change of aliases")
	if n := w.Loaded.Load(); n != 1 {
		t.Errorf("vectors were loaded %d times", n)
	}
	if now := nearest(t, before, "the tide turns"); !slices.Equal(now, was) {
		t.Errorf("an old snapshot changed from %v to %v", was, now)
	}
	if got := open(t, w.Shelf, "kb").Lazy().Count(); got != lib.Chunks {
		t.Errorf("%d vectors for %d chunks", got, lib.Chunks)
	}
}

// TestVectorsOfAnotherWriter holds that vectors are loaded again when the library
// moved on in another process.
func TestVectorsOfAnotherWriter(t *testing.T) {
	t.Parallel()
	w := librarytest.Open(t, t.TempDir())
	lib := w.Commit(t, w.Create(t, "kb", librarytest.Settings()), put(librarytest.Record("a.txt", "the tide turns")))
	nearest(t, open(t, w.Shelf, "kb"), "the tide turns")
	other := librarytest.Open(t, w.Store.Dir())
	lib = other.Commit(t, lib, put(librarytest.Record("b.txt", "a tide table")))
	w.Commit(t, lib, put(librarytest.Record("c.txt", "a third")))
	sameAsLoaded(t, w, "after a commit elsewhere and one here")
	if n := w.Loaded.Load(); n != 2 {
		t.Errorf("vectors were loaded %d times", n)
	}
}
