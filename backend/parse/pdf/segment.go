package pdf

import (
	"strings"
	"unicode/utf8"

	"ragdesk/backend/parse/layout"
)

// Gaps in ems of the text beside them; see also those of package layout.
const (
	// gapWord is a blank that the file does not hold but the eye sees.
	gapWord = 0.25
	// gapRight bounds jumps inside a right-to-left run, where numbers run the
	// other way.
	gapRight = 5.0
)

// segments joins glyphs. Fonts gives the font of a character's number; walls are
// rules, which no segment crosses.
func segments(glyphs []glyph, fonts func(int) font, walls []layout.Box) []layout.Segment {
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
	walls []layout.Box
	out   []layout.Segment
	text  strings.Builder
	cur   layout.Segment
	first glyph
	last  glyph
}

// joins reports whether g continues the segment, and notes when it does so
// downward.
func (b *segmenter) joins(g glyph) bool {
	if g.quarter != b.cur.Quarter {
		return false
	}
	if g.quarter == layout.Skew {
		return !g.spaced || near(b.last.box, g.box, 3*layout.Em(g.size, g.box.Height()))
	}
	// Everything else is upright once turned; the page's size does not matter for
	// distances.
	last, next := b.last.box.Turn(g.quarter, 0, 0), g.box.Turn(g.quarter, 0, 0)
	unit := layout.Em(max(g.size, b.last.size), next.Height())
	if b.below(last, next, g, unit) {
		b.cur.Vertical = true
		return true
	}
	if b.cur.Vertical || last.OverlapY(next) < 0.5 {
		return false
	}
	if b.cur.RTL || rightToLeft(firstRune(g.text)) {
		whole := b.cur.Box.Turn(g.quarter, 0, 0)
		gap := max(whole.X0-next.X1, next.X0-whole.X1)
		limit := 1.5 * layout.GapSegment
		if !rightToLeft(firstRune(g.text)) || !rightToLeft(lastRune(b.last.text)) {
			limit = gapRight
		}
		return gap < limit*unit
	}
	gap := next.X0 - last.X1
	return gap < layout.GapSegment*unit && gap > -0.6*unit && !b.walled(g)
}

// walled reports whether an upright rule stands between the last glyph and g.
func (b *segmenter) walled(g glyph) bool {
	if !g.spaced || g.quarter != 0 {
		return false
	}
	from, to, y := b.last.box.MidX(), g.box.MidX(), g.box.MidY()
	for _, w := range b.walls {
		if w.Height() > w.Width() && w.MidX() > from && w.MidX() < to && w.Y0 <= y && y <= w.Y1 {
			return true
		}
	}
	return false
}

// below reports whether next stands right under last, as in vertical writing and
// in labels of one character a line.
func (b *segmenter) below(last, next layout.Box, g glyph, unit float64) bool {
	if b.cur.Runes > 1 && !b.cur.Vertical || !wide(firstRune(g.text)) || !wide(lastRune(b.last.text)) {
		return false
	}
	step := next.MidY() - last.MidY()
	shift := next.MidX() - last.MidX()
	return step > 0.7*unit && step < 1.8*unit && shift < 0.25*unit && shift > -0.25*unit
}

func near(a, b layout.Box, distance float64) bool {
	return a.OverlapX(b) > -distance && min(a.Y1, b.Y1)-max(a.Y0, b.Y0) > -distance
}

func (b *segmenter) add(g glyph) {
	if b.text.Len() == 0 {
		b.cur = layout.Segment{Box: g.box, Size: g.size, Quarter: g.quarter}
		b.first = g
	} else {
		if !b.cur.Vertical && b.blankBefore(g) {
			b.text.WriteByte(' ')
		}
		b.cur.Box = b.cur.Box.Union(g.box)
		b.cur.Size = max(b.cur.Size, g.size)
	}
	b.text.WriteString(g.text)
	b.cur.RTL = b.cur.RTL || rightToLeft(firstRune(g.text))
	b.cur.Runes++
	b.last = g
}

// blankBefore reports whether a blank stands between the last glyph and g.
func (b *segmenter) blankBefore(g glyph) bool {
	last, next := b.last.box.Turn(g.quarter, 0, 0), g.box.Turn(g.quarter, 0, 0)
	unit := layout.Em(max(g.size, b.last.size), next.Height())
	gap := next.X0 - last.X1
	if b.cur.RTL {
		gap = max(gap, last.X0-next.X1)
	}
	prev, r := lastRune(b.last.text), firstRune(g.text)
	switch {
	case wide(prev) && wide(r):
		return gap > layout.GapWide*unit
	case wide(prev) || wide(r):
		// Mixed scripts keep a blank that the file has, unless there is no room.
		return g.spaced && gap > 0.15*unit
	case b.cur.RTL:
		return g.spaced
	}
	return g.spaced || gap > gapWord*unit
}

func (b *segmenter) flush() {
	if b.text.Len() == 0 {
		return
	}
	b.cur.Text = b.text.String()
	first, last := b.fonts(b.first.index), b.fonts(b.last.index)
	b.cur.Bold = first.bold && last.bold
	if first.symbols {
		b.cur.Text = mark(b.cur.Text)
		b.cur.Bold = last.bold
	}
	if last.symbols {
		r, n := utf8.DecodeLastRuneInString(b.cur.Text)
		b.cur.Text = b.cur.Text[:len(b.cur.Text)-n] + mark(string(r))
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
