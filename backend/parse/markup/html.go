package markup

import (
	"context"
	"fmt"
	"path"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/rag"
)

// ParseHTML reads a web page, HTML or XHTML.
func ParseHTML(ctx context.Context, in rag.Input, env guard.Env) (rag.Document, error) {
	r, err := decode(in.Bytes, in.Encoding)
	if err != nil {
		return rag.Document{}, err
	}
	l := env.Limits.Filled()
	xhtml := claimsXML(r.Text) || strings.HasPrefix(strings.ToLower(path.Ext(in.Source)), ".xht")
	var b doctext.Builder
	for _, scripts := range []bool{true, false} {
		b = doctext.Builder{MediaType: "text/html", Encoding: r.Encoding, ParsedBy: "html/1"}
		b.Health.Confidence = r.Confidence
		b.WarnAll(r.Warnings)
		root, err := parseTree(r.Text, xhtml, scripts, l)
		if err != nil {
			return rag.Document{}, err
		}
		if err := writePage(ctx.Err, &b, root, 0, l); err != nil {
			return rag.Document{}, err
		}
		if b.Len() > 0 || !strings.Contains(r.Text, "oscript") && !strings.Contains(r.Text, "oframes") {
			break
		}
	}
	return b.Document(in, l)
}

// deeper is a document into which a page is written under headings of its own.
type deeper struct {
	*doctext.Builder
	levels int
}

// Heading adds a heading below those that are there.
func (d deeper) Heading(level int, title string) { d.Builder.Heading(level+d.levels, title) }

// writePage writes a page into b, its headings levels deeper, until stop returns an
// error.
func writePage(stop func() error, b *doctext.Builder, root *html.Node, levels int, l guard.Limits) error {
	if depth := depthOf(root, l.Depth); depth > l.Depth {
		return fault.New("limit_depth", fault.P("limit", l.Depth))
	}
	p := page{limits: l, health: &b.Health, warn: b.Warn, stop: stop, tables: map[*html.Node]*tableShape{}}
	var c counts
	c.count(root, false)
	p.showHidden = c.hiddenIsContent()
	drop, chars := boilerplate(root)
	p.drop = drop
	title := p.title(root)
	if b.Title == "" {
		b.Title = title
	}
	if title != "" && !contains(root, atom.H1) && !said(root, title) && c.visible+c.hidden > 0 {
		b.Heading(1, title)
	}
	f := flow{page: &p, out: deeper{b, levels}}
	f.children(root)
	f.end()
	switch {
	case p.err != nil:
		return p.err
	case p.showHidden:
		b.Warn(doctext.WarnHidden, fmt.Sprint(c.hidden))
	case c.hidden > 0:
		b.Warn(WarnHidden, fmt.Sprint(c.hidden))
	}
	if chars > 0 {
		b.Warn(WarnBoilerplate, fmt.Sprint(chars))
	}
	p.warnEmbedded()
	return nil
}

// depthOf returns how deep elements nest below n, and stops beyond limit.
func depthOf(n *html.Node, limit int) int {
	deepest := 0
	if limit < 0 {
		return 0
	}
	for child := n.FirstChild; child != nil && deepest <= limit; child = child.NextSibling {
		if child.Type == html.ElementNode {
			deepest = max(deepest, 1+depthOf(child, limit-1))
		}
	}
	return deepest
}

// title returns the page's title.
func (p *page) title(n *html.Node) string {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.DataAtom == atom.Title && child.Namespace == "" {
			return strings.Join(strings.Fields(textOf(child)), " ")
		}
		if child.Type == html.ElementNode && child.Namespace == "" {
			if t := p.title(child); t != "" {
				return t
			}
		}
	}
	return ""
}

// textOf returns all text below n as it is.
func textOf(n *html.Node) string {
	var b strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		for child := n.FirstChild; child != nil; child = child.NextSibling {
			if child.Type == html.TextNode {
				b.WriteString(child.Data)
			}
			walk(child)
		}
	}
	walk(n)
	return b.String()
}

// said reports whether the page's text contains s, blanks aside.
func said(root *html.Node, s string) bool {
	var b strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		for child := n.FirstChild; child != nil; child = child.NextSibling {
			switch {
			case child.Type == html.TextNode:
				b.WriteString(dense(child.Data))
			case child.Type == html.ElementNode && !silent(child) && !hidden(child):
				walk(child)
			}
		}
	}
	walk(root)
	return strings.Contains(b.String(), dense(s))
}

// dense is s without blanks.
func dense(s string) string { return strings.Join(strings.Fields(s), "") }
