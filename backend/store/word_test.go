package store_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

func TestSetWords(t *testing.T) {
	t.Parallel()
	ctx, dir := t.Context(), t.TempDir()
	s := open(t, dir)
	w := lock(t, s)
	a := record("a.txt", strings.Repeat("甲。", 30))
	lib := library(t, s, w, "kb", a)
	other := library(t, s, w, "other", record("b.txt", "乙。"))
	counts := map[rag.ChunkID]rag.TermCounts{}
	for _, c := range a.Chunks {
		counts[c.ID] = rag.TermCounts{Words: 3, Bigrams: 2, Chars: 1}
	}
	words := []rag.Word{{Word: "云边协同", Freq: 9}, {Word: "公司", Stop: true}}
	next, err := w.SetWords(ctx, lib, rag.Wording{Words: words, Hash: "h", TextFingerprint: "t+h", Counts: counts})
	if err != nil {
		t.Fatal(err)
	}
	n := len(a.Chunks)
	want := lib
	want.Revision, want.Words, want.TextFingerprint = lib.Revision+1, "h", "t+h"
	want.Terms = rag.TermCounts{Words: 3 * n, Bigrams: 2 * n, Chars: n}
	if diff := cmp.Diff(want, next); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := w.SetWords(ctx, lib, rag.Wording{Counts: counts}); !errors.Is(err, rag.ErrStale) {
		t.Errorf("at an old revision: error %v", err)
	}
	if _, err := w.SetWords(ctx, next, rag.Wording{}); err == nil {
		t.Error("no counts: no error")
	}
	check(t, s)

	// Another opening of the workspace sees the same, and nothing in other libraries.
	again := open(t, dir)
	if got, err := again.Library(ctx, "kb"); err != nil || got != next {
		t.Errorf("stored %+v, error %v, want %+v", got, err, next)
	}
	for lib, want := range map[rag.Library][]rag.Word{next: words, other: nil} {
		if got, err := again.Words(ctx, lib); err != nil || !cmp.Equal(got, want) {
			t.Errorf("words of %s: %v, error %v, want %v", lib.Name, got, err, want)
		}
	}
	if err := w.CopyWords(ctx, next, other); err != nil {
		t.Error(err)
	}
	if got, err := s.Words(ctx, other); err != nil || !cmp.Equal(got, words) {
		t.Errorf("copied words: %v, error %v", got, err)
	}
	if err := w.RemoveLibrary(ctx, next); err != nil {
		t.Error(err)
	}
	if _, err := s.Words(ctx, next); !fault.Is(err, "kb_unknown") {
		t.Errorf("words of a library that is gone: error %v", err)
	}
	check(t, s)
}
