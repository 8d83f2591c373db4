package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"
	"time"

	"ragdesk/backend/rag"
)

// Embedded is a document that comes with the program.
type Embedded struct {
	// Source is the document's source, '/'-separated.
	Source string
	Bytes  []byte
}

// embeddedPrefix begins the real path of embedded documents, which no file has.
const embeddedPrefix = "builtin:"

// IsEmbedded reports whether a stored document came with the program.
func IsEmbedded(d rag.DocumentRow) bool { return strings.HasPrefix(d.RealPath, embeddedPrefix) }

// RunEmbedded brings lib to hold exactly the given embedded documents beside
// any others it has: new and changed ones are indexed, and embedded ones that
// are no longer among them removed.
func RunEmbedded(ctx context.Context, ports Ports, lib rag.Library, docs []Embedded, progress rag.Progress) (Report, error) {
	start := time.Now()
	known, err := loadKnown(ctx, ports.Catalogue, lib)
	if err != nil {
		return Report{Library: lib}, err
	}
	size := 0
	for _, d := range docs {
		size += len(d.Bytes)
	}
	progress.Stage("ingest", size)
	r := &reader{ports: ports, known: known, seqs: map[string]int{}}
	c := newCommitter(ports.Committer, lib, progress)
	err = run(ctx, ports.Embedder, func(ctx context.Context, pass func(*item) error) error {
		return r.embedded(ctx, docs, pass)
	}, c, progress)
	return c.result(start), err
}

func (r *reader) embedded(ctx context.Context, docs []Embedded, pass func(*item) error) error {
	current := map[string]bool{}
	for _, d := range docs {
		f := file{source: d.Source, real: embeddedPrefix + d.Source, size: int64(len(d.Bytes))}
		current[f.real] = true
		it := &item{seq: r.seq(f.source), size: f.size, outcome: Outcome{Source: f.source}}
		sum := sha256.Sum256(d.Bytes)
		hash := hex.EncodeToString(sum[:])
		id, have := r.known.byReal[f.real]
		status := rag.StatusUpdated
		if !have {
			id, status = r.known.newID(f), rag.StatusIndexed
		}
		if have && r.known.docs[id].ContentHash == hash {
			it.unchanged(r.known.docs[id])
		} else if err := r.parse(ctx, f, id, f.source, d.Bytes, hash, status, it); err != nil {
			return err // ours to begin with: a fault here is a fault of the program
		}
		if err := pass(it); err != nil {
			return err
		}
	}
	for _, id := range sortedKeys(r.known.docs) {
		d := r.known.docs[id]
		if !IsEmbedded(d) || current[d.RealPath] {
			continue
		}
		it := &item{seq: r.seq(d.Source), removeDoc: id, outcome: Outcome{Source: d.Source, Status: rag.StatusRemoved, Doc: d}}
		if err := pass(it); err != nil {
			return err
		}
	}
	return nil
}

// Preview parses and chunks a file as ingestion would.
func Preview(ctx context.Context, p rag.Parser, c rag.Chunker, path string) (rag.Document, []rag.Chunk, error) {
	data, err := readFile(path, DefaultMaxBytes)
	if err != nil {
		return rag.Document{}, nil, err
	}
	doc, err := parseGuarded(ctx, p, rag.Input{Source: filepath.ToSlash(filepath.Clean(path)), Bytes: data})
	if err != nil {
		return rag.Document{}, nil, err
	}
	doc.ID = hashID(doc.Source)
	chunks, err := c.Chunk(ctx, doc)
	return doc, chunks, err
}
