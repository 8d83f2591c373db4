package docx

import (
	"context"
	"path"
	"strings"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/office/flow"
	"ragdesk/backend/parse/office/omml"
	"ragdesk/backend/parse/office/opc"
	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// blocks reads the blocks of the element just started: a body, a cell, a text box,
// a note.
func (d *document) blocks(ctx context.Context, r *opc.Reader, emit flow.Emit) error {
	outer := d.carry
	d.carry = ""
	if err := d.blocksOf(ctx, r, emit); err != nil {
		return err
	}
	rest := d.carry
	d.carry = outer
	if text.IsBlank(rest) {
		return nil
	}
	return emit(flow.Block{Text: rest})
}

// collect returns the blocks of the element just started.
func (d *document) collect(ctx context.Context, r *opc.Reader) ([]flow.Block, error) {
	var out []flow.Block
	err := d.blocks(ctx, r, flow.Collect(&out))
	return out, err
}

// blocksOf reads blocks, through the elements that only wrap them.
func (d *document) blocksOf(ctx context.Context, r *opc.Reader, emit flow.Emit) error {
	return r.Children(func(e opc.Element) error { return d.blockElement(ctx, r, e, emit) })
}

// blockElement reads an element among blocks.
func (d *document) blockElement(ctx context.Context, r *opc.Reader, e opc.Element, emit flow.Emit) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	switch e.Name.Local {
	case "p":
		return d.paragraph(ctx, r, emit)
	case "tbl":
		return d.table(ctx, r, emit)
	case "sdt":
		return d.control(r, func() error { return d.blocksOf(ctx, r, emit) })
	case "ins", "moveTo", "customXml", "smartTag":
		return d.blocksOf(ctx, r, emit)
	case "altChunk":
		return d.foreign(ctx, d.rels.ByID(opc.RelAttr(e, "id")).Target, emit)
	case "oMathPara", "oMath":
		s, err := omml.Line(r)
		if err != nil || text.IsBlank(s) {
			return err
		}
		return emit(flow.Block{Text: s})
	}
	return nil
}

// control reads a content control; content is called at its content, unless that
// is the prompt to fill it in.
func (d *document) control(r *opc.Reader, content func() error) error {
	prompt := false
	return r.Children(func(e opc.Element) error {
		switch e.Name.Local {
		case "sdtPr":
			return r.Children(func(e opc.Element) error {
				prompt = prompt || e.Name.Local == "showingPlcHdr" && opc.On(e)
				return nil
			})
		case "sdtContent":
			if !prompt {
				return content()
			}
		}
		return nil
	})
}

// foreign reads a part in another format that stands in the text.
func (d *document) foreign(ctx context.Context, part string, emit flow.Emit) error {
	if !d.pkg.Has(part) || d.env.Nested == nil || d.silent {
		d.warnPart(part)
		return nil
	}
	b, err := d.pkg.Read(part)
	if err != nil {
		return err
	}
	name := path.Base(part)
	if t := d.pkg.Type(part); path.Ext(name) == "" || strings.Contains(t, "html") {
		name = strings.TrimSuffix(name, path.Ext(name)) + extension(t)
	}
	doc, err := d.env.Nested(ctx, rag.Input{Source: name, Bytes: b})
	switch {
	case err == nil:
		return emit(flow.Block{Kind: flow.Nested, Doc: doc})
	case ctx.Err() != nil:
		return ctx.Err()
	case strings.HasPrefix(fault.Of(err).Code, "limit_"):
		return err
	}
	d.warnPart(part)
	return nil
}

// extension returns the extension that stands for a content type.
func extension(contentType string) string {
	for _, t := range []struct{ part, ext string }{
		{"html", ".html"}, {"rtf", ".rtf"}, {"message/rfc822", ".mht"}, {"wordprocessingml", ".docx"}, {"text/", ".txt"},
	} {
		if strings.Contains(contentType, t.part) {
			return t.ext
		}
	}
	return ".html"
}

// paragraph is a paragraph being read.
type paragraph struct {
	style   string
	outline int
	numID   int
	level   int
	// joined says that the paragraph goes on in the next one: its end was deleted
	// or is hidden.
	joined bool
	hidden bool
	text   strings.Builder
	// boxes are the blocks of text boxes, charts and diagrams anchored here.
	boxes []flow.Block
}

func (d *document) paragraph(ctx context.Context, r *opc.Reader, emit flow.Emit) error {
	p := &paragraph{style: d.styles.paragraph, outline: -1, numID: -1, level: -1}
	p.text.WriteString(d.carry)
	d.carry = ""
	p.hidden = d.styles.hidden(p.style)
	err := r.Children(func(e opc.Element) error {
		if e.Name.Local == "pPr" {
			return d.properties(r, p)
		}
		return d.inline(ctx, r, e, p)
	})
	if err != nil {
		return err
	}
	d.settleFields()
	s := strings.TrimSpace(p.text.String())
	if p.joined {
		d.carry = s
	} else if err := d.write(p, s, emit); err != nil {
		return err
	}
	for _, b := range p.boxes {
		if err := emit(b); err != nil {
			return err
		}
	}
	return nil
}

// write emits a paragraph as what it is.
func (d *document) write(p *paragraph, s string, emit flow.Emit) error {
	label, numbered := d.label(p)
	level := d.styles.heading(p.style, p.outline)
	switch toc := d.styles.contents(p.style); {
	case text.IsBlank(s):
		return nil
	case toc > 0:
		return emit(flow.Block{Kind: flow.Item, Level: toc - 1, Text: s})
	case level > 0:
		b := flow.Block{Kind: flow.Heading, Level: level, Text: s}
		if label.tight {
			b.Text = label.text + s
		} else {
			b.Marker = label.text
		}
		return emit(b)
	case numbered && label.none:
		return emit(flow.Block{Text: s})
	case numbered:
		return emit(flow.Block{Kind: flow.Item, Level: label.depth, Marker: label.text, Text: s})
	}
	return emit(flow.Block{Text: s})
}

// label counts the paragraph in its list.
func (d *document) label(p *paragraph) (label, bool) {
	numID, level := p.numID, p.level
	if numID < 0 {
		var fromStyle int
		numID, fromStyle = d.styles.list(p.style)
		if level < 0 {
			level = fromStyle
		}
	}
	if numID <= 0 {
		return label{}, false
	}
	return d.numbers.next(numID, level, p.style, d.styles)
}

// properties reads what a paragraph says of itself.
func (d *document) properties(r *opc.Reader, p *paragraph) error {
	return r.Children(func(e opc.Element) (err error) {
		switch e.Name.Local {
		case "pStyle":
			p.style = guard.Attr(e, "val")
			p.hidden = d.styles.hidden(p.style)
		case "outlineLvl":
			p.outline = opc.Int(e, "val", -1)
		case "numPr":
			p.numID, p.level, err = readNumPr(r)
		case "framePr":
			// A first letter that hangs over several lines is a paragraph of its own.
			drop := guard.Attr(e, "dropCap")
			p.joined = p.joined || drop != "" && drop != "none"
		case "rPr":
			err = r.Children(func(e opc.Element) error {
				switch e.Name.Local {
				case "del", "moveFrom":
					p.joined = true
				case "specVanish":
					p.joined = p.joined || opc.On(e)
				}
				return nil
			})
		}
		return err
	})
}
