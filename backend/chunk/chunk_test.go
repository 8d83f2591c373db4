package chunk_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/chunk"
	"ragdesk/backend/fault"
	"ragdesk/backend/models"
	"ragdesk/backend/models/modelstest"
	"ragdesk/backend/rag"
	"ragdesk/backend/ragtest"
	"ragdesk/backend/tokenize"
)

// sizes are sizes with their overlaps.
var sizes = [][2]int{{510, 128}, {64, 16}, {10, 9}, {7, 0}, {1, 0}}

func newChunker(tb testing.TB, c chunk.Config) rag.Chunker {
	tb.Helper()
	chunker, _, err := chunk.New(c)
	if err != nil {
		tb.Fatal(err)
	}
	return chunker
}

// packing are the kinds that pack up to a number of tokens.
func packing() []string {
	var out []string
	for _, kind := range chunk.Kinds() {
		if kind != chunk.KindChars {
			out = append(out, kind)
		}
	}
	return out
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for _, kind := range packing() {
		for _, tok := range []ragtest.WordTokenizer{{}, {Piece: 3}} {
			for _, size := range sizes {
				if kind != chunk.KindTokens && tok.Piece == 0 && size[0] < 64 {
					continue // the engine of the other kinds is one
				}
				t.Run(fmt.Sprintf("%s %v, piece %d", kind, size, tok.Piece), func(t *testing.T) {
					t.Parallel()
					c := newChunker(t, chunk.Config{Kind: kind, Size: size[0], Overlap: size[1], Tokenizer: tok})
					ragtest.TestChunker(t, c, ragtest.ChunkerRules{Size: size[0], Tokenizer: tok})
				})
			}
		}
	}
	for _, size := range sizes {
		t.Run(fmt.Sprintf("chars %v", size), func(t *testing.T) {
			t.Parallel()
			tok := ragtest.WordTokenizer{}
			c := newChunker(t, chunk.Config{Kind: chunk.KindChars, Size: size[0], Overlap: size[1], Tokenizer: tok})
			ragtest.TestChunker(t, c, ragtest.ChunkerRules{Window: size[0], Tokenizer: tok})
		})
	}
}

func TestConformanceWithRealTokenizers(t *testing.T) {
	t.Parallel()
	for _, e := range models.Embedders() {
		tok, err := tokenize.Open(modelstest.Embedder(t, e.Name).TokenizerPath, tokenize.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range packing() {
			for _, size := range [][2]int{{510, 128}, {33, 8}, {3, 2}} {
				if kind != chunk.KindTokens && size[0] < 33 {
					continue
				}
				t.Run(fmt.Sprintf("%s %s %v", e.Name, kind, size), func(t *testing.T) {
					t.Parallel()
					c := newChunker(t, chunk.Config{Kind: kind, Size: size[0], Overlap: size[1], Tokenizer: tok})
					ragtest.TestChunker(t, c, ragtest.ChunkerRules{Size: size[0], Tokenizer: tok})
				})
			}
		}
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	tok := ragtest.WordTokenizer{}
	const known = "auto, tokens, chars, sentences, headings, code, law, dialogue, table, parent"
	for _, c := range []struct {
		config chunk.Config
		code   string
		params map[string]string
	}{
		{chunk.Config{Kind: "pages", Size: 5}, "chunker_unknown", map[string]string{"chunker": "pages", "known": known}},
		{chunk.Config{Kind: "", Size: 5}, "chunker_unknown", map[string]string{"chunker": "", "known": known}},
		{chunk.Config{Kind: "auto", Size: 0}, "chunker_invalid", map[string]string{"setting": "chunk-size", "value": "0", "size": "0"}},
		{chunk.Config{Kind: "chars", Size: 5, Overlap: 5}, "chunker_invalid", map[string]string{"setting": "chunk-overlap", "value": "5", "size": "5"}},
		{chunk.Config{Kind: "tokens", Size: 5, Overlap: -1}, "chunker_invalid", map[string]string{"setting": "chunk-overlap", "value": "-1", "size": "5"}},
	} {
		c.config.Tokenizer = tok
		_, _, err := chunk.New(c.config)
		f := fault.Of(err)
		if f == nil || f.Code != c.code || !cmp.Equal(f.Params, c.params) {
			t.Errorf("%+v: %v, want %s %v", c.config, err, c.code, c.params)
		}
	}
	if _, _, err := chunk.New(chunk.Config{Kind: "tokens", Size: 5}); err == nil {
		t.Error("tokens without a tokenizer")
	}
}

func TestCapping(t *testing.T) {
	t.Parallel()
	tok := ragtest.WordTokenizer{}
	for _, c := range []struct {
		size, overlap, limit int
		kind                 string
		want                 []rag.Notice
		fingerprint          string
	}{
		{1024, 128, 510, "tokens", []rag.Notice{{Code: "chunk_size_capped", Detail: "1024 → 510"}}, "tokens/1 size=510 overlap=128 tokenizer=words/0"},
		{
			1024, 600, 510, "tokens",
			[]rag.Notice{{Code: "chunk_size_capped", Detail: "1024 → 510"}, {Code: "chunk_overlap_capped", Detail: "600 → 127"}},
			"tokens/1 size=510 overlap=127 tokenizer=words/0",
		},
		{510, 1, 510, "sentences", nil, "sentences/1 size=510 overlap=1 tokenizer=words/0"},
		{9999, 1, 0, "headings", nil, "headings/2 size=9999 overlap=1 tokenizer=words/0"},
		{9999, 1, 510, "chars", nil, "chars/1 size=9999 overlap=1"},
	} {
		chunker, notices, err := chunk.New(chunk.Config{Kind: c.kind, Size: c.size, Overlap: c.overlap, Limit: c.limit, Tokenizer: tok})
		if err != nil || !cmp.Equal(notices, c.want) || chunker.Fingerprint() != c.fingerprint {
			t.Errorf("%+v: %v %v %s", c, notices, err, chunker.Fingerprint())
		}
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	n := func(i int) *int { return &i }
	for _, c := range []struct {
		kind                       string
		size, overlap              *int
		limit, wantSize, wantOther int
	}{
		{"auto", nil, nil, 0, 512, 128},
		{"tokens", nil, nil, 510, 510, 127},
		{"tokens", nil, nil, 254, 254, 63},
		{"tokens", n(1024), nil, 510, 1024, 128},
		{"tokens", n(100), nil, 510, 100, 25},
		{"tokens", n(100), n(0), 510, 100, 0},
		{"tokens", n(0), nil, 510, 0, 0},
		{"chars", nil, nil, 510, 500, 100},
		{"chars", n(250), nil, 510, 250, 50},
		{"chars", nil, n(7), 510, 500, 7},
		{"chars", n(-3), nil, 510, -3, 0},
	} {
		if size, overlap := chunk.Defaults(c.kind, c.size, c.overlap, c.limit); size != c.wantSize || overlap != c.wantOther {
			t.Errorf("%+v: %d, %d", c, size, overlap)
		}
	}
}

func TestIDs(t *testing.T) {
	t.Parallel()
	span := rag.Span{Start: 1, End: 4}
	id := chunk.NewID("ABCDEF0123456789ff", "f", span, "abc")
	if id != chunk.NewID("ABCDEF0123456789ff", "f", span, "abc") || !strings.HasPrefix(string(id), "abcdef012345-") || len(id) != 25 {
		t.Errorf("id %q", id)
	}
	other := map[rag.ChunkID]bool{id: true}
	for _, next := range []rag.ChunkID{
		chunk.NewID("ABCDEF0123456789fe", "f", span, "abc"),
		chunk.NewID("ABCDEF0123456789ff", "g", span, "abc"),
		chunk.NewID("ABCDEF0123456789ff", "f", rag.Span{Start: 1, End: 5}, "abc"),
		chunk.NewID("ABCDEF0123456789ff", "f", span, "abd"),
		chunk.NewID("c1", "f", span, "abc"),
		chunk.NewID("notes/readme of 2024", "f", span, "abc"),
	} {
		if other[next] || len(next) != 25 {
			t.Errorf("id %q", next)
		}
		other[next] = true
	}
}

// texts returns the texts of the chunks made of doc.
func texts(t *testing.T, c rag.Chunker, doc rag.Document) []string {
	t.Helper()
	chunks, err := c.Chunk(t.Context(), doc)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]string, len(chunks))
	for i, c := range chunks {
		out[i] = c.Text
	}
	return out
}

func TestCharsSlide(t *testing.T) {
	t.Parallel()
	c := newChunker(t, chunk.Config{Kind: chunk.KindChars, Size: 4, Overlap: 1})
	for text, want := range map[string][]string{
		"一二三四五六七":      {"一二三四", "四五六七"},
		"一二三四五六七八":     {"一二三四", "四五六七", "七八"},
		"一二三四":         {"一二三四"},
		"  \n  ab":     {"  ab"}, // the first window shows nothing
		"a\n\n\n\n\nb": {"a\n\n\n", "\n\n\nb"},
	} {
		if diff := cmp.Diff(want, texts(t, c, rag.Document{ID: "d", Text: text})); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}
