package opc

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"

	"ragdesk/backend/parse/guard"
)

// Element is the start of an element.
type Element = xml.StartElement

// Reader walks the elements of one part. It is for one goroutine.
type Reader struct {
	x    *guard.XML
	root Element
}

// NewReader reads a part up to its root element. Faults: corrupt, limit_entities.
func NewReader(b []byte, l guard.Limits) (*Reader, error) {
	b, err := sanitize(b)
	if err != nil {
		return nil, guard.Corrupt("xml", err)
	}
	r := &Reader{x: guard.NewXML(bytes.NewReader(b), l)}
	for {
		t, err := r.x.Token()
		if errors.Is(err, io.EOF) {
			return nil, guard.Corrupt("xml", errors.New("no root element"))
		}
		if err != nil {
			return nil, err
		}
		if e, ok := t.(xml.StartElement); ok {
			r.root = e
			return r, nil
		}
	}
}

// Root returns the root element.
func (r *Reader) Root() Element { return r.root }

// Children calls fn for each child element of the element just started and reads
// its end. What fn leaves of a child is skipped.
func (r *Reader) Children(fn func(Element) error) error { return r.Mixed(fn, nil) }

// Mixed is Children for elements that hold text of their own, which goes to text
// in order with the calls of fn.
func (r *Reader) Mixed(fn func(Element) error, text func(string)) error {
	for {
		t, err := r.x.Token()
		if err != nil {
			return eof(err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			depth := r.x.Depth()
			if t.Name.Local == "AlternateContent" {
				err = r.alternative(fn, text)
			} else {
				err = fn(t)
			}
			if err == nil {
				err = r.finish(depth)
			}
			if err != nil {
				return err
			}
		case xml.EndElement:
			return nil
		case xml.CharData:
			if text != nil {
				text(string(t))
			}
		}
	}
}

// finish reads to the end of the element that was started at depth.
func (r *Reader) finish(depth int) error {
	for r.x.Depth() >= depth {
		if _, err := r.x.Token(); err != nil {
			return eof(err)
		}
	}
	return nil
}

// alternative reads the first choice of an AlternateContent, or its fallback when
// it has no choice, as if its content stood there alone.
func (r *Reader) alternative(fn func(Element) error, text func(string)) error {
	taken := false
	return r.Children(func(e Element) error {
		if taken || e.Name.Local != "Choice" && e.Name.Local != "Fallback" {
			return nil
		}
		taken = true
		return r.Mixed(fn, text)
	})
}

// Text returns all text inside the element just started and reads its end.
func (r *Reader) Text() (string, error) {
	var b strings.Builder
	add := func(s string) { b.WriteString(s) }
	var inner func(Element) error
	inner = func(Element) error { return r.Mixed(inner, add) }
	err := r.Mixed(inner, add)
	return b.String(), err
}

// Run returns the text of a run such as w:t. Blanks at its ends stay, whatever
// xml:space says, unless they are the line breaks of an indented file.
func (r *Reader) Run(e Element) (string, error) {
	s, err := r.Text()
	if err != nil || guard.Attr(e, "space") == "preserve" {
		return s, err
	}
	if t := strings.TrimLeft(s, " \t\r\n"); strings.ContainsAny(s[:len(s)-len(t)], "\r\n") {
		s = t
	}
	if t := strings.TrimRight(s, " \t\r\n"); strings.ContainsAny(s[len(t):], "\r\n") {
		s = t
	}
	return s, nil
}

// RelAttr returns an attribute of the relations namespace, such as r:id, which
// names a relation; "" without.
func RelAttr(e Element, local string) string {
	for _, a := range e.Attr {
		if a.Name.Local == local && (strings.HasSuffix(a.Name.Space, "/relationships") || a.Name.Space == "r") {
			return a.Value
		}
	}
	return ""
}

// Plain returns an attribute without a namespace; "" without. It tells id from
// r:id.
func Plain(e Element, local string) string {
	for _, a := range e.Attr {
		if a.Name.Local == local && a.Name.Space == "" {
			return a.Value
		}
	}
	return ""
}

// Int returns an attribute as a number, or otherwise when it is none.
func Int(e Element, local string, otherwise int) int {
	n, err := strconv.Atoi(strings.TrimSpace(guard.Attr(e, local)))
	if err != nil {
		return otherwise
	}
	return n
}

// On reads a switch such as w:vanish: on when it stands there without a value or
// with a true one.
func On(e Element) bool {
	v, stated := "", false
	for _, a := range e.Attr {
		if a.Name.Local == "val" {
			v, stated = a.Value, true
		}
	}
	return !stated || True(v)
}

// True reports whether an attribute's value says yes.
func True(v string) bool {
	switch strings.ToLower(strings.TrimSpace(v)) {
	case "1", "true", "on", "yes":
		return true
	}
	return false
}
