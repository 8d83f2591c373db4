package lexical_test

import (
	"context"
	"math"
	"testing"

	"ragdesk/backend/lexical"
	"ragdesk/backend/rag"
	"ragdesk/backend/ragtest"
)

func toEntries(texts []ragtest.Text) []lexical.Entry {
	out := make([]lexical.Entry, len(texts))
	for i, c := range texts {
		out[i] = lexical.Entry{ID: c.ID, Text: c.Text}
	}
	return out
}

func toReference(texts []ragtest.Text) *reference {
	ids, strs := make([]rag.ChunkID, len(texts)), make([]string, len(texts))
	for i, c := range texts {
		ids[i], strs[i] = c.ID, c.Text
	}
	return newReference(ids, strs)
}

func TestIndexConforms(t *testing.T) {
	t.Parallel()
	ragtest.TestTextIndex(t, func(_ context.Context, texts []ragtest.Text) (rag.TextIndex, error) {
		entries := toEntries(texts)
		return lexical.Analyzer{}.Open(build(t, entries), statsOf(entries))
	})
}

func TestReferenceConforms(t *testing.T) {
	t.Parallel()
	ragtest.TestTextIndex(t, func(_ context.Context, texts []ragtest.Text) (rag.TextIndex, error) {
		return toReference(texts), nil
	})
}

// bleve's own scores are neither BM25 nor stable; ours must be what the formula
// says of each chunk by itself.
func TestScoresAreBM25(t *testing.T) {
	t.Parallel()
	texts, queries := ragtest.RandomTexts(11, 150, 60)
	entries := toEntries(texts)
	ix, want := open(t, build(t, entries), statsOf(entries)), toReference(texts)
	for _, query := range queries {
		got, ref := search(t, ix, query, len(texts)), search(t, want, query, len(texts))
		if len(got) != len(ref) {
			t.Errorf("Search(%q) finds %d chunks, want %d", query, len(got), len(ref))
			continue
		}
		scores := map[rag.ChunkID]float64{}
		for _, h := range ref {
			scores[h.ID] = h.Score
		}
		for _, h := range got {
			if math.Abs(h.Score-scores[h.ID]) > 2e-9 {
				t.Errorf("Search(%q): %s scores %.10f, want %.10f", query, h.ID, h.Score, scores[h.ID])
			}
		}
	}
}
