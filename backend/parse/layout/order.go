package layout

import (
	"cmp"
	"math"
	"slices"
)

const (
	// maxGutters bounds how many gutters of a region are looked at.
	maxGutters = 24
	// maxElements bounds the elements of a region that is looked through for
	// columns; pages of print have hundreds.
	maxElements = 8000
)

// flow finds the reading order of segments of one direction of writing: tables
// first, then columns.
func flow(segs []Segment, rules []Box) []region {
	if len(segs) > 0 && segs[0].Quarter == Skew {
		return skewed(segs)
	}
	tables, rest := gridTables(segs, rules)
	elems := make([]element, 0, len(rest)+len(tables))
	for _, s := range rest {
		elems = append(elems, element{box: s.Box, seg: s})
	}
	for i := range tables {
		elems = append(elems, element{box: tables[i].box, table: &tables[i]})
	}
	o := orderer{em: typicalEm(rest), rules: rules}
	o.order(elems, 0)
	return o.out
}

// element is what is put in order: a segment or a whole table.
type element struct {
	box   Box
	seg   Segment
	table *table
}

func skewed(segs []Segment) []region {
	r := region{box: segs[0].Box}
	for _, s := range segs {
		r.box = r.box.Union(s.Box)
		r.items = append(r.items, item{line: line{text: s.Text, box: s.Box, size: s.Em(), bold: s.Bold, rtl: s.RTL, cells: 1}})
	}
	return []region{r}
}

// typicalEm is the em in which most characters are set.
func typicalEm(segs []Segment) float64 {
	weight := map[int]int{}
	best := 20
	for _, s := range segs {
		k := int(math.Round(s.Em() * 2))
		weight[k] += s.Runes
		if weight[k] > weight[best] || weight[k] == weight[best] && k < best {
			best = k
		}
	}
	return max(float64(best)/2, 2)
}

type orderer struct {
	em    float64
	rules []Box
	out   []region
}

// maxColumns bounds the nesting of columns.
const maxColumns = 40

// order appends the regions of elems: what stands above the best gutter, what is
// left of it, what is right of it, what stands below.
func (o *orderer) order(elems []element, depth int) {
	if len(elems) == 0 {
		return
	}
	g, ok := o.gutter(elems)
	if !ok || depth > maxColumns {
		o.out = append(o.out, leaf(elems, o.rules, o.em))
		return
	}
	o.order(g.above, depth+1)
	first, second := g.left, g.right
	if mostlyRTL(first) && mostlyRTL(second) {
		first, second = second, first
	}
	o.order(first, depth+1)
	o.order(second, depth+1)
	o.order(g.below, depth+1)
}

func mostlyRTL(elems []element) bool {
	rtl, all := 0, 0
	for _, e := range elems {
		all += e.seg.Runes
		if e.seg.RTL {
			rtl += e.seg.Runes
		}
	}
	return rtl*2 > all
}

// gutter is a blank strip with text on both sides, and what it parts.
type gutter struct {
	x, top, bottom            float64
	height                    float64
	above, left, right, below []element
}

// gutter returns the tallest strip that parts columns of text.
func (o *orderer) gutter(elems []element) (gutter, bool) {
	if len(elems) < 4 || len(elems) > maxElements {
		return gutter{}, false
	}
	width := max(0.9*o.em, 4)
	byTop := slices.Clone(elems)
	slices.SortStableFunc(byTop, func(a, b element) int { return cmp.Compare(a.box.Y0, b.box.Y0) })
	var found []gutter
	seen := map[int]bool{}
	for _, e := range elems {
		// Edges of lines that are ragged by less than two points are one edge.
		x := math.Ceil(e.box.X1/2) * 2
		if seen[int(x)] {
			continue
		}
		seen[int(x)] = true
		found = append(found, strips(byTop, x, width)...)
	}
	slices.SortStableFunc(found, func(a, b gutter) int { return cmp.Compare(b.height, a.height) })
	for _, g := range found[:min(len(found), maxGutters)] {
		g = divide(elems, g, o.em)
		if columns(g.left, g.right, o.em) {
			return g, true
		}
	}
	return gutter{}, false
}

// strips returns the parts of the strip from x, width wide, that no element
// crosses and that have elements on both sides.
func strips(byTop []element, x, width float64) []gutter {
	const slack = 0.5
	var out []gutter
	top := math.Inf(-1)
	var l, r Box
	nl, nr := 0, 0
	emit := func(bottom float64) {
		if nl >= 2 && nr >= 2 {
			height := min(l.Y1, r.Y1) - max(l.Y0, r.Y0)
			if height > 0 {
				out = append(out, gutter{x: x + width/2, top: top, bottom: bottom, height: height})
			}
		}
		nl, nr = 0, 0
	}
	grow := func(b *Box, n *int, e Box) {
		if *n == 0 {
			*b = e
		} else {
			*b = b.Union(e)
		}
		*n++
	}
	for _, e := range byTop {
		switch {
		case e.box.X1 <= x+slack:
			grow(&l, &nl, e.box)
		case e.box.X0 >= x+width-slack:
			grow(&r, &nr, e.box)
		default:
			emit(e.box.Y0)
			top = e.box.MidY()
		}
	}
	emit(math.Inf(1))
	return out
}

// divide sorts elems into the parts around g. What reaches beyond the other
// column belongs to its own only while it goes on without a break.
func divide(elems []element, g gutter, em float64) gutter {
	var l, r []element
	for _, e := range elems {
		switch y := e.box.MidY(); {
		case y <= g.top:
			g.above = append(g.above, e)
		case y >= g.bottom:
			g.below = append(g.below, e)
		case e.box.MidX() < g.x:
			l = append(l, e)
		default:
			r = append(r, e)
		}
	}
	top := max(edge(l, -1), edge(r, -1))
	bottom := min(edge(l, 1), edge(r, 1))
	part := func(side []element) []element {
		slices.SortStableFunc(side, func(a, b element) int { return cmp.Compare(a.box.MidY(), b.box.MidY()) })
		from, to := 0, len(side)
		for i := 1; i < len(side); i++ {
			gap := side[i].box.Y0 - side[i-1].box.Y1
			if gap < 1.2*em {
				continue
			}
			if side[i-1].box.Y1 <= top {
				from = i
			}
			if side[i].box.Y0 >= bottom {
				to = min(to, i)
			}
		}
		g.above = append(g.above, side[:from]...)
		g.below = append(g.below, side[to:]...)
		return side[from:to]
	}
	g.left, g.right = part(l), part(r)
	return g
}

// edge is the top (sign -1) or bottom (sign 1) of elems.
func edge(elems []element, sign float64) float64 {
	y := math.Inf(int(-sign))
	for _, e := range elems {
		if sign < 0 {
			y = min(y, e.box.Y0)
		} else {
			y = max(y, e.box.Y1)
		}
	}
	return y
}

// Shares and lengths by which columns of text are told from columns of a table.
const (
	// proseFill is how full of text the lines of a column are on average, fullLine
	// the share of its width from which a line is full; half of them are.
	proseFill = 0.6
	fullLine  = 0.8
	// proseLatin and proseWide are how many characters its lines have.
	proseLatin = 18
	proseWide  = 8
	// rowsAligned is the share of lines that have a partner on the other side
	// from which both sides may be rows of a table.
	rowsAligned = 0.6
)

// columns reports whether l and r are columns to be read one after the other,
// not cells of the same rows.
func columns(l, r []element, em float64) bool {
	if len(l) == 0 || len(r) == 0 {
		return false
	}
	a, b := measure(l), measure(r)
	if a.tables > 0 || b.tables > 0 {
		return true
	}
	fewer := min(a.rows, b.rows)
	aligned := float64(partners(a.lines, b.lines, em)) / float64(fewer)
	switch {
	case a.rows == 1 && b.rows == 1:
		return false
	case a.marked*2 > a.rows && b.marked*2 > b.rows && !a.bare && !b.bare:
		return true
	case aligned < rowsAligned:
		return (a.prose(1) || b.prose(1)) && !paired(a.lines, b.lines, em)
	case a.prose(1.4) && b.prose(1.4) && fewer > 3:
		return true
	}
	// Two boxes of two lines each are no table yet.
	const short = 4 // numbers and marks before a line
	return a.longest > short && b.longest > short && a.rows <= 2 && b.rows <= 2 && a.single == a.rows && b.single == b.rows && !a.labels && !b.figures
}

// paired reports whether the lines of both sides form groups that stand beside
// each other one by one, as cells of several lines do.
func paired(a, b []Box, em float64) bool {
	ga, gb := grouped(a, em), grouped(b, em)
	if len(ga) > len(gb) {
		ga, gb = gb, ga
	}
	if len(ga) < 2 || len(a)+len(b) > 4*(len(ga)+len(gb)) {
		return false
	}
	single := 0
	for _, x := range ga {
		n := 0
		for _, y := range gb {
			if x.OverlapY(y) > 0.2 {
				n++
			}
		}
		if n == 1 {
			single++
		}
	}
	return single*5 >= len(ga)*4 && len(gb)*2 <= len(ga)*3
}

// grouped joins lines that follow each other closely.
func grouped(lines []Box, em float64) []Box {
	var out []Box
	for _, l := range lines {
		if n := len(out); n > 0 && l.Y0-out[n-1].Y1 < 0.5*em {
			out[n-1] = out[n-1].Union(l)
			continue
		}
		out = append(out, l)
	}
	return out
}
