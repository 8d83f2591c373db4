package pdf

import (
	"strings"
	"unicode/utf8"
)

// Gaps in ems of the text beside them.
const (
	// gapSegment parts segments: more than justified text leaves between words,
	// less than columns and cells have between them.
	gapSegment = 1.0
	// gapWord is a blank that the file does not hold but the eye sees.
	gapWord = 0.25
	// gapWide is a blank that counts between characters of a script without
	// spaces; less is letter spacing.
	gapWide = 0.7
	// gapRight bounds jumps inside a right-to-left run, where numbers run the
	// other way.
	gapRight = 5.0
)

// segment is a run of text on one line without a wide gap.
type segment struct {
	text string
	box  box
	size float64
	bold bool
	// quarter is the direction of writing, as in glyph.
	quarter int
	// vertical says that characters stand below each other.
	vertical bool
	rtl      bool
	// runes and bad count the characters, and those without meaning.
	runes, bad int
	// field says that it is a form's value, which has its place but no line.
	field bool
}

// em is the length of an em of the segment.
func (s segment) em() float64 { return em(s.size, s.box.height()) }

// em falls back to the height of the box, for fonts that state no size.
func em(size, height float64) float64 {
	if size > 0.5 {
		return size
	}
	return max(height*0.8, 1)
}

// segments joins glyphs. Fonts gives the font of a character's number; walls are
// rules, which no segment crosses.
func segments(glyphs []glyph, fonts func(int) font, walls []box) []segment {
	b := segmenter{fonts: fonts, walls: walls}
	for _, g := range glyphs {
		if b.text.Len() > 0 && !b.joins(g) {
			b.flush()
		}
		b.add(g)
	}
	b.flush()
	return b.out
}

type segmenter struct {
	fonts func(int) font
	walls []box
	out   []segment
	text  strings.Builder
	cur   segment
	first glyph
	last  glyph
}

// joins reports whether g continues the segment, and notes when it does so
// downward.
func (b *segmenter) joins(g glyph) bool {
	if g.quarter != b.cur.quarter {
		return false
	}
	if g.quarter == skew {
		return !g.spaced || near(b.last.box, g.box, 3*em(g.size, g.box.height()))
	}
	// Everything else is upright once turned; the page's size does not matter for
	// distances.
	last, next := turn(b.last.box, g.quarter, 0, 0), turn(g.box, g.quarter, 0, 0)
	unit := em(max(g.size, b.last.size), next.height())
	if b.below(last, next, g, unit) {
		b.cur.vertical = true
		return true
	}
	if b.cur.vertical || last.overlapY(next) < 0.5 {
		return false
	}
	if b.cur.rtl || rightToLeft(firstRune(g.text)) {
		whole := turn(b.cur.box, g.quarter, 0, 0)
		gap := max(whole.x0-next.x1, next.x0-whole.x1)
		limit := gapSegment
		if !rightToLeft(firstRune(g.text)) || !rightToLeft(lastRune(b.last.text)) {
			limit = gapRight
		}
		return gap < limit*unit
	}
	gap := next.x0 - last.x1
	return gap < gapSegment*unit && gap > -0.6*unit && !b.walled(g)
}

// walled reports whether an upright rule stands between the last glyph and g.
func (b *segmenter) walled(g glyph) bool {
	if !g.spaced || g.quarter != 0 {
		return false
	}
	from, to, y := b.last.box.midX(), g.box.midX(), g.box.midY()
	for _, w := range b.walls {
		if w.height() > w.width() && w.midX() > from && w.midX() < to && w.y0 <= y && y <= w.y1 {
			return true
		}
	}
	return false
}

// below reports whether next stands right under last, as in vertical writing and
// in labels of one character a line.
func (b *segmenter) below(last, next box, g glyph, unit float64) bool {
	if b.cur.runes > 1 && !b.cur.vertical || !wide(firstRune(g.text)) || !wide(lastRune(b.last.text)) {
		return false
	}
	step := next.midY() - last.midY()
	shift := next.midX() - last.midX()
	return step > 0.7*unit && step < 1.8*unit && shift < 0.25*unit && shift > -0.25*unit
}

func near(a, b box, distance float64) bool {
	return a.overlapX(b) > -distance && min(a.y1, b.y1)-max(a.y0, b.y0) > -distance
}

func (b *segmenter) add(g glyph) {
	if b.text.Len() == 0 {
		b.cur = segment{box: g.box, size: g.size, quarter: g.quarter}
		b.first = g
	} else {
		if !b.cur.vertical && b.blankBefore(g) {
			b.text.WriteByte(' ')
		}
		b.cur.box = b.cur.box.union(g.box)
		b.cur.size = max(b.cur.size, g.size)
	}
	b.text.WriteString(g.text)
	b.cur.rtl = b.cur.rtl || rightToLeft(firstRune(g.text))
	b.cur.runes++
	if g.bad {
		b.cur.bad++
	}
	b.last = g
}

// blankBefore reports whether a blank stands between the last glyph and g.
func (b *segmenter) blankBefore(g glyph) bool {
	last, next := turn(b.last.box, g.quarter, 0, 0), turn(g.box, g.quarter, 0, 0)
	unit := em(max(g.size, b.last.size), next.height())
	gap := next.x0 - last.x1
	if b.cur.rtl {
		gap = max(gap, last.x0-next.x1)
	}
	prev, r := lastRune(b.last.text), firstRune(g.text)
	switch {
	case wide(prev) && wide(r):
		return gap > gapWide*unit
	case wide(prev) || wide(r):
		// Mixed scripts keep a blank that the file has, unless there is no room.
		return g.spaced && gap > 0.15*unit
	case b.cur.rtl:
		return g.spaced
	}
	return g.spaced || gap > gapWord*unit
}

func (b *segmenter) flush() {
	if b.text.Len() == 0 {
		return
	}
	b.cur.text = b.text.String()
	first, last := b.fonts(b.first.index), b.fonts(b.last.index)
	b.cur.bold = first.bold && last.bold
	if first.symbols {
		b.cur.text = mark(b.cur.text)
		b.cur.bold = last.bold
	}
	if last.symbols {
		r, n := utf8.DecodeLastRuneInString(b.cur.text)
		b.cur.text = b.cur.text[:len(b.cur.text)-n] + mark(string(r))
	}
	b.out = append(b.out, b.cur)
	b.text.Reset()
}

// mark replaces the first character of s, set in a font of symbols, by what that
// shows, if it is a mark of lists and forms.
func mark(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if r > 0xff {
		return s
	}
	if m := symbol(0xF000 | r); !meaningless(firstRune(m)) && m != "" {
		return m + s[n:]
	}
	return s
}
