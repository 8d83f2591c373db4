package lexical_test

import (
	"slices"
	"testing"

	"ragdesk/backend/rag"
	"ragdesk/backend/ragtest"
)

// TestSearchAllowed holds that a list among some chunks is the whole list without
// the others.
func TestSearchAllowed(t *testing.T) {
	t.Parallel()
	texts, queries := ragtest.RandomTexts(12, 200, 40)
	texts = append(texts, texts[:50]...) // equal texts tie
	for i := range texts[200:] {
		texts[200+i].ID += "-again"
	}
	entries := toEntries(texts)
	ix := open(t, build(t, entries), statsOf(entries))
	for name, allow := range map[string]func(rag.ChunkID) bool{
		"all": func(rag.ChunkID) bool { return true }, "none": func(rag.ChunkID) bool { return false },
		"some": func(id rag.ChunkID) bool { return id[len(id)-1]%3 != 0 },
	} {
		for _, query := range queries {
			want := slices.DeleteFunc(search(t, ix, query, len(texts)), func(s rag.Scored) bool { return !allow(s.ID) })
			for _, k := range []int{0, 1, 3, 20, len(texts)} {
				got, err := ix.SearchAllowed(t.Context(), query, k, allow)
				if first := want[:min(k, len(want))]; err != nil || len(got)+len(first) > 0 && !slices.Equal(got, first) {
					t.Fatalf("%s allowed, first %d for %q:\n%v, %v; want\n%v", name, k, query, got, err, first)
				}
			}
		}
	}
}
