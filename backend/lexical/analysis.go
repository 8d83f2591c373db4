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

// Fingerprint names what an index depends on besides the chunks: the word list,
// the rules of analysis, and the format on disk.
func Fingerprint() string { return "bm25-" + rules + "-" + text.Fingerprint() + "-zap17" }

// Count returns the number of terms of each field that a chunk of this text adds
// to the index. The sums over all chunks are what Open needs.
func Count(chunk string) rag.TermCounts {
	a := text.Analyze(chunk)
	return rag.TermCounts{Words: len(a.Words), Bigrams: len(a.Bigrams), Chars: len(a.Chars)}
}
