package pdf

import (
	"fmt"

	"github.com/klippa-app/go-pdfium/requests"

	"ragdesk/backend/parse/layout"
)

// page is one page as it was read, its segments in reading order.
type page struct {
	text layout.Page
	// images counts pictures whose content is not in the text.
	images int
	// runes and bad count the characters, and those without meaning.
	runes, bad int
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
	segs, bad, err := s.readText(i, f, drawn.rules)
	if err != nil {
		return page{}, err
	}
	p := page{bad: bad}
	w, h := f.size()
	segs = onPage(segs, layout.Box{X1: w, Y1: h})
	for _, seg := range segs {
		p.runes += seg.Runes
	}
	segs = append(segs, s.notes(i, f)...)
	p.images = drawn.unread(segs, p)
	p.text = layout.Order(segs, drawn.rules, w, h)
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
func onPage(segs []layout.Segment, visible layout.Box) []layout.Segment {
	const slack = 5
	var in []layout.Segment
	inside, all := 0, 0
	for _, s := range segs {
		all += s.Runes
		if visible.Holds(s.Box, slack) {
			inside += s.Runes
			in = append(in, s)
		}
	}
	if inside*2 < all {
		return segs
	}
	return in
}
