package layout

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// row is what stands on one height of a region, from left to right.
type row struct {
	box   Box
	elems []element
}

// rowsOf groups elems into rows from top to bottom.
func rowsOf(elems []element) []row {
	sorted := slices.Clone(elems)
	slices.SortStableFunc(sorted, func(a, b element) int { return cmp.Compare(a.box.MidY(), b.box.MidY()) })
	var rows []row
	for _, e := range sorted {
		if n := len(rows); n > 0 && rows[n-1].takes(e) {
			r := &rows[n-1]
			r.elems = append(r.elems, e)
			r.box = r.box.Union(e.box)
			continue
		}
		rows = append(rows, row{e.box, []element{e}})
	}
	for i := range rows {
		slices.SortStableFunc(rows[i].elems, func(a, b element) int { return cmp.Compare(a.box.X0, b.box.X0) })
	}
	return rows
}

// maxBeside bounds how many elements of a row a further one is held against.
const maxBeside = 64

// takes reports whether e stands on the row's height: beside its first element,
// or, when that is of another size, beside most of the others.
func (r row) takes(e element) bool {
	if e.table != nil || r.elems[0].table != nil {
		return false
	}
	if r.elems[0].box.OverlapY(e.box) < 0.5 {
		return false
	}
	// A tall element beside several rows would swallow them.
	for _, o := range r.elems[:min(len(r.elems), maxBeside)] {
		if o.box.OverlapX(e.box) > 0.5*min(o.box.Width(), e.box.Width()) && o.box.OverlapY(e.box) < 0.8 {
			return false
		}
	}
	return true
}

// cellsOf joins the elements of a row that belong together: a list's marker with
// its item, and segments that the file holds apart but the eye does not.
func cellsOf(r row) []Segment {
	var out []Segment
	rtl := 0
	for _, e := range r.elems {
		if e.seg.RTL {
			rtl++
		}
	}
	elems := r.elems
	if rtl*2 > len(elems) {
		elems = slices.Clone(elems)
		slices.Reverse(elems)
	}
	for i, e := range elems {
		if i > 0 {
			last := &out[len(out)-1]
			gap := max(e.box.X0-last.Box.X1, last.Box.X0-e.box.X1)
			unit := max(last.Em(), e.seg.Em())
			hanging := len(out) == 1 && itemNumber(last.Text) && (gap < 4*unit || gap < 9*unit && len(elems) == 2)
			if gap < GapSegment*unit || hanging {
				last.join(e.seg, gap, unit)
				continue
			}
		}
		out = append(out, e.seg)
	}
	return out
}

// join appends o, which stands a gap further on the same line.
func (s *Segment) join(o Segment, gap, unit float64) {
	if s.blankBefore(o, gap, unit) {
		s.Text += " "
	}
	s.Text += o.Text
	s.Box = s.Box.Union(o.Box)
	s.Bold = s.Bold && o.Bold
	s.RTL = s.RTL || o.RTL
	s.Size = max(s.Size, o.Size)
	s.Runes += o.Runes
}

// blankBefore reports whether a blank parts s from o, which stands a gap further.
func (s Segment) blankBefore(o Segment, gap, unit float64) bool {
	if wide(lastRune(s.Text)) && wide(firstRune(o.Text)) {
		return gap > GapWide*unit
	}
	return gap > 0.15*unit || s.Whole && o.Whole
}

// lineOf makes a line of a row.
func lineOf(r row) line {
	cells := cellsOf(r)
	l := line{box: r.box, bold: true, cells: len(cells)}
	texts := make([]string, len(cells))
	for i, c := range cells {
		texts[i] = c.Text
		l.size = max(l.size, c.Em())
		l.bold = l.bold && c.Bold
		l.rtl = l.rtl || c.RTL
	}
	if len(cells) == 1 && len(r.elems) > 1 && itemNumber(r.elems[0].seg.Text) {
		l.hung = true
	}
	// Two blanks keep apart what stands apart.
	l.text = strings.Join(texts, "  ")
	return l
}

// leaf makes a region of elems that are read row by row, with the tables that
// rows without rules form.
func leaf(elems []element, rules []Box, em float64) region {
	rows := rowsOf(elems)
	r := region{box: elems[0].box}
	for _, e := range elems {
		r.box = r.box.Union(e.box)
	}
	for i := 0; i < len(rows); {
		if t := rows[i].elems[0].table; t != nil {
			r.items = append(r.items, item{table: t})
			i++
			continue
		}
		if t, n := alignedTable(rows[i:], rules, em); n > 0 {
			r.items = append(r.items, item{table: &t})
			i += n
			continue
		}
		r.items = append(r.items, item{line: lineOf(rows[i])})
		i++
	}
	return r
}

// marker returns what marks the start of a list's item: a bullet or a number in
// one of the usual forms, without the blank after it; "" without one.
func marker(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if strings.ContainsRune("•●○◦▪■□◆◇❖➢►▶‣⁃·∙※★☆✓–—-*", r) {
		if rest := s[n:]; rest == "" || rest[0] == ' ' || wide(firstRune(rest)) && r != '-' && r != '—' {
			return s[:n]
		}
		return ""
	}
	return numbered(s)
}

// numbered returns a leading number such as "1.", "(2)", "a)", "3、", "（四）" or
// "①"; "" without one.
func numbered(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if r >= '①' && r <= '⒛' {
		return s[:n]
	}
	i := 0
	bracket := r == '(' || r == '（'
	if bracket {
		i = n
	}
	start := i
	kind := 0
	for i < len(s) && i-start < 9 {
		c, size := utf8.DecodeRuneInString(s[i:])
		k := 0
		switch {
		case c >= '0' && c <= '9':
			k = 1
		case strings.ContainsRune("一二三四五六七八九十", c):
			k = 2
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			k = 3
		}
		if k == 0 || kind != 0 && k != kind || k == 3 && i-start >= 4 || k == 1 && i-start >= 3 {
			break
		}
		kind = k
		i += size
	}
	if i == start || kind == 3 && i-start > 1 && !roman(s[start:i]) {
		return ""
	}
	c, size := utf8.DecodeRuneInString(s[i:])
	switch {
	case bracket && (c == ')' || c == '）'):
	case !bracket && (c == '、' || c == ')' || c == '）'):
	case !bracket && kind != 2 && (c == '.' || c == '．'):
		// "3.5" is a number, "3. 5 tons" an item.
		if next := firstRune(s[i+size:]); i+size < len(s) && next != ' ' && !wide(next) {
			return ""
		}
	default:
		return ""
	}
	return s[:i+size]
}

// itemNumber reports whether s is nothing but what stands before an item or a
// section: a marker, or a number such as "4.1".
func itemNumber(s string) bool {
	if marker(s) == s {
		return true
	}
	return strings.Trim(s, "0123456789.") == "" && strings.Count(s, ".") > 0 && len(s) <= 10 && s[0] != '.'
}

// lead returns what marks the start of an item or of a numbered section.
func lead(s string) string {
	if m := marker(s); m != "" {
		return m
	}
	if first, _, ok := strings.Cut(s, " "); ok && itemNumber(first) {
		return first
	}
	return ""
}

func roman(s string) bool {
	return strings.Trim(s, "ivxIVX") == ""
}

// figure reports whether s is a number, an amount or a date: mostly digits.
func figure(s string) bool {
	digits, others := 0, 0
	for _, r := range s {
		switch {
		case r >= '0' && r <= '9', r >= '０' && r <= '９':
			digits++
		case unicode.IsLetter(r):
			others++
		}
	}
	return digits > 0 && digits >= others*2 || s == "-" || s == "—" || s == "–"
}
