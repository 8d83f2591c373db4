package app

import (
	"context"
	"fmt"
	"sync"

	"ragdesk/backend/lexical"
	"ragdesk/backend/library"
	"ragdesk/backend/rag"
	"ragdesk/backend/store"
)

// keptAnalyzers bounds how many analyzers stay in memory.
const keptAnalyzers = 16

// analyzers keeps what libraries' own words make, by their hash.
type analyzers struct {
	mu   sync.Mutex
	kept map[string]lexical.Analyzer
}

// of returns the analyzer of a library. rag.ErrStale means that its words were changed
// since lib was read.
func (a *analyzers) of(ctx context.Context, st *store.Store, lib rag.Library) (lexical.Analyzer, error) {
	if lib.Words == "" {
		return lexical.Analyzer{}, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if z, ok := a.kept[lib.Words]; ok {
		return z, nil
	}
	words, err := st.Words(ctx, lib)
	if err != nil {
		return lexical.Analyzer{}, err
	}
	if rag.WordsHash(words) != lib.Words {
		return lexical.Analyzer{}, fmt.Errorf("words of %q: %w", lib.Name, rag.ErrStale)
	}
	if len(a.kept) >= keptAnalyzers || a.kept == nil {
		a.kept = map[string]lexical.Analyzer{}
	}
	z := lexical.NewAnalyzer(words)
	a.kept[lib.Words] = z
	return z, nil
}

// textIndexes is lexical as the library's port.
type textIndexes struct{ lexical.Analyzer }

func (x textIndexes) Build(ctx context.Context, from, to string, remove []rag.ChunkID, put []library.TextEntry) error {
	entries := make([]lexical.Entry, len(put))
	for i, e := range put {
		entries[i] = lexical.Entry{ID: e.ID, Text: e.Text}
	}
	return x.Analyzer.Build(ctx, from, to, remove, entries)
}

func (x textIndexes) Open(dir string, chunks int, terms rag.TermCounts) (rag.TextIndex, error) {
	return x.Analyzer.Open(dir, lexical.Stats{Chunks: chunks, Terms: terms})
}

// coverageBy returns what tells the share of a question's terms that a sentence holds.
func coverageBy(z lexical.Analyzer) func(question, sentence string) float64 {
	return func(question, sentence string) float64 {
		terms := z.QueryTerms(question)
		if len(terms) == 0 {
			return 0
		}
		seen := map[string]bool{}
		for _, m := range z.Matches(question, sentence) {
			seen[m.Term] = true
		}
		return min(1, float64(len(seen))/float64(len(terms)))
	}
}
