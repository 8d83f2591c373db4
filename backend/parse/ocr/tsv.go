package ocr

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/layout"
)

// pointsPerPixel is for pictures of 300 dots per inch; only the proportions
// matter.
const pointsPerPixel = 72.0 / 300

// Levels of the rows of tesseract's table.
const (
	levelPage = 1
	levelWord = 5
)

// row is a row of tesseract's table; numbers are pixels, confidence is in
// [0, 100], or -1 for what is no word.
type row struct {
	level, page, block, paragraph, line int
	left, top, width, height            int
	confidence                          float64
	text                                string
}

// parseRow reads level, page, block, paragraph, line, word, left, top, width,
// height, confidence, text.
func parseRow(s string) (row, bool) {
	c := strings.Split(s, "\t")
	if len(c) == 11 {
		c = append(c, "") // rows of pages and lines have no text
	}
	if len(c) != 12 {
		return row{}, false
	}
	var n [10]int
	for i := range n {
		v, err := strconv.Atoi(c[i])
		if err != nil {
			return row{}, false
		}
		n[i] = v
	}
	conf, err := strconv.ParseFloat(c[10], 64)
	if err != nil {
		return row{}, false
	}
	return row{level: n[0], page: n[1], block: n[2], paragraph: n[3], line: n[4],
		left: n[6], top: n[7], width: n[8], height: n[9], confidence: conf, text: strings.TrimSpace(c[11])}, true
}

// sameLine reports whether both are of one line.
func (r row) sameLine(o row) bool {
	return r.page == o.page && r.block == o.block && r.paragraph == o.paragraph && r.line == o.line
}

// parseTSV reads tesseract's table of words into pages.
func parseTSV(out []byte) []Page {
	var pages []Page
	var words []row
	var at row
	end := func() {
		if at.level == levelPage {
			pages = append(pages, newPage(at, words))
		}
		words = nil
	}
	for s := range strings.Lines(string(out)) {
		r, ok := parseRow(strings.TrimRight(s, "\r\n"))
		switch {
		case !ok:
		case r.level == levelPage:
			end()
			at = r
		case r.level == levelWord && r.text != "" && r.confidence >= 0:
			words = append(words, r)
		}
	}
	end()
	return pages
}

// newPage puts the words of a page in order by the rules that hold for printed
// pages, so that columns and tables come out alike.
func newPage(at row, words []row) Page {
	var p Page
	sum := 0.0
	for _, w := range words {
		n := utf8.RuneCountInString(w.text)
		sum += w.confidence / 100 * float64(n)
		p.Runes += n
	}
	if p.Runes > 0 {
		p.Confidence = sum / float64(p.Runes)
	}
	var lines [][]row
	for _, w := range words {
		if n := len(lines); n > 0 && lines[n-1][0].sameLine(w) {
			lines[n-1] = append(lines[n-1], w)
			continue
		}
		lines = append(lines, []row{w})
	}
	usual := usualHeight(lines) / heightShare
	var segs []layout.Segment
	for _, l := range lines {
		segs = append(segs, segments(l, usual)...)
	}
	p.Text = layout.Order(segs, nil, float64(at.width)*pointsPerPixel, float64(at.height)*pointsPerPixel)
	return p
}

// height is that of a line's highest word but for outliers.
func height(line []row) float64 {
	hs := make([]int, len(line))
	for i, w := range line {
		hs[i] = w.height
	}
	slices.Sort(hs)
	return float64(hs[len(hs)*3/4])
}

func usualHeight(lines [][]row) float64 {
	if len(lines) == 0 {
		return 0
	}
	hs := make([]float64, len(lines))
	for i, l := range lines {
		hs[i] = height(l)
	}
	slices.Sort(hs)
	return hs[len(hs)/2]
}

// heightShare is the share of an em that the letters of a word are high.
const heightShare = 0.75

// larger is how much higher than usual a line is that is set in a larger size;
// heights of less difference depend on the letters.
const larger = 1.5

// segments joins the words of a line that stand close.
func segments(line []row, usual float64) []layout.Segment {
	em := usual
	if h := height(line) / heightShare; h > larger*usual {
		em = h
	}
	var out []layout.Segment
	for i, w := range line {
		box := layout.Box{X0: float64(w.left), Y0: float64(w.top), X1: float64(w.left + w.width), Y1: float64(w.top + w.height)}
		if i > 0 {
			last := &out[len(out)-1]
			gap := box.X0 - last.Box.X1
			if gap < 1.2*layout.GapSegment*em && gap > -em {
				last.Text += blank(line[i-1], w, em) + w.text
				last.Box = last.Box.Union(box)
				last.Runes += utf8.RuneCountInString(w.text)
				continue
			}
		}
		out = append(out, layout.Segment{Text: w.text, Box: box, Size: math.Round(em*pointsPerPixel*2) / 2, Whole: true, Runes: utf8.RuneCountInString(w.text)})
	}
	for i := range out {
		b := &out[i].Box
		b.X0, b.Y0, b.X1, b.Y1 = b.X0*pointsPerPixel, b.Y0*pointsPerPixel, b.X1*pointsPerPixel, b.Y1*pointsPerPixel
	}
	return out
}

// blank is what stands between two words of a line: nothing between characters
// of a script without blanks, unless they stand apart.
func blank(a, b row, em float64) string {
	last, _ := utf8.DecodeLastRuneInString(a.text)
	first, _ := utf8.DecodeRuneInString(b.text)
	if doctext.Unspaced(last) && doctext.Unspaced(first) && float64(b.left-a.left-a.width) < em {
		return ""
	}
	return " "
}
