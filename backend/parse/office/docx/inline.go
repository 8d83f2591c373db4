package docx

import (
	"context"
	"strings"
	"unicode/utf8"

	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/office/flow"
	"ragdesk/backend/parse/office/omml"
	"ragdesk/backend/parse/office/opc"
)

// inline reads an element among the runs of a paragraph.
func (d *document) inline(ctx context.Context, r *opc.Reader, e opc.Element, p *paragraph) error {
	each := func() error {
		return r.Children(func(e opc.Element) error { return d.inline(ctx, r, e, p) })
	}
	switch e.Name.Local {
	case "r":
		if strings.HasSuffix(e.Name.Space, "/math") {
			return d.math(r, p)
		}
		return d.run(ctx, r, p)
	case "hyperlink", "ins", "moveTo", "smartTag", "customXml", "dir", "bdo", "fldSimple":
		return each()
	case "sdt":
		return d.control(r, each)
	case "oMath", "oMathPara":
		return d.math(r, p)
	}
	return nil
}

func (d *document) math(r *opc.Reader, p *paragraph) error {
	s, err := omml.Line(r)
	d.add(p, s, false)
	return err
}

// field is a complex field that is open.
type field struct {
	// result says that its separator was passed: what follows is shown.
	result bool
	// shown is what a form field shows that is no text.
	shown string
}

// inCode reports whether what is read belongs to the code of a field.
func (d *document) inCode() bool {
	for _, f := range d.fields {
		if !f.result {
			return true
		}
	}
	return false
}

// settleFields ends the codes that are open at the end of a paragraph, so that a
// field that is never closed hides nothing.
func (d *document) settleFields() {
	for i := range d.fields {
		d.fields[i].result = true
	}
}

// add appends text to a paragraph unless it is hidden or a field's code.
func (d *document) add(p *paragraph, s string, hidden bool) {
	switch {
	case d.inCode():
	case hidden:
		if !d.silent {
			d.hidden += utf8.RuneCountInString(s)
		}
	default:
		p.text.WriteString(s)
	}
}

// runState is what a run's properties say of its text.
type runState struct {
	hidden bool
	// font is the run's font, which decides what private characters stand for.
	font string
}

// run reads a run.
func (d *document) run(ctx context.Context, r *opc.Reader, p *paragraph) error {
	state := runState{hidden: p.hidden}
	return r.Children(func(e opc.Element) error {
		if e.Name.Local == "rPr" {
			return d.runProperties(r, &state)
		}
		return d.runContent(ctx, r, e, p, state)
	})
}

func (d *document) runProperties(r *opc.Reader, state *runState) error {
	stated := false
	return r.Children(func(e opc.Element) error {
		switch e.Name.Local {
		case "rStyle":
			if !stated && d.styles.hidden(guard.Attr(e, "val")) {
				state.hidden = true
			}
		case "vanish":
			state.hidden, stated = opc.On(e), true
		case "rFonts":
			state.font = guard.Attr(e, "ascii")
		}
		return nil
	})
}

// runContent reads one element of a run.
func (d *document) runContent(ctx context.Context, r *opc.Reader, e opc.Element, p *paragraph, state runState) error {
	hidden := state.hidden
	switch e.Name.Local {
	case "t":
		s, err := r.Run(e)
		d.add(p, flow.Visible(unprivate(state.font, s)), hidden)
		return err
	case "tab", "ptab":
		d.add(p, "\t", hidden)
	case "br", "cr":
		d.add(p, "\n", hidden)
	case "noBreakHyphen":
		d.add(p, "-", hidden)
	case "sym":
		d.add(p, symbol(guard.Attr(e, "font"), guard.Attr(e, "char")), hidden)
	case "footnoteReference":
		d.add(p, d.reference("footnote", guard.Attr(e, "id")), hidden)
	case "endnoteReference":
		d.add(p, d.reference("endnote", guard.Attr(e, "id")), hidden)
	case "fldChar":
		return d.fieldMark(r, e, p)
	case "ruby":
		return r.Children(func(e opc.Element) error {
			if e.Name.Local != "rubyBase" {
				return nil
			}
			return r.Children(func(e opc.Element) error { return d.inline(ctx, r, e, p) })
		})
	case "drawing", "pict", "object":
		return d.graphic(ctx, r, e, p)
	}
	return nil
}

// fieldMark reads the begin, separator or end of a complex field.
func (d *document) fieldMark(r *opc.Reader, e opc.Element, p *paragraph) error {
	switch guard.Attr(e, "fldCharType") {
	case "begin":
		shown, err := formField(r)
		if err != nil {
			return err
		}
		d.fields = append(d.fields, field{shown: shown})
	case "separate":
		if n := len(d.fields); n > 0 {
			d.fields[n-1].result = true
		}
	case "end":
		if n := len(d.fields); n > 0 {
			shown := d.fields[n-1].shown
			d.fields = d.fields[:n-1]
			d.add(p, shown, false)
		}
	}
	return nil
}

// formField returns what a check box or a drop-down of an old form shows, which is
// not text of the document.
func formField(r *opc.Reader) (string, error) {
	out := ""
	err := r.Children(func(e opc.Element) error {
		if e.Name.Local != "ffData" {
			return nil
		}
		return r.Children(func(e opc.Element) (err error) {
			switch e.Name.Local {
			case "checkBox":
				out, err = checkBox(r)
			case "ddList":
				out, err = dropDown(r)
			}
			return err
		})
	})
	return out, err
}

func checkBox(r *opc.Reader) (string, error) {
	checked := false
	err := r.Children(func(e opc.Element) error {
		if e.Name.Local == "checked" || e.Name.Local == "default" {
			checked = opc.On(e)
		}
		return nil
	})
	if checked {
		return "☑", err
	}
	return "☐", err
}

func dropDown(r *opc.Reader) (string, error) {
	chosen := 0
	var entries []string
	err := r.Children(func(e opc.Element) error {
		switch e.Name.Local {
		case "result":
			chosen = opc.Int(e, "val", 0)
		case "listEntry":
			entries = append(entries, guard.Attr(e, "val"))
		}
		return nil
	})
	if chosen < 0 || chosen >= len(entries) {
		return "", err
	}
	return entries[chosen], err
}
