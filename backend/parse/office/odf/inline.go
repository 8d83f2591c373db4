package odf

import (
	"context"
	"strconv"
	"strings"

	"ragdesk/backend/parse/count"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/office/flow"
	"ragdesk/backend/parse/office/opc"
)

// mostBlanks bounds the blanks that one element stands for.
const mostBlanks = 256

// inline reads the text of one paragraph.
type inline struct {
	d   *document
	out strings.Builder
	// number is a label that the file wrote out.
	number string
	boxes  []flow.Block
	hidden bool
	// blank says that a blank was written last, so that white space adds none.
	blank bool
}

func (in *inline) read(ctx context.Context, r *opc.Reader) error {
	return r.Mixed(func(e opc.Element) error { return in.element(ctx, r, e) }, in.text)
}

// text takes characters of the file: white space of any length is one blank, and
// none at the beginning.
func (in *inline) text(s string) {
	if in.hidden {
		in.d.hide(strings.TrimSpace(s))
		return
	}
	for _, c := range flow.Visible(s) {
		if c == ' ' || c == '\t' || c == '\n' || c == '\r' {
			if !in.blank && in.out.Len() > 0 {
				in.out.WriteByte(' ')
			}
			in.blank = true
			continue
		}
		in.out.WriteRune(c)
		in.blank = false
	}
}

// add takes characters as they are.
func (in *inline) add(s string) {
	if in.hidden || s == "" {
		return
	}
	in.out.WriteString(s)
	in.blank = false
}

func (in *inline) element(ctx context.Context, r *opc.Reader, e opc.Element) error {
	switch e.Name.Local {
	case "s":
		in.add(strings.Repeat(" ", min(max(opc.Int(e, "c", 1), 1), mostBlanks)))
	case "tab":
		in.add("\t")
	case "line-break":
		in.add("\n")
	case "span":
		outer := in.hidden
		in.hidden = outer || in.d.styles.isHidden("text", guard.Attr(e, "style-name"))
		err := in.read(ctx, r)
		in.hidden = outer
		return err
	case "ruby":
		return r.Children(func(e opc.Element) error {
			if e.Name.Local != "ruby-base" {
				return nil
			}
			return in.read(ctx, r)
		})
	case "note":
		return in.note(ctx, r, e)
	case "number":
		s, err := r.Text()
		in.number = s
		return err
	case "annotation", "annotation-end", "hidden-text", "hidden-paragraph", "tracked-changes", "script", "ruby-text":
		return nil
	case "math":
		s, err := mathText(r)
		in.add(s)
		return err
	}
	if isShape(e) {
		return in.shape(ctx, r, e)
	}
	if strings.Contains(e.Name.Space, "drawing:") || e.Name.Local == "event-listeners" {
		return nil
	}
	return in.read(ctx, r)
}

// shape reads a shape anchored in the paragraph. A formula stands in the line, all
// else after the paragraph.
func (in *inline) shape(ctx context.Context, r *opc.Reader, e opc.Element) error {
	var formula string
	var blocks []flow.Block
	err := in.d.shape(ctx, r, e, &formula, &blocks)
	in.add(formula)
	if !in.hidden {
		in.boxes = append(in.boxes, blocks...)
	}
	return err
}

// note reads a footnote or endnote: its mark stands in the text, its own text after
// the paragraph or after the document.
func (in *inline) note(ctx context.Context, r *opc.Reader, e opc.Element) error {
	d := in.d
	var blocks []flow.Block
	err := r.Children(func(e opc.Element) (err error) {
		if e.Name.Local == "note-body" {
			waiting := d.waiting
			d.waiting = nil
			blocks, err = d.collect(ctx, r)
			d.waiting = append(waiting, d.waiting...)
		}
		return err
	})
	s := flow.Flat(blocks)
	if err != nil || in.hidden || s == "" {
		return err
	}
	if guard.Attr(e, "note-class") == "endnote" {
		d.endnotes++
		mark := "[^" + count.Format("lowerRoman", d.endnotes) + "]"
		d.last = append(d.last, flow.Block{Text: mark + ": " + s})
		in.add(mark)
		return nil
	}
	d.footnotes++
	mark := "[^" + strconv.Itoa(d.footnotes) + "]"
	d.waiting = append(d.waiting, flow.Block{Text: mark + ": " + s})
	in.add(mark)
	return nil
}
