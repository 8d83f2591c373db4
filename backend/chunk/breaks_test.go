package chunk_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/chunk"
	"ragdesk/backend/rag"
	"ragdesk/backend/ragtest"
)

// Each case is cut by a tokenizer for which a Han character, a word and a mark
// are a token each.
func TestWhereTokensBreak(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text    string
		size, overlap int
		headings      []string
		want          []string
	}{
		{
			name: "between sentences", text: "甲乙丙丁。戊己庚辛。壬癸子丑。寅卯辰巳。", size: 12,
			want: []string{"甲乙丙丁。戊己庚辛。", "壬癸子丑。寅卯辰巳。"},
		},
		{
			name: "overlap by whole sentences", text: "甲乙丙丁。戊己庚辛。壬癸子丑。寅卯辰巳。", size: 12, overlap: 6,
			want: []string{"甲乙丙丁。戊己庚辛。", "戊己庚辛。壬癸子丑。", "壬癸子丑。寅卯辰巳。"},
		},
		{
			name: "after a clause without a sentence", text: "甲乙丙丁戊己庚，辛壬癸子丑寅卯辰巳午未", size: 9,
			want: []string{"甲乙丙丁戊己庚，", "辛壬癸子丑寅卯辰巳", "午未"},
		},
		{
			name: "overlap by tokens without a sentence", text: "甲乙丙丁戊己庚辛壬癸子丑", size: 6, overlap: 2,
			want: []string{"甲乙丙丁戊己", "戊己庚辛壬癸", "壬癸子丑"},
		},
		{
			name: "after a paragraph rather than a sentence", size: 12, text: "One two three four five six seven.\n\nEight. Nine. Ten eleven.",
			want: []string{"One two three four five six seven.", "Eight. Nine. Ten eleven."},
		},
		{
			name: "before a heading in the last half", size: 14, overlap: 4, headings: []string{"# B"},
			text: "One two three four five six.\n\n# B\n\nSeven eight nine ten eleven twelve thirteen.",
			want: []string{"One two three four five six.", "# B\n\nSeven eight nine ten eleven twelve thirteen."},
		},
		{
			name: "a heading stays with its text", size: 10, headings: []string{"# Head of it"},
			text: "One two three four five.\n\n# Head of it\n\nSix seven eight nine.",
			want: []string{"One two three four five.", "# Head of it\n\nSix seven eight nine."},
		},
		{
			name: "two headings stay together", size: 12, headings: []string{"# A b", "## C d"},
			text: "One two three four five.\n\n# A b\n\n## C d\n\nSix seven.",
			want: []string{"One two three four five.", "# A b\n\n## C d\n\nSix seven."},
		},
		{
			name: "emphasis closes with its sentence", text: "**甲乙丙丁戊？**\n己庚辛壬癸。子丑", size: 10,
			want: []string{"**甲乙丙丁戊？**", "己庚辛壬癸。子丑"},
		},
		{
			name: "a list mark opens its item", text: "甲乙丙。\n\n* 丁戊己庚。\n* 辛壬癸子。", size: 10,
			want: []string{"甲乙丙。\n\n* 丁戊己庚。", "* 辛壬癸子。"},
		},
		{
			name: "not inside a word", size: 4, text: "internationalisation standardisation",
			want: []string{"internationalisation", "standardisation"},
		},
		{
			name: "not inside a character", size: 3, text: "aé\u0301ié\u0301o\u0301u",
			want: []string{"aé\u0301", "ié\u0301", "o\u0301u"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tok := ragtest.WordTokenizer{}
			if c.name == "not inside a word" {
				tok.Piece = 7
			}
			doc := rag.Document{ID: "d", Text: c.text, MediaType: "text/markdown"}
			for _, h := range c.headings {
				at := strings.Index(c.text, h)
				doc.Sections = append(doc.Sections, rag.Section{
					Level: strings.Count(h, "#"), Title: strings.TrimLeft(h, "# "), Span: rag.Span{Start: at, End: at + len(h)},
				})
			}
			cutter := newChunker(t, chunk.Config{Kind: chunk.KindTokens, Size: c.size, Overlap: c.overlap, Tokenizer: tok})
			if diff := cmp.Diff(c.want, texts(t, cutter, doc)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFencedCodeStaysWhole(t *testing.T) {
	t.Parallel()
	code := "```go\nfunc f() int {\n\n\treturn 1\n}\n```"
	doc := rag.Document{
		ID: "d", MediaType: "text/markdown",
		Text: "One two three. Four five six. Seven eight nine. Ten eleven twelve.\n\n" + code + "\n\nThen more. And more.",
	}
	c := newChunker(t, chunk.Config{Kind: chunk.KindTokens, Size: 30, Overlap: 8, Tokenizer: ragtest.WordTokenizer{}})
	holding := 0
	for _, text := range texts(t, c, doc) {
		if strings.Contains(text, code) {
			holding++
		} else if strings.Contains(text, "```") || strings.Contains(text, "return") {
			t.Errorf("a piece of the code: %q", text)
		}
	}
	if holding == 0 {
		t.Error("no chunk has the code whole")
	}
	doc.MediaType = "text/plain"
	if whole := texts(t, c, doc); strings.Contains(whole[0], code) {
		t.Error("plain text has no fences, yet the first chunk has the code whole")
	}
}

func TestHeadingPath(t *testing.T) {
	t.Parallel()
	doc := ragtest.ChunkerDocuments()["sections"]
	c := newChunker(t, chunk.Config{Kind: chunk.KindTokens, Size: 60, Overlap: 10, Tokenizer: ragtest.WordTokenizer{}})
	chunks, err := c.Chunk(t.Context(), doc)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, c := range chunks {
		seen[strings.Join(c.Headings, " > ")] = true
	}
	for _, path := range []string{"Part 0 部分", "Part 0 部分 > Part 1 部分 > Part 2 部分", "Part 21 部分 > Part 22 部分 > Part 23 部分"} {
		if !seen[path] {
			t.Errorf("no chunk under %q in %v", path, seen)
		}
	}
	if seen["Part 0 部分 > Part 3 部分"] || seen[""] {
		t.Errorf("paths %v", seen)
	}
}

// counting counts the bytes it is given to cut.
type counting struct {
	rag.Tokenizer
	bytes *int
}

func (c counting) Tokens(text string) []rag.Token {
	*c.bytes += len(text)
	return c.Tokenizer.Tokens(text)
}

// The document is tokenized once and each chunk once more, however long it is
// and however little there is to break at.
func TestTokenizingIsLinear(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"ones":  strings.Repeat("1", 100_000),
		"han":   strings.Repeat("天地玄黄宇宙洪荒", 6_250),
		"prose": strings.Repeat("第3版的上限是1,024个token。The limit is 2,048 tokens.\n\n", 2_000),
	} {
		bytes := 0
		c := newChunker(t, chunk.Config{
			Kind: chunk.KindTokens, Size: 510, Overlap: 128, Tokenizer: counting{ragtest.WordTokenizer{}, &bytes},
		})
		chunks, err := c.Chunk(t.Context(), rag.Document{ID: "d", Text: text})
		if err != nil {
			t.Fatal(err)
		}
		if bytes > 3*len(text) {
			t.Errorf("%s: %d bytes tokenized for a text of %d", name, bytes, len(text))
		}
		if want := len(text) / 3 / 510; len(chunks) < want/2 {
			t.Errorf("%s: %d chunks", name, len(chunks))
		}
	}
}

// A tokenizer whose tokens of a part are more than its tokens in the whole, as a
// subword model's may be, must not break the limit.
func TestCountsAreThoseOfTheChunk(t *testing.T) {
	t.Parallel()
	tok := growing{}
	for size := 1; size < 40; size += 3 {
		c := newChunker(t, chunk.Config{Kind: chunk.KindTokens, Size: size, Overlap: size / 3, Tokenizer: tok})
		ragtest.TestChunker(t, c, ragtest.ChunkerRules{Size: size, Tokenizer: tok})
	}
}

// growing cuts long texts into words and short ones into characters.
type growing struct{}

func (growing) Fingerprint() string { return "growing" }

func (growing) Tokens(text string) []rag.Token {
	if len(text) > 150 {
		return ragtest.WordTokenizer{}.Tokens(text)
	}
	return ragtest.WordTokenizer{Piece: 1}.Tokens(text)
}
