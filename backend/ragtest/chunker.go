package ragtest

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// ChunkerRules are what a chunker promises beyond its port.
type ChunkerRules struct {
	// Size is the most tokens a chunk of several characters may hold by Tokenizer;
	// 0 when chunks are not measured in tokens.
	Size      int
	Tokenizer rag.Tokenizer
	// Window is the exact size of every chunk but the last in code points; 0 when
	// chunks have no fixed size.
	Window int
}

// TestChunker runs the conformance suite over ChunkerDocuments: CheckChunks on
// each, equal results on a second run, and an error after cancellation.
func TestChunker(t *testing.T, c rag.Chunker, rules ChunkerRules) {
	t.Helper()
	for name, doc := range ChunkerDocuments() {
		t.Run(name, func(t *testing.T) {
			chunks, err := c.Chunk(t.Context(), doc)
			if err != nil {
				t.Fatalf("chunk: %v", err)
			}
			CheckChunks(t, doc, chunks, rules)
			again, err := c.Chunk(t.Context(), doc)
			if err != nil || !reflect.DeepEqual(chunks, again) {
				t.Errorf("a second run gives other chunks (error %v)", err)
			}
		})
	}
	t.Run("cancelled", func(t *testing.T) {
		if _, err := c.Chunk(cancelled(t), ChunkerDocuments()["han"]); err == nil {
			t.Error("no error after cancellation")
		}
	})
	if c.Fingerprint() == "" {
		t.Error("no fingerprint")
	}
}

// CheckChunks checks every invariant of chunks made from doc.
func CheckChunks(tb testing.TB, doc rag.Document, chunks []rag.Chunk, rules ChunkerRules) {
	tb.Helper()
	covered, ids, valid := 0, map[rag.ChunkID]bool{}, utf8.ValidString(doc.Text)
	spans := make([]rag.Span, len(chunks))
	for i, c := range chunks {
		spans[i] = c.Span
	}
	points := rag.Points(doc.Text, spans)
	for i, c := range chunks {
		if own, err := c.Span.Of(doc.Text); err != nil || own != c.Text {
			tb.Fatalf("chunk %d: text differs from its span %v (%v)", i, c.Span, err)
		}
		if text.IsBlank(c.Text) {
			tb.Errorf("chunk %d is blank", i)
		}
		if valid && !utf8.ValidString(c.Text) {
			tb.Errorf("chunk %d is cut inside a character", i)
		}
		if c.Ordinal != i || c.DocID != doc.ID || ids[c.ID] || c.ID == "" {
			tb.Errorf("chunk %d: ordinal %d, document %q, id %q", i, c.Ordinal, c.DocID, c.ID)
		}
		ids[c.ID] = true
		if i > 0 && (c.Span.Start < chunks[i-1].Span.Start || c.Span.End <= chunks[i-1].Span.End) {
			tb.Errorf("chunk %d %v does not follow %v", i, c.Span, chunks[i-1].Span)
		}
		if c.Span.Start > covered && !text.IsBlank(doc.Text[covered:c.Span.Start]) {
			tb.Errorf("text before chunk %d is in no chunk: %.40q", i, doc.Text[covered:c.Span.Start])
		}
		covered = max(covered, c.Span.End)
		if c.Points != points[i] {
			tb.Errorf("chunk %d: points %v, want %v", i, c.Points, points[i])
		}
		checkSize(tb, c, i == len(chunks)-1, rules)
	}
	if !text.IsBlank(doc.Text[covered:]) {
		tb.Errorf("the text's end is in no chunk: %.40q", doc.Text[covered:])
	}
}

func checkSize(tb testing.TB, c rag.Chunk, last bool, rules ChunkerRules) {
	tb.Helper()
	if rules.Tokenizer != nil {
		if n := len(rules.Tokenizer.Tokens(c.Text)); n != c.Tokens {
			tb.Errorf("chunk %d says %d tokens, has %d", c.Ordinal, c.Tokens, n)
		}
	}
	runes := utf8.RuneCountInString(c.Text)
	if rules.Size > 0 && c.Tokens > rules.Size && runes > 1 {
		tb.Errorf("chunk %d has %d tokens, over %d", c.Ordinal, c.Tokens, rules.Size)
	}
	if rules.Window > 0 && (runes > rules.Window || runes < rules.Window && !last) {
		tb.Errorf("chunk %d has %d code points, not %d", c.Ordinal, runes, rules.Window)
	}
}

// ChunkerDocuments are documents that have broken chunkers, by name.
func ChunkerDocuments() map[string]rag.Document {
	texts := map[string]string{
		"empty":     "",
		"one":       "a",
		"one han":   "𠮷",
		"blank":     " \r\n\t\u3000\n ",
		"invisible": "\u200b\ufeff\x00\u200b",
		"ones":      strings.Repeat("1", 20_000),
		"han":       strings.Repeat("天地玄黄宇宙洪荒", 1500),
		"emoji":     strings.Repeat("👩‍👩‍👧‍👦🇨🇳👍🏽", 300),
		"marks":     strings.Repeat("e\u0301", 1000),
		"spaces":    "a" + strings.Repeat(" ", 20_000) + "b" + strings.Repeat("\n", 5_000) + "c",
		"crlf":      strings.Repeat("第一行。\r\nSecond line.\r\n\r\n", 200),
		"words":     strings.Repeat("incomprehensibilities uncharacteristically ", 300),
		"mixed": strings.Repeat("第3版的上限是1,024个token，v2.1改为2,048。The limit of v2.1 is 2,048 tokens; older clients "+
			"keep 1,024.\n\n", 60),
		"controls": strings.Repeat("a\x00b\x1bc ", 400),
	}
	docs := map[string]rag.Document{}
	for name, text := range texts {
		docs[name] = rag.Document{ID: rag.DocumentID("doc-" + name), Source: name + ".txt", Text: text, MediaType: "text/plain"}
	}
	docs["sections"] = sectionedDocument()
	return docs
}

// sectionedDocument is Markdown with headings of several levels and code.
func sectionedDocument() rag.Document {
	var b strings.Builder
	doc := rag.Document{ID: "0123456789abcdef0123", Source: "guide.md", MediaType: "text/markdown"}
	for i := range 24 {
		level := 1 + i%3
		start := b.Len()
		title := fmt.Sprintf("Part %d 部分", i)
		fmt.Fprintf(&b, "%s %s", strings.Repeat("#", level), title)
		doc.Sections = append(doc.Sections, rag.Section{
			Level: level, Title: title,
			Span: rag.Span{Start: start, End: b.Len()},
		})
		b.WriteString("\n\n")
		b.WriteString(strings.Repeat("向量检索先召回相近的段落，再由重排模型逐一打分。Then the answer is written. ", 1+i%5))
		b.WriteString("\n\n```go\nfunc f() int {\n\n\treturn 1 // one. two. three.\n}\n```\n\n")
	}
	doc.Text = b.String()
	return doc
}

// WordTokenizer is a tokenizer without a vocabulary: a Han character, a run of
// other letters or digits and any other visible character are a token each. A
// run of over 100 is one token, as in WordPiece.
type WordTokenizer struct {
	// Piece, if above 0, cuts runs of up to 100 letters into tokens of that many.
	Piece int
}

// Fingerprint names the rule.
func (w WordTokenizer) Fingerprint() string { return fmt.Sprintf("words/%d", w.Piece) }

// Tokens cuts text.
func (w WordTokenizer) Tokens(text string) []rag.Token {
	var out []rag.Token
	add := func(start, end int) {
		out = append(out, rag.Token{ID: int32(end - start), Span: rag.Span{Start: start, End: end}})
	}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
		case unicode.Is(unicode.Han, r) || !unicode.IsLetter(r) && !unicode.IsDigit(r):
			add(i, i+n)
		default:
			n = strings.IndexFunc(text[i:], func(r rune) bool {
				return unicode.Is(unicode.Han, r) || !unicode.IsLetter(r) && !unicode.IsDigit(r)
			})
			if n < 0 {
				n = len(text) - i
			}
			w.run(text[i:i+n], i, add)
		}
		i += n
	}
	return out
}

// run cuts one run of letters that starts at byte at.
func (w WordTokenizer) run(word string, at int, add func(start, end int)) {
	count := utf8.RuneCountInString(word)
	if w.Piece <= 0 || count > 100 {
		add(at, at+len(word))
		return
	}
	start, runes := 0, 0
	for i := range word {
		if runes > 0 && runes%w.Piece == 0 {
			add(at+start, at+i)
			start = i
		}
		runes++
	}
	add(at+start, at+len(word))
}

// cancelled returns a context that has ended.
func cancelled(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
