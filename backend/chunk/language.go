package chunk

import (
	"context"
	"fmt"
	"strings"

	"ragdesk/backend/rag"
)

// Lingual is the chunker of documents in one language.
type Lingual struct {
	Language string
	Chunker  rag.Chunker
}

// byLanguage cuts each document with the chunker of its language.
type byLanguage []Lingual

// ByLanguage returns a chunker that cuts each document with that of its language,
// since models for different languages count tokens differently and read texts of
// different lengths. The first is for documents in no known language; there is
// at least one.
func ByLanguage(first Lingual, others ...Lingual) rag.Chunker {
	if len(others) == 0 {
		return first.Chunker
	}
	return byLanguage(append([]Lingual{first}, others...))
}

// Chunk implements rag.Chunker.
func (b byLanguage) Chunk(ctx context.Context, doc rag.Document) ([]rag.Chunk, error) {
	for _, l := range b {
		if l.Language == doc.Language {
			return l.Chunker.Chunk(ctx, doc)
		}
	}
	return b[0].Chunker.Chunk(ctx, doc)
}

// Fingerprint implements rag.Chunker.
func (b byLanguage) Fingerprint() string {
	parts := make([]string, len(b))
	for i, l := range b {
		parts[i] = fmt.Sprintf("%s: %s", l.Language, l.Chunker.Fingerprint())
	}
	return strings.Join(parts, "; ")
}

// Shrink fits a size and overlap chosen for one model to the limit of another,
// both in content tokens; the overlap keeps its proportion.
func Shrink(size, overlap, limit int) (sizeOut, overlapOut int) {
	if limit <= 0 || size <= limit {
		return size, overlap
	}
	return limit, overlap * limit / size
}
