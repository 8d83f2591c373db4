package rag

import (
	"context"
	"time"
)

// Contract of every port: outputs are as long as inputs; a nil error means
// complete, never partial; after cancellation the error is ctx.Err(). Unless a
// comment says otherwise an implementation is safe for concurrent use.

// Token is a content token of a text: its vocabulary id and the bytes it covers.
type Token struct {
	ID   int32
	Span Span
}

// Tokenizer cuts text as an embedder's own vocabulary does, without special
// tokens and without truncation.
type Tokenizer interface {
	Tokens(text string) []Token
	// Fingerprint changes when the vocabulary or the rules do.
	Fingerprint() string
}

// Parser reads bytes into a document. It sets everything but ID.
type Parser interface {
	Parse(ctx context.Context, in Input) (Document, error)
}

// Input is the raw content of a source.
type Input struct {
	// Source as in Document.Source; its extension chooses the format.
	Source string
	Bytes  []byte
	// Encoding forces a character encoding; empty means by evidence.
	Encoding string
}

// Chunker splits a document into chunks in text order, IDs and Points set.
type Chunker interface {
	Chunk(ctx context.Context, doc Document) ([]Chunk, error)
	// Fingerprint names the rule and its parameters.
	Fingerprint() string
}

// Embedder turns texts into unit vectors of Dim float32 values. The vector of a
// text does not depend on what is embedded beside it. A vector that is not
// finite, has no length or the wrong dimension is an error naming the text.
type Embedder interface {
	Documents(ctx context.Context, texts []string) ([][]float32, error)
	Query(ctx context.Context, text string) ([]float32, error)
	Dim() int
	// Fingerprint covers model bytes, pooling, prefixes and limits.
	Fingerprint() string
}

// TokenMatrix holds one unit vector a content token, row after row.
type TokenMatrix struct {
	Rows, Dim int
	// Data has Rows × Dim values.
	Data []float32
}

// TokenEmbedder gives the token vectors that late interaction compares.
type TokenEmbedder interface {
	TokenVectors(ctx context.Context, texts []string) ([]TokenMatrix, error)
}

// TextIndex ranks chunks by BM25.
type TextIndex interface {
	// Search returns at most k chunks with a score above 0 by the ordering rule.
	Search(ctx context.Context, query string, k int) ([]Scored, error)
	// Score returns the BM25 score of each chunk, 0 for those that do not match.
	Score(ctx context.Context, query string, ids []ChunkID) ([]float64, error)
	// Count returns the number of chunks.
	Count() int
	Close() error
}

// VectorIndex ranks chunks by exact cosine.
type VectorIndex interface {
	// Search returns the k nearest chunks by the ordering rule, fewer when the
	// index holds fewer. The query must be a unit vector of the index's dimension.
	Search(ctx context.Context, query []float32, k int) ([]Scored, error)
	// SearchAllowed is Search among the chunks that allow accepts; nil accepts all.
	// allow may be called from several goroutines at a time.
	SearchAllowed(ctx context.Context, query []float32, k int, allow func(ChunkID) bool) ([]Scored, error)
	// Score returns the cosine of each chunk; an unknown id is an error.
	Score(ctx context.Context, query []float32, ids []ChunkID) ([]float64, error)
	Count() int
}

// Passage is a candidate as a reranker sees it.
type Passage struct {
	ID   ChunkID
	Text string
	// BM25 is the passage's BM25 score for the query, 0 when it does not match.
	BM25 float64
}

// Relevance is a reranker's verdict on one passage.
type Relevance struct {
	Score float64
	// Parts are native values behind Score, such as "logit".
	Parts []Part
}

// Reranker scores passages against a query; it does not order them.
type Reranker interface {
	Rerank(ctx context.Context, query string, passages []Passage) ([]Relevance, error)
	// Name is the reranker's name on the command line.
	Name() string
	Fingerprint() string
}

// Progress receives what long work has done. Implementations must be cheap and
// safe for concurrent use.
type Progress interface {
	// Stage starts a step of total units; total 0 means unknown.
	Stage(name string, total int)
	// Add reports n more units of the current stage.
	Add(n int)
	// Note reports a finished item, such as a file with its status.
	Note(item any)
}

// NoProgress ignores everything.
type NoProgress struct{}

// Stage does nothing.
func (NoProgress) Stage(string, int) {}

// Add does nothing.
func (NoProgress) Add(int) {}

// Note does nothing.
func (NoProgress) Note(any) {}

// TermCounts counts the terms of a text, field by field, as the text index
// stores them; their totals are the length statistics BM25 uses.
type TermCounts struct{ Words, Bigrams, Chars int }

// Plus returns the sum of two counts.
func (c TermCounts) Plus(d TermCounts) TermCounts {
	return TermCounts{c.Words + d.Words, c.Bigrams + d.Bigrams, c.Chars + d.Chars}
}

// ArchiveEntry is a file inside an archive.
type ArchiveEntry struct {
	// Name is the path inside the archive, '/'-separated, unique within it.
	Name  string
	Bytes []byte
	// Modified is zero when the archive does not say.
	Modified time.Time
	// Err says why there are no bytes.
	Err error
}

// Unpacker reads archives.
type Unpacker interface {
	// IsArchive reports whether the source's extension names an archive.
	IsArchive(source string) bool
	// Unpack visits the archive's files in its order, those of archives inside it
	// among them, and stops at visit's first error. Its own error means that the
	// archive as a whole cannot be read.
	Unpack(ctx context.Context, archive []byte, visit func(ArchiveEntry) error) error
}
