package layout

import "unicode/utf8"

// shape describes the lines of one side of a gutter.
type shape struct {
	lines []Box
	rows  int
	// fill is the mean share of the side's width that a line takes, full the number
	// of lines that take nearly all, longest the most characters of a line.
	fill    float64
	full    int
	longest int
	wide    bool
	tables  int
	// marked counts lines that start as list items do; bare says that most hold
	// nothing but the marker.
	marked int
	bare   bool
	// single counts the lines without a gap inside.
	single int
	// labels says that lines end with a colon; figures that lines are numbers.
	labels, figures bool
}

// prose reports whether the lines are running text; factor asks for longer ones.
func (s shape) prose(factor float64) bool {
	least := factor * proseLatin
	if s.wide {
		least = factor * proseWide
	}
	return s.rows >= 2 && s.fill >= proseFill && s.full*2 >= s.rows && float64(s.longest) >= least && s.single*5 >= s.rows*4
}

func measure(elems []element) shape {
	var s shape
	var whole Box
	wideRunes, bare, labels, figures := 0, 0, 0, 0
	for i, e := range elems {
		if i == 0 {
			whole = e.box
		}
		whole = whole.Union(e.box)
		if e.table != nil {
			s.tables++
		}
	}
	for _, row := range rowsOf(elems) {
		s.rows++
		s.lines = append(s.lines, row.box)
		if len(row.elems) == 1 {
			s.single++
		}
		share := row.box.Width() / max(whole.Width(), 1)
		s.fill += share
		if share >= fullLine {
			s.full++
		}
		runes := 0
		text := row.elems[0].seg.Text
		if marker(text) != "" {
			s.marked++
			if marker(text) == text {
				bare++
			}
		}
		last := row.elems[len(row.elems)-1].seg.Text
		if r := lastRune(last); r == ':' || r == '：' {
			labels++
		}
		if figure(text) {
			figures++
		}
		for _, e := range row.elems {
			runes += utf8.RuneCountInString(e.seg.Text)
			if wide(firstRune(e.seg.Text)) {
				wideRunes++
			}
		}
		s.longest = max(s.longest, runes)
	}
	s.fill /= float64(s.rows)
	s.wide = wideRunes*2 > s.rows
	s.bare = bare*2 > s.rows
	s.labels, s.figures = labels*2 >= s.rows, figures*2 >= s.rows
	return s
}

// partners counts the lines of the shorter list that stand on the height of one
// in the other.
func partners(a, b []Box, em float64) int {
	if len(a) > len(b) {
		a, b = b, a
	}
	n, j := 0, 0
	for _, x := range a {
		for j < len(b) && b[j].MidY() < x.MidY()-0.3*em {
			j++
		}
		if j < len(b) && b[j].MidY() <= x.MidY()+0.3*em {
			n++
		}
	}
	return n
}
