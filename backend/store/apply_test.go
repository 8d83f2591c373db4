package store_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"ragdesk/backend/rag"
)

// TestApplyRefuses spoils one thing of a sound change and expects that nothing of
// the change is written.
func TestApplyRefuses(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	w := lock(t, s)
	lib := library(t, s, w, "kb", record("old.txt", "已有的文档"))
	const text = "第一句话在这里。第二句话在这里。第三句话在这里。"
	const middle = 1
	chunkID := string(record("new.txt", text).Chunks[middle].ID)
	for _, c := range []struct {
		name  string
		code  string // empty for an error that is no fault
		says  string
		spoil func(c *rag.Change)
	}{
		{"revision too low", "", "revision 1 of a library at 1", func(c *rag.Change) { c.Revision-- }},
		{"revision too high", "", "revision 3 of a library at 1", func(c *rag.Change) { c.Revision++ }},
		{"unknown document removed", "document_unknown", "nobody", func(c *rag.Change) { c.Remove = append(c.Remove, "nobody") }},
		{"removed twice", "document_unknown", "", func(c *rag.Change) { c.Remove = append(c.Remove, c.Remove...) }},
		{"put twice", "", "twice", func(c *rag.Change) { c.Put = append(c.Put, c.Put[0]) }},
		{"no id", "", "no id", func(c *rag.Change) { c.Put[1].ID = "" }},
		{"no source", "", "no source", func(c *rag.Change) { c.Put[1].Source = "" }},
		{"counts missing", "", "term counts", func(c *rag.Change) { c.Put[1].Counts = nil }},
		{"chunk without id", "", "no id", func(c *rag.Change) { c.Put[1].Chunks[middle].ID = "" }},
		{"chunk of another document", "", "belongs to", func(c *rag.Change) { c.Put[1].Chunks[middle].DocID = "x" }},
		{"ordinals from one", "", "ordinal", func(c *rag.Change) { c.Put[1].Chunks[middle].Ordinal++ }},
		{"span outside", "", "outside text", func(c *rag.Change) { c.Put[1].Chunks[middle].Span.End = 1000 }},
		{"span backwards", "", "outside text", func(c *rag.Change) { c.Put[1].Chunks[middle].Span.End = 1 }},
		{"text unlike its span", "", "differs", func(c *rag.Change) { c.Put[1].Chunks[middle].Text += "!" }},
		{"cut character", "", "cuts a character", func(c *rag.Change) {
			k := &c.Put[1].Chunks[middle]
			k.Span.Start++
			k.Text = k.Text[1:]
		}},
		{"wrong points", "", "points", func(c *rag.Change) { c.Put[1].Chunks[middle].Points.Start++ }},
		{"chunk id taken", "", "UNIQUE", func(c *rag.Change) { c.Put[1].Chunks[middle].ID = c.Put[0].Chunks[0].ID }},
		{"vectors missing", "vector_invalid", "", func(c *rag.Change) { c.Put[1].Vectors = nil }},
		{"a value short", "vector_invalid", "", func(c *rag.Change) { c.Put[1].Vectors = c.Put[1].Vectors[1:] }},
		{"a value more", "", "too many", func(c *rag.Change) { c.Put[1].Vectors = append(c.Put[1].Vectors, 0) }},
		{"zero vector", "vector_invalid", chunkID, func(c *rag.Change) { clear(vectorOf(c, middle)) }},
		{"not a number", "vector_invalid", chunkID, func(c *rag.Change) { vectorOf(c, middle)[6] = float32(math.NaN()) }},
		{"infinite", "vector_invalid", chunkID, func(c *rag.Change) { vectorOf(c, middle)[0] = float32(math.Inf(1)) }},
		{"too long a vector", "vector_invalid", chunkID, func(c *rag.Change) { vectorOf(c, middle)[0] += 2 }},
		{"alias to nothing", "document_unknown", "", func(c *rag.Change) { c.PutAliases[0].DocID = "nobody" }},
	} {
		change := rag.Change{
			Revision:   lib.Revision + 1,
			Remove:     []rag.DocumentID{record("old.txt", "").ID},
			Put:        []rag.DocumentRecord{record("first.txt", "好的文档"), record("new.txt", text)},
			PutAliases: []rag.Alias{{Source: "alias.txt", DocID: record("new.txt", "").ID}},
		}
		c.spoil(&change)
		_, err := w.Apply(t.Context(), lib, change)
		if c.code != "" {
			wantFault(t, err, c.code)
		}
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that says %q", c.name, err, c.says)
		}
		now, err := s.Library(t.Context(), "kb")
		if err != nil || now != lib {
			t.Fatalf("%s: the library is now %+v, error %v", c.name, now, err)
		}
		rows, err := s.Documents(t.Context(), lib)
		if err != nil || len(rows) != 1 || rows[0].Source != "old.txt" {
			t.Fatalf("%s: the documents are now %v, error %v", c.name, rows, err)
		}
	}
	check(t, s)
}

func vectorOf(c *rag.Change, chunk int) []float32 {
	return c.Put[1].Vectors[chunk*testDim : (chunk+1)*testDim]
}

func TestApplyFromAnOldRevision(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	w := lock(t, s)
	old := library(t, s, w, "kb", record("a.txt", "甲"))
	apply(t, w, old, rag.Change{Put: []rag.DocumentRecord{record("b.txt", "乙")}})
	_, err := w.Apply(t.Context(), old, rag.Change{Revision: 2, Remove: []rag.DocumentID{record("a.txt", "").ID}})
	if !errors.Is(err, rag.ErrStale) || !strings.Contains(err.Error(), "at 2, written from 1") {
		t.Errorf("error %v", err)
	}
	if _, err := s.Vectors(t.Context(), old); !errors.Is(err, rag.ErrStale) {
		t.Errorf("vectors of an old revision: error %v", err)
	}
}

func TestLibraryWithoutVectors(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	w := lock(t, s)
	set := settings()
	set.Dim = 0
	lib, err := w.CreateLibrary(t.Context(), "words alone", set)
	if err != nil {
		t.Fatal(err)
	}
	r := record("a.txt", "没有向量")
	r.Vectors = nil
	lib = apply(t, w, lib, rag.Change{Put: []rag.DocumentRecord{r}})
	if block, err := s.Vectors(t.Context(), lib); err != nil || block.Dim != 0 || len(block.IDs) != 0 {
		t.Errorf("vectors %+v, error %v", block, err)
	}
	check(t, s)
	if _, err := w.Apply(t.Context(), lib, rag.Change{Revision: 2, Put: []rag.DocumentRecord{record("b.txt", "有向量")}}); err == nil {
		t.Error("vectors for a library without: no error")
	}
}

// askCounter is a context that is cancelled once it has been asked n times.
type askCounter struct {
	context.Context //nolint:containedctx // it is a context itself
	left            int
}

func (c *askCounter) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestCancelledApplyWritesNothing cancels at every point where Apply looks.
func TestCancelledApplyWritesNothing(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	w := lock(t, s)
	lib := library(t, s, w, "kb", record("a.txt", "甲"))
	change := rag.Change{
		Revision: lib.Revision + 1, Remove: []rag.DocumentID{record("a.txt", "").ID},
		Put: []rag.DocumentRecord{record("b.txt", "乙"), record("c.txt", "丙")},
	}
	for looks := range 100 {
		next, err := w.Apply(&askCounter{t.Context(), looks}, lib, change)
		if err == nil {
			if looks < 5 || next.Documents != 2 {
				t.Errorf("Apply looked at its context %d times; library %+v", looks, next)
			}
			return
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("cancelled at look %d: error %v", looks, err)
		}
		if now, err := s.Library(t.Context(), "kb"); err != nil || now != lib {
			t.Fatalf("cancelled at look %d: the library is now %+v, error %v", looks, now, err)
		}
	}
	t.Error("Apply never came to its end")
}

func TestReadsAreCancelled(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	lib := library(t, s, lock(t, s), "kb", record("a.txt", strings.Repeat("取消。", 4000)))
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Vectors(done, lib); !errors.Is(err, context.Canceled) {
		t.Errorf("vectors: error %v", err)
	}
	if _, err := s.Documents(done, lib); !errors.Is(err, context.Canceled) {
		t.Errorf("documents: error %v", err)
	}
	if err := s.Check(done); !errors.Is(err, context.Canceled) {
		t.Errorf("check: error %v", err)
	}
	during, cancel := context.WithCancel(t.Context())
	n := 0
	err := s.EachChunk(during, lib, func(rag.ChunkRow) error {
		if n++; n == 10 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || n == lib.Chunks {
		t.Errorf("each chunk: %d of %d, error %v", n, lib.Chunks, err)
	}
}
