package pdf

import (
	"fmt"

	"github.com/klippa-app/go-pdfium/requests"
)

// page is one page as it was read, its segments in reading order.
type page struct {
	// width and height are in points, as the page is shown.
	width, height float64
	regions       []region
	// read are the paragraphs recognised in the page's picture.
	read []string
	// images counts pictures whose content is not in the text.
	images int
	// runes and bad count the characters, and those without meaning.
	runes, bad int
}

// region is a part of the page that is read from top to bottom: the page itself
// or a column of it.
type region struct {
	box   box
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
	box  box
	size float64
	bold bool
	rtl  bool
	// cells is how many segments the line was made of; hung says that a number
	// stands apart before its first.
	cells int
	hung  bool
}

// readPage reads page i, counted from 0.
func (s *session) readPage(i int) (page, error) {
	f, err := s.frame(i)
	if err != nil {
		return page{}, err
	}
	drawn, err := s.readDrawing(i, f)
	if err != nil {
		return page{}, err
	}
	segs, err := s.readText(i, f, drawn.rules)
	if err != nil {
		return page{}, err
	}
	var p page
	p.width, p.height = f.size()
	segs = onPage(segs, box{0, 0, p.width, p.height})
	for _, seg := range segs {
		p.runes += seg.runes
		p.bad += seg.bad
	}
	segs = append(segs, s.notes(i, f)...)
	p.images = drawn.unread(segs, p)
	p.regions = layout(segs, drawn.rules, p.width, p.height)
	return p, nil
}

// frame reads the visible box and the rotation of page i.
func (s *session) frame(i int) (frame, error) {
	bounds, err := s.FPDF_GetPageBoundingBox(&requests.FPDF_GetPageBoundingBox{Page: s.page(i)})
	if err != nil {
		return frame{}, fmt.Errorf("load page: %w", err)
	}
	r := bounds.Rect
	f := frame{left: float64(r.Left), bottom: float64(r.Bottom), right: float64(r.Right), top: float64(r.Top)}
	turned, err := s.FPDFPage_GetRotation(&requests.FPDFPage_GetRotation{Page: s.page(i)})
	if err == nil {
		f.quarter = int(turned.PageRotation) & 3
	}
	return f, nil
}

// onPage leaves out what lies outside the page, such as printer's marks, unless
// that is most of it and the box is what is wrong.
func onPage(segs []segment, visible box) []segment {
	const slack = 5
	var in []segment
	inside, all := 0, 0
	for _, s := range segs {
		all += s.runes
		if visible.holds(s.box, slack) {
			inside += s.runes
			in = append(in, s)
		}
	}
	if inside*2 < all {
		return segs
	}
	return in
}

// layout finds the reading order of segments on a page of w × h points.
func layout(segs []segment, rules []box, w, h float64) []region {
	byQuarter := map[int][]segment{}
	weight := map[int]int{}
	vertical, runes := 0, 0
	for _, s := range segs {
		if s.quarter == 0 {
			runes += s.runes
			if s.vertical {
				vertical += s.runes
			}
		}
	}
	for _, s := range segs {
		// Vertical writing is text that runs downward; its columns go from right to
		// left, as the lines of such a page do when it is turned.
		if s.vertical && s.quarter == 0 && vertical*2 > runes {
			s.quarter = 1
		}
		byQuarter[s.quarter] = append(byQuarter[s.quarter], s)
		weight[s.quarter] += s.runes
	}
	var out []region
	order := []int{0, 1, 3, 2, skew}
	main := 0
	for _, q := range order {
		if weight[q] > weight[main] {
			main = q
		}
	}
	take := func(q int) {
		if len(byQuarter[q]) == 0 {
			return
		}
		pw, ph := w, h
		if q == 1 || q == 3 {
			pw, ph = h, w
		}
		group := byQuarter[q]
		for i := range group {
			group[i].box = turn(group[i].box, q, w, h)
		}
		turned := make([]box, len(rules))
		for i, r := range rules {
			turned[i] = turn(r, q, w, h)
		}
		for _, r := range flow(group, turned, pw, ph) {
			r.aside = q != main
			out = append(out, r)
		}
	}
	take(main)
	for _, q := range order {
		if q != main {
			take(q)
		}
	}
	return out
}
