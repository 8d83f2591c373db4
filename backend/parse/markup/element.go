package markup

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"golang.org/x/net/html"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/text"
)

// element is an element of XML, or a piece of text, which has no name.
type element struct {
	space, name string
	attrs       []xml.Attr
	kids        []*element
	text        string
}

// readElements reads a document and returns its root.
// Faults: limit_depth, limit_entities, limit_elements, corrupt.
func readElements(ctx context.Context, s string, l guard.Limits) (*element, error) {
	x := guard.NewXML(strings.NewReader(undeclared(s)), l)
	top := &element{}
	open := []*element{top}
	for n := 0; ; n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		t, err := x.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		at := open[len(open)-1]
		switch t := t.(type) {
		case xml.StartElement:
			e := &element{space: t.Name.Space, name: t.Name.Local, attrs: append([]xml.Attr(nil), t.Attr...)}
			at.kids = append(at.kids, e)
			open = append(open, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 1 {
				at.kids = append(at.kids, &element{text: string(t)})
			} else if !text.IsBlank(string(t)) {
				return nil, guard.Corrupt("xml", errors.New("text outside the root element"))
			}
		}
		if n > 2*maxElements {
			return nil, fault.New("limit_elements", fault.P("limit", maxElements))
		}
	}
	if len(top.kids) == 0 {
		return nil, guard.Corrupt("xml", errors.New("no root element"))
	}
	return top.kids[0], nil
}

// is reports whether e is an element with one of the names, given between spaces.
func (e *element) is(names string) bool {
	return e.name != "" && strings.Contains(names, " "+strings.ToLower(e.name)+" ")
}

// attr returns an attribute's value, "" without it.
func (e *element) attr(name string) string {
	for _, a := range e.attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// child returns the first child with one of the names, nil without.
func (e *element) child(names string) *element {
	for _, k := range e.kids {
		if k.is(names) {
			return k
		}
	}
	return nil
}

// elements reports whether e has children that are elements, and words whether it
// has text of its own.
func (e *element) elements() bool {
	for _, k := range e.kids {
		if k.name != "" {
			return true
		}
	}
	return false
}

func (e *element) words() bool {
	for _, k := range e.kids {
		if k.name == "" && !text.IsBlank(k.text) {
			return true
		}
	}
	return false
}

// all returns the text below e as it is.
func (e *element) all() string {
	if e == nil {
		return ""
	}
	var b strings.Builder
	e.write(&b)
	return b.String()
}

func (e *element) write(b *strings.Builder) {
	b.WriteString(e.text)
	for _, k := range e.kids {
		k.write(b)
	}
}

// flowed returns the text below e as one running text.
func (e *element) flowed() string {
	if e == nil {
		return ""
	}
	var t inline
	e.run(&t)
	return t.take()
}

func (e *element) run(t *inline) {
	if e.is(" br linebreak lb empty-line ") {
		t.line()
	}
	t.add(e.text)
	for _, k := range e.kids {
		k.run(t)
	}
}

// html returns e as an element of a web page.
func (e *element) html() *html.Node {
	if e.name == "" {
		return &html.Node{Type: html.TextNode, Data: e.text}
	}
	n := htmlElement(xml.StartElement{Name: xml.Name{Space: e.space, Local: e.name}, Attr: e.attrs})
	for _, k := range e.kids {
		n.AppendChild(k.html())
	}
	return n
}
