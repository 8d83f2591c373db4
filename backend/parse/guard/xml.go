package guard

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"ragdesk/backend/fault"
	"ragdesk/backend/text"
)

// XML reads the tokens of a document with bounded nesting and without entities
// of its own. Names of entities that HTML knows are read, others are an error.
type XML struct {
	dec    *xml.Decoder
	limits Limits
	depth  int
}

// NewXML returns a reader of r, which may declare any encoding that package text
// knows.
func NewXML(r io.Reader, l Limits) *XML {
	dec := xml.NewDecoder(r)
	dec.Entity = xml.HTMLEntity
	dec.CharsetReader = func(label string, in io.Reader) (io.Reader, error) {
		b, err := io.ReadAll(io.LimitReader(in, l.Inflated+1))
		if err != nil {
			return nil, err
		}
		s, err := text.Decode(label, b)
		return strings.NewReader(s), err
	}
	return &XML{dec: dec, limits: l}
}

// Token returns the next token, valid until the call after; io.EOF at the end.
// Faults: limit_entities, limit_depth, corrupt.
func (x *XML) Token() (xml.Token, error) {
	t, err := x.dec.Token()
	if err != nil {
		if errors.Is(err, io.EOF) {
			return nil, io.EOF
		}
		return nil, Corrupt("xml", err)
	}
	switch t := t.(type) {
	case xml.Directive:
		if strings.Contains(strings.ToUpper(string(t)), "<!ENTITY") {
			return nil, fault.New("limit_entities")
		}
	case xml.StartElement:
		if x.depth++; x.depth > x.limits.Depth {
			return nil, fault.New("limit_depth", fault.P("limit", x.limits.Depth))
		}
	case xml.EndElement:
		x.depth--
	}
	return t, nil
}

// Depth is how many elements are open.
func (x *XML) Depth() int { return x.depth }

// Skip reads to the end of the element just started.
func (x *XML) Skip() error {
	for outside := x.depth - 1; x.depth > outside; {
		if _, err := x.Token(); err != nil {
			return fmt.Errorf("skip element: %w", err)
		}
	}
	return nil
}

// Attr returns the value of the attribute with the given local name, "" without.
func Attr(e xml.StartElement, local string) string {
	for _, a := range e.Attr {
		if a.Name.Local == local {
			return a.Value
		}
	}
	return ""
}
