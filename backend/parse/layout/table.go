package layout

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"ragdesk/backend/parse/doctext"
)

// table is a table with its cells' texts.
type table struct {
	box    Box
	rows   [][]string
	header int
}

// maxRows bounds the rows of a table without rules; a page has fewer.
const maxRows = 400

// column is the width that the cells of a column take together.
type column struct{ x0, x1 float64 }

// alignedTable returns the table that the first n of rows form without rules
// between its columns; n is 0 when they form none. Rows are taken while each cell
// falls into one column and no cell bridges two.
func alignedTable(rows []row, rules []Box, em float64) (t table, n int) {
	if len(cellsOf(rows[0])) < 2 && !headStart(rows, em) {
		return table{}, 0
	}
	levels := levelsOf(rules, rows[0].box)
	var cols []column
	var cells [][]Segment
	for _, r := range rows {
		if r.elems[0].table != nil || len(cells) == maxRows {
			break
		}
		if k := len(cells); k > 0 && !between(levels, rows[k-1].box, r.box) && apart(rows[:k], r, em) {
			break
		}
		c := cellsOf(r)
		next, ok := fit(cols, c, em)
		if !ok {
			break
		}
		cols, cells = next, append(cells, c)
	}
	// A last line of its own in the first column is what follows the table.
	for len(cells) > 0 {
		last := cells[len(cells)-1]
		if len(last) > 1 || columnOf(cols, last[0]) > 0 || inRow(levels, rows, len(cells)-1) {
			break
		}
		cells = cells[:len(cells)-1]
	}
	cols = nil
	for _, c := range cells {
		cols, _ = fit(cols, c, em)
	}
	if !tabular(cols, cells, em) {
		return table{}, 0
	}
	t = fill(cols, cells, rows, bandsOf(levels, cols, cells, rows), em)
	return t, len(cells)
}

// headStart reports whether rows start with the upper line of a header whose last
// cells have two.
func headStart(rows []row, em float64) bool {
	if len(rows) < 3 || rows[0].elems[0].table != nil || rows[1].elems[0].table != nil {
		return false
	}
	next := cellsOf(rows[1])
	return utf8.RuneCountInString(lineOf(rows[0]).text) <= longCell/2 && len(next) > 1 && rows[1].box.Y0-rows[0].box.Y1 < 0.4*em && rows[0].box.X0 > next[0].Box.X1
}

// apart reports whether next stands too far below above to be of the same table.
func apart(above []row, next row, em float64) bool {
	n := len(above)
	if n == 0 {
		return false
	}
	gap := next.box.Y0 - above[n-1].box.Y1
	if n < 3 {
		return gap > 2.5*em
	}
	var gaps []float64
	for i := 1; i < n; i++ {
		gaps = append(gaps, above[i].box.Y0-above[i-1].box.Y1)
	}
	return gap > 2*max(lowMedian(gaps), 0)+0.6*em
}

// fit adds the cells of a row to the columns; ok is false when a cell would join
// two columns.
func fit(cols []column, cells []Segment, em float64) (out []column, ok bool) {
	out = slices.Clone(cols)
	for _, c := range cells {
		at, hits := -1, 0
		for i, col := range out {
			if c.Box.X0 < col.x1+0.3*em && c.Box.X1 > col.x0-0.3*em {
				at = i
				hits++
			}
		}
		switch {
		case hits > 1:
			return nil, false
		case hits == 1:
			out[at].x0, out[at].x1 = min(out[at].x0, c.Box.X0), max(out[at].x1, c.Box.X1)
		default:
			out = append(out, column{c.Box.X0, c.Box.X1})
		}
	}
	slices.SortFunc(out, func(a, b column) int { return cmp.Compare(a.x0, b.x0) })
	for i := 1; i < len(out); i++ {
		if out[i].x0 < out[i-1].x1 {
			return nil, false
		}
	}
	return out, true
}

func columnOf(cols []column, s Segment) int {
	best, length := 0, -1e9
	for i, c := range cols {
		if l := (Box{X0: c.x0, X1: c.x1}).OverlapX(s.Box); l > length {
			best, length = i, l
		}
	}
	return best
}

// longCell is how many characters a cell has at most on average; more is text in
// columns.
const longCell = 60

// tabular reports whether cells are confidently a table.
func tabular(cols []column, cells [][]Segment, em float64) bool {
	full, whole, filled, runes := 0, 0, 0, 0
	edges := make([][3][]float64, len(cols))
	for _, r := range cells {
		if len(r) > 1 {
			full++
		}
		if len(r) == len(cols) {
			whole++
		}
		filled += len(r)
		for _, c := range r {
			i := columnOf(cols, c)
			runes += utf8.RuneCountInString(c.Text)
			for k, x := range []float64{c.Box.X0, c.Box.X1, c.Box.MidX()} {
				edges[i][k] = append(edges[i][k], x)
			}
		}
	}
	switch {
	case len(cols) < 2, full < 2, len(cols) == 2 && full < 3, whole == 0 && full < 4:
		return false
	case float64(filled) < 0.4*float64(len(cells)*len(cols)):
		return false
	case runes > longCell*filled:
		return false
	}
	aligned := 0
	for _, e := range edges {
		if agree(e[0], em) || agree(e[1], em) || agree(e[2], em) {
			aligned++
		}
	}
	return float64(aligned) >= 0.7*float64(len(cols))
}

// agree reports whether most of xs are the same.
func agree(xs []float64, em float64) bool {
	if len(xs) < 2 {
		return true
	}
	slices.Sort(xs)
	middle := xs[len(xs)/2]
	near := 0
	for _, x := range xs {
		if x > middle-0.5*em && x < middle+0.5*em {
			near++
		}
	}
	return near*2 > len(xs)
}

// fill makes the table of cells. A row of the same band as the one above goes on
// with that row's cells, and so does, without bands, one whose first cell is
// empty and that stands closer to the row above than rows do.
func fill(cols []column, cells [][]Segment, rows []row, bands []int, em float64) table {
	t := table{box: rows[0].box}
	pitch := firstPitch(cols, cells, rows)
	var at Box
	bolds := make([]bool, 0, len(cells))
	for i, r := range cells {
		t.box = t.box.Union(rows[i].box)
		texts := make([]string, len(cols))
		bold := true
		for _, c := range r {
			k := columnOf(cols, c)
			texts[k] = doctext.Join(texts[k], c.Text)
			bold = bold && c.Bold
		}
		step := rows[i].box.Y0 - at.Y0
		goesOn := texts[0] == "" && step < 0.75*pitch && step < 1.6*em
		if bands != nil {
			goesOn = i > 0 && bands[i] == bands[i-1]
		}
		if goesOn && len(t.rows) > 0 {
			last := t.rows[len(t.rows)-1]
			for k, s := range texts {
				if s != "" {
					last[k] = doctext.Join(last[k], s)
				}
			}
		} else {
			t.rows = append(t.rows, texts)
			bolds = append(bolds, bold)
		}
		at = rows[i].box
	}
	if bands == nil && len(t.rows) > 2 && t.rows[0][0] == "" && t.rows[1][0] != "" && headStart(rows, em) {
		for k, s := range t.rows[1] {
			t.rows[1][k] = doctext.Join(t.rows[0][k], s)
		}
		t.rows, bolds = t.rows[1:], bolds[1:]
	}
	t.header = headerRows(t.rows, bolds)
	return t
}

// firstPitch is the usual distance between rows that have a first cell.
func firstPitch(cols []column, cells [][]Segment, rows []row) float64 {
	var steps []float64
	last := -1
	for i, r := range cells {
		if columnOf(cols, r[0]) != 0 {
			continue
		}
		if last >= 0 {
			steps = append(steps, rows[i].box.Y0-rows[last].box.Y0)
		}
		last = i
	}
	if len(steps) == 0 {
		return 0
	}
	slices.Sort(steps)
	return steps[len(steps)/2]
}

// headerRows is 1 when the first row names the columns: it is full of words,
// and stands out by weight or by having figures below it.
func headerRows(rows [][]string, bold []bool) int {
	if len(rows) < 2 {
		return 0
	}
	filled := 0
	for _, s := range rows[0] {
		if figure(s) {
			return 0
		}
		if s != "" {
			filled++
		}
	}
	if filled < 2 || filled*3 < len(rows[0])*2 {
		return 0
	}
	if bold[0] && !bold[1] {
		return 1
	}
	if bold[1] && !bold[0] {
		return 0
	}
	for _, r := range rows[1:] {
		for _, s := range r {
			if figure(s) {
				return 1
			}
		}
	}
	if len(rows[0]) > 2 && filled == len(rows[0]) {
		return 1
	}
	return 0
}
