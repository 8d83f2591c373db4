package pdf

import (
	"fmt"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"ragdesk/backend/parse/layout"
)

const (
	// maxObjects and maxSteps bound what is looked at of a page's drawing: beyond
	// it is a map or a plan, not a table.
	maxObjects = 6000
	maxSteps   = 4000
	// maxForms bounds how deep drawings inside drawings are looked into.
	maxForms = 4
	// thin is how thick a rule is at most, in points.
	thin = 3.0
	// smallImage is the side below which a picture is an ornament, in points.
	smallImage = 24.0
	// manyPaths is how many shapes a page without text has when its text was
	// turned into outlines.
	manyPaths = 60
)

// drawing is what a page shows beside its text.
type drawing struct {
	// rules are thin horizontal and vertical lines.
	rules  []layout.Box
	images []layout.Box
	paths  int
}

// readDrawing reads the rules and pictures of page i.
func (s *session) readDrawing(i int, f frame) (drawing, error) {
	d := drawer{session: s, frame: f, left: maxObjects, steps: maxSteps}
	n, err := s.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: s.page(i)})
	if err != nil {
		return drawing{}, fmt.Errorf("count objects: %w", err)
	}
	for k := 0; k < n.Count && d.left > 0; k++ {
		o, err := s.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: s.page(i), Index: k})
		if err != nil {
			if gone(err) {
				return drawing{}, fmt.Errorf("%w: %w", errGone, err)
			}
			continue
		}
		d.object(o.PageObject, matrix{a: 1, d: 1}, 0)
	}
	return d.drawing, nil
}

type drawer struct {
	*session
	drawing
	frame frame
	// left and steps are what may still be looked at.
	left, steps int
}

// matrix maps the coordinates of a drawing inside a drawing.
type matrix struct{ a, b, c, d, e, f float64 }

func (m matrix) point(x, y float64) (float64, float64) {
	return m.a*x + m.c*y + m.e, m.b*x + m.d*y + m.f
}

// times is m after n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m.a*n.a + m.c*n.b, m.b*n.a + m.d*n.b,
		m.a*n.c + m.c*n.d, m.b*n.c + m.d*n.d,
		m.a*n.e + m.c*n.f + m.e, m.b*n.e + m.d*n.f + m.f,
	}
}

func (d *drawer) matrix(o references.FPDF_PAGEOBJECT) matrix {
	m, err := d.FPDFPageObj_GetMatrix(&requests.FPDFPageObj_GetMatrix{PageObject: o})
	if err != nil {
		return matrix{a: 1, d: 1}
	}
	v := m.Matrix
	return matrix{float64(v.A), float64(v.B), float64(v.C), float64(v.D), float64(v.E), float64(v.F)}
}

func (d *drawer) object(o references.FPDF_PAGEOBJECT, outer matrix, depth int) {
	d.left--
	kind, err := d.FPDFPageObj_GetType(&requests.FPDFPageObj_GetType{PageObject: o})
	if err != nil {
		return
	}
	switch kind.Type {
	case enums.FPDF_PAGEOBJ_IMAGE:
		if b, ok := d.bounds(o, outer); ok && b.Width() >= smallImage && b.Height() >= smallImage {
			d.images = append(d.images, b)
		}
	case enums.FPDF_PAGEOBJ_PATH:
		d.paths++
		d.path(o, outer)
	case enums.FPDF_PAGEOBJ_FORM:
		d.form(o, outer, depth)
	}
}

func (d *drawer) form(o references.FPDF_PAGEOBJECT, outer matrix, depth int) {
	if depth >= maxForms {
		return
	}
	n, err := d.FPDFFormObj_CountObjects(&requests.FPDFFormObj_CountObjects{PageObject: o})
	if err != nil {
		return
	}
	inner := outer.times(d.matrix(o))
	for k := 0; k < n.Count && d.left > 0; k++ {
		child, err := d.FPDFFormObj_GetObject(&requests.FPDFFormObj_GetObject{PageObject: o, Index: uint64(k)})
		if err != nil {
			return
		}
		d.object(child.PageObject, inner, depth+1)
	}
}

func (d *drawer) bounds(o references.FPDF_PAGEOBJECT, outer matrix) (layout.Box, bool) {
	b, err := d.FPDFPageObj_GetBounds(&requests.FPDFPageObj_GetBounds{PageObject: o})
	if err != nil {
		return layout.Box{}, false
	}
	x0, y0 := outer.point(float64(b.Left), float64(b.Bottom))
	x1, y1 := outer.point(float64(b.Right), float64(b.Top))
	return d.frame.box(x0, y0, x1, y1), true
}

// path adds the rules of a path: a thin shape is one, and so is each straight
// side of a path that is stroked.
func (d *drawer) path(o references.FPDF_PAGEOBJECT, outer matrix) {
	b, ok := d.bounds(o, outer)
	if !ok || d.rule(b) || b.Width() < thin || b.Height() < thin {
		return
	}
	mode, err := d.FPDFPath_GetDrawMode(&requests.FPDFPath_GetDrawMode{PageObject: o})
	if err != nil {
		return
	}
	if !mode.Stroke && mode.FillMode == enums.FPDF_FILLMODE_NONE {
		return
	}
	n, err := d.FPDFPath_CountSegments(&requests.FPDFPath_CountSegments{PageObject: o})
	if err != nil {
		return
	}
	m := outer.times(d.matrix(o))
	var sub subpath
	for k := 0; k < n.Count && d.steps > 0; k++ {
		d.steps--
		seg, err := d.FPDFPath_GetPathSegment(&requests.FPDFPath_GetPathSegment{PageObject: o, Index: k})
		if err != nil {
			return
		}
		kind, err := d.FPDFPathSegment_GetType(&requests.FPDFPathSegment_GetType{PathSegment: seg.PathSegment})
		if err != nil {
			return
		}
		at, err := d.FPDFPathSegment_GetPoint(&requests.FPDFPathSegment_GetPoint{PathSegment: seg.PathSegment})
		if err != nil {
			return
		}
		x, y := m.point(float64(at.X), float64(at.Y))
		x, y = d.frame.point(x, y)
		if kind.Type == enums.FPDF_SEGMENT_MOVETO {
			d.sides(sub, mode.Stroke)
			sub = subpath{}
		}
		sub.points = append(sub.points, [2]float64{x, y})
		sub.curved = sub.curved || kind.Type == enums.FPDF_SEGMENT_BEZIERTO
	}
	d.sides(sub, mode.Stroke)
}

// subpath is a part of a path that is drawn without lifting the pen.
type subpath struct {
	points [][2]float64
	curved bool
}

// at is the box of a point.
func at(p [2]float64) layout.Box { return layout.Box{X0: p[0], Y0: p[1], X1: p[0], Y1: p[1]} }

// sides adds the rules of a subpath. One that is only filled is a rule when the
// whole of it is thin.
func (d *drawer) sides(s subpath, stroked bool) {
	if len(s.points) < 2 || s.curved {
		return
	}
	if !stroked {
		b := at(s.points[0])
		for _, p := range s.points {
			b = b.Union(at(p))
		}
		d.rule(b)
		return
	}
	closed := append(s.points[:len(s.points):len(s.points)], s.points[0])
	if len(s.points) == 2 {
		closed = s.points
	}
	for i := 1; i < len(closed); i++ {
		a, b := closed[i-1], closed[i]
		d.rule(at(a).Union(at(b)))
	}
}

// rule adds b when it is one: long and thin.
func (d *drawer) rule(b layout.Box) bool {
	long, short := b.Width(), b.Height()
	if long < short {
		long, short = short, long
	}
	if short > thin || long < 8 || long < 3*short {
		return false
	}
	d.rules = append(d.rules, b)
	return true
}

// unread counts the pictures whose content no text of the page gives: a scan with
// a layer of recognised text is read. A page that has only shapes counts as one
// picture, since its text may be outlines.
func (d drawing) unread(segs []layout.Segment, p page) int {
	const layer = 20
	n := 0
	for _, b := range d.images {
		over := 0
		for _, s := range segs {
			if b.Holds(s.Box, 0) {
				over += s.Runes
			}
		}
		if over < layer {
			n++
		}
	}
	if n == 0 && p.runes == 0 && d.paths >= manyPaths {
		n = 1
	}
	return n
}
