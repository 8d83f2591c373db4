package markup

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/charset"
	"ragdesk/backend/parse/guard"
)

// declaredHead is how far into a page its encoding may be declared.
const declaredHead = 32 << 10

var declaredCharset = regexp.MustCompile(`(?i)(?:<meta[^>]{0,200}?charset|^\s*<\?xml[^>]{0,100}?encoding)\s*=\s*["']?\s*([-\w.:]+)`)

// decode finds a page's characters; what the page says of them is a hint.
func decode(b []byte, forced string) (charset.Reading, error) {
	hint := charset.Hint{Forced: forced}
	if m := declaredCharset.FindSubmatch(b[:min(len(b), declaredHead)]); m != nil {
		hint.Declared = string(m[1])
	}
	return charset.ReadLoose(b, hint)
}

// parseTree returns the page's tree: by the rules of XML where the page keeps
// them and claims to, else by those of HTML. Faults: limit_depth,
// limit_elements, limit_entities.
func parseTree(page string, xhtml, scripts bool, l guard.Limits) (*html.Node, error) {
	if xhtml && scripts {
		n, err := xmlTree(page, l)
		if err == nil || !fault.Is(err, "corrupt") {
			return n, err
		}
	}
	b, err := sobered(page, scripts)
	if err != nil {
		return nil, err
	}
	n, err := html.Parse(bytes.NewReader(b))
	if err != nil {
		// The one thing that the tree builder refuses is depth.
		return nil, fault.Wrap(err, "limit_depth", fault.P("limit", l.Depth))
	}
	return n, nil
}

// claimsXML reports whether a page says that it is XML.
func claimsXML(page string) bool {
	head := strings.TrimLeft(page[:min(len(page), 1024)], " \t\r\n")
	return strings.HasPrefix(head, "<?xml") ||
		strings.HasPrefix(strings.ToLower(head), "<!doctype html public") && strings.Contains(head, "XHTML")
}

// namespaces are those whose elements are not HTML's, by what html.Node calls
// them.
var namespaces = map[string]string{
	"http://www.w3.org/2000/svg": "svg", "http://www.w3.org/1998/Math/MathML": "math",
}

// xmlTree builds the tree of a well-formed page. Unlike the rules of HTML, those
// of XML end an element written <a/>.
func xmlTree(page string, l guard.Limits) (*html.Node, error) {
	x := guard.NewXML(strings.NewReader(undeclared(page)), l)
	root := &html.Node{Type: html.DocumentNode}
	at, elements := root, 0
	for {
		t, err := x.Token()
		if errors.Is(err, io.EOF) {
			return root, nil
		}
		if err != nil {
			return nil, err
		}
		switch t := t.(type) {
		case xml.StartElement:
			if elements++; elements > maxElements {
				return nil, fault.New("limit_elements", fault.P("limit", maxElements))
			}
			n := htmlElement(t)
			at.AppendChild(n)
			at = n
		case xml.EndElement:
			at = at.Parent
		case xml.CharData:
			at.AppendChild(&html.Node{Type: html.TextNode, Data: string(t)})
		}
	}
}

// htmlElement makes a node of an XML element.
func htmlElement(e xml.StartElement) *html.Node {
	name := e.Name.Local
	n := &html.Node{Type: html.ElementNode, Namespace: namespaces[e.Name.Space]}
	if n.Namespace == "" {
		name = strings.ToLower(name)
	}
	n.Data, n.DataAtom = name, atom.Lookup([]byte(name))
	for _, a := range e.Attr {
		n.Attr = append(n.Attr, html.Attribute{Key: strings.ToLower(a.Name.Local), Val: a.Value})
	}
	return n
}

// undeclared blanks an XML declaration, whose encoding is not that of the text
// any more; lines stay where they are.
func undeclared(s string) string {
	body := strings.TrimLeft(s, " \t\r\n")
	end := strings.Index(body, "?>")
	if !strings.HasPrefix(body, "<?xml") || end < 0 || len(body) > 5 && !strings.ContainsRune(" \t\r\n", rune(body[5])) {
		return s
	}
	gone := s[:len(s)-len(body)+end+2]
	return strings.Repeat("\n", strings.Count(gone, "\n")) + body[end+2:]
}

// attr returns an attribute's value, "" without it.
func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// has reports whether n has an attribute.
func has(n *html.Node, key string) bool {
	for _, a := range n.Attr {
		if a.Key == key {
			return true
		}
	}
	return false
}

// class reports whether one of n's classes is name.
func class(n *html.Node, name string) bool {
	for c := range strings.FieldsSeq(attr(n, "class")) {
		if c == name {
			return true
		}
	}
	return false
}
