package ingest_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"ragdesk/backend/chunk"
	"ragdesk/backend/ingest"
	"ragdesk/backend/lexical"
	"ragdesk/backend/library"
	"ragdesk/backend/library/librarytest"
	"ragdesk/backend/parse"
	"ragdesk/backend/parse/archive"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/rag"
	"ragdesk/backend/store"
)

// bench is a library of real components to ingest into.
type bench struct {
	*librarytest.Workspace
	lib      rag.Library
	chunker  rag.Chunker
	embedder rag.Embedder
}

// newBench makes an empty library cut into windows of 40 code points.
func newBench(t *testing.T, embedder rag.Embedder) *bench {
	t.Helper()
	b := &bench{Workspace: librarytest.Open(t, t.TempDir()), embedder: embedder}
	c, _, err := chunk.New(chunk.Config{Kind: chunk.KindChars, Size: 40, Overlap: 10})
	if err != nil {
		t.Fatal(err)
	}
	b.chunker = c
	b.lib = b.Create(t, "kb", rag.Settings{
		Chunker: chunk.KindChars, ChunkSize: 40, ChunkOverlap: 10, ChunkerFingerprint: c.Fingerprint(),
		Embedder: "test", EmbedderFingerprint: embedder.Fingerprint(), Dim: embedder.Dim(), TextFingerprint: lexical.Analyzer{}.Fingerprint(),
	})
	return b
}

// committer commits as one writer.
type committer struct {
	shelf  *library.Shelf
	writer *store.Writer
}

func (c committer) Commit(ctx context.Context, lib rag.Library, change rag.Change) (rag.Library, error) {
	return c.shelf.Commit(ctx, c.writer, lib, change)
}

// recorder remembers what progress noted.
type recorder struct {
	rag.NoProgress
	mu    sync.Mutex
	noted []ingest.Outcome
	// onNote, if set, is called for each.
	onNote func(ingest.Outcome)
}

func (r *recorder) Note(item any) {
	o := item.(ingest.Outcome)
	r.mu.Lock()
	r.noted = append(r.noted, o)
	r.mu.Unlock()
	if r.onNote != nil {
		r.onNote(o)
	}
}

// with runs an ingestion as the writer, and then checks all that holds after
// any ingestion.
func (b *bench) with(t *testing.T, p *recorder, run func(ingest.Ports) (ingest.Report, error)) (ingest.Report, error) {
	t.Helper()
	w, unlock := b.Lock(t)
	report, err := run(ingest.Ports{
		Parser: parse.New(parse.Options{}), Chunker: b.chunker, Embedder: b.embedder,
		Catalogue: b.Store, Committer: committer{b.Shelf, w}, Count: lexical.Analyzer{}.Count,
		Unpacker: archive.New(guard.Limits{}),
	})
	unlock()
	b.lib = report.Library
	b.checkWhole(t)
	b.checkReported(t, report, p.noted)
	return report, err
}

// run ingests paths and fails the test on an error.
func (b *bench) run(t *testing.T, opt ingest.Options) ingest.Report {
	t.Helper()
	p := &recorder{}
	report, err := b.with(t, p, func(ports ingest.Ports) (ingest.Report, error) {
		return ingest.Run(t.Context(), ports, b.lib, opt, p)
	})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// checkWhole holds the store and both indexes against one another.
func (b *bench) checkWhole(t *testing.T) {
	t.Helper()
	if err := b.Store.Check(t.Context()); err != nil {
		t.Errorf("the workspace is not sound: %v", err)
	}
	lib, err := b.Store.Library(t.Context(), b.lib.Name)
	if err != nil || lib != b.lib {
		t.Errorf("the store has %+v (%v), the report %+v", lib, err, b.lib)
	}
	snap, err := b.Shelf.Open(t.Context(), b.lib.Name)
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Release()
	vectors, err := snap.Vectors(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if snap.Text.Count() != lib.Chunks || vectors.Count() != lib.Chunks || b.Rebuilt.Load() != 0 {
		t.Errorf("%d chunks, %d in the text index, %d vectors, %d rebuilt", lib.Chunks, snap.Text.Count(), vectors.Count(), b.Rebuilt.Load())
	}
}

// checkReported holds what was reported against what can be seen.
func (b *bench) checkReported(t *testing.T, report ingest.Report, noted []ingest.Outcome) {
	t.Helper()
	docs := map[rag.DocumentID]rag.DocumentRow{}
	for _, d := range b.documents(t) {
		docs[d.ID] = d
	}
	chunks := 0
	for _, o := range report.Outcomes {
		d, visible := docs[o.Doc.ID]
		switch o.Status {
		case rag.StatusIndexed, rag.StatusUpdated:
			chunks += o.Doc.Chunks
			fallthrough
		case rag.StatusUnchanged, rag.StatusAlias, rag.StatusEmpty:
			if !visible || d.Chunks != o.Doc.Chunks || d.ContentHash != o.Doc.ContentHash || o.Err != nil {
				t.Errorf("%s is reported as %s of %+v; the library has %+v", o.Source, o.Status, o.Doc, d)
			}
		case rag.StatusFailed, rag.StatusUnsupported:
			if o.Err == nil {
				t.Errorf("%s is %s for no reason", o.Source, o.Status)
			}
		}
		if !slices.ContainsFunc(noted, func(n ingest.Outcome) bool { return n.Source == o.Source && n.Status == o.Status }) {
			t.Errorf("%s (%s) was not noted", o.Source, o.Status)
		}
	}
	if report.Chunks != chunks {
		t.Errorf("the report counts %d chunks written, its documents %d", report.Chunks, chunks)
	}
}

func (b *bench) documents(t *testing.T) []rag.DocumentRow {
	t.Helper()
	docs, err := b.Store.Documents(t.Context(), b.lib)
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

// held lists what the library has: documents by source with their text, aliases
// with "= " and the source of their document.
func (b *bench) held(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	sources := map[rag.DocumentID]string{}
	for _, d := range b.documents(t) {
		text, err := b.Store.Text(t.Context(), b.lib, d.ID)
		if err != nil {
			t.Fatal(err)
		}
		out[d.Source], sources[d.ID] = text, d.Source
	}
	aliases, err := b.Store.Aliases(t.Context(), b.lib)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range aliases {
		out[a.Source] = "= " + sources[a.DocID]
	}
	return out
}

// chunks lists the library's chunks.
func (b *bench) chunks(t *testing.T) []rag.ChunkRow {
	t.Helper()
	var out []rag.ChunkRow
	err := b.Store.EachChunk(t.Context(), b.lib, func(c rag.ChunkRow) error {
		out = append(out, c)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// statuses are the outcomes by source below root; a failure adds its code.
func statuses(root string, report ingest.Report) map[string]string {
	out := map[string]string{}
	for _, o := range report.Outcomes {
		s := o.Status
		if o.Err != nil {
			s += " " + code(o.Err)
		}
		name := strings.TrimPrefix(strings.TrimPrefix(o.Source, filepath.ToSlash(root)), "/")
		out[name] = s
	}
	return out
}

// files writes files below a new folder and returns it. A text
// that begins with "-> " makes a link.
func files(t *testing.T, tree map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		write(t, filepath.Join(root, name), tree[name])
	}
	return root
}

func write(t *testing.T, path, text string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if target, link := strings.CutPrefix(text, "-> "); link {
		err = errors.Join(err, os.Symlink(target, path))
	} else {
		err = errors.Join(err, os.WriteFile(path, []byte(text), 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}
