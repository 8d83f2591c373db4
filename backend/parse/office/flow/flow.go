// Package flow holds a document's blocks on their way from an office file to its
// text: what readers of documents, slides and table cells have in common.
//
//	w := flow.Writer{Out: &b, Limits: env.Limits}
//	err := w.Add(flow.Block{Kind: flow.Item, Marker: "1.", Text: "第一步"})
//	err = w.Flush()
package flow

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// Kind is what a block is.
type Kind int

// The kinds of block.
const (
	Paragraph Kind = iota
	Heading
	Item
	Table
	// Nested is a whole document inside this one.
	Nested
)

// Block is a paragraph, heading, list item or table.
type Block struct {
	Kind Kind
	// Level is a heading's level from 1, or an item's depth from 0.
	Level int
	// Marker is an item's or a heading's number as it is shown, such as "第一章" or
	// "1.2."; "" for none, or for an item's bullet.
	Marker string
	Text   string
	// Rows are a table's; Header of them are its header.
	Rows   [][]string
	Header int
	// Doc is a nested document.
	Doc rag.Document
}

// Emit takes a block.
type Emit func(Block) error

// Collect returns an Emit that appends to blocks.
func Collect(blocks *[]Block) Emit {
	return func(b Block) error {
		*blocks = append(*blocks, b)
		return nil
	}
}

// Writer writes blocks to a document, items that follow each other as one list.
type Writer struct {
	Out    *doctext.Builder
	Limits guard.Limits
	items  []doctext.Item
}

// Add writes a block. Fault: limit_text.
func (w *Writer) Add(b Block) error {
	if b.Kind == Item {
		w.items = append(w.items, doctext.Item{Depth: b.Level, Marker: b.Marker, Text: b.Text})
		return nil
	}
	if err := w.Flush(); err != nil {
		return err
	}
	switch b.Kind {
	case Heading:
		if line := Line(b.Text); line != "" {
			w.Out.Heading(b.Level, Label(b.Marker, line))
		}
	case Table:
		w.Out.Table(b.Rows, b.Header)
	case Nested:
		w.Out.Append(b.Doc, 0)
	default:
		w.Out.Paragraph(b.Text)
	}
	return w.check()
}

// Flush writes the list that is being collected. Fault: limit_text.
func (w *Writer) Flush() error {
	if len(w.items) > 0 {
		w.Out.List(w.items)
		w.items = w.items[:0]
	}
	return w.check()
}

func (w *Writer) check() error {
	if int64(w.Out.Len()) > w.Limits.Text {
		return fault.New("limit_text", fault.P("limit", w.Limits.Text))
	}
	return nil
}

// Label puts a number before its text, with a blank between unless the number
// ends in a mark of full width.
func Label(marker, s string) string {
	if marker == "" {
		return s
	}
	last, _ := utf8.DecodeLastRuneInString(marker)
	if Wide(last) && !text.Han(last) {
		return marker + s
	}
	return marker + " " + s
}

// Visible returns s without the hyphens that show only where a line is broken.
func Visible(s string) string { return strings.ReplaceAll(s, "\u00AD", "") }

// Line joins the lines of s: with a blank, but with nothing between characters of
// full width.
func Line(s string) string {
	var b strings.Builder
	var last rune
	for _, line := range strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		first, _ := utf8.DecodeRuneInString(line)
		if b.Len() > 0 && (!Wide(last) || !Wide(first)) {
			b.WriteByte(' ')
		}
		b.WriteString(line)
		last, _ = utf8.DecodeLastRuneInString(line)
	}
	return b.String()
}

// Wide reports whether r belongs to a script that is written without blanks
// between words: Han, kana, bopomofo, and their marks of full width.
func Wide(r rune) bool {
	return text.Han(r) || unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo) ||
		0x3000 <= r && r <= 0x303F || 0xFF00 <= r && r <= 0xFFEF || r == '“' || r == '”' || r == '—' || r == '…'
}

// Words returns the texts of blocks on one line, without bullets and numbers.
func Words(blocks []Block) string {
	var lines []string
	for _, b := range blocks {
		lines = append(lines, b.Text)
	}
	return Line(strings.Join(lines, "\n"))
}

// Flat writes blocks as the content of a table's cell: a line each, list items
// with their markers, rows of a table inside with bars between cells.
func Flat(blocks []Block) string {
	var lines []string
	for _, b := range blocks {
		switch b.Kind {
		case Table:
			for _, row := range b.Rows {
				if cells := nonBlank(row); len(cells) > 0 {
					lines = append(lines, strings.Join(cells, " | "))
				}
			}
		case Item:
			marker := b.Marker
			if marker == "" {
				marker = "-"
			}
			lines = append(lines, Label(marker, strings.TrimSpace(b.Text)))
		case Nested:
			lines = append(lines, b.Doc.Text)
		default:
			lines = append(lines, Label(b.Marker, strings.TrimSpace(b.Text)))
		}
	}
	out := strings.Join(lines, "\n")
	for strings.Contains(out, "\n\n") {
		out = strings.ReplaceAll(out, "\n\n", "\n")
	}
	return strings.TrimSpace(out)
}

// nonBlank returns the cells that hold something, on one line each.
func nonBlank(row []string) []string {
	var cells []string
	for _, c := range row {
		if !text.IsBlank(c) {
			cells = append(cells, Line(c))
		}
	}
	return cells
}
