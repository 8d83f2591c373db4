package pptx

import (
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/office/drawing"
	"ragdesk/backend/parse/office/opc"
)

// holder is what a layout or master says of a placeholder.
type holder struct {
	kind, index string
	box         drawing.Box
	placed      bool
	levels      drawing.Levels
}

// layout is what slides of one layout take from it and from its master.
type layout struct {
	// kind is the layout's type, such as "title".
	kind            string
	holders, master []holder
	// body are the bullets of body text.
	body drawing.Levels
}

// layout reads a layout's part and its master's, once.
func (p *presentation) layout(part string) (*layout, error) {
	if l := p.layouts[part]; l != nil {
		return l, nil
	}
	l := &layout{}
	p.layouts[part] = l
	if part == "" || !p.pkg.Has(part) {
		return l, nil
	}
	err := p.pkg.Optional(part, p.warnPart, func(r *opc.Reader) (err error) {
		l.kind = guard.Attr(r.Root(), "type")
		l.holders, err = readHolders(r, l)
		return err
	})
	if err != nil {
		return nil, err
	}
	rels, err := p.pkg.Relations(part)
	if err != nil {
		return nil, err
	}
	err = p.pkg.Optional(rels.First("slideMaster"), p.warnPart, func(r *opc.Reader) (err error) {
		l.master, err = readHolders(r, l)
		return err
	})
	return l, err
}

// readHolders reads the placeholders of a layout or master, and the master's
// bullets.
func readHolders(r *opc.Reader, l *layout) ([]holder, error) {
	var out []holder
	var walk func(opc.Element) error
	walk = func(e opc.Element) error {
		switch e.Name.Local {
		case "sp":
			h, ok, err := readHolder(r)
			if ok {
				out = append(out, h)
			}
			return err
		case "bodyStyle":
			var err error
			l.body, err = drawing.ReadLevels(r)
			return err
		case "pic", "graphicFrame", "titleStyle", "otherStyle":
			return nil
		}
		return r.Children(walk)
	}
	return out, r.Children(walk)
}

func readHolder(r *opc.Reader) (h holder, ok bool, err error) {
	err = r.Children(func(e opc.Element) error {
		switch e.Name.Local {
		case "nvSpPr":
			return findPlaceholder(r, func(kind, index string) { h.kind, h.index, ok = kind, index, true })
		case "spPr":
			return r.Children(func(e opc.Element) (err error) {
				if e.Name.Local == "xfrm" {
					var t transform
					t, err = readTransform(r)
					h.box, h.placed = t.box, true
				}
				return err
			})
		case "txBody":
			b, err := drawing.ReadBody(r)
			h.levels = b.Style
			return err
		}
		return nil
	})
	return h, ok, err
}

// findPlaceholder calls fn with the kind and index of the placeholder that an nvSpPr
// just started names, if it names one.
func findPlaceholder(r *opc.Reader, fn func(kind, index string)) error {
	return r.Children(func(e opc.Element) error {
		if e.Name.Local != "nvPr" {
			return nil
		}
		return r.Children(func(e opc.Element) error {
			if e.Name.Local == "ph" {
				fn(guard.Attr(e, "type"), guard.Attr(e, "idx"))
			}
			return nil
		})
	})
}

// find returns the placeholder of a slide's shape: that of the same index, or else
// of the same kind.
func find(holders []holder, kind, index string) *holder {
	for i := range holders {
		if h := &holders[i]; index != "" && h.index == index {
			return h
		}
	}
	for i := range holders {
		if h := &holders[i]; sameKind(h.kind, kind) {
			return h
		}
	}
	return nil
}

// sameKind compares kinds of placeholder; a title in the centre is a title, and
// one without a kind holds body text.
func sameKind(a, b string) bool {
	plain := func(k string) string {
		switch k {
		case "ctrTitle":
			return "title"
		case "", "obj":
			return "body"
		}
		return k
	}
	return plain(a) == plain(b)
}

// place returns where a placeholder stands that does not say itself.
func (l *layout) place(kind, index string) (drawing.Box, bool) {
	for _, holders := range [][]holder{l.holders, l.master} {
		if h := find(holders, kind, index); h != nil && h.placed {
			return h.box, true
		}
	}
	return drawing.Box{}, false
}

// bullet returns the bullet of a level of a placeholder of body text.
func (l *layout) bullet(kind, index string, level int) drawing.Bullet {
	for _, holders := range [][]holder{l.holders, l.master} {
		if h := find(holders, kind, index); h != nil && h.levels[level].Kind != drawing.Unset {
			return h.levels[level]
		}
	}
	return l.body[level]
}
