package docx

import (
	"context"

	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/office/drawing"
	"ragdesk/backend/parse/office/flow"
	"ragdesk/backend/parse/office/opc"
	"ragdesk/backend/text"
)

// graphic reads a drawing, in either of the two languages Word has for them: the
// blocks of its text boxes, charts and diagrams go after the paragraph; pictures
// and embedded objects are counted.
func (d *document) graphic(ctx context.Context, r *opc.Reader, e opc.Element, p *paragraph) error {
	if e.Name.Local == "object" {
		d.picture()
		return nil
	}
	var walk func(opc.Element) error
	walk = func(e opc.Element) error {
		switch e.Name.Local {
		case "txbxContent":
			return d.box(ctx, r, p)
		case "textpath":
			if s := guard.Attr(e, "string"); !text.IsBlank(s) && !d.silent {
				p.boxes = append(p.boxes, flow.Block{Text: s})
			}
		case "pic", "imagedata", "OLEObject":
			d.picture()
			return nil
		case "chart":
			return d.chart(opc.RelAttr(e, "id"), p)
		case "relIds":
			return d.diagram(opc.RelAttr(e, "dm"), p)
		}
		return r.Children(walk)
	}
	return r.Children(walk)
}

func (d *document) picture() {
	if !d.silent {
		d.out.Health.Images++
	}
}

// box reads a text box. The fields and the carried paragraph around it are not its
// own.
func (d *document) box(ctx context.Context, r *opc.Reader, p *paragraph) error {
	fields := d.fields
	d.fields = nil
	blocks, err := d.collect(ctx, r)
	d.fields = fields
	p.boxes = append(p.boxes, blocks...)
	return err
}

// chart reads a chart; one without cached values counts as a picture.
func (d *document) chart(id string, p *paragraph) error {
	return d.aside(id, p, drawing.Chart)
}

// diagram reads the data of a diagram.
func (d *document) diagram(id string, p *paragraph) error {
	return d.aside(id, p, drawing.Diagram)
}

// aside reads a part that a drawing shows.
func (d *document) aside(id string, p *paragraph, read func(*opc.Reader) ([]flow.Block, error)) error {
	if d.silent {
		return nil
	}
	var blocks []flow.Block
	err := d.pkg.Optional(d.rels.ByID(id).Target, d.warnPart, func(r *opc.Reader) (err error) {
		blocks, err = read(r)
		return err
	})
	if len(blocks) == 0 {
		d.picture()
	}
	p.boxes = append(p.boxes, blocks...)
	return err
}
