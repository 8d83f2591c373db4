package store_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

func TestFindDocument(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	w := lock(t, s)
	sources := []string{
		"a/readme.md", "b/readme.md", "b/notes.txt", "c/b/notes.txt", "top.txt", "deep/er/manual.pdf",
		"x/list", "y/list.md", "中文/说明书.docx", "v1.2/changes.tar.gz", "percent%_/100%.md",
	}
	records := make([]rag.DocumentRecord, len(sources))
	byID := map[rag.DocumentID]string{}
	for i, source := range sources {
		records[i] = record(source, "文本 "+source)
		byID[records[i].ID] = source
	}
	// Two folders of which each was the working directory once.
	twin := record("b/notes.txt", "另一个")
	twin.ID = "twin"
	for i := range twin.Chunks {
		twin.Chunks[i].DocID, twin.Chunks[i].ID = twin.ID, "twin#0"
	}
	lib := library(t, s, w, "kb", append(records, twin)...)
	lib = apply(t, w, lib, rag.Change{PutAliases: []rag.Alias{
		{Source: "links/manual.pdf", RealPath: "/r", ContentHash: "h", DocID: records[5].ID},
		{Source: "links/other-name.pdf", DocID: records[5].ID},
	}})

	for _, c := range []struct{ ref, want, ambiguous string }{
		{ref: string(records[0].ID), want: "a/readme.md"},
		{ref: "twin", want: "b/notes.txt"},
		{ref: "a/readme.md", want: "a/readme.md"},
		{ref: "./a/readme.md", want: "a/readme.md"},
		{ref: `a\readme.md`, want: "a/readme.md"},
		{ref: "readme.md", ambiguous: "a/readme.md, b/readme.md"},
		{ref: "readme", ambiguous: "a/readme.md, b/readme.md"},
		{ref: "b/readme", want: "b/readme.md"},
		{ref: "b/notes.txt", ambiguous: "b/notes.txt, b/notes.txt"},
		{ref: "c/b/notes", want: "c/b/notes.txt"},
		{ref: "top", want: "top.txt"},
		{ref: "op.txt"},
		{ref: "manual", want: "deep/er/manual.pdf"}, // the alias is the same document
		{ref: "manual.pdf", want: "deep/er/manual.pdf"},
		{ref: "links/other-name.pdf", want: "deep/er/manual.pdf"},
		{ref: "other-name", want: "deep/er/manual.pdf"},
		{ref: "er/manual", want: "deep/er/manual.pdf"},
		{ref: "list", want: "x/list"}, // a whole ending before one without extension
		{ref: "list.md", want: "y/list.md"},
		{ref: "说明书", want: "中文/说明书.docx"},
		{ref: "changes.tar", want: "v1.2/changes.tar.gz"},
		{ref: "changes"},
		{ref: "100%", want: "percent%_/100%.md"},
		{ref: "percent__/100%.md"},
		{ref: ""},
		{ref: "."},
		{ref: "/"},
		{ref: "nothing"},
		{ref: "READMe.md"},
	} {
		got, err := s.FindDocument(t.Context(), lib, c.ref)
		switch {
		case c.ambiguous != "":
			wantFault(t, err, "document_ambiguous", fault.P("ref", c.ref), fault.P("matches", c.ambiguous))
		case c.want == "":
			wantFault(t, err, "document_unknown", fault.P("ref", c.ref))
		case err != nil || got.Source != c.want:
			t.Errorf("%q: found %q, error %v, want %q", c.ref, got.Source, err, c.want)
		}
	}
}

func TestAliasesFollowTheirDocument(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	w := lock(t, s)
	a, b := record("a.txt", "甲"), record("b.txt", "乙")
	lib := library(t, s, w, "kb", a, b)
	aliases := []rag.Alias{
		{Source: "1.txt", RealPath: "/1", ContentHash: "x", DocID: a.ID},
		{Source: "2.txt", RealPath: "/2", ContentHash: "y", DocID: a.ID},
		{Source: "3.txt", RealPath: "/3", ContentHash: "z", DocID: b.ID},
	}
	next := apply(t, w, lib, rag.Change{PutAliases: aliases})
	if next != lib {
		t.Errorf("aliases changed the library: %+v, was %+v", next, lib)
	}
	want := func(want ...rag.Alias) {
		t.Helper()
		got, err := s.Aliases(t.Context(), lib)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("aliases %v, error %v, want %v", got, err, want)
		}
	}
	want(aliases...)
	lib = apply(t, w, lib, rag.Change{Put: []rag.DocumentRecord{record("a.txt", "甲，改过")}})
	want(aliases...) // the document stays the same under its ID
	aliases[1].DocID = b.ID
	lib = apply(t, w, lib, rag.Change{PutAliases: aliases[1:2], RemoveAliases: []string{"3.txt", "no such.txt"}})
	want(aliases[0], aliases[1])
	lib = apply(t, w, lib, rag.Change{Remove: []rag.DocumentID{a.ID}})
	want(aliases[1])
	_, err := w.Apply(t.Context(), lib, rag.Change{Revision: lib.Revision, PutAliases: aliases[:1]})
	wantFault(t, err, "document_unknown", fault.P("ref", a.ID))
	check(t, s)
}

func TestChunksByID(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	w := lock(t, s)
	a, b := record("a.txt", strings.Repeat("甲乙丙丁。", 2000)), record("b.txt", "短")
	other := library(t, s, w, "other", record("a.txt", "同一个编号，另一个库"))
	lib := library(t, s, w, "kb", a, b)
	var ids []rag.ChunkID
	for i := range a.Chunks {
		ids = append(ids, a.Chunks[len(a.Chunks)-1-i].ID)
	}
	ids = append(ids, b.Chunks[0].ID, ids[0])
	if len(ids) < 600 {
		t.Fatalf("%d ids do not need two statements", len(ids))
	}
	got, err := s.ChunksByID(t.Context(), lib, ids)
	if err != nil || len(got) != len(ids) {
		t.Fatalf("%d chunks, error %v, want %d", len(got), err, len(ids))
	}
	texts := map[rag.ChunkID]string{b.Chunks[0].ID: "短"}
	for _, c := range a.Chunks {
		texts[c.ID] = c.Text
	}
	for i, c := range got {
		if c.ID != ids[i] || c.Text != texts[c.ID] {
			t.Fatalf("chunk %d: %q %q", i, c.ID, c.Text)
		}
	}
	if _, err := s.ChunksByID(t.Context(), lib, append(ids, "gone")); !errors.Is(err, rag.ErrStale) {
		t.Errorf("a missing chunk: error %v", err)
	}
	if got, err := s.ChunksByID(t.Context(), other, ids[len(ids)-3:len(ids)-2]); err != nil || got[0].Text != "同一个编号，另一个库" {
		t.Errorf("the other library's chunk: %v, error %v", got, err)
	}
	if got, err := s.ChunksByID(t.Context(), lib, nil); err != nil || len(got) != 0 {
		t.Errorf("no ids: %v, error %v", got, err)
	}

	list, err := s.ChunkIDs(t.Context(), lib, []rag.DocumentID{b.ID, "new", a.ID})
	want := []rag.ChunkID{b.Chunks[0].ID}
	for _, c := range a.Chunks {
		want = append(want, c.ID)
	}
	if err != nil || !slices.Equal(list, want) {
		t.Errorf("ids of documents: %d, error %v, want %d", len(list), err, len(want))
	}
	if list, err := s.ChunkIDs(t.Context(), lib, nil); err != nil || len(list) != 0 {
		t.Errorf("ids of no documents: %v, error %v", list, err)
	}
}

func TestEachChunkStopsAtAnError(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	lib := library(t, s, lock(t, s), "kb", record("a.txt", strings.Repeat("一二三。", 50)))
	enough, n := errors.New("enough"), 0
	err := s.EachChunk(t.Context(), lib, func(c rag.ChunkRow) error {
		if n++; n == 3 {
			return enough
		}
		_, err := s.Text(t.Context(), lib, c.DocID) // reads may nest
		return err
	})
	if !errors.Is(err, enough) || n != 3 {
		t.Errorf("%d chunks, error %v", n, err)
	}
}
