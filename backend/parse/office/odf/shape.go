package odf

import (
	"context"
	"path"
	"strings"

	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/office/flow"
	"ragdesk/backend/parse/office/opc"
)

// isShape reports whether an element is drawn.
func isShape(e opc.Element) bool {
	switch e.Name.Local {
	case "frame", "g", "custom-shape", "rect", "ellipse", "circle", "line", "polyline", "polygon", "regular-polygon", "path",
		"connector", "caption", "measure", "a", "control", "shapes":
		return strings.Contains(e.Name.Space, "drawing:") || e.Name.Space == "draw" || e.Name.Local == "shapes"
	}
	return false
}

// shapeBlocks emits what a shape says.
func (d *document) shapeBlocks(ctx context.Context, r *opc.Reader, e opc.Element, emit flow.Emit) error {
	var formula string
	var blocks []flow.Block
	if err := d.shape(ctx, r, e, &formula, &blocks); err != nil {
		return err
	}
	if formula != "" {
		blocks = append(blocks, flow.Block{Text: formula})
	}
	for _, b := range blocks {
		if err := emit(b); err != nil {
			return err
		}
	}
	return nil
}

// shape reads a shape: text goes to blocks, a formula to formula, pictures are
// counted.
func (d *document) shape(ctx context.Context, r *opc.Reader, e opc.Element, formula *string, blocks *[]flow.Block) error {
	if e.Name.Local == "frame" {
		return d.frame(ctx, r, formula, blocks)
	}
	return r.Children(func(e opc.Element) error {
		if isShape(e) {
			return d.shape(ctx, r, e, formula, blocks)
		}
		return d.block(ctx, r, e, flow.Collect(blocks))
	})
}

// frame reads a frame: the first of its forms that can be read counts, the others
// stand in for it.
func (d *document) frame(ctx context.Context, r *opc.Reader, formula *string, blocks *[]flow.Block) error {
	read, picture := false, false
	emit := flow.Collect(blocks)
	err := r.Children(func(e opc.Element) error {
		switch e.Name.Local {
		case "text-box":
			read = true
			return d.blocks(ctx, r, emit)
		case "table":
			read = true
			return d.block(ctx, r, e, emit)
		case "object":
			said, err := d.object(ctx, r, e, formula, blocks)
			read, picture = read || said, picture || !said
			return err
		case "image", "object-ole", "applet", "plugin", "floating-frame":
			picture = true
		}
		return nil
	})
	if picture && !read && !d.silent {
		d.out.Health.Images++
	}
	return err
}

// object reads a formula or chart, inside the element or in parts of its own; said
// is false when nothing could be read of it.
func (d *document) object(ctx context.Context, r *opc.Reader, e opc.Element, formula *string, blocks *[]flow.Block) (said bool, err error) {
	content := func(r *opc.Reader, root opc.Element) error {
		switch root.Name.Local {
		case "math":
			s, err := mathText(r)
			*formula += s
			said = said || s != ""
			return err
		case "document", "document-content":
			found, err := d.chart(ctx, r)
			*blocks = append(*blocks, found...)
			said = said || len(found) > 0
			return err
		}
		return nil
	}
	if err := r.Children(func(e opc.Element) error { return content(r, e) }); err != nil || said || d.pkg == nil {
		return said, err
	}
	part := path.Join(strings.TrimPrefix(guard.Attr(e, "href"), "./"), "content.xml")
	err = d.pkg.Optional(part, d.warnPart, func(r *opc.Reader) error { return content(r, r.Root()) })
	return said, err
}

// chart reads a chart's document: its titles, and the table of its values.
func (d *document) chart(ctx context.Context, r *opc.Reader) ([]flow.Block, error) {
	var out []flow.Block
	found := false
	var walk func(opc.Element) error
	walk = func(e opc.Element) error {
		switch e.Name.Local {
		case "title", "subtitle":
			return d.blocks(ctx, r, flow.Collect(&out))
		case "table":
			b, err := d.table(ctx, r)
			if len(b.Rows) > 1 {
				found = true
				out = append(out, b)
			}
			return err
		case "axis", "legend", "automatic-styles", "styles", "master-styles", "meta", "settings", "scripts":
			return nil
		}
		return r.Children(walk)
	}
	err := r.Children(walk)
	if !found {
		return nil, err
	}
	return out, err
}
