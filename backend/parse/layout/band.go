package layout

import (
	"cmp"
	"slices"
)

// levelsOf returns the heights at which rules go along most of what is in wide,
// from top to bottom. Cells often have a rule each.
func levelsOf(rules []Box, wide Box) []float64 {
	var flat []Box
	for _, r := range rules {
		if r.Width() > r.Height() && r.OverlapX(wide) > 0 {
			flat = append(flat, r)
		}
	}
	slices.SortFunc(flat, func(a, b Box) int { return cmp.Or(cmp.Compare(a.MidY(), b.MidY()), cmp.Compare(a.X0, b.X0)) })
	var out []float64
	for i := 0; i < len(flat); {
		y := flat[i].MidY()
		var same []Box
		for ; i < len(flat) && flat[i].MidY()-y < 1.5; i++ {
			same = append(same, flat[i])
		}
		slices.SortFunc(same, func(a, b Box) int { return cmp.Compare(a.X0, b.X0) })
		covered, to := 0.0, wide.X0
		for _, r := range same {
			if from, end := max(r.X0, to), min(r.X1, wide.X1); end > from {
				covered += end - from
				to = end
			}
		}
		if covered > 0.6*wide.Width() {
			out = append(out, y)
		}
	}
	return out
}

// between reports whether a rule stands between two rows.
func between(levels []float64, above, below Box) bool {
	i, _ := slices.BinarySearch(levels, above.MidY())
	return i < len(levels) && levels[i] < below.MidY()
}

// inRow reports whether row i stands in one band with the row above it and a rule
// closes the band.
func inRow(levels []float64, rows []row, i int) bool {
	return i > 0 && len(levels) > 0 && levels[len(levels)-1] > rows[i].box.MidY() && !between(levels, rows[i-1].box, rows[i].box)
}

const (
	// minBands is how many bands tell that each is a row, maxBand how many lines a
	// row has at most.
	minBands = 3
	maxBand  = 8
)

// bandsOf numbers the bands between rules that rows stand in, when each band is
// one row of the table with cells of several lines; nil when it is not: rules may
// also part a header or a group from rows of a line each. The lines of a row's
// cells differ in number and follow each other, those of a group do not.
func bandsOf(levels []float64, cols []column, cells [][]Segment, rows []row) []int {
	bands := make([]int, len(cells))
	for i := range cells {
		bands[i], _ = slices.BinarySearch(levels, rows[i].box.MidY())
	}
	count, high, uneven := 0, 0, 0
	for i := 0; i < len(cells); {
		end := i
		for end < len(cells) && bands[end] == bands[i] {
			end++
		}
		least, whole := wrapped(cols, cells[i:end])
		if end-i > maxBand {
			return nil
		}
		count++
		if end-i > 1 {
			high++
			if whole && least < end-i {
				uneven++
			}
		}
		i = end
	}
	if count < minBands || high == 0 || uneven*3 < high*2 {
		return nil
	}
	return bands
}

// wrapped returns the fewest lines that a column has in a band; whole is false
// when the lines of a column do not follow each other closely.
func wrapped(cols []column, cells [][]Segment) (least int, whole bool) {
	lines, last := make([]int, len(cols)), make([]Box, len(cols))
	for _, r := range cells {
		for _, c := range r {
			k := columnOf(cols, c)
			if lines[k] > 0 && c.Box.Y0-last[k].Y1 > 0.8*c.Box.Height() {
				return 0, false
			}
			lines[k]++
			last[k] = c.Box
		}
	}
	return slices.Min(lines), true
}
