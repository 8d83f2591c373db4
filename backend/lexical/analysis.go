package lexical

import (
	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// The fields of a chunk.
const (
	fieldWords   = "words"
	fieldBigrams = "bigrams"
	fieldChars   = "chars"
)

// rules is raised whenever the fields, the scores or the folder's layout change,
// so that indexes made before are rebuilt.
const rules = "1"

// Analyzer takes the terms of chunks and queries: by the program's own word list and
// by the words of a library. The zero value has none of the latter. It is safe for
// concurrent use.
type Analyzer struct{ lexicon *text.Lexicon }

// NewAnalyzer returns the analyzer of a library with words of its own.
func NewAnalyzer(words []rag.Word) Analyzer { return Analyzer{text.NewLexicon(words)} }

// Fingerprint names what an index depends on besides the chunks: the words, the rules
// of analysis, and the format on disk.
func (z Analyzer) Fingerprint() string {
	return "bm25-" + rules + "-" + z.lexicon.Fingerprint() + "-zap17"
}

// Count returns the number of terms of each field that a chunk of this text adds
// to the index. The sums over all chunks are what Open needs.
func (z Analyzer) Count(chunk string) rag.TermCounts {
	a := z.lexicon.Analyze(chunk)
	return rag.TermCounts{Words: len(a.Words), Bigrams: len(a.Bigrams), Chars: len(a.Chars)}
}
