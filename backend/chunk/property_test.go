package chunk_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"ragdesk/backend/builtin"
	"ragdesk/backend/chunk"
	"ragdesk/backend/models"
	"ragdesk/backend/models/modelstest"
	"ragdesk/backend/parse"
	"ragdesk/backend/rag"
	"ragdesk/backend/ragtest"
	"ragdesk/backend/tokenize"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// sample returns the documents of the built-in library "sample".
func sample(tb testing.TB) []rag.Document {
	tb.Helper()
	var docs []rag.Document
	for _, f := range builtin.Sample().Documents {
		doc, err := parse.New(parse.Options{}).Parse(tb.Context(), rag.Input{Source: f.Path, Bytes: f.Bytes})
		if err != nil {
			tb.Fatal(err)
		}
		doc.ID = rag.DocumentID(f.Path)
		docs = append(docs, doc)
	}
	return docs
}

// The golden files show where every document of the library is cut, so that a
// changed rule is read as a difference.
func TestCutsOfTheSampleLibrary(t *testing.T) {
	t.Parallel()
	for kind, golden := range map[string]string{chunk.KindTokens: "sample.golden", chunk.KindAuto: "sample-auto.golden"} {
		tok := ragtest.WordTokenizer{}
		c := newChunker(t, chunk.Config{Kind: kind, Size: 200, Overlap: 50, Tokenizer: tok})
		var b strings.Builder
		for _, doc := range sample(t) {
			chunks, err := c.Chunk(t.Context(), doc)
			if err != nil {
				t.Fatal(err)
			}
			ragtest.CheckChunks(t, doc, chunks, ragtest.ChunkerRules{Size: 200, Tokenizer: tok})
			fmt.Fprintf(&b, "%s\n", doc.Source)
			for _, c := range chunks {
				fmt.Fprintf(&b, "  %d–%d %d %s: %s\n", c.Points.Start, c.Points.End, c.Tokens, strings.Join(c.Headings, " › "), ends(c.Text))
			}
		}
		compare(t, filepath.Join("testdata", golden), b.String())
	}
}

// ends returns how a text begins and ends.
func ends(s string) string {
	r := []rune(s)
	if len(r) <= 24 {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprintf("%q … %q", string(r[:12]), string(r[len(r)-12:]))
}

// FuzzChunk holds any text, cut by any size, against the invariants.
func FuzzChunk(f *testing.F) {
	for _, doc := range ragtest.ChunkerDocuments() {
		f.Add(doc.Text[:min(len(doc.Text), 900)], uint8(20), uint8(5), uint8(0), doc.MediaType == "text/markdown")
	}
	f.Add("# a\n\n```\nx\n```\n", uint8(3), uint8(2), uint8(1), true)
	f.Add("\xff\xc3a\u0301\u200d", uint8(1), uint8(0), uint8(2), false)
	files, err := filepath.Glob(filepath.Join("testdata", "cuts", "*", "*"))
	if err != nil {
		f.Fatal(err)
	}
	for i, file := range files {
		if strings.HasSuffix(file, ".golden") {
			continue
		}
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b), uint8(20+i), uint8(6), uint8(i), filepath.Ext(file) == ".md")
	}
	f.Fuzz(func(t *testing.T, text string, size, overlap, piece uint8, markdown bool) {
		if size == 0 || overlap >= size || len(text) > 10_000 {
			return
		}
		source := "a.txt"
		if markdown {
			source = "a.md"
		}
		doc := rag.Document{ID: "d", Text: text, MediaType: "text/plain"}
		if utf8.ValidString(text) {
			parsed, err := parse.New(parse.Options{}).Parse(t.Context(), rag.Input{Source: source, Bytes: []byte(text), Encoding: "UTF-8"})
			if err == nil {
				doc = parsed
			}
		}
		tok := ragtest.WordTokenizer{Piece: int(piece % 4)}
		types := []string{doc.MediaType, "text/x-go", "text/x-python", "text/x-cpp", "text/x-javascript", "text/x-rust", "text/x-shell"}
		for _, kind := range packing() {
			if kind == chunk.KindCode {
				doc.MediaType = types[int(size)%len(types)]
			}
			c := newChunker(t, chunk.Config{Kind: kind, Size: int(size), Overlap: int(overlap), Tokenizer: tok})
			chunks, err := c.Chunk(t.Context(), doc)
			if err != nil {
				t.Fatal(err)
			}
			ragtest.CheckChunks(t, doc, chunks, ragtest.ChunkerRules{Size: int(size), Tokenizer: tok})
			doc.MediaType = types[0]
		}
		c := newChunker(t, chunk.Config{Kind: chunk.KindChars, Size: int(size), Overlap: int(overlap)})
		chunks, err := c.Chunk(t.Context(), doc)
		if err != nil {
			t.Fatal(err)
		}
		ragtest.CheckChunks(t, doc, chunks, ragtest.ChunkerRules{Window: int(size)})
	})
}

// realTokenizer returns the default embedder's tokenizer.
func realTokenizer(tb testing.TB) rag.Tokenizer {
	tb.Helper()
	tok, err := tokenize.Open(modelstest.Embedder(tb, models.DefaultEmbedder).TokenizerPath, tokenize.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return tok
}

// evalDocuments returns the documents of a data set in the folder that EVAL_DATA
// names.
func evalDocuments(tb testing.TB, set string) []rag.Document {
	tb.Helper()
	dir := os.Getenv("EVAL_DATA")
	if dir == "" {
		tb.Skip("EVAL_DATA names no folder of data sets")
	}
	f, err := os.Open(filepath.Join(dir, set, "corpus.jsonl"))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var docs []rag.Document
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var doc struct {
			ID   rag.DocumentID `json:"doc_id"`
			Text string
		}
		if err := json.Unmarshal(lines.Bytes(), &doc); err != nil {
			tb.Fatal(err)
		}
		docs = append(docs, rag.Document{ID: doc.ID, Text: doc.Text, MediaType: "text/plain"})
	}
	if err := lines.Err(); err != nil {
		tb.Fatal(err)
	}
	return docs
}

func TestRealDocuments(t *testing.T) {
	t.Parallel()
	tok := realTokenizer(t)
	for _, set := range []string{"cmrc2018", "drcd", "scifact", "hotpotqa_sample"} {
		for _, size := range [][2]int{{510, 128}, {128, 32}} {
			c := newChunker(t, chunk.Config{Kind: chunk.KindAuto, Size: size[0], Overlap: size[1], Tokenizer: tok})
			for _, doc := range evalDocuments(t, set) {
				chunks, err := c.Chunk(t.Context(), doc)
				if err != nil {
					t.Fatal(err)
				}
				ragtest.CheckChunks(t, doc, chunks, ragtest.ChunkerRules{Size: size[0], Tokenizer: tok})
			}
		}
	}
}

// BenchmarkParseAndChunk reads and cuts the Chinese and English documents of two
// data sets, and reports megabytes and tokens a second.
func BenchmarkParseAndChunk(b *testing.B) {
	tok := realTokenizer(b)
	for _, set := range []string{"cmrc2018", "scifact"} {
		b.Run(set, func(b *testing.B) {
			docs := evalDocuments(b, set)
			bytes, tokens := 0, 0
			for _, d := range docs {
				bytes += len(d.Text)
				tokens += len(tok.Tokens(d.Text))
			}
			c := newChunker(b, chunk.Config{Kind: chunk.KindAuto, Size: 510, Overlap: 128, Tokenizer: tok})
			p := parse.New(parse.Options{})
			b.SetBytes(int64(bytes))
			b.ReportAllocs()
			for b.Loop() {
				for _, d := range docs {
					doc, err := p.Parse(b.Context(), rag.Input{Source: "a.txt", Bytes: []byte(d.Text)})
					if err != nil {
						b.Fatal(err)
					}
					if _, err := c.Chunk(b.Context(), doc); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(tokens)*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
		})
	}
}
