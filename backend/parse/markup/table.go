package markup

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/doctext"
)

// tableShape is what a table consists of, its inner tables aside.
type tableShape struct {
	captions []*html.Node
	// head, body and foot are its rows in the order a reader sees them.
	head, body, foot []*html.Node
}

// rows lists all rows.
func (t *tableShape) rows() []*html.Node {
	return append(append(t.head[:len(t.head):len(t.head)], t.body...), t.foot...)
}

// shape finds the rows of a table.
func (p *page) shape(n *html.Node) *tableShape {
	if t := p.tables[n]; t != nil {
		return t
	}
	t := &tableShape{}
	p.collect(t, n, &t.body)
	p.tables[n] = t
	return t
}

func (p *page) collect(t *tableShape, n *html.Node, rows *[]*html.Node) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.Type != html.ElementNode || p.skip(child) {
			continue
		}
		switch child.DataAtom {
		case atom.Caption:
			t.captions = append(t.captions, child)
		case atom.Thead:
			p.collect(t, child, &t.head)
		case atom.Tbody:
			p.collect(t, child, rows)
		case atom.Tfoot:
			p.collect(t, child, &t.foot)
		case atom.Tr:
			*rows = append(*rows, child)
		}
	}
}

// cells lists a row's cells.
func (p *page) rowCells(row *html.Node) []*html.Node {
	var all []*html.Node
	for child := row.FirstChild; child != nil; child = child.NextSibling {
		if (child.DataAtom == atom.Td || child.DataAtom == atom.Th) && !p.skip(child) {
			all = append(all, child)
		}
	}
	return all
}

// table writes a table of data as one, and the cells of a table that only places
// things on the page as blocks.
func (f *flow) table(n *html.Node) {
	t := f.shape(n)
	if code := listing(n); code != nil {
		f.code(code)
		return
	}
	if f.isLayout(n, t) {
		for _, c := range t.captions {
			f.block(c)
		}
		for _, row := range t.rows() {
			for _, c := range f.rowCells(row) {
				f.block(c)
			}
			f.breakBlock()
		}
		return
	}
	f.endBlocks()
	for _, c := range t.captions {
		f.block(c)
	}
	rows := f.grid(t)
	if f.err != nil || len(rows) == 0 {
		return
	}
	if tables, ok := f.out.(tableWriter); ok {
		writeRows(tables, rows, f.headerRows(t, rows))
		return
	}
	for _, row := range rows {
		f.out.Paragraph(inCell(row))
	}
}

// inCell writes the row of a table that lies in another's cell on one line.
func inCell(row []string) string {
	var parts []string
	for _, c := range row {
		if strings.Contains(c, "\n") {
			c = "(" + strings.ReplaceAll(c, "\n", " / ") + ")"
		}
		parts = append(parts, c)
	}
	return strings.Join(parts, "; ")
}

// tableWriter is where tables can be written as such.
type tableWriter interface {
	Table(rows [][]string, header int)
	Rows(rows [][]string, header int)
}

// longTable is the number of characters from which on a table's header is
// repeated in it.
const longTable = 4000

func writeRows(to tableWriter, rows [][]string, header int) {
	size, head := 0, 0
	for i, row := range rows {
		for _, c := range row {
			size += utf8.RuneCountInString(c) + 3
		}
		if i < header {
			head = size
		}
	}
	if header > 0 && size > longTable && head < longTable/8 {
		to.Rows(rows, header)
		return
	}
	to.Table(rows, header)
}

// maxHeaderRows is how many rows at the top may be a header.
const maxHeaderRows = 4

// headerRows returns how many of the first rows are a table's header: those that
// say so, or by a guess.
func (f *flow) headerRows(t *tableShape, rows [][]string) int {
	n := len(t.head)
	all := t.rows()
	if n == 0 {
		for n < len(all) && n < maxHeaderRows && f.allHeads(all[n]) {
			n++
		}
	}
	switch {
	case n > 0 && n < len(rows):
		return min(n, maxHeaderRows)
	case n > 0:
		return min(1, len(rows))
	case len(all) > 1 && f.rowHeads(all):
		return 0
	}
	return doctext.HeaderRows(rows)
}

// allHeads reports whether all cells of a row are header cells.
func (f *flow) allHeads(row *html.Node) bool {
	cells := f.rowCells(row)
	for _, c := range cells {
		if c.DataAtom != atom.Th {
			return false
		}
	}
	return len(cells) > 0
}

// rowHeads reports whether the first row names itself and not the columns.
func (f *flow) rowHeads(rows []*html.Node) bool {
	for _, row := range rows[:2] {
		cells := f.rowCells(row)
		if len(cells) < 2 || cells[0].DataAtom != atom.Th || cells[1].DataAtom == atom.Th {
			return false
		}
	}
	return true
}

// Limits of how a cell that covers several places is repeated: the places, and
// the bytes of one and of all such cells.
const (
	maxSpan        = 1000
	maxRepeated    = 4 << 10
	maxRepeatedAll = 8 << 20
)

// pending is a cell that reaches into rows below.
type pending struct {
	text string
	rows int
}

// grid returns the table's cells, those that cover several places repeated.
func (f *flow) grid(t *tableShape) [][]string {
	var rows [][]string
	for _, part := range [][]*html.Node{t.head, t.body, t.foot} {
		var below []pending
		for i, row := range part {
			if !f.step() {
				return nil
			}
			var line []string
			line, below = f.row(row, below, len(part)-i)
			if f.cells += len(line); f.cells > f.limits.Cells {
				f.err = fault.New("limit_cells", fault.P("limit", f.limits.Cells))
				return nil
			}
			rows = append(rows, line)
		}
	}
	return rows
}

// row returns a row's cells; below are the cells that reach into it from above
// and, returned, into the next. left counts the rows of the part from this one on.
func (f *flow) row(row *html.Node, below []pending, left int) (line []string, next []pending) {
	next = below
	covered := func() {
		for len(line) < len(next) && next[len(line)].rows > 0 {
			next[len(line)].rows--
			line = append(line, f.again(next[len(line)].text))
		}
	}
	for _, c := range f.rowCells(row) {
		covered()
		s := f.inner(c)
		wide, high := span(c, "colspan", maxSpan), span(c, "rowspan", left)
		if has(c, "rowspan") && strings.TrimSpace(attr(c, "rowspan")) == "0" {
			high = left
		}
		for i := range wide {
			if i > 0 {
				s = f.again(s)
			}
			for len(next) <= len(line) {
				next = append(next, pending{})
			}
			if high > 1 {
				next[len(line)] = pending{text: s, rows: high - 1}
			}
			line = append(line, s)
		}
	}
	covered()
	return line, next
}

// again is what of a cell's text stands in a further place that it covers: all,
// unless it is long or much was repeated before.
func (f *flow) again(s string) string {
	if len(s) > maxRepeated || f.repeated > maxRepeatedAll {
		return ""
	}
	f.repeated += len(s)
	return s
}

// span reads a cell's colspan or rowspan, at most limit.
func span(c *html.Node, key string, limit int) int {
	n, err := strconv.Atoi(strings.TrimSpace(attr(c, key)))
	if err != nil || n < 1 {
		return 1
	}
	return min(n, max(limit, 1))
}

// listing returns the code in a table that sets the numbers of lines beside it,
// nil for other tables.
func listing(n *html.Node) *html.Node {
	var gutters bool
	var code *html.Node
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		for child := n.FirstChild; child != nil && code == nil; child = child.NextSibling {
			switch {
			case child.Type != html.ElementNode || child.DataAtom == atom.Table:
			case isGutter(child):
				gutters = true
			case child.DataAtom == atom.Pre:
				code = child
			default:
				walk(child)
			}
		}
	}
	walk(n)
	if !gutters {
		return nil
	}
	return code
}
