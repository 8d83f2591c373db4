package layout

// Page is a page whose segments are in reading order.
type Page struct {
	width, height float64
	regions       []region
}

// Empty reports whether the page has no text.
func (p Page) Empty() bool { return len(p.regions) == 0 }

// region is a part of the page that is read from top to bottom: the page itself
// or a column of it.
type region struct {
	box   Box
	items []item
	// aside says that it stands apart from the page's flow: turned text.
	aside bool
}

// item is a line of text or a table.
type item struct {
	line  line
	table *table
}

// line is a row of segments as text.
type line struct {
	text string
	box  Box
	size float64
	bold bool
	rtl  bool
	// cells is how many segments the line was made of; hung says that a number
	// stands apart before its first.
	cells int
	hung  bool
}

// Order finds the reading order of segments on a page of w × h points, whose
// tables may be drawn with rules: thin boxes.
func Order(segs []Segment, rules []Box, w, h float64) Page {
	byQuarter := map[int][]Segment{}
	weight := map[int]int{}
	vertical, runes := 0, 0
	for _, s := range segs {
		if s.Quarter == 0 {
			runes += s.Runes
			if s.Vertical {
				vertical += s.Runes
			}
		}
	}
	for _, s := range segs {
		// Vertical writing is text that runs downward; its columns go from right to
		// left, as the lines of such a page do when it is turned.
		if s.Vertical && s.Quarter == 0 && vertical*2 > runes {
			s.Quarter = 1
		}
		byQuarter[s.Quarter] = append(byQuarter[s.Quarter], s)
		weight[s.Quarter] += s.Runes
	}
	order := []int{0, 1, 3, 2, Skew}
	main := 0
	for _, q := range order {
		if weight[q] > weight[main] {
			main = q
		}
	}
	p := Page{width: w, height: h}
	if main == 1 || main == 3 {
		p.width, p.height = h, w
	}
	take := func(q int) {
		if len(byQuarter[q]) == 0 {
			return
		}
		group := byQuarter[q]
		for i := range group {
			group[i].Box = group[i].Box.Turn(q, w, h)
		}
		turned := make([]Box, len(rules))
		for i, r := range rules {
			turned[i] = r.Turn(q, w, h)
		}
		for _, r := range flow(group, turned) {
			r.aside = q != main
			p.regions = append(p.regions, r)
		}
	}
	take(main)
	for _, q := range order {
		if q != main {
			take(q)
		}
	}
	return p
}
