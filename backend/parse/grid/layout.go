package grid

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"ragdesk/backend/parse/doctext"
)

// mostCuts bounds the columns times rows that are compared in one cut.
const mostCuts = 10_000_000

// deepest is how often a region is divided; beyond it a region stays whole.
const deepest = 24

// region is a part of a sheet: rows that hold something within some columns.
type region []row

// piece is what is written: a line, or a table.
type piece struct {
	line string
	// rows count the sheet's rows in line.
	rows   int
	table  [][]string
	header int
}

func (p piece) write(b *doctext.Builder) {
	if p.table != nil {
		b.Rows(p.table, p.header)
		return
	}
	b.Paragraph(p.line)
	b.Health.RowsRead += p.rows
	b.Health.RowsKept += p.rows
}

// layout finds the pieces of a sheet in reading order.
type layout struct {
	sheet  *Sheet
	pieces []piece
}

// columns returns the first and last column of a region.
func (r region) columns() (left, right int32) {
	left = r[0].cells[0].col
	for _, row := range r {
		left = min(left, row.cells[0].col)
		right = max(right, row.cells[len(row.cells)-1].col)
	}
	return left, right
}

// narrow returns what of r lies within columns.
func (r region) narrow(left, right int32) region {
	var out region
	for _, v := range r {
		from := sort.Search(len(v.cells), func(k int) bool { return v.cells[k].col >= left })
		to := sort.Search(len(v.cells), func(k int) bool { return v.cells[k].col > right })
		if from < to {
			out = append(out, row{v.index, v.cells[from:to]})
		}
	}
	return out
}

// lone reports whether a row holds a single cell, merged or not.
func (v row) lone() bool {
	for _, c := range v.cells[1:] {
		if c.merge == 0 || c.merge != v.cells[0].merge {
			return false
		}
	}
	return true
}

// divide cuts r at blank rows, takes titles off, and cuts at blank columns, until
// nothing is left to cut.
func (l *layout) divide(r region, depth int) {
	for _, band := range l.bands(r) {
		band = l.titles(band)
		groups := band.groups()
		if len(groups) == 1 || depth > deepest {
			l.settle(band)
			continue
		}
		for _, g := range groups {
			l.divide(band.narrow(g[0], g[1]), depth+1)
		}
	}
}

// bands cuts r at blank rows, and where what stands above shares no column with
// what stands below. A part behind a single blank row that has no header and fits
// the table before it continues that table.
func (l *layout) bands(r region) []region {
	below := suffixColumns(r)
	var bands []region
	start := 0
	var left, right int32
	for i, v := range r {
		if i == start {
			left, right = v.cells[0].col, v.cells[0].col
		}
		left, right = min(left, v.cells[0].col), max(right, v.cells[len(v.cells)-1].col)
		last := i == len(r)-1
		if last || r[i+1].index > v.index+1 || right < below[i+1][0] || left > below[i+1][1] {
			bands = append(bands, r[start:i+1:i+1])
			start = i + 1
		}
	}
	out := bands[:1]
	before := l.measure(bands[0])
	for _, b := range bands[1:] {
		next := l.measure(b)
		if before.continuedBy(next) {
			out[len(out)-1] = append(out[len(out)-1], b...)
			before.bottom = next.bottom
			continue
		}
		out = append(out, b)
		before = next
	}
	return out
}

// suffixColumns returns, for each row, the first and last column of it and all
// rows of the same band below it.
func suffixColumns(r region) [][2]int32 {
	out := make([][2]int32, len(r))
	for i := len(r) - 1; i >= 0; i-- {
		cells := r[i].cells
		out[i] = [2]int32{cells[0].col, cells[len(cells)-1].col}
		if i+1 < len(r) && r[i+1].index == r[i].index+1 {
			out[i] = [2]int32{min(out[i][0], out[i+1][0]), max(out[i][1], out[i+1][1])}
		}
	}
	return out
}

// measures are what bands need to know of a part to join it with another.
type measures struct {
	left, right int32
	top, bottom int
	// headed says that it is a table with a header, bare that its first row holds
	// values.
	headed, bare bool
}

func (l *layout) measure(r region) measures {
	m := measures{top: r[0].index, bottom: r[len(r)-1].index}
	m.left, m.right = r.columns()
	m.bare = r[0].numbers() > 0 && !r[0].lone() && l.header(r) == 0
	for len(r) > 1 && r[0].lone() {
		r = r[1:]
	}
	m.headed = len(r) > 1 && m.right > m.left && l.header(r) > 0
	return m
}

// continuedBy reports whether b is the rest of the table a.
func (m measures) continuedBy(b measures) bool {
	return m.headed && b.bare && b.top == m.bottom+2 && m.left == b.left && m.right == b.right
}

// titles takes the lines of one cell that stand above a table.
func (l *layout) titles(r region) region {
	wide := func(v row) bool { return !v.lone() }
	for len(r) > 1 && r[0].lone() && slices.ContainsFunc(r[1:], wide) && !l.stated(r) {
		l.pieces = append(l.pieces, piece{line: r[0].cells[0].Text, rows: 1})
		r = r[1:]
	}
	return r
}

// stated reports whether the file calls r's first cell the start of a table.
func (l *layout) stated(r region) bool {
	_, ok := l.sheet.tables[[2]int{r[0].index, int(r[0].cells[0].col)}]
	return ok
}

// groups returns the column ranges of the tables that stand side by side in r.
func (r region) groups() [][2]int32 {
	seen := make(map[int32]bool)
	for _, v := range r {
		for _, c := range v.cells {
			seen[c.col] = true
		}
	}
	cols := make([]int32, 0, len(seen))
	for c := range seen {
		cols = append(cols, c)
	}
	slices.Sort(cols)
	var groups [][2]int32
	for i, c := range cols {
		if i > 0 && c == cols[i-1]+1 {
			groups[len(groups)-1][1] = c
			continue
		}
		groups = append(groups, [2]int32{c, c})
	}
	if len(groups)*len(r) > mostCuts {
		return [][2]int32{{cols[0], cols[len(cols)-1]}}
	}
	out := groups[:1]
	for _, g := range groups[1:] {
		before := &out[len(out)-1]
		if g[0] == before[1]+2 && r.narrow(before[0], before[1]).goesOn(r.narrow(g[0], g[1])) {
			before[1] = g[1]
			continue
		}
		out = append(out, g)
	}
	return out
}

// goesOn reports whether b, behind one blank column, belongs to the table a: it
// has the same rows, and no first column that names them anew.
func (r region) goesOn(b region) bool {
	top, bottom := r[0].index, r[len(r)-1].index
	if b[0].index < top || b[len(b)-1].index > bottom || len(b)*5 < len(r)*4 || len(r) < 2 {
		return false
	}
	left, right := b.columns()
	if left == right {
		return true
	}
	texts, all := 0, 0
	for _, v := range b[1:] {
		if v.cells[0].col != left {
			continue
		}
		all++
		if v.cells[0].Kind == Text {
			texts++
		}
	}
	return texts*2 < all
}

// notePrefixes begin the remarks under a table.
var notePrefixes = []string{"注", "备注", "说明", "来源", "资料来源", "数据来源", "note", "source", "*", "※"}

// note reports whether a row of one cell under a table is a remark, not data.
func (v row) note(width int) bool {
	if !v.lone() {
		return false
	}
	s := strings.ToLower(strings.TrimSpace(v.cells[0].Text))
	if utf8.RuneCountInString(s) >= 30 || len(v.cells) > 1 && len(v.cells)*2 >= width {
		return true
	}
	return slices.ContainsFunc(notePrefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}

// settle writes a region that is one table, or less.
func (l *layout) settle(r region) {
	left, right := r.columns()
	var notes region
	for width := int(right-left) + 1; len(r) > 2 && width > 1 && r[len(r)-1].note(width); {
		notes = append(notes, r[len(r)-1])
		r = r[:len(r)-1]
	}
	switch header := l.header(r); {
	case len(r) == 1 || l.sparse(r):
		for _, v := range r {
			l.line(v)
		}
	default:
		table := r.matrix()
		if long(table[:header]) {
			header = 0
		}
		l.pieces = append(l.pieces, piece{table: table, header: header})
	}
	for _, v := range slices.Backward(notes) {
		l.line(v)
	}
}

// line writes a row as a line, merged cells once.
func (l *layout) line(v row) {
	var parts []string
	for i, c := range v.cells {
		if i == 0 || c.merge == 0 || c.merge != v.cells[i-1].merge {
			parts = append(parts, c.Text)
		}
	}
	l.pieces = append(l.pieces, piece{line: strings.Join(parts, " | "), rows: 1})
}

// sparse reports whether a table of r would be all but empty.
func (l *layout) sparse(r region) bool {
	cells := 0
	for _, v := range r {
		cells += len(v.cells)
	}
	left, right := r.columns()
	area := len(r) * int(right-left+1)
	return area > 100_000 && area > 50*cells
}

// long reports whether rows are too long to be repeated as a header.
func long(rows [][]string) bool {
	n := 0
	for _, row := range rows {
		for _, c := range row {
			n += utf8.RuneCountInString(c)
		}
	}
	return n > 1000
}

// matrix returns the rows of a table, without columns that hold nothing.
func (r region) matrix() [][]string {
	seen := make(map[int32]int)
	for _, v := range r {
		for _, c := range v.cells {
			seen[c.col] = 0
		}
	}
	cols := make([]int32, 0, len(seen))
	for c := range seen {
		cols = append(cols, c)
	}
	slices.Sort(cols)
	for i, c := range cols {
		seen[c] = i
	}
	out := make([][]string, len(r))
	for i, v := range r {
		out[i] = make([]string, len(cols))
		for _, c := range v.cells {
			out[i][seen[c.col]] = c.Text
		}
	}
	return out
}
