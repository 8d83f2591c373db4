package odf

import (
	"context"
	"strings"

	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/office/flow"
	"ragdesk/backend/parse/office/opc"
	"ragdesk/backend/text"
)

// blocks reads the blocks of the element just started.
func (d *document) blocks(ctx context.Context, r *opc.Reader, emit flow.Emit) error {
	return r.Children(func(e opc.Element) error { return d.block(ctx, r, e, emit) })
}

// collect returns the blocks of the element just started.
func (d *document) collect(ctx context.Context, r *opc.Reader) ([]flow.Block, error) {
	var out []flow.Block
	err := d.blocks(ctx, r, flow.Collect(&out))
	return out, err
}

// block reads an element among blocks.
func (d *document) block(ctx context.Context, r *opc.Reader, e opc.Element, emit flow.Emit) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	switch e.Name.Local {
	case "p", "h":
		p, err := d.paragraph(ctx, r, e)
		if err != nil {
			return err
		}
		return d.write(p, "", emit)
	case "list":
		return d.list(ctx, r, e, listAt{}, emit)
	case "numbered-paragraph":
		return d.blocks(ctx, r, emit)
	case "table":
		b, err := d.table(ctx, r)
		if err != nil || len(b.Rows) == 0 {
			return err
		}
		return emit(b)
	case "section":
		if guard.Attr(e, "display") == "none" {
			return d.drop(ctx, r)
		}
		return d.blocks(ctx, r, emit)
	case "table-of-content", "alphabetical-index", "illustration-index", "table-index", "object-index", "user-index",
		"bibliography", "index-body", "index-title":
		return d.blocks(ctx, r, d.index(e, emit))
	}
	if isShape(e) {
		return d.shapeBlocks(ctx, r, e, emit)
	}
	return nil
}

// index makes the paragraphs of an index items of a list.
func (d *document) index(e opc.Element, emit flow.Emit) flow.Emit {
	if e.Name.Local != "index-body" {
		return emit
	}
	return func(b flow.Block) error {
		if b.Kind == flow.Paragraph {
			b.Kind = flow.Item
		}
		return emit(b)
	}
}

// drop reads what is hidden and counts its characters.
func (d *document) drop(ctx context.Context, r *opc.Reader) error {
	return d.blocks(ctx, r, func(b flow.Block) error {
		d.hide(b.Text)
		return nil
	})
}

func (d *document) hide(s string) {
	if !d.silent {
		d.hidden += len([]rune(s))
	}
}

// paragraph is a paragraph or heading that was read.
type paragraph struct {
	// level is a heading's from 1, 0 for other paragraphs.
	level int
	// label is a heading's number.
	label string
	text  string
	// depth is that of an entry in an index.
	depth int
	boxes []flow.Block
}

func (d *document) paragraph(ctx context.Context, r *opc.Reader, e opc.Element) (paragraph, error) {
	name := guard.Attr(e, "style-name")
	p := paragraph{depth: d.styles.contents(name)}
	if e.Name.Local == "h" {
		p.level = max(opc.Int(e, "outline-level", 1), 1)
	} else {
		p.level = d.styles.heading(name)
	}
	in := inline{d: d, hidden: d.styles.isHidden("paragraph", name)}
	err := in.read(ctx, r)
	p.text, p.boxes = strings.TrimSpace(in.out.String()), in.boxes
	if e.Name.Local == "h" && guard.Attr(e, "is-list-header") != "true" && p.text != "" && d.numbered(name) {
		p.label = d.styles.outline.next(&d.outlineAt, min(p.level, deepest)-1)
	}
	if p.label == "" {
		p.label = strings.TrimSpace(in.number)
	}
	return p, err
}

// numbered reports whether headings of a style are numbered as the outline says:
// unless the style, or one above it, names no list.
func (d *document) numbered(name string) bool {
	numbered := true
	d.styles.chain("paragraph", name, func(st style) bool {
		if st.listed {
			numbered = st.list != ""
		}
		return st.listed
	})
	return numbered
}

// write emits a paragraph with a label, and then what is anchored in it.
func (d *document) write(p paragraph, label string, emit flow.Emit) error {
	if !text.IsBlank(p.text) {
		b := flow.Block{Text: p.text, Level: p.depth}
		if p.level > 0 {
			b.Kind, b.Level, b.Marker = flow.Heading, p.level, label
			if label == "" {
				b.Marker = p.label
			}
		}
		if err := emit(b); err != nil {
			return err
		}
	}
	for _, b := range p.boxes {
		if err := emit(b); err != nil {
			return err
		}
	}
	return nil
}

// listAt is where in a list a list stands.
type listAt struct {
	level int
	style *listStyle
	at    *counters
}

// list reads the list just started.
func (d *document) list(ctx context.Context, r *opc.Reader, e opc.Element, in listAt, emit flow.Emit) error {
	name := guard.Attr(e, "style-name")
	if s := d.styles.listStyles[name]; s != nil {
		in.style = s
	}
	if in.style == nil {
		in.style = &listStyle{}
	}
	if in.at == nil {
		in.at = d.counted(e, name)
	}
	if in.level >= deepest {
		in.level = deepest - 1
	}
	return r.Children(func(e opc.Element) error {
		switch e.Name.Local {
		case "list-item":
			if v := opc.Int(e, "start-value", 0); v > 0 {
				in.at[in.level] = v - 1
				if v == 1 {
					in.at[in.level] = 0
				}
			}
			return d.item(ctx, r, in, true, emit)
		case "list-header":
			return d.item(ctx, r, in, false, emit)
		}
		return nil
	})
}

// counted returns the numbers a list begins with: those of the list it continues,
// or none.
func (d *document) counted(e opc.Element, name string) *counters {
	at := &counters{}
	if other := d.lists["#"+guard.Attr(e, "continue-list")]; other != nil {
		*at = *other
	} else if other := d.lists[name]; other != nil && guard.Attr(e, "continue-numbering") == "true" {
		*at = *other
	}
	d.lists[name] = at
	if id := guard.Attr(e, "id"); id != "" {
		d.lists["#"+id] = at
	}
	return at
}

// item reads an entry of a list: its first paragraph has the label, further ones
// go on below it.
func (d *document) item(ctx context.Context, r *opc.Reader, in listAt, labelled bool, emit flow.Emit) error {
	var open *flow.Block
	flush := func() error {
		if open == nil {
			return nil
		}
		b := *open
		open = nil
		return emit(b)
	}
	first := true
	err := r.Children(func(e opc.Element) error {
		switch e.Name.Local {
		case "p", "h":
			p, err := d.paragraph(ctx, r, e)
			if err != nil {
				return err
			}
			label := ""
			if first && labelled {
				label = in.style.next(in.at, in.level)
			}
			if open != nil && p.level == 0 {
				open.Text += "\n" + p.text
				p.text = ""
			} else if p.level == 0 && !text.IsBlank(p.text) {
				open = &flow.Block{Kind: flow.Item, Level: in.level, Marker: label, Text: p.text}
				if in.style[in.level].unmarked {
					open = &flow.Block{Text: p.text}
				}
				p.text = ""
			}
			first = false
			if p.text == "" && len(p.boxes) == 0 {
				return nil
			}
			if err := flush(); err != nil {
				return err
			}
			return d.write(p, label, emit)
		case "list":
			if err := flush(); err != nil {
				return err
			}
			below := in
			below.level++
			return d.list(ctx, r, e, below, emit)
		}
		if err := flush(); err != nil {
			return err
		}
		return d.block(ctx, r, e, emit)
	})
	if err != nil {
		return err
	}
	return flush()
}
