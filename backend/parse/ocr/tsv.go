package ocr

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"ragdesk/backend/parse/doctext"
)

// word is a row of tesseract's table that holds one.
type word struct {
	page, block, paragraph, line int
	left, width, height          int
	confidence                   float64
	text                         string
}

// parseTSV reads tesseract's table of words into pages.
func parseTSV(out []byte) []Page {
	var b pageBuilder
	for row := range strings.Lines(string(out)) {
		if w, ok := parseRow(strings.TrimRight(row, "\r\n")); ok {
			b.add(w)
		}
	}
	return b.done()
}

// parseRow reads level, page, block, paragraph, line, word, left, top, width,
// height, confidence, text. Rows of other levels have confidence -1.
func parseRow(row string) (word, bool) {
	c := strings.Split(row, "\t")
	if len(c) != 12 {
		return word{}, false
	}
	var n [10]int
	for i := range n {
		v, err := strconv.Atoi(c[i])
		if err != nil {
			return word{}, false
		}
		n[i] = v
	}
	conf, err := strconv.ParseFloat(c[10], 64)
	if err != nil {
		return word{}, false
	}
	w := word{page: n[1], block: n[2], paragraph: n[3], line: n[4], left: n[6], width: n[8], height: n[9],
		confidence: conf / 100, text: strings.TrimSpace(c[11])}
	return w, true
}

type pageBuilder struct {
	pages []Page
	last  word
	// open is the line being built, text the paragraph.
	open, text string
	sum        float64
	runes      int
}

func (b *pageBuilder) add(w word) {
	for len(b.pages) < w.page && len(b.pages) < 1<<16 {
		b.flush()
		b.score()
		b.pages = append(b.pages, Page{})
	}
	if w.text == "" || w.confidence < 0 || len(b.pages) == 0 {
		return
	}
	switch {
	case w.block != b.last.block || w.paragraph != b.last.paragraph || w.page != b.last.page:
		b.flush()
		b.open = w.text
	case w.line != b.last.line:
		b.text, b.open = doctext.Join(b.text, b.open), w.text
	default:
		b.open += blank(b.last, w) + w.text
	}
	n := utf8.RuneCountInString(w.text)
	b.sum += w.confidence * float64(n)
	b.runes += n
	b.last = w
}

// blank is what stands between two words of a line: nothing between characters
// of a script without blanks, unless they stand apart; more for a wide gap, as
// between the cells of a table.
func blank(a, b word) string {
	gap := b.left - a.left - a.width
	last, _ := utf8.DecodeLastRuneInString(a.text)
	first, _ := utf8.DecodeRuneInString(b.text)
	switch {
	case doctext.Unspaced(last) && doctext.Unspaced(first) && gap < b.height:
		return ""
	case gap > 3*b.height:
		return "  "
	}
	return " "
}

// flush ends the paragraph.
func (b *pageBuilder) flush() {
	if p := strings.TrimSpace(doctext.Join(b.text, b.open)); p != "" {
		last := &b.pages[len(b.pages)-1]
		last.Paragraphs = append(last.Paragraphs, p)
	}
	b.text, b.open = "", ""
}

// score ends the page.
func (b *pageBuilder) score() {
	if b.runes > 0 {
		b.pages[len(b.pages)-1].Confidence = b.sum / float64(b.runes)
	}
	b.sum, b.runes = 0, 0
}

func (b *pageBuilder) done() []Page {
	b.flush()
	b.score()
	return b.pages
}
