package store_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
	"ragdesk/backend/store"
)

// testDim is no multiple of four, which matters to how vectors are decoded.
const testDim = 7

func settings() rag.Settings {
	return rag.Settings{
		Chunker: "chars", ChunkSize: 16, ChunkOverlap: 4, ChunkerFingerprint: "chars-16-4",
		Embedder: "test", EmbedderFingerprint: "test-1", Dim: testDim, TextFingerprint: "text-1",
	}
}

func open(t *testing.T, dir string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func lock(t *testing.T, s *store.Store) *store.Writer {
	t.Helper()
	w, err := s.Lock(t.Context(), "test", 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Unlock(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// record makes a document whose chunks are windows of 16 characters, each but the
// first beginning 4 characters before the end of the one before.
func record(source, text string) rag.DocumentRecord {
	sum := sha256.Sum256([]byte(source))
	r := rag.DocumentRecord{Text: text}
	r.ID = rag.DocumentID(hex.EncodeToString(sum[:8]))
	r.Source, r.RealPath, r.Status = source, "/real/"+source, rag.StatusIndexed
	r.ContentHash, r.Bytes = fmt.Sprintf("%x", sha256.Sum256([]byte(text))), int64(len(text))
	r.Title, r.MediaType, r.Encoding, r.Language, r.ParsedBy = "T "+source, "text/plain", "utf-8", "zh", "plain"
	var starts []int
	for i := range text {
		starts = append(starts, i)
	}
	starts = append(starts, len(text))
	rng := rand.New(rand.NewPCG(uint64(len(text)), uint64(sum[0])))
	for at := 0; at < len(starts)-1; at += 12 {
		end := min(at+16, len(starts)-1)
		c := rag.Chunk{
			DocID: r.ID, Ordinal: len(r.Chunks), Headings: []string{"标题", source}, Tokens: end - at,
			Span:   rag.Span{Start: starts[at], End: starts[end]},
			Points: rag.Span{Start: at, End: end},
		}
		c.Text = text[c.Span.Start:c.Span.End]
		id := sha256.Sum256(fmt.Append(nil, source, c.Ordinal))
		c.ID = rag.ChunkID(hex.EncodeToString(id[:8]))
		r.Chunks = append(r.Chunks, c)
		r.Counts = append(r.Counts, rag.TermCounts{Words: end - at, Bigrams: end - at - 1, Chars: 2})
		r.Vectors = append(r.Vectors, unit(rng, testDim)...)
	}
	return r
}

func unit(rng *rand.Rand, dim int) []float32 {
	v := make([]float32, dim)
	var sum float64
	for i := range v {
		v[i] = float32(rng.NormFloat64())
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(sum))
	}
	return v
}

// library makes a library in s holding the records.
func library(t *testing.T, s *store.Store, w *store.Writer, name string, records ...rag.DocumentRecord) rag.Library {
	t.Helper()
	lib, err := w.CreateLibrary(t.Context(), name, settings())
	if err != nil {
		t.Fatal(err)
	}
	if len(records) == 0 {
		return lib
	}
	return apply(t, w, lib, rag.Change{Put: records})
}

// apply applies a change, setting its revision.
func apply(t *testing.T, w *store.Writer, lib rag.Library, c rag.Change) rag.Library {
	t.Helper()
	c.Revision = lib.Revision
	if c.TouchesChunks() {
		c.Revision++
	}
	lib, err := w.Apply(t.Context(), lib, c)
	if err != nil {
		t.Fatal(err)
	}
	return lib
}

func check(t *testing.T, s *store.Store) {
	t.Helper()
	if err := s.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// wantFault fails unless err carries the code with the given parameters.
func wantFault(t *testing.T, err error, code string, params ...fault.Param) {
	t.Helper()
	f := fault.Of(err)
	if f == nil || f.Code != code {
		t.Errorf("error %v, want %s", err, code)
		return
	}
	for _, p := range params {
		if f.Params[p.Key] != p.Value {
			t.Errorf("%s: %s is %q, want %q", code, p.Key, f.Params[p.Key], p.Value)
		}
	}
}
