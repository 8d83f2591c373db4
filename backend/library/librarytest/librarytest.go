// Package librarytest gives tests a library on real components: SQLite, bleve
// and chromem-go, wired as the program wires them. It is imported by tests only.
//
//	w := librarytest.Open(t, t.TempDir())
//	lib := w.Create(t, "kb", librarytest.Settings())
//	lib = w.Commit(t, lib, rag.Change{Put: []rag.DocumentRecord{librarytest.Record("a.txt", "one", "two")}})
package librarytest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"ragdesk/backend/chunk"
	"ragdesk/backend/embed"
	"ragdesk/backend/fault"
	"ragdesk/backend/lexical"
	"ragdesk/backend/library"
	"ragdesk/backend/models"
	"ragdesk/backend/ort"
	"ragdesk/backend/rag"
	"ragdesk/backend/store"
	"ragdesk/backend/vector"
)

// Dim is the dimension of Record's vectors.
const Dim = 8

// Texts is package lexical as library.TextIndexes.
type Texts struct {
	// Print replaces the fingerprint when it is not empty.
	Print string
}

// Build implements library.TextIndexes.
func (Texts) Build(ctx context.Context, from, to string, remove []rag.ChunkID, put []library.TextEntry) error {
	entries := make([]lexical.Entry, len(put))
	for i, e := range put {
		entries[i] = lexical.Entry{ID: e.ID, Text: e.Text}
	}
	return lexical.Analyzer{}.Build(ctx, from, to, remove, entries)
}

// Open implements library.TextIndexes.
func (Texts) Open(dir string, chunks int, terms rag.TermCounts) (rag.TextIndex, error) {
	return lexical.Analyzer{}.Open(dir, lexical.Stats{Chunks: chunks, Terms: terms})
}

// Count implements library.TextIndexes.
func (Texts) Count(s string) rag.TermCounts { return lexical.Analyzer{}.Count(s) }

// Fingerprint implements library.TextIndexes.
func (x Texts) Fingerprint() string {
	if x.Print != "" {
		return x.Print
	}
	return lexical.Analyzer{}.Fingerprint()
}

// Workspace is a store with a shelf over it.
type Workspace struct {
	Store *store.Store
	Shelf *library.Shelf
	// Rebuilt counts the text indexes that the shelf had to make again.
	Rebuilt atomic.Int64
	// Loaded counts the vector indexes that were loaded.
	Loaded atomic.Int64
}

// lockWait is how long a rebuild waits for another writer.
const lockWait = 3 * time.Second

// Open opens the workspace in dir until the test ends.
func Open(t testing.TB, dir string) *Workspace {
	t.Helper()
	return OpenWith(t, dir, Texts{})
}

// OpenWith is Open with other text indexes.
func OpenWith(t testing.TB, dir string, texts library.TextIndexes) *Workspace {
	t.Helper()
	st, err := store.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	w := &Workspace{Store: st}
	w.Shelf = library.NewShelf(library.Config{
		Store: st, Dir: st.IndexDir,
		Texts: func(context.Context, rag.Library) (library.TextIndexes, error) { return texts, nil },
		LoadVectors: func(ctx context.Context, b rag.VectorBlock) (rag.VectorIndex, error) {
			w.Loaded.Add(1)
			return vector.Load(ctx, b.Dim, b.IDs, b.Data)
		},
		Lock: func(ctx context.Context, purpose string) (library.Writer, func(), error) {
			wr, err := st.Lock(ctx, purpose, lockWait)
			if err != nil {
				return nil, nil, err
			}
			return wr, func() { _ = wr.Unlock() }, nil
		},
		Notify: func(string, int) { w.Rebuilt.Add(1) },
	})
	t.Cleanup(func() {
		w.Shelf.Close()
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// Lock becomes the writer until unlock, at the latest until the test ends.
func (w *Workspace) Lock(t testing.TB) (wr *store.Writer, unlock func()) {
	t.Helper()
	wr, err := w.Store.Lock(t.Context(), "test", 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	unlock = func() {
		if err := wr.Unlock(); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(unlock)
	return wr, unlock
}

// Create makes an empty library.
func (w *Workspace) Create(t testing.TB, name string, s rag.Settings) rag.Library {
	t.Helper()
	wr, unlock := w.Lock(t)
	defer unlock()
	lib, err := wr.CreateLibrary(t.Context(), name, s)
	if err != nil {
		t.Fatal(err)
	}
	return lib
}

// Commit makes a change and returns the library after it.
func (w *Workspace) Commit(t testing.TB, lib rag.Library, c rag.Change) rag.Library {
	t.Helper()
	wr, unlock := w.Lock(t)
	defer unlock()
	next, err := w.Shelf.Commit(t.Context(), wr, lib, c)
	if err != nil {
		t.Fatal(err)
	}
	return next
}

// Model is the real default embedder, opened once for all tests of a process; a
// test is skipped where the program carries none.
func Model(t testing.TB) *embed.Model {
	t.Helper()
	m, err := model()
	if fault.Is(err, "asset_missing") {
		t.Skipf("needs the assets, run %q: %v", models.FetchCommand, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var model = sync.OnceValues(func() (*embed.Model, error) {
	assets, err := models.Open("")
	if err != nil {
		return nil, err
	}
	path, err := assets.Runtime()
	if err != nil {
		return nil, err
	}
	f, err := assets.Embedder(models.DefaultEmbedder)
	if err != nil {
		return nil, err
	}
	return embed.Open(ort.New(path), embed.Spec{
		Graph:     ort.Graph{Path: f.ModelPath, Inputs: f.Inputs, Output: f.Output},
		Tokenizer: f.TokenizerPath, ModelSHA256: f.ModelSHA256, TokenizerSHA256: f.TokenizerSHA256,
		Dim: f.Dim, Pooling: embed.Pooling(f.Pooling), Limit: f.Limit,
		QueryPrefix: f.QueryPrefix, DocumentPrefix: f.DocumentPrefix,
	})
})

// Settings are those of a library of Records.
func Settings() rag.Settings {
	return rag.Settings{
		Chunker: chunk.KindChars, ChunkSize: 100, ChunkerFingerprint: "paragraphs",
		Embedder: "hash", EmbedderFingerprint: "hash-1", Dim: Dim, TextFingerprint: lexical.Analyzer{}.Fingerprint(),
	}
}

// Record makes a document of one chunk a paragraph. Its ids depend on source and
// texts, a chunk's vector on the chunk's text alone.
func Record(source string, paragraphs ...string) rag.DocumentRecord {
	r := rag.DocumentRecord{Text: strings.Join(paragraphs, "\n\n")}
	r.ID = rag.DocumentID(digest(source)[:16])
	r.Source, r.Title, r.MediaType, r.Encoding, r.ParsedBy = source, source, "text/plain", "UTF-8", "text"
	r.RealPath, r.ContentHash, r.Bytes = "/real/"+source, digest(r.Text), int64(len(r.Text))
	r.Status = rag.StatusIndexed
	var spans []rag.Span
	at := 0
	for _, p := range paragraphs {
		spans = append(spans, rag.Span{Start: at, End: at + len(p)})
		at += len(p) + len("\n\n")
	}
	for i, points := range rag.Points(r.Text, spans) {
		text := paragraphs[i]
		r.Chunks = append(r.Chunks, rag.Chunk{
			ID: chunk.NewID(r.ID, "paragraphs", spans[i], text), DocID: r.ID, Ordinal: i,
			Span: spans[i], Points: points, Text: text, Tokens: utf8.RuneCountInString(text),
		})
		r.Counts = append(r.Counts, lexical.Analyzer{}.Count(text))
		r.Vectors = append(r.Vectors, Vector(text)...)
	}
	return r
}

// Vector is a unit vector that depends on text alone.
func Vector(text string) []float32 {
	sum := sha256.Sum256([]byte(text))
	rng := rand.New(rand.NewChaCha8(sum))
	v := make([]float64, Dim)
	var length float64
	for i := range v {
		v[i] = rng.NormFloat64()
		length += v[i] * v[i]
	}
	out := make([]float32, Dim)
	for i := range v {
		out[i] = float32(v[i] / math.Sqrt(length))
	}
	return out
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}
