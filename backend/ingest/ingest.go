// Package ingest brings files into a library: scan, read, parse, chunk, embed,
// commit.
//
// A file's identity is its real path; its content is known by hash. Documents
// become visible in groups, each group in one commit, and are reported only
// after it, so that whatever was reported survives a crash. Embedding, which
// takes nearly all the time, overlaps reading ahead of it and indexing behind.
//
//	report, err := ingest.Run(ctx, ports, lib, ingest.Options{Paths: paths}, progress)
package ingest

import (
	"context"
	"time"

	"ragdesk/backend/rag"
)

// Catalogue tells what a library holds.
type Catalogue interface {
	Documents(ctx context.Context, lib rag.Library) ([]rag.DocumentRow, error)
	Aliases(ctx context.Context, lib rag.Library) ([]rag.Alias, error)
	Unread(ctx context.Context, lib rag.Library) ([]rag.Unread, error)
	EachChunk(ctx context.Context, lib rag.Library, visit func(rag.ChunkRow) error) error
}

// Committer makes a change visible and returns the library after it.
type Committer interface {
	Commit(ctx context.Context, lib rag.Library, c rag.Change) (rag.Library, error)
}

// Ports are what ingestion needs of the layers below.
type Ports struct {
	Parser   rag.Parser
	Chunker  rag.Chunker
	Embedder rag.Embedder
	// Unpacker reads archives; nil reads none.
	rag.Unpacker
	Catalogue Catalogue
	Committer Committer
	// Count counts a text's terms as the text index does.
	Count func(text string) rag.TermCounts
	// EmbedLimit is how many content tokens of a chunk the embedder reads; nil means
	// all of them.
	EmbedLimit func(rag.Chunk) int
	// Notices are warnings that hold for every document of a language, such as a
	// capped size; nil means none.
	Notices func(language string) []rag.Notice
}

// Options say what to ingest.
type Options struct {
	// Paths are files and folders; with Retry they are sources of files that were not
	// read, to be read again, and none means all that failed.
	Paths []string
	Retry bool
	// Sync removes documents whose file is gone from the given folders.
	Sync bool
	// Encoding forces a character encoding; empty means by evidence.
	Encoding string
	// Tags are given to the documents read; documents that have others are read
	// again.
	Tags []string
	// OCR reads again what could not be read without it.
	OCR bool
	// MaxBytes bounds a file's size; 0 means DefaultMaxBytes.
	MaxBytes int64
}

// DefaultMaxBytes is the largest file read, 64 MiB.
const DefaultMaxBytes = 64 << 20

// Outcome is what became of one file.
type Outcome struct {
	Source string
	Status string
	// Doc is the stored document; its ID is empty when there is none.
	Doc rag.DocumentRow
	// Warnings are those of reading, cutting and embedding.
	Warnings []rag.Notice
	// Err says why the status is failed or unsupported.
	Err error
}

// Report lists outcomes in the order of the scan, removed documents last.
type Report struct {
	Outcomes []Outcome
	// Chunks counts the chunks written.
	Chunks int
	Took   time.Duration
	// Library is the library after the last commit.
	Library rag.Library
}

// Run ingests the paths. One bad file never stops the others: it becomes an
// outcome with an error, which the library keeps until the file is read. When ctx is cancelled, what is embedded by then is
// committed, and Run returns the report so far together with ctx.Err(). Any
// other error means that the library could not be written.
func Run(ctx context.Context, ports Ports, lib rag.Library, opt Options, progress rag.Progress) (Report, error) {
	start := time.Now()
	if opt.MaxBytes == 0 {
		opt.MaxBytes = DefaultMaxBytes
	}
	known, err := loadKnown(ctx, ports.Catalogue, lib)
	if err != nil {
		return Report{Library: lib}, err
	}
	progress.Stage("scan", 0)
	paths := asGiven(opt.Paths)
	if opt.Retry {
		if paths, err = known.retry(opt.Paths, opt.OCR); err != nil {
			return Report{Library: lib}, err
		}
	}
	scan, err := scanPaths(ctx, paths)
	if err != nil {
		return Report{Library: lib}, err
	}
	var bytes int64
	for _, f := range scan.files {
		bytes += f.size
	}
	progress.Stage("ingest", int(bytes))
	r := &reader{ports: ports, opt: opt, known: known, scan: scan}
	c := newCommitter(ports.Committer, lib, progress)
	err = run(ctx, ports.Embedder, r.all, c, progress)
	return c.result(start), err
}
