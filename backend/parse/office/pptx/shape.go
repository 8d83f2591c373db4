package pptx

import (
	"strconv"
	"strings"

	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/office/drawing"
	"ragdesk/backend/parse/office/flow"
	"ragdesk/backend/parse/office/opc"
	"ragdesk/backend/text"
)

// shape is something on a slide that says something.
type shape struct {
	box    drawing.Box
	title  bool
	blocks []flow.Block
}

// slideReader reads the shapes of one slide.
type slideReader struct {
	p      *presentation
	rels   opc.Relations
	layout *layout
	// notes says that it reads notes, of which only the text itself counts.
	notes bool
}

// tree reads the shapes of a slide just opened.
func (s *slideReader) tree(r *opc.Reader) ([]shape, error) {
	var out []shape
	err := r.Children(func(e opc.Element) error {
		if e.Name.Local != "cSld" {
			return nil
		}
		return r.Children(func(e opc.Element) error {
			if e.Name.Local != "spTree" {
				return nil
			}
			_, shapes, err := s.shapes(r)
			out = append(out, shapes...)
			return err
		})
	})
	return out, err
}

// transform is where a shape stands, and for a group the frame in which its shapes
// give their places.
type transform struct{ box, inner drawing.Box }

func readTransform(r *opc.Reader) (transform, error) {
	var t transform
	err := r.Children(func(e opc.Element) error {
		number := func(name string) int64 { return int64(opc.Int(e, name, 0)) }
		switch e.Name.Local {
		case "off":
			t.box.X, t.box.Y = number("x"), number("y")
		case "ext":
			t.box.W, t.box.H = number("cx"), number("cy")
		case "chOff":
			t.inner.X, t.inner.Y = number("x"), number("y")
		case "chExt":
			t.inner.W, t.inner.H = number("cx"), number("cy")
		}
		return nil
	})
	return t, err
}

// shapes reads the shapes of the group just started and where the group stands.
func (s *slideReader) shapes(r *opc.Reader) (transform, []shape, error) {
	var own transform
	var out []shape
	last := drawing.Box{}
	err := r.Children(func(e opc.Element) error {
		var sh shape
		var placed bool
		var err error
		switch e.Name.Local {
		case "grpSpPr":
			return r.Children(func(e opc.Element) (err error) {
				if e.Name.Local == "xfrm" {
					own, err = readTransform(r)
				}
				return err
			})
		case "sp", "cxnSp":
			sh, placed, err = s.shape(r)
		case "grpSp":
			sh, placed, err = s.group(r)
		case "graphicFrame":
			sh, placed, err = s.frame(r)
		case "pic", "contentPart":
			s.picture()
			return nil
		default:
			return nil
		}
		if err != nil || len(sh.blocks) == 0 {
			return err
		}
		if !placed {
			sh.box = last
		}
		last = sh.box
		out = append(out, sh)
		return nil
	})
	return own, out, err
}

func (s *slideReader) picture() {
	if !s.notes {
		s.p.out.Health.Images++
	}
}

// group reads a group as one shape, its own shapes in reading order.
func (s *slideReader) group(r *opc.Reader) (shape, bool, error) {
	t, shapes, err := s.shapes(r)
	sh := shape{box: t.box, blocks: ordered(shapes)}
	for _, inner := range shapes {
		sh.title = sh.title || inner.title
	}
	return sh, t.box != drawing.Box{}, err
}

// ordered returns the blocks of shapes in the order they are read.
func ordered(shapes []shape) []flow.Block {
	boxes := make([]drawing.Box, len(shapes))
	for i, s := range shapes {
		boxes[i] = s.box
	}
	var out []flow.Block
	for _, i := range drawing.Order(boxes) {
		out = append(out, shapes[i].blocks...)
	}
	return out
}

// splitTitle takes the first title off a slide's shapes.
func splitTitle(shapes []shape) (title string, rest []shape) {
	for _, s := range shapes {
		if s.title && title == "" {
			title = flow.Words(s.blocks)
			continue
		}
		rest = append(rest, s)
	}
	return title, rest
}

// shape reads a shape with text.
func (s *slideReader) shape(r *opc.Reader) (shape, bool, error) {
	var sh shape
	var body drawing.Body
	var kind, index string
	holder, placed := false, false
	err := r.Children(func(e opc.Element) error {
		switch e.Name.Local {
		case "nvSpPr", "nvCxnSpPr":
			return findPlaceholder(r, func(k, i string) { kind, index, holder = k, i, true })
		case "spPr":
			return r.Children(func(e opc.Element) error {
				if e.Name.Local != "xfrm" {
					return nil
				}
				t, err := readTransform(r)
				sh.box, placed = t.box, true
				return err
			})
		case "txBody":
			var err error
			body, err = drawing.ReadBody(r)
			return err
		}
		return nil
	})
	if err != nil || text.IsBlank(body.Text()) {
		return sh, placed, err
	}
	if holder && s.drop(kind, body) {
		return shape{}, placed, nil
	}
	if holder && !placed {
		sh.box, placed = s.layout.place(kind, index)
	}
	sh.title = holder && (kind == "title" || kind == "ctrTitle")
	sh.blocks = s.paragraphs(body, holder && sameKind(kind, "body"), kind, index)
	return sh, placed, nil
}

// drop reports whether a placeholder's text is not the slide's own: dates, footers
// and numbers, which are counted. Of notes, only their text is kept.
func (s *slideReader) drop(kind string, body drawing.Body) bool {
	switch kind {
	case "dt", "ftr", "sldNum", "hdr":
		if !s.notes {
			s.p.out.Health.Repeated += 1 + strings.Count(body.Text(), "\n")
		}
		return true
	case "sldImg":
		return true
	}
	return false
}

// paragraphs returns a body's paragraphs, those with bullets as items.
func (s *slideReader) paragraphs(body drawing.Body, list bool, kind, index string) []flow.Block {
	var out []flow.Block
	var counts [9]int
	for _, p := range body.Paras {
		t := strings.TrimSpace(p.Text)
		if t == "" {
			continue
		}
		bullet := p.Bullet
		if bullet.Kind == drawing.Unset {
			bullet = body.Style[p.Level]
		}
		if bullet.Kind == drawing.Unset && list && !s.notes {
			bullet = s.layout.bullet(kind, index, p.Level)
		}
		for i := p.Level + 1; i < len(counts); i++ {
			counts[i] = 0
		}
		switch bullet.Kind {
		case drawing.Auto:
			counts[p.Level]++
			marker := autoNumber(bullet.Scheme, bullet.Start+counts[p.Level]-1)
			out = append(out, flow.Block{Kind: flow.Item, Level: p.Level, Marker: marker, Text: t})
			continue
		case drawing.Sign:
			out = append(out, flow.Block{Kind: flow.Item, Level: p.Level, Text: t})
		default:
			out = append(out, flow.Block{Text: t})
		}
		counts[p.Level] = 0
	}
	return out
}

// frame reads a frame: a table, a chart, a diagram, or an object, which counts as a
// picture.
func (s *slideReader) frame(r *opc.Reader) (shape, bool, error) {
	var sh shape
	placed := false
	var walk func(opc.Element) error
	walk = func(e opc.Element) error {
		switch e.Name.Local {
		case "xfrm":
			if placed {
				return nil
			}
			t, err := readTransform(r)
			sh.box, placed = t.box, true
			return err
		case "tbl":
			b, err := s.table(r)
			sh.blocks = append(sh.blocks, b)
			return err
		case "chart":
			blocks, err := s.aside(opc.RelAttr(e, "id"), drawing.Chart)
			sh.blocks = append(sh.blocks, blocks...)
			return err
		case "relIds":
			blocks, err := s.aside(opc.RelAttr(e, "dm"), drawing.Diagram)
			sh.blocks = append(sh.blocks, blocks...)
			return err
		case "oleObj":
			s.picture()
			return nil
		}
		return r.Children(walk)
	}
	err := r.Children(walk)
	return sh, placed, err
}

// aside reads a part that a frame shows; one that says nothing is a picture.
func (s *slideReader) aside(id string, read func(*opc.Reader) ([]flow.Block, error)) ([]flow.Block, error) {
	var blocks []flow.Block
	err := s.p.pkg.Optional(s.rels.ByID(id).Target, s.p.warnPart, func(r *opc.Reader) (err error) {
		blocks, err = read(r)
		return err
	})
	if len(blocks) == 0 {
		s.picture()
	}
	return blocks, err
}

// table reads a table.
func (s *slideReader) table(r *opc.Reader) (flow.Block, error) {
	g := flow.Grid{Limit: s.p.limits.Cells}
	header := false
	err := r.Children(func(e opc.Element) error {
		switch e.Name.Local {
		case "tblPr":
			header = opc.True(guard.Attr(e, "firstRow"))
		case "tr":
			cells, err := readRow(r)
			if err != nil {
				return err
			}
			return g.Row(cells)
		}
		return nil
	})
	b := flow.Block{Kind: flow.Table, Rows: g.Rows()}
	if b.Header = g.Header(); !header && b.Header > 1 {
		b.Header = 1
	}
	return b, err
}

// readRow reads a row. Covered cells are in the file too; those to the right are
// left out, since the cell that covers them says how wide it is.
func readRow(r *opc.Reader) ([]flow.Cell, error) {
	var cells []flow.Cell
	err := r.Children(func(e opc.Element) error {
		if e.Name.Local != "tc" {
			return nil
		}
		c := flow.Cell{Cols: opc.Int(e, "gridSpan", 1), Above: opc.True(guard.Attr(e, "vMerge"))}
		covered := opc.True(guard.Attr(e, "hMerge"))
		err := r.Children(func(e opc.Element) error {
			if e.Name.Local != "txBody" {
				return nil
			}
			b, err := drawing.ReadBody(r)
			c.Text = b.Text()
			return err
		})
		if !covered {
			cells = append(cells, c)
		}
		return err
	})
	return cells, err
}

// autoNumber writes the number of a paragraph in a scheme such as "arabicPeriod".
func autoNumber(scheme string, n int) string {
	system, form := scheme, ""
	for _, f := range []string{"ParenBoth", "ParenR", "Period", "Plain", "Minus"} {
		if s, ok := strings.CutSuffix(scheme, f); ok {
			system, form = s, f
			break
		}
	}
	number := countAs(system, n)
	switch form {
	case "ParenBoth":
		return "(" + number + ")"
	case "ParenR":
		return number + ")"
	case "Period":
		return number + "."
	case "":
		if system == scheme && number == strconv.Itoa(n) {
			return number + "."
		}
	}
	return number
}
