package doctext

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"ragdesk/backend/text"
)

// Flow turns the paragraphs of a word processor, as they come, into blocks:
// neighbouring list entries into a list, rows into a table, notes to the end.
//
//	f := doctext.Flow{Builder: &b}
//	f.Add(doctext.Para{Text: "概述", Heading: 1})
//	f.Row([]doctext.Cell{{Text: "a"}, {Text: "b"}}, false)
//	f.Close()
type Flow struct {
	*Builder

	items   []Item
	rows    [][]Cell
	headers int
	notes   []string
}

// Para is one paragraph.
type Para struct {
	Text string
	// Heading is the level of a heading, 0 for other text.
	Heading int
	// List says that it is an entry of a list, Depth levels deep from 0, with the
	// Marker that stands before it; a symbol as marker is a bullet.
	List   bool
	Depth  int
	Marker string
}

// Add adds a paragraph; a blank one only ends a table.
func (f *Flow) Add(p Para) {
	f.closeTable()
	if text.IsBlank(p.Text) {
		return
	}
	marker := strings.TrimSpace(p.Marker)
	switch {
	case p.Heading > 0:
		f.closeList()
		title := p.Text
		if marker != "" && !bullet(marker) {
			title = marker + " " + strings.TrimSpace(title)
		}
		f.Heading(p.Heading, title)
	case p.List:
		if bullet(marker) {
			marker = ""
		}
		f.items = append(f.items, Item{Depth: p.Depth, Marker: marker, Text: p.Text})
	default:
		f.closeList()
		// Blanks used as indentation would be code in Markdown.
		f.Paragraph(strings.TrimLeft(p.Text, " \t"))
	}
}

// bullet reports whether a marker holds neither letters nor digits.
func bullet(marker string) bool {
	for _, r := range marker {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return false
		}
	}
	return true
}

// Cell is a cell of a row.
type Cell struct {
	Text string
	// Right is where the cell ends, in any unit; 0 when it is not known. Cells of
	// other rows that end inside this one's width say that it spans columns.
	Right int
	// Left and Above say that the cell goes on the one to its left or above it.
	Left, Above bool
}

// Cells puts the texts of a row to the shapes of its cells. Blank texts beyond the
// shapes are left out; shapes that do not fit the texts are of no use.
func Cells(texts []string, shapes []Cell) []Cell {
	for len(shapes) > 0 && len(texts) > len(shapes) && text.IsBlank(texts[len(texts)-1]) {
		texts = texts[:len(texts)-1]
	}
	cells := make([]Cell, len(texts))
	for i, s := range texts {
		if len(shapes) == len(texts) {
			cells[i] = shapes[i]
		}
		cells[i].Text = s
	}
	return cells
}

// Row adds a row of the table that is open or starts one; header says that it is
// one of its header rows. Cells that go on others, and columns that a cell spans,
// show the same text.
func (f *Flow) Row(cells []Cell, header bool) {
	f.closeList()
	if header && len(f.rows) == f.headers {
		f.headers++
	}
	f.rows = append(f.rows, cells)
}

// Note keeps a footnote's or an endnote's text for the end and returns the mark
// that stands for it in the running text.
func (f *Flow) Note(s string) (mark string) {
	if text.IsBlank(s) {
		return ""
	}
	f.notes = append(f.notes, strings.Join(strings.Fields(s), " "))
	return fmt.Sprintf("[^%d]", len(f.notes))
}

// EndTable ends the table that is open: rows that follow are another one.
func (f *Flow) EndTable() { f.closeTable() }

// Close writes what is open, and the notes.
func (f *Flow) Close() {
	f.closeTable()
	f.closeList()
	for i, n := range f.notes {
		f.Paragraph(fmt.Sprintf("[^%d]: %s", i+1, n))
	}
	f.notes = nil
}

func (f *Flow) closeList() {
	if len(f.items) > 0 {
		f.List(f.items)
	}
	f.items = nil
}

func (f *Flow) closeTable() {
	if len(f.rows) > 0 {
		header := f.headers
		if header == 0 && len(f.rows) > 1 {
			header = 1
		}
		f.Table(merged(spread(f.rows)), header)
	}
	f.rows, f.headers = nil, 0
}

// edgeSlack is how far apart the ends of cells may be that are meant to be one:
// a twentieth of an inch in twentieths of a point.
const edgeSlack = 72

// spread repeats a cell for each column that it spans. It does so only where a
// row shows all columns, since otherwise the rows form no grid.
func spread(rows [][]Cell) [][]Cell {
	var edges []int
	most := 0
	for _, row := range rows {
		most = max(most, len(row))
		for i, c := range row {
			if c.Right <= 0 || i > 0 && c.Right <= row[i-1].Right {
				return rows
			}
			edges = append(edges, c.Right)
		}
	}
	slices.Sort(edges)
	edges = slices.CompactFunc(edges, func(a, b int) bool { return max(a-b, b-a) <= edgeSlack })
	if len(edges) != most {
		return rows
	}
	out := make([][]Cell, len(rows))
	for i, row := range rows {
		column := 0
		for _, c := range row {
			for first := true; column < len(edges) && edges[column] <= c.Right; first = false {
				if !first {
					c.Left = true
				}
				out[i] = append(out[i], c)
				column++
			}
		}
	}
	return out
}

// merged returns the rows' texts, those of cells that go on others included.
func merged(rows [][]Cell) [][]string {
	out := make([][]string, len(rows))
	for i, row := range rows {
		out[i] = make([]string, len(row))
		for j, c := range row {
			switch {
			case c.Text != "":
				out[i][j] = c.Text
			case c.Left && j > 0:
				out[i][j] = out[i][j-1]
			case c.Above && i > 0 && j < len(out[i-1]):
				out[i][j] = out[i-1][j]
			}
		}
	}
	return out
}
