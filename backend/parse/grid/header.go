package grid

// tallest is the most header rows that are guessed.
const tallest = 3

// numbers counts the cells of a row that hold a number which is no year.
func (v row) numbers() int {
	n := 0
	for _, c := range v.cells {
		if c.Kind == Number && !c.Year {
			n++
		}
	}
	return n
}

// header returns how many of r's first rows are a header: what the file states,
// or none when the first row holds values, or one, or more when merged cells of
// the first row reach down or join columns that the next row names.
func (l *layout) header(r region) int {
	if n, ok := l.sheet.tables[[2]int{r[0].index, int(r[0].cells[0].col)}]; ok {
		return min(n, len(r))
	}
	if len(r) < 2 || !r.named(0) {
		return 0
	}
	n := 1
	if l.joins(r) && r.named(1) && len(r) > 2 {
		n = 2
	}
	for _, c := range r[0].cells {
		if m := l.merge(c); m != nil && m.Top == r[0].index {
			if tall := m.Bottom - m.Top + 1; tall <= tallest && tall < len(r) {
				n = max(n, tall)
			}
		}
	}
	for i := 1; i < n; i++ {
		if !r.named(i) || r[i].index != r[0].index+i {
			return i
		}
	}
	return n
}

// merge returns the merged range of a cell, nil without.
func (l *layout) merge(c Cell) *Range {
	if c.merge == 0 {
		return nil
	}
	return &l.sheet.merges[c.merge-1]
}

// joins reports whether a merged cell of the first row stands over several columns
// of the table, but not over all.
func (l *layout) joins(r region) bool {
	left, right := r.columns()
	for _, c := range r[0].cells {
		m := l.merge(c)
		if m != nil && m.Right > m.Left && m.Bottom == m.Top && (m.Left > int(left) || m.Right < int(right)) {
			return true
		}
	}
	return false
}

// named reports whether the i-th row may name columns: it holds texts, years,
// counted numbers such as 1, 2, 3, or dates over columns of numbers.
func (r region) named(i int) bool {
	v := r[i]
	if v.numbers() > 0 && !v.counts() {
		return false
	}
	for _, c := range v.cells {
		if c.Kind == Date && !r.over(i, c.col) {
			return false
		}
	}
	return true
}

// counts reports whether the numbers of a row are neighbours of each other.
func (v row) counts() bool {
	n, last := 0, ""
	for _, c := range v.cells {
		if c.Kind != Number {
			continue
		}
		if n++; n > 1 && next(last) != c.Text && next(c.Text) != last {
			return false
		}
		last = c.Text
	}
	return n > 1
}

// next returns the number after s, a whole number of one or two digits; "" for
// others.
func next(s string) string {
	n := 0
	for _, d := range s {
		if d < '0' || d > '9' || len(s) > 2 {
			return ""
		}
		n = n*10 + int(d-'0')
	}
	if s == "" {
		return ""
	}
	n++
	if n < 10 {
		return string(rune('0' + n))
	}
	return string([]rune{rune('0' + n/10), rune('0' + n%10)})
}

// over reports whether the cell below the i-th row's column holds a number.
func (r region) over(i int, col int32) bool {
	if i+1 == len(r) {
		return false
	}
	for _, c := range r[i+1].cells {
		if c.col == col {
			return c.Kind == Number
		}
	}
	return false
}
