package api

import "time"

// ListKBsRequest asks for the knowledge bases of the workspace.
type ListKBsRequest struct{}

// KBList lists knowledge bases by name.
type KBList struct {
	KBs []KB `json:"kbs"`
}

// KB is a knowledge base, a library of documents.
type KB struct {
	KB          string `json:"kb"`
	Documents   int    `json:"documents"`
	Chunks      int    `json:"chunks"`
	Embedder    string `json:"embedder"`
	Fingerprint string `json:"fingerprint"`
	// Chunker, ChunkSize and ChunkOverlap are what ingestion uses.
	Chunker      string `json:"chunker"`
	ChunkSize    int    `json:"chunk_size"`
	ChunkOverlap int    `json:"chunk_overlap"`
	// Tuned is what strategy "auto" runs; null where nothing was tuned.
	Tuned *Tuned `json:"tuned"`
}

// RemoveKBRequest names the knowledge base to delete.
type RemoveKBRequest struct {
	KB string `json:"kb"`
}

// RemovedKB says what was deleted.
type RemovedKB struct {
	Removed   string `json:"removed"`
	Documents int    `json:"documents"`
	Chunks    int    `json:"chunks"`
}

// IngestRequest adds files and folders to a knowledge base, creating it.
type IngestRequest struct {
	KB string `json:"kb"`
	// Paths are files and folders; with Retry they are sources of files that the
	// library lists as not read, to be read again, and none means all that failed.
	Paths []string `json:"paths"`
	Retry bool     `json:"retry"`
	// Chunker, ChunkSize, ChunkOverlap and Embedder apply when the knowledge base
	// is created, and must agree with it otherwise; empty or null means its own.
	Chunker      string `json:"chunker"`
	ChunkSize    *int   `json:"chunk_size"`
	ChunkOverlap *int   `json:"chunk_overlap"`
	Embedder     string `json:"embedder"`
	// Sync removes documents whose file is gone from the given folders.
	Sync bool `json:"sync"`
	// Encoding forces a character encoding on the given files.
	Encoding string `json:"encoding"`
	// Tags are given to the documents read.
	Tags []string `json:"tags"`
	// OCR reads the text in pictures where the machine has tesseract.
	OCR bool `json:"ocr"`
	// Limits raise or lower what one file may cost: bytes, inflated, ratio, pages,
	// depth, cells, text, memory, time.
	Limits map[string]string `json:"limits"`
}

// IngestReport is the result of an ingest or import job.
type IngestReport struct {
	KB        string           `json:"kb"`
	Documents []DocumentStatus `json:"documents"`
	// Totals counts documents by status; "chunks" counts chunks written.
	Totals  map[string]int `json:"totals"`
	Seconds float64        `json:"seconds"`
	// Summary covers the documents of this run.
	Summary LibraryHealth `json:"summary"`
}

// DocumentStatus is what became of one file.
type DocumentStatus struct {
	Source   string  `json:"source"`
	DocID    *string `json:"doc_id"`
	Status   string  `json:"status" tstype:"'indexed' | 'unchanged' | 'updated' | 'alias' | 'empty' | 'needs_ocr' | 'unsupported' | 'skipped' | 'failed' | 'removed'"`
	Format   *string `json:"format"`
	Encoding *string `json:"encoding"`
	Chars    *int    `json:"chars"`
	Pages    *int    `json:"pages"`
	Chunks   *int    `json:"chunks"`
	// Tokens sums the tokens of the chunks.
	Tokens *int `json:"tokens"`
	// Health is null where nothing was read.
	Health   *Health    `json:"health"`
	Warnings []Notice   `json:"warnings"`
	Error    *ErrorBody `json:"error"`
	// Path is where a file lies that a library lists as not read, and Tried when that
	// was last tried; null elsewhere.
	Path  *string    `json:"path"`
	Tried *time.Time `json:"tried"`
}

// Health tells how completely a file, or all files of a library, were read.
type Health struct {
	// EncodingConfidence is how sure the character encoding is, in [0, 1]; for a
	// library the least of its files.
	EncodingConfidence float64 `json:"encoding_confidence"`
	// Pages counts pages, slides or sheets, PagesWithText those that gave text.
	Pages         int `json:"pages"`
	PagesWithText int `json:"pages_with_text"`
	// RowsRead and RowsKept count the rows of tables and records.
	RowsRead int `json:"rows_read"`
	RowsKept int `json:"rows_kept"`
	Tables   int `json:"tables"`
	// Images counts pictures whose content is not in the text.
	Images int `json:"images"`
	// RepeatedLines counts headers, footers and page numbers left out.
	RepeatedLines int `json:"repeated_lines"`
	// Garbled is the share of characters without meaning, in [0, 1]; for a library
	// that of all its characters.
	Garbled float64 `json:"garbled"`
}

// LibraryHealth sums up the documents of a library.
type LibraryHealth struct {
	// Totals counts documents by status; "chunks", "chars" and "tokens" are sums.
	Totals map[string]int `json:"totals"`
	Health Health         `json:"health"`
	// Warnings counts the documents that carry each warning.
	Warnings map[string]int `json:"warnings"`
	// Encodings counts documents by encoding, Formats by format.
	Encodings map[string]int `json:"encodings"`
	Formats   map[string]int `json:"formats"`
}

// ListDocumentsRequest asks for the documents of a knowledge base.
type ListDocumentsRequest struct {
	KB string `json:"kb"`
	// Status keeps to these statuses; empty for all.
	Status []string `json:"status"`
}

// DocumentList lists documents, aliases and files that were not read by source. A
// document whose file could not be read again has that status and error, and the
// numbers of what the library still holds.
type DocumentList struct {
	Documents []DocumentStatus `json:"documents"`
	// Summary is the whole library's.
	Summary LibraryHealth `json:"summary"`
}

// DocumentTextRequest names a document by source, unique ending, or id.
type DocumentTextRequest struct {
	KB  string `json:"kb"`
	Ref string `json:"ref"`
}

// DocumentText is a document's text as it was read.
type DocumentText struct {
	Source string `json:"source"`
	DocID  string `json:"doc_id"`
	Text   string `json:"text"`
}

// RemoveDocumentsRequest names documents, and files that were not read, to remove.
type RemoveDocumentsRequest struct {
	KB   string   `json:"kb"`
	Refs []string `json:"refs"`
	// DryRun removes nothing and says what would go.
	DryRun bool `json:"dry_run"`
}

// RemovedDocuments lists the sources that were removed.
type RemovedDocuments struct {
	Removed []string `json:"removed"`
}

// ExportChunksRequest asks for the chunks of a knowledge base, or of one of its
// documents when Ref names one by id, source or unique ending.
type ExportChunksRequest struct {
	KB  string `json:"kb"`
	Ref string `json:"ref"`
}

// ChunkExport lists chunks by source and position.
type ChunkExport struct {
	Chunks []Chunk `json:"chunks"`
}

// Chunk is a line of a chunk list.
type Chunk struct {
	ChunkID  string        `json:"chunk_id"`
	DocID    string        `json:"doc_id"`
	Source   string        `json:"source"`
	Span     Span          `json:"span"`
	Text     string        `json:"text"`
	Metadata ChunkMetadata `json:"metadata"`
}

// ChunkMetadata is what is known of a chunk beside its text.
type ChunkMetadata struct {
	Headings []string `json:"headings"`
}

// ImportChunksRequest adds ready-made chunks, keeping their ids.
type ImportChunksRequest struct {
	KB string `json:"kb"`
	// File is a path to JSON Lines or a JSON array of chunks.
	File     string `json:"file"`
	Embedder string `json:"embedder"`
}

// PreviewChunksRequest asks how a file would be cut, or the document of KB that
// Ref names; one of both is given.
type PreviewChunksRequest struct {
	// KB gives the chunker's settings when it exists; empty means the defaults.
	KB           string `json:"kb"`
	File         string `json:"file"`
	Ref          string `json:"ref"`
	Chunker      string `json:"chunker"`
	ChunkSize    *int   `json:"chunk_size"`
	ChunkOverlap *int   `json:"chunk_overlap"`
}

// ChunkPreview is what ingestion would make of a file.
type ChunkPreview struct {
	Source  string         `json:"source"`
	Chunker string         `json:"chunker"`
	Chunks  []PreviewChunk `json:"chunks"`
}

// PreviewChunk is a chunk with its size and what it shares with the one before.
type PreviewChunk struct {
	Ordinal  int      `json:"ordinal"`
	Span     Span     `json:"span"`
	Headings []string `json:"headings"`
	Text     string   `json:"text"`
	Tokens   int      `json:"tokens"`
	// Overlap counts code points shared with the chunk before.
	Overlap int `json:"overlap"`
}
