package layout

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"ragdesk/backend/parse/doctext"
)

const (
	// joint is how far rules that meet may miss each other, in points.
	joint = 3.5
	// maxGrid bounds the rows or columns of a table made of rules, maxLooks its
	// cells times its rules: beyond it is a drawing.
	maxGrid  = 400
	maxLooks = 20_000_000
	// maxCellRunes is the length from which a cell is no cell of a table but a
	// part of a page that is laid out with boxes.
	maxCellRunes = 800
)

// gridTables finds the tables that rules draw and returns them with the segments
// outside.
func gridTables(segs []Segment, rules []Box) (tables []table, rest []Segment) {
	rest = segs
	for _, g := range grids(rules) {
		var inside, outside []Segment
		for _, s := range rest {
			if g.box.Holds(s.Box, 1) {
				inside = append(inside, s)
			} else {
				outside = append(outside, s)
			}
		}
		if t, ok := g.table(inside); ok {
			tables = append(tables, t)
			rest = outside
		}
	}
	return tables, rest
}

// grid is a net of rules that touch.
type grid struct {
	box    Box
	xs, ys []float64
	rules  []Box
}

// sets are disjoint sets of numbers, each named by its smallest.
type sets []int

// newSets returns a set for each number below n.
func newSets(n int) sets {
	s := make(sets, n)
	for i := range s {
		s[i] = i
	}
	return s
}

// root is the name of i's set.
func (s sets) root(i int) int {
	for s[i] != i {
		s[i] = s[s[i]]
		i = s[i]
	}
	return i
}

// join makes one set of those of i and j.
func (s sets) join(i, j int) {
	a, b := s.root(i), s.root(j)
	s[max(a, b)] = min(a, b)
}

// grids groups the rules into nets that have cells side by side.
func grids(rules []Box) []grid {
	nets := newSets(len(rules))
	order := make([]int, len(rules))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(rules[a].Y0, rules[b].Y0) })
	for k, i := range order {
		for _, j := range order[k+1:] {
			if rules[j].Y0 > rules[i].Y1+joint {
				break
			}
			if rules[i].OverlapX(rules[j]) >= -joint {
				nets.join(i, j)
			}
		}
	}
	parts := map[int][]Box{}
	var roots []int
	for _, i := range order {
		r := nets.root(i)
		if parts[r] == nil {
			roots = append(roots, r)
		}
		parts[r] = append(parts[r], rules[i])
	}
	var out []grid
	for _, r := range roots {
		if g, ok := newGrid(parts[r]); ok {
			out = append(out, g)
		}
	}
	return out
}

func newGrid(rules []Box) (grid, bool) {
	g := grid{box: rules[0], rules: rules}
	var xs, ys []float64
	for _, r := range rules {
		g.box = g.box.Union(r)
		if r.Width() >= r.Height() {
			ys = append(ys, r.MidY())
		} else {
			xs = append(xs, r.MidX())
		}
	}
	// Tables are often open at their sides.
	if len(xs) > 0 && len(ys) > 0 {
		xs = append(xs, g.box.X0, g.box.X1)
		ys = append(ys, g.box.Y0, g.box.Y1)
	}
	g.xs, g.ys = distinct(xs), distinct(ys)
	if len(g.xs) < 3 || len(g.ys) < 3 || len(g.xs) > maxGrid || len(g.ys) > maxGrid || len(g.xs)*len(g.ys)*len(rules) > maxLooks {
		return grid{}, false
	}
	return g, true
}

// distinct sorts vs and joins those that are the same rule.
func distinct(vs []float64) []float64 {
	slices.Sort(vs)
	var out []float64
	for _, v := range vs {
		if n := len(out); n == 0 || v-out[n-1] > joint {
			out = append(out, v)
		}
	}
	return out
}

// parted reports whether a rule stands at x over the height y (vertical), or at y
// over the place x.
func (g grid) parted(x, y float64, vertical bool) bool {
	for _, r := range g.rules {
		if vertical != (r.Height() > r.Width()) {
			continue
		}
		if vertical && math.Abs(r.MidX()-x) <= joint && r.Y0-joint <= y && y <= r.Y1+joint {
			return true
		}
		if !vertical && math.Abs(r.MidY()-y) <= joint && r.X0-joint <= x && x <= r.X1+joint {
			return true
		}
	}
	return false
}

// areas numbers the cells by the area they belong to: those without a rule
// between them are one.
func (g grid) areas() [][]int {
	rows, cols := len(g.ys)-1, len(g.xs)-1
	cells := newSets(rows * cols)
	for r := range rows {
		midY := (g.ys[r] + g.ys[r+1]) / 2
		for c := range cols {
			midX := (g.xs[c] + g.xs[c+1]) / 2
			if c+1 < cols && !g.parted(g.xs[c+1], midY, true) {
				cells.join(r*cols+c, r*cols+c+1)
			}
			if r+1 < rows && !g.parted(midX, g.ys[r+1], false) {
				cells.join(r*cols+c, (r+1)*cols+c)
			}
		}
	}
	out := make([][]int, rows)
	for r := range rows {
		out[r] = make([]int, cols)
		for c := range cols {
			out[r][c] = cells.root(r*cols + c)
		}
	}
	return out
}

// table fills the grid with segs; ok is false when the grid is no table: empty,
// one column, or a page that is laid out with boxes.
func (g grid) table(segs []Segment) (table, bool) {
	if len(segs) < 2 {
		return table{}, false
	}
	areas := g.areas()
	texts, bold, nested := g.texts(areas, segs)
	if nested {
		return table{}, false
	}
	used := map[int]bool{}
	for id, s := range texts {
		used[id] = true
		if utf8.RuneCountInString(s) > maxCellRunes {
			return table{}, false
		}
	}
	if len(used) < 2 {
		return table{}, false
	}
	t := table{box: g.box}
	var bolds []bool
	cols := len(g.xs) - 1
	for r, row := range areas {
		cells := make([]string, cols)
		weight := true
		for c, id := range row {
			// A cell that spans columns stands in the first of them, except in the
			// header; one that spans rows is repeated.
			if c > 0 && row[c-1] == id && r > 0 {
				continue
			}
			cells[c] = texts[id]
			weight = weight && (texts[id] == "" || bold[id])
		}
		t.rows = append(t.rows, cells)
		bolds = append(bolds, weight)
	}
	t.rows, bolds = squeeze(t.rows, bolds)
	if len(t.rows) < 2 || len(t.rows[0]) < 2 {
		return table{}, false
	}
	t.header = headerRows(t.rows, bolds)
	if t.header == 0 && bolds[0] && !bolds[1] {
		t.header = 1
	}
	return t, true
}

// texts joins the lines of each area. Nested says that an area holds rows of
// cells of its own.
func (g grid) texts(areas [][]int, segs []Segment) (texts map[int]string, bold map[int]bool, nested bool) {
	byArea := map[int][]element{}
	for _, s := range segs {
		r := slot(g.ys, s.Box.MidY())
		c := slot(g.xs, s.Box.MidX())
		id := areas[r][c]
		byArea[id] = append(byArea[id], element{box: s.Box, seg: s})
	}
	texts, bold = map[int]string{}, map[int]bool{}
	for id, elems := range byArea {
		var lines []line
		bold[id] = true
		apart := 0
		for _, r := range rowsOf(elems) {
			l := lineOf(r)
			if l.cells > 1 {
				apart++
			}
			bold[id] = bold[id] && l.bold
			lines = append(lines, l)
		}
		texts[id] = cellText(lines)
		nested = nested || apart > 1
	}
	return texts, bold, nested
}

// cellText joins the lines of a cell, items of a list on lines of their own.
func cellText(lines []line) string {
	out := ""
	for i, l := range lines {
		if i > 0 && marker(l.text) != "" {
			out += "\n" + l.text
			continue
		}
		out = doctext.Join(out, l.text)
	}
	return strings.TrimSpace(out)
}

// slot returns the interval of edges that v lies in, the nearest when none.
func slot(edges []float64, v float64) int {
	for i := 1; i < len(edges)-1; i++ {
		if v < edges[i] {
			return i - 1
		}
	}
	return len(edges) - 2
}

// squeeze drops rows and columns that are blank throughout, as double rules and
// the edges of merged cells make them.
func squeeze(rows [][]string, bold []bool) ([][]string, []bool) {
	if len(rows) == 0 {
		return nil, nil
	}
	keep := make([]bool, len(rows[0]))
	var outBold []bool
	var kept [][]string
	for i, r := range rows {
		blank := true
		for c, s := range r {
			if s != "" {
				keep[c], blank = true, false
			}
		}
		if !blank {
			kept = append(kept, r)
			outBold = append(outBold, bold[i])
		}
	}
	// A column that says what the one before it says is the same cell.
	for c := 1; c < len(keep); c++ {
		if !keep[c] {
			continue
		}
		same := true
		for _, r := range kept {
			same = same && (r[c] == r[c-1] || r[c] == "")
		}
		keep[c] = !same
	}
	for i, r := range kept {
		cells := make([]string, 0, len(r))
		for c, s := range r {
			if keep[c] {
				cells = append(cells, s)
			}
		}
		kept[i] = cells
	}
	return kept, outBold
}
