package chunk_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/chunk"
	"ragdesk/backend/parse"
	"ragdesk/backend/rag"
	"ragdesk/backend/ragtest"
)

// parsed reads a file as the program does.
func parsed(tb testing.TB, file string) rag.Document {
	tb.Helper()
	doc, ok := tryParse(tb, file)
	if !ok {
		tb.Fatalf("%s is not read", file)
	}
	return doc
}

// tryParse reads a file; ok is false if its parser refuses it.
func tryParse(tb testing.TB, file string) (doc rag.Document, ok bool) {
	tb.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	doc, err = parse.New(parse.Options{}).Parse(tb.Context(), rag.Input{Source: filepath.ToSlash(file), Bytes: b})
	doc.ID = rag.DocumentID(filepath.Base(file))
	return doc, err == nil
}

// parsedText reads a text under a name.
func parsedText(tb testing.TB, name, text string) rag.Document {
	tb.Helper()
	doc, err := parse.New(parse.Options{}).Parse(tb.Context(), rag.Input{Source: name, Bytes: []byte(text), Encoding: "UTF-8"})
	if err != nil {
		tb.Fatal(err)
	}
	doc.ID = "d"
	return doc
}

// The golden files show each chunk of each file under testdata/cuts, cut by the
// kind its folder is named after. A line "--- 3–9 7/12 a › b" names the chunk's
// code points, its tokens, those of its parent if it has one, and its headings.
func TestCuts(t *testing.T) {
	t.Parallel()
	// Size and overlap are small, so that every kind has to split something.
	sizes := map[string][2]int{
		chunk.KindCode: {110, 20}, chunk.KindLaw: {90, 20}, chunk.KindDialogue: {220, 60}, chunk.KindHeadings: {80, 25},
		chunk.KindTable: {400, 50}, chunk.KindSentences: {60, 30}, chunk.KindParent: {120, 60},
	}
	for _, kind := range chunk.Kinds() {
		files, err := filepath.Glob(filepath.Join("testdata", "cuts", kind, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, ".golden") {
				continue
			}
			t.Run(kind+"/"+filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				doc, tok := parsed(t, file), ragtest.WordTokenizer{}
				c := newChunker(t, chunk.Config{Kind: kind, Size: sizes[kind][0], Overlap: sizes[kind][1], Tokenizer: tok})
				chunks, err := c.Chunk(t.Context(), doc)
				if err != nil {
					t.Fatal(err)
				}
				ragtest.CheckChunks(t, doc, chunks, ragtest.ChunkerRules{Size: sizes[kind][0], Tokenizer: tok})
				compare(t, file+".golden", shown(doc, chunks, tok))
			})
		}
	}
}

// shown prints chunks for a golden file.
func shown(doc rag.Document, chunks []rag.Chunk, tok rag.Tokenizer) string {
	var b strings.Builder
	for _, c := range chunks {
		fmt.Fprintf(&b, "--- %d–%d %d", c.Points.Start, c.Points.End, c.Tokens)
		if c.Parent.Len() > 0 {
			fmt.Fprintf(&b, "/%d", len(tok.Tokens(doc.Text[c.Parent.Start:c.Parent.End])))
		}
		fmt.Fprintf(&b, " %s\n%s\n", strings.Join(c.Headings, " › "), strings.ReplaceAll(c.Text, "\r", "␍"))
	}
	return b.String()
}

// compare holds got against a golden file, or rewrites it with -update.
func compare(t *testing.T, golden, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("other cuts (-want +got), -update rewrites them:\n%s", diff)
	}
}
