package odf

import (
	"context"
	"strconv"
	"strings"

	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/office/drawing"
	"ragdesk/backend/parse/office/flow"
	"ragdesk/backend/parse/office/opc"
	"ragdesk/backend/text"
)

// slides reads the pages of a presentation or drawing.
func (d *document) slides(ctx context.Context, r *opc.Reader) error {
	return r.Children(func(e opc.Element) error {
		if e.Name.Local != "page" {
			return nil
		}
		if err := d.page(); err != nil {
			return err
		}
		return d.slide(ctx, r, e)
	})
}

// titleLayout is what LibreOffice calls its layout of a title and a subtitle.
const titleLayout = "AL1T0"

// placedShape is a shape of a page.
type placedShape struct {
	box    drawing.Box
	title  bool
	blocks []flow.Block
}

func (d *document) slide(ctx context.Context, r *opc.Reader, e opc.Element) error {
	if d.styles.isHidden("drawing-page", guard.Attr(e, "style-name")) {
		d.out.Warn(doctext.WarnHidden, "slide "+strconv.Itoa(d.pages))
	}
	var notes []flow.Block
	shapes, err := d.shapes(ctx, r, func(e opc.Element) error {
		if e.Name.Local != "notes" {
			return nil
		}
		found, err := d.shapes(ctx, r, nil)
		for _, s := range found {
			notes = append(notes, s.blocks...)
		}
		return err
	})
	if err != nil {
		return err
	}
	title := ""
	rest := shapes[:0]
	for _, s := range shapes {
		if s.title && title == "" {
			title = flow.Words(s.blocks)
			continue
		}
		rest = append(rest, s)
	}
	if d.pages == 1 && guard.Attr(e, "presentation-page-layout-name") == titleLayout {
		d.slideTitled = true
	}
	level := 1
	if d.slideTitled && d.pages > 1 {
		level = 2
	}
	var blocks []flow.Block
	if title != "" {
		blocks = append(blocks, flow.Block{Kind: flow.Heading, Level: level, Text: title})
	}
	blocks = append(blocks, inOrder(rest)...)
	if len(notes) > 0 {
		name := "Notes"
		if text.Language(flow.Flat(notes)) == "zh" {
			name = "备注"
		}
		blocks = append(blocks, flow.Block{Kind: flow.Heading, Level: level + 1, Text: name})
		blocks = append(blocks, notes...)
	}
	for _, b := range blocks {
		if err := d.emit(b); err != nil {
			return err
		}
	}
	return d.w.Flush()
}

func inOrder(shapes []placedShape) []flow.Block {
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

// shapes reads the shapes of the page or group just started; other gets the
// elements that are none.
func (d *document) shapes(ctx context.Context, r *opc.Reader, other func(opc.Element) error) ([]placedShape, error) {
	var out []placedShape
	var last drawing.Box
	err := r.Children(func(e opc.Element) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !isShape(e) {
			if other != nil {
				return other(e)
			}
			return nil
		}
		s, placed, err := d.placed(ctx, r, e)
		if err != nil || len(s.blocks) == 0 {
			return err
		}
		if !placed {
			s.box = last
		}
		last = s.box
		out = append(out, s)
		return nil
	})
	return out, err
}

// placed reads a shape and where it stands. Prompts of empty placeholders are no
// text; dates, footers and page numbers are counted.
func (d *document) placed(ctx context.Context, r *opc.Reader, e opc.Element) (placedShape, bool, error) {
	if e.Name.Local == "g" || e.Name.Local == "a" {
		inner, err := d.shapes(ctx, r, nil)
		s := placedShape{blocks: inOrder(inner)}
		for i, in := range inner {
			s.title = s.title || in.title
			s.box = union(s.box, in.box, i == 0)
		}
		return s, len(inner) > 0, err
	}
	if guard.Attr(e, "placeholder") == "true" {
		return placedShape{}, false, nil
	}
	box, placed := place(e)
	s := placedShape{box: box}
	err := d.shapeBlocks(ctx, r, e, flow.Collect(&s.blocks))
	switch guard.Attr(e, "class") {
	case "title":
		s.title = true
	case "footer", "header", "date-time", "page-number":
		if !text.IsBlank(flow.Flat(s.blocks)) {
			d.out.Health.Repeated++
		}
		s.blocks = nil
	case "page":
		s.blocks = nil
	}
	return s, placed, err
}

func union(a, b drawing.Box, first bool) drawing.Box {
	if first {
		return b
	}
	x, y := min(a.X, b.X), min(a.Y, b.Y)
	return drawing.Box{X: x, Y: y, W: max(a.X+a.W, b.X+b.W) - x, H: max(a.Y+a.H, b.Y+b.H) - y}
}

// place returns where a shape stands in hundredths of a millimetre.
func place(e opc.Element) (drawing.Box, bool) {
	box := drawing.Box{W: length(guard.Attr(e, "width")), H: length(guard.Attr(e, "height"))}
	x, y := guard.Attr(e, "x"), guard.Attr(e, "y")
	if t := guard.Attr(e, "transform"); x == "" && strings.Contains(t, "translate") {
		_, t, _ = strings.Cut(t, "translate")
		if at := strings.Fields(strings.NewReplacer("(", " ", ")", " ", ",", " ").Replace(t)); len(at) >= 2 {
			x, y = at[0], at[1]
		}
	}
	if x == "" {
		x, y = guard.Attr(e, "x1"), guard.Attr(e, "y1")
	}
	box.X, box.Y = length(x), length(y)
	return box, x != ""
}

// length returns a length in hundredths of a millimetre, 0 for what is none.
func length(s string) int64 {
	for _, u := range []struct {
		unit string
		size float64
	}{{"cm", 1000}, {"mm", 100}, {"in", 2540}, {"pt", 2540.0 / 72}, {"pc", 2540.0 / 6}, {"px", 2540.0 / 96}} {
		if n, ok := strings.CutSuffix(s, u.unit); ok {
			v, err := strconv.ParseFloat(n, 64)
			if err != nil || v > 1e6 || v < -1e6 {
				return 0
			}
			return int64(v * u.size)
		}
	}
	return 0
}
