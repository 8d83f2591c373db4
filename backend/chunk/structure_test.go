package chunk_test

import (
	"encoding/base64"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ragdesk/backend/chunk"
	"ragdesk/backend/rag"
	"ragdesk/backend/ragtest"
)

// The functions of this program, as the Go compiler's own parser finds them, are
// each in one chunk, with their comment, under their names.
func TestFunctionsOfThisProgramStayWhole(t *testing.T) {
	t.Parallel()
	tok := ragtest.WordTokenizer{}
	const size = 2000
	c := newChunker(t, chunk.Config{Kind: chunk.KindCode, Size: size, Tokenizer: tok})
	functions := 0
	for _, file := range slices.Concat(glob(t, "../text/*.go"), glob(t, "../measure/*.go"), glob(t, "../lexical/*.go"), glob(t, "*.go")) {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		positions := token.NewFileSet()
		parsed, err := parser.ParseFile(positions, file, source, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		chunks, err := c.Chunk(t.Context(), rag.Document{ID: "d", Source: file, Text: string(source), MediaType: "text/x-go"})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			functions++
			span := rag.Span{Start: positions.Position(f.Pos()).Offset, End: positions.Position(f.End()).Offset}
			if f.Doc != nil {
				span.Start = positions.Position(f.Doc.Pos()).Offset
			}
			i := slices.IndexFunc(chunks, func(c rag.Chunk) bool { return c.Span.Contains(span) })
			if i < 0 {
				t.Errorf("%s: %s is in no chunk whole", file, f.Name.Name)
				continue
			}
			headings := chunks[i].Headings
			shared := len(tok.Tokens(string(source[span.Start:span.End]))) <= size/8
			if !shared && (len(headings) == 0 || headings[len(headings)-1] != f.Name.Name) {
				t.Errorf("%s: %s is under %v", file, f.Name.Name, headings)
			}
		}
	}
	if functions < 100 {
		t.Errorf("only %d functions", functions)
	}
}

// glob returns the files that match pattern.
func glob(tb testing.TB, pattern string) []string {
	tb.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		tb.Fatal(err)
	}
	return files
}

// Code and tables that fit a chunk are never broken, wherever they stand.
func TestCodeAndTablesStayWhole(t *testing.T) {
	t.Parallel()
	const code = "```go\nfunc f() int {\n\n\treturn 1\n}\n```"
	const table = "| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |"
	tok := ragtest.WordTokenizer{}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		var b strings.Builder
		for range 12 {
			switch rng.IntN(5) {
			case 0:
				b.WriteString(code + "\n\n")
			case 1:
				b.WriteString(table + "\n\n")
			case 2:
				b.WriteString("## Part of it\n\n")
			default:
				b.WriteString(strings.Repeat("A few words. ", 1+rng.IntN(12)) + "\n\n")
			}
		}
		doc := parsedText(t, "a.md", b.String())
		size := 32 + rng.IntN(60)
		c := newChunker(t, chunk.Config{Kind: chunk.KindHeadings, Size: size, Overlap: size / 4, Tokenizer: tok})
		for _, s := range texts(t, c, doc) {
			if strings.Count(s, "```") != 2*strings.Count(s, code) {
				t.Errorf("size %d: broken code in %q", size, s)
			}
			if strings.Count(s, "|\n|")+strings.Count(s, "| 3 |") != 4*strings.Count(s, table) {
				t.Errorf("size %d: a broken table in %q", size, s)
			}
		}
	}
}

// A parser's own blocks may be anything; the text must not suffer.
func TestOddBlocks(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("甲乙丙丁。One two three.\n\n| a |\n| - |\n| b |\n\n", 8)
	tok := ragtest.WordTokenizer{}
	rng := rand.New(rand.NewPCG(5, 6))
	bounds := []int{0}
	for i := range text {
		bounds = append(bounds, i)
	}
	span := func() rag.Span {
		a, b := bounds[rng.IntN(len(bounds))], bounds[rng.IntN(len(bounds))]
		return rag.Span{Start: min(a, b), End: max(a, b)}
	}
	kinds := []rag.BlockKind{rag.BlockParagraph, rag.BlockHeading, rag.BlockList, rag.BlockTable, rag.BlockCode, "other"}
	for range 300 {
		doc := rag.Document{ID: "d", Text: text, MediaType: "text/html"}
		for range rng.IntN(6) {
			b := rag.Block{Kind: kinds[rng.IntN(len(kinds))], Span: span()}
			b.Header = rag.Span{Start: b.Span.Start, End: span().End}
			doc.Blocks = append(doc.Blocks, b)
		}
		slices.SortFunc(doc.Blocks, func(a, b rag.Block) int { return a.Span.Start - b.Span.Start })
		for range rng.IntN(4) {
			doc.Sections = append(doc.Sections, rag.Section{Level: rng.IntN(4), Title: "t", Span: span()})
		}
		slices.SortFunc(doc.Sections, func(a, b rag.Section) int { return a.Span.Start - b.Span.Start })
		for _, kind := range packing() {
			c := newChunker(t, chunk.Config{Kind: kind, Size: 20, Overlap: 5, Tokenizer: tok})
			chunks, err := c.Chunk(t.Context(), doc)
			if err != nil {
				t.Fatal(err)
			}
			ragtest.CheckChunks(t, doc, chunks, ragtest.ChunkerRules{Size: 20, Tokenizer: tok})
			if t.Failed() {
				t.Fatalf("%s: blocks %v, sections %v", kind, doc.Blocks, doc.Sections)
			}
		}
	}
}

// Text without structure is cut to size by every kind, and every parent is a
// passage of the document around its chunk.
func TestHugeTextsWithoutStructure(t *testing.T) {
	t.Parallel()
	tok := realTokenizer(t)
	random := make([]byte, 30_000)
	rng := rand.New(rand.NewPCG(7, 8))
	for i := range random {
		random[i] = byte(rng.IntN(256))
	}
	for name, text := range map[string]string{
		"ones": strings.Repeat("1", 100_000), "han": strings.Repeat("天地玄黄宇", 10_000), "base64": base64.StdEncoding.EncodeToString(random),
		"brackets": strings.Repeat("({[", 10_000) + strings.Repeat("]})", 10_000), "percent": strings.Repeat("%w[\"#{'`", 5_000),
		"turns": strings.Repeat("A: ?\nB: !\n", 4_000), "articles": strings.Repeat("第一条\n", 8_000), "rows": strings.Repeat("| a | b |\n", 6_000),
	} {
		for _, media := range []string{"text/plain", "text/markdown", "text/x-javascript", "text/x-cpp", "text/x-python", "text/x-rust"} {
			doc := rag.Document{ID: "d", Source: "a", Text: text, MediaType: media}
			for _, kind := range packing() {
				if media != "text/plain" && kind != chunk.KindAuto && kind != chunk.KindCode && kind != chunk.KindHeadings {
					continue
				}
				bytes := 0
				c := newChunker(t, chunk.Config{Kind: kind, Size: 510, Overlap: 128, Tokenizer: counting{tok, &bytes}})
				chunks, err := c.Chunk(t.Context(), doc)
				if err != nil {
					t.Fatal(err)
				}
				if bytes > 6*len(text) {
					t.Errorf("%s as %s by %s: %d bytes tokenized for a text of %d", name, media, kind, bytes, len(text))
				}
				ragtest.CheckChunks(t, doc, chunks, ragtest.ChunkerRules{Size: 510, Tokenizer: tok})
			}
		}
	}
}

func TestParents(t *testing.T) {
	t.Parallel()
	tok := ragtest.WordTokenizer{}
	c := newChunker(t, chunk.Config{Kind: chunk.KindParent, Size: 80, Overlap: 20, Tokenizer: tok})
	for name, doc := range ragtest.ChunkerDocuments() {
		chunks, err := c.Chunk(t.Context(), doc)
		if err != nil {
			t.Fatal(err)
		}
		last := rag.Span{}
		for _, c := range chunks {
			if c.Tokens > 20 {
				t.Errorf("%s: a chunk of %d tokens", name, c.Tokens)
			}
			if c.Parent == (rag.Span{}) {
				continue
			}
			if !c.Parent.Contains(c.Span) || c.Parent == c.Span {
				t.Errorf("%s: chunk %v in parent %v", name, c.Span, c.Parent)
			}
			if n := len(tok.Tokens(doc.Text[c.Parent.Start:c.Parent.End])); n > 80 && c.Parent.Len() > 4 {
				t.Errorf("%s: a parent of %d tokens", name, n)
			}
			if c.Parent != last && c.Parent.Start < last.End {
				t.Errorf("%s: parents %v and %v overlap", name, last, c.Parent)
			}
			last = c.Parent
		}
	}
}
