package rag

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"
)

// Settings are how a library reads, cuts and indexes its documents. They are
// fixed when the library is created, its words apart.
type Settings struct {
	Chunker string
	// ChunkSize and ChunkOverlap count what the chunker counts: content tokens, or
	// code points for "chars".
	ChunkSize, ChunkOverlap int
	ChunkerFingerprint      string
	Embedder                string
	EmbedderFingerprint     string
	// Dim is the vectors' dimension.
	Dim int
	// TextFingerprint is the text index's analysis and format.
	TextFingerprint string
	// Words is a hash of the words that the text index is told of, "" of none. They
	// alone can be changed later.
	Words string
}

// Library is a knowledge base at one revision.
type Library struct {
	ID   int64
	Name string
	// Revision grows by one with each change of documents or words.
	Revision int64
	Settings
	Documents, Chunks int
	// Terms are the totals over all chunks.
	Terms TermCounts
}

// Fingerprint is a short hash of the settings that decide what a search finds.
func (l Library) Fingerprint() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d\x00%s",
		l.ChunkerFingerprint, l.EmbedderFingerprint, l.Dim, l.TextFingerprint))
	return hex.EncodeToString(sum[:8])
}

// Statuses of a file after ingestion.
const (
	StatusIndexed     = "indexed"
	StatusUnchanged   = "unchanged"
	StatusUpdated     = "updated"
	StatusAlias       = "alias"
	StatusEmpty       = "empty"
	StatusNeedsOCR    = "needs_ocr"
	StatusUnsupported = "unsupported"
	StatusSkipped     = "skipped"
	StatusFailed      = "failed"
	StatusRemoved     = "removed"
)

// Statuses lists all statuses in the order of a summary.
func Statuses() []string {
	return []string{
		StatusIndexed, StatusUpdated, StatusUnchanged, StatusAlias, StatusRemoved, StatusEmpty,
		StatusSkipped, StatusNeedsOCR, StatusUnsupported, StatusFailed,
	}
}

// DocumentRow is a stored document without its text.
type DocumentRow struct {
	// Document has no Text here.
	Document
	// RealPath is the file's path after links; empty for imported chunk lists.
	RealPath string
	// ContentHash is the hexadecimal SHA-256 of the file's bytes.
	ContentHash string
	// Bytes is the file's size.
	Bytes int64
	// Chars counts the text's code points.
	Chars int
	// Chunks counts the document's chunks.
	Chunks int
	// Tokens sums the tokens of the chunks.
	Tokens int
	// Modified is when the file was last changed, in UTC and whole seconds; zero
	// when it has no date.
	Modified time.Time
	// Tags were given by the user.
	Tags []string
	// Status is StatusIndexed, StatusEmpty or StatusNeedsOCR.
	Status string
}

// Alias is a further path to a document's content.
type Alias struct {
	Source, RealPath, ContentHash string
	DocID                         DocumentID
}

// ChunkRow is a chunk with its document's source.
type ChunkRow struct {
	Chunk
	Source string
}

// VectorBlock holds a library's vectors: row i of Data belongs to IDs[i].
type VectorBlock struct {
	Dim  int
	IDs  []ChunkID
	Data []float32
}

// DocumentRecord is a document with all that is stored of it.
type DocumentRecord struct {
	DocumentRow
	Text   string
	Chunks []Chunk
	// Counts are the chunks' term counts.
	Counts []TermCounts
	// Vectors has len(Chunks) × Dim values.
	Vectors []float32
}

// Unread is a file that gave a library no document, or not that of its newest bytes.
type Unread struct {
	// Place is the file's absolute path, links not followed; that of a file in an
	// archive goes on with a NUL and the name there.
	Place  string
	Source string
	// Status is StatusFailed, StatusUnsupported or StatusSkipped.
	Status string
	// Code and Params are those of the fault; empty where there is none.
	Code   string
	Params map[string]string
	// Warnings say why a file was skipped.
	Warnings []Notice
	// Tried is when reading was last tried, in UTC and whole seconds.
	Tried time.Time
}

// Change is what one transaction does to a library.
type Change struct {
	// Revision is the library's revision plus one when documents change, and its
	// own otherwise.
	Revision int64
	Remove   []DocumentID
	// Put adds documents, replacing those with the same ID.
	Put           []DocumentRecord
	PutAliases    []Alias
	RemoveAliases []string
	// PutUnread notes files that were not read, ClearUnread forgets them by place.
	PutUnread   []Unread
	ClearUnread []string
}

// IsEmpty reports whether the change alters nothing.
func (c Change) IsEmpty() bool {
	return !c.TouchesChunks() && len(c.PutAliases)+len(c.RemoveAliases)+len(c.PutUnread)+len(c.ClearUnread) == 0
}

// TouchesChunks reports whether the change alters what the indexes hold.
func (c Change) TouchesChunks() bool { return len(c.Remove) > 0 || len(c.Put) > 0 }

// ErrStale reports that a library moved on to a newer revision while an older
// one was being read; the reader opens it again.
var ErrStale = errors.New("library has a newer revision")
