package markup

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"ragdesk/backend/parse/doctext"
)

// What a table without a header must hold to be taken for a grid that places
// parts of a page: the characters of tables in it, of a cell in a single row, and
// of a cell with several blocks.
const (
	layoutNested = 400
	layoutColumn = 200
	layoutCell   = 600
)

// isLayout reports whether a table only places things on the page.
func (f *flow) isLayout(n *html.Node, t *tableShape) bool {
	switch strings.ToLower(attr(n, "role")) {
	case "presentation", "none":
		return true
	case "table", "grid", "treegrid":
		return false
	}
	rows := t.rows()
	columns := 0
	var all []*html.Node
	for _, row := range rows {
		cells := f.rowCells(row)
		columns = max(columns, len(cells))
		all = append(all, cells...)
	}
	if columns <= 1 {
		return true
	}
	if len(t.captions)+len(t.head) > 0 {
		return false
	}
	for _, c := range all {
		if c.DataAtom == atom.Th {
			return false
		}
	}
	nested := 0
	for _, c := range all {
		var b blocks
		b.look(c, false)
		nested += b.nested
		if b.headings > 0 || len(rows) == 1 && b.chars > layoutColumn || b.blocks >= 3 && b.chars > layoutCell ||
			nested > layoutNested {
			return true
		}
	}
	return false
}

// blocks is what a cell holds.
type blocks struct {
	headings, blocks, chars, nested int
	// nodes bounds how far a cell is looked into.
	nodes int
}

const maxLook = 10_000

func (b *blocks) look(n *html.Node, inTable bool) {
	for child := n.FirstChild; child != nil && b.nodes < maxLook; child = child.NextSibling {
		b.nodes++
		if child.Type == html.TextNode {
			k := letters(child.Data)
			b.chars += k
			if inTable {
				b.nested += k
			}
			continue
		}
		if child.Type != html.ElementNode || silent(child) {
			continue
		}
		switch child.DataAtom {
		case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
			b.headings++
		case atom.P, atom.Ul, atom.Ol, atom.Div, atom.Pre, atom.Blockquote, atom.Form:
			b.blocks++
		}
		b.look(child, inTable || child.DataAtom == atom.Table)
	}
}

// cellOut writes blocks as the lines of a table's cell.
type cellOut struct{ b strings.Builder }

func (c *cellOut) line(s string) {
	if c.b.Len() > 0 {
		c.b.WriteByte('\n')
	}
	c.b.WriteString(s)
}

// String returns the lines.
func (c *cellOut) String() string { return strings.TrimSpace(c.b.String()) }

// Heading writes a heading.
func (c *cellOut) Heading(_ int, title string) { c.line(title) }

// Paragraph writes a paragraph.
func (c *cellOut) Paragraph(s string) { c.line(s) }

// Code writes lines of code.
func (c *cellOut) Code(_, s string) { c.line(s) }

// List writes a list.
func (c *cellOut) List(items []doctext.Item) {
	for _, it := range items {
		if strings.TrimSpace(it.Text) == "" {
			continue
		}
		marker := it.Marker
		if marker == "" {
			marker = "-"
		}
		c.line(marker + " " + it.Text)
	}
}
