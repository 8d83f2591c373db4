package doctext

import (
	"fmt"
	"strings"
	"unicode"

	"ragdesk/backend/text"
)

// Flow turns the paragraphs of a word processor, as they come, into blocks:
// neighbouring list entries into a list, rows into a table, notes to the end.
//
//	f := doctext.Flow{Builder: &b}
//	f.Add(doctext.Para{Text: "概述", Heading: 1})
//	f.Row([]string{"a", "b"}, false)
//	f.Close()
type Flow struct {
	*Builder

	items   []Item
	rows    [][]string
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

// Row adds a row of the table that is open or starts one; header says that it is
// one of its header rows.
func (f *Flow) Row(cells []string, header bool) {
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
		f.Table(f.rows, header)
	}
	f.rows, f.headers = nil, 0
}
