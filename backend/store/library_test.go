package store_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

func TestLibraryNames(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	w := lock(t, s)
	long := strings.Repeat("𠮷", 100)
	for _, name := range []string{"a", "笔记 2024", "..", "x:y*?", "'; DROP TABLE library;--", long} {
		lib, err := w.CreateLibrary(t.Context(), name, settings())
		if err != nil {
			t.Errorf("name %q: %v", name, err)
			continue
		}
		got, err := s.Library(t.Context(), name)
		if err != nil || got != lib {
			t.Errorf("name %q: read %+v, error %v, want %+v", name, got, err, lib)
		}
		_, err = w.CreateLibrary(t.Context(), name, settings())
		wantFault(t, err, "kb_exists", fault.P("kb", name))
	}
	for _, name := range []string{"", " ", "\u3000", "a/b", `a\b`, "a\nb", "a\x00", "\u0085", long + "x", "\xff"} {
		_, err := w.CreateLibrary(t.Context(), name, settings())
		wantFault(t, err, "kb_name_invalid", fault.P("kb", name))
	}
	libs, err := s.Libraries(t.Context())
	if err != nil || len(libs) != 6 || libs[0].Name > libs[1].Name {
		t.Errorf("%d libraries, error %v: %v", len(libs), err, libs)
	}
}

func TestRemovedLibraryIsUnknown(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := open(t, t.TempDir())
	w := lock(t, s)
	kept := library(t, s, w, "kept", record("a.txt", "留下的文档"))
	lib := library(t, s, w, "gone", record("a.txt", "同名的文档"))
	doc := record("a.txt", "").ID
	if err := w.RemoveLibrary(ctx, lib); err != nil {
		t.Fatal(err)
	}
	read := map[string]func() error{
		"Library":      func() error { _, err := s.Library(ctx, "gone"); return err },
		"Revision":     func() error { _, err := s.Revision(ctx, lib); return err },
		"Documents":    func() error { _, err := s.Documents(ctx, lib); return err },
		"Aliases":      func() error { _, err := s.Aliases(ctx, lib); return err },
		"FindDocument": func() error { _, err := s.FindDocument(ctx, lib, "a.txt"); return err },
		"Text":         func() error { _, err := s.Text(ctx, lib, doc); return err },
		"ChunksByID":   func() error { _, err := s.ChunksByID(ctx, lib, nil); return err },
		"ChunkIDs":     func() error { _, err := s.ChunkIDs(ctx, lib, nil); return err },
		"EachChunk":    func() error { return s.EachChunk(ctx, lib, func(rag.ChunkRow) error { return nil }) },
		"Vectors":      func() error { _, err := s.Vectors(ctx, lib); return err },
		"Apply":        func() error { _, err := w.Apply(ctx, lib, rag.Change{Revision: lib.Revision}); return err },
		"SetTextIndex": func() error { _, err := w.SetTextIndex(ctx, lib, "", nil); return err },
		"SetWords":     func() error { _, err := w.SetWords(ctx, lib, rag.Wording{}); return err },
		"Words":        func() error { _, err := s.Words(ctx, lib); return err },
		"Remove":       func() error { return w.RemoveLibrary(ctx, lib) },
	}
	for name, f := range read {
		t.Log(name)
		wantFault(t, f(), "kb_unknown", fault.P("kb", "gone"))
	}
	if rows, err := s.Documents(ctx, kept); err != nil || len(rows) != 1 {
		t.Errorf("the other library: %d documents, error %v", len(rows), err)
	}
	if again := library(t, s, w, "gone"); again.ID == lib.ID || s.IndexDir(again.ID) == s.IndexDir(lib.ID) {
		t.Errorf("library id %d is used again", again.ID)
	}
	check(t, s)
}

// TestTotalsFollowChanges makes random changes and holds the library's totals
// against what a map of the documents says.
func TestTotalsFollowChanges(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	w := lock(t, s)
	lib := library(t, s, w, "kb")
	rng := rand.New(rand.NewPCG(5, 6))
	model := map[string]rag.DocumentRecord{}
	for range 60 {
		var c rag.Change
		for source, r := range model {
			if rng.IntN(4) == 0 {
				c.Remove = append(c.Remove, r.ID)
				delete(model, source)
			}
		}
		put := map[string]bool{}
		for range rng.IntN(4) {
			source := fmt.Sprintf("%d.txt", rng.IntN(12))
			if put[source] {
				continue
			}
			put[source] = true
			model[source] = record(source, strings.Repeat("总数。", rng.IntN(60)))
			c.Put = append(c.Put, model[source])
		}
		lib = apply(t, w, lib, c)
		want := lib
		want.Documents, want.Chunks, want.Terms = 0, 0, rag.TermCounts{}
		for _, r := range model {
			want.Documents++
			want.Chunks += len(r.Chunks)
			for _, n := range r.Counts {
				want.Terms = want.Terms.Plus(n)
			}
		}
		stored, err := s.Library(t.Context(), "kb")
		if err != nil || lib != want || stored != want {
			t.Fatalf("after %+v, error %v:\nreturned %+v\nstored   %+v\nwant     %+v", c, err, lib, stored, want)
		}
	}
	check(t, s)
}

func TestSetTextIndex(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := open(t, t.TempDir())
	w := lock(t, s)
	a, b := record("a.txt", strings.Repeat("甲。", 30)), record("b.txt", strings.Repeat("乙。", 20))
	lib := library(t, s, w, "kb", a, b)
	counts := map[rag.ChunkID]rag.TermCounts{}
	for _, c := range append(a.Chunks, b.Chunks...) {
		counts[c.ID] = rag.TermCounts{Words: 10, Bigrams: 20, Chars: 30}
	}
	next, err := w.SetTextIndex(ctx, lib, "text-2", counts)
	if err != nil {
		t.Fatal(err)
	}
	n := len(a.Chunks) + len(b.Chunks)
	want := lib
	want.TextFingerprint, want.Terms = "text-2", rag.TermCounts{Words: 10 * n, Bigrams: 20 * n, Chars: 30 * n}
	if diff := cmp.Diff(want, next); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// Removing a document takes off what was counted last.
	next = apply(t, w, next, rag.Change{Remove: []rag.DocumentID{a.ID}})
	if m := len(b.Chunks); next.Terms != (rag.TermCounts{Words: 10 * m, Bigrams: 20 * m, Chars: 30 * m}) {
		t.Errorf("terms of %d chunks: %+v", m, next.Terms)
	}
	check(t, s)

	if _, err := w.SetTextIndex(ctx, lib, "text-3", counts); !errors.Is(err, rag.ErrStale) {
		t.Errorf("at an old revision: error %v", err)
	}
	if _, err := w.SetTextIndex(ctx, next, "text-3", nil); err == nil {
		t.Error("no counts: no error")
	}
	wrong := map[rag.ChunkID]rag.TermCounts{}
	for i := range b.Chunks {
		wrong[rag.ChunkID(fmt.Sprint(i))] = rag.TermCounts{}
	}
	if _, err := w.SetTextIndex(ctx, next, "text-3", wrong); err == nil {
		t.Error("counts of other chunks: no error")
	}
	if got, err := s.Library(ctx, "kb"); err != nil || got != next {
		t.Errorf("after errors: %+v, error %v, want %+v", got, err, next)
	}
}

func TestReplaceLibrary(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := open(t, t.TempDir())
	w := lock(t, s)
	old := library(t, s, w, "kb", record("a.txt", "旧的索引"), record("b.txt", "也是"))
	fresh := library(t, s, w, "fresh", record("a.txt", "旧的索引"))
	other := library(t, s, w, "other", record("a.txt", "别的"))
	for name, lib := range map[string]rag.Library{"of kb": old, "of other": other} {
		if err := w.SetBindings(ctx, lib, "hash", []byte(name)); err != nil {
			t.Fatal(err)
		}
	}
	for lib, source := range map[rag.Library]string{old: "of old.pdf", fresh: "of fresh.pdf", other: "of other.pdf"} {
		u := rag.Unread{Place: "/x.pdf", Source: source, Status: rag.StatusFailed, Code: "corrupt", Tried: time.Unix(7, 0).UTC()}
		if _, err := w.Apply(ctx, lib, rag.Change{Revision: lib.Revision, PutUnread: []rag.Unread{u}}); err != nil {
			t.Fatal(err)
		}
	}
	stale := old
	stale.Revision--
	for name, c := range map[string][2]rag.Library{"itself": {old, old}, "an old revision": {stale, fresh}} {
		if _, err := w.ReplaceLibrary(ctx, c[0], c[1]); err == nil {
			t.Errorf("replaced by %s", name)
		}
	}
	if got, err := s.Library(ctx, "kb"); err != nil || got != old {
		t.Fatalf("after refusals: %+v, error %v", got, err)
	}

	want := fresh
	want.Name = "kb"
	got, err := w.ReplaceLibrary(ctx, old, fresh)
	if err != nil || got != want {
		t.Fatalf("returned %+v, error %v, want %+v", got, err, want)
	}
	if got, err := s.Library(ctx, "kb"); err != nil || got != want {
		t.Errorf("stored %+v, error %v, want %+v", got, err, want)
	}
	if docs, err := s.Documents(ctx, got); err != nil || len(docs) != 1 {
		t.Errorf("%d documents, error %v", len(docs), err)
	}
	if b, err := s.Bindings(ctx, got, "hash"); err != nil || string(b) != "of kb" {
		t.Errorf("bindings %q, error %v", b, err)
	}
	if b, err := s.Bindings(ctx, other, "hash"); err != nil || string(b) != "of other" {
		t.Errorf("the other library's bindings %q, error %v", b, err)
	}
	if u, err := s.Unread(ctx, got); err != nil || len(u) != 1 || u[0].Source != "of old.pdf" {
		t.Errorf("not read: %+v, error %v", u, err)
	}
	_, err = s.Library(ctx, "fresh")
	wantFault(t, err, "kb_unknown", fault.P("kb", "fresh"))
	_, err = w.ReplaceLibrary(ctx, old, got)
	wantFault(t, err, "kb_unknown", fault.P("kb", "kb"))
	check(t, s)
}
