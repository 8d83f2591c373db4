package xlsx

import (
	"ragdesk/backend/fault"
	"ragdesk/backend/parse/grid"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/office/drawing"
	"ragdesk/backend/parse/office/flow"
	"ragdesk/backend/parse/office/opc"
	"ragdesk/backend/text"
)

// tables tells the grid which of its ranges the sheet calls tables.
func (w *workbook) tables(rels opc.Relations, g *grid.Sheet) error {
	for _, part := range rels.All("table") {
		err := w.pkg.Optional(part, w.warnPart, func(r *opc.Reader) error {
			if at, ok := parseRange(guard.Attr(r.Root(), "ref")); ok {
				g.Table(at.Top, at.Left, max(opc.Int(r.Root(), "headerRowCount", 1), 0))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// drawings reads what is drawn on a sheet: text boxes, charts, diagrams. Pictures
// and objects are counted.
func (w *workbook) drawings(rels opc.Relations) ([]flow.Block, error) {
	var out []flow.Block
	for _, part := range rels.All("drawing") {
		own, err := w.pkg.Relations(part)
		if err != nil {
			return nil, err
		}
		err = w.pkg.Optional(part, w.warnPart, func(r *opc.Reader) error {
			d := drawn{w: w, rels: own}
			err := d.walk(r)
			out = append(out, d.blocks...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// drawn collects the blocks of one drawing part.
type drawn struct {
	w      *workbook
	rels   opc.Relations
	blocks []flow.Block
}

func (d *drawn) walk(r *opc.Reader) error {
	return r.Children(func(e opc.Element) error {
		switch e.Name.Local {
		case "txBody":
			b, err := drawing.ReadBody(r)
			if s := b.Text(); !text.IsBlank(s) {
				d.blocks = append(d.blocks, flow.Block{Text: s})
			}
			return err
		case "pic", "oleObj":
			d.w.out.Health.Images++
			return nil
		case "chart":
			return d.part(opc.RelAttr(e, "id"), drawing.Chart)
		case "relIds":
			return d.part(opc.RelAttr(e, "dm"), drawing.Diagram)
		}
		return d.walk(r)
	})
}

// part reads a part that the drawing shows; one that says nothing is a picture.
func (d *drawn) part(id string, read func(*opc.Reader) ([]flow.Block, error)) error {
	var blocks []flow.Block
	err := d.w.pkg.Optional(d.rels.ByID(id).Target, d.w.warnPart, func(r *opc.Reader) (err error) {
		blocks, err = read(r)
		return err
	})
	if len(blocks) == 0 {
		d.w.out.Health.Images++
	}
	d.blocks = append(d.blocks, blocks...)
	return err
}

// add writes what is drawn on a sheet below its cells.
func (w *workbook) add(blocks []flow.Block) error {
	fw := flow.Writer{Out: w.out, Limits: w.limits}
	for _, b := range blocks {
		if err := fw.Add(b); err != nil {
			return err
		}
	}
	if err := fw.Flush(); err != nil {
		return err
	}
	if int64(w.out.Len()) > w.limits.Text {
		return fault.New("limit_text", fault.P("limit", w.limits.Text))
	}
	return nil
}
