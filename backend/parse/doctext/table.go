package doctext

import (
	"strings"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// groupPoints is about how many characters of rows stand under one header in
// Rows: a group fits a chunk of the usual size.
const groupPoints = 400

// Table adds rows as one Markdown table, the first header of them its header.
// Rows may differ in length; blank rows and blank columns at the end are left
// out. Without a header the first line is an empty one, as Markdown demands.
func (b *Builder) Table(rows [][]string, header int) {
	b.Health.Tables++
	b.Health.RowsRead += len(rows)
	rows, width := trimmed(rows)
	b.Health.RowsKept += len(rows)
	b.table(rows, min(header, len(rows)), width)
}

// Rows adds a table of many rows in groups of about 400 characters, each a
// Markdown table of its own with the header repeated, so that a piece of the
// table says what its columns are. It counts as one table.
func (b *Builder) Rows(rows [][]string, header int) {
	b.Health.Tables++
	b.Health.RowsRead += len(rows)
	rows, width := trimmed(rows)
	b.Health.RowsKept += len(rows)
	header = min(header, len(rows))
	head, body := rows[:header], rows[header:]
	if len(body) == 0 {
		b.table(rows, header, width)
		return
	}
	for len(body) > 0 {
		n, points := 0, 0
		for n < len(body) && (n == 0 || points < groupPoints) {
			for _, cell := range body[n] {
				points += len([]rune(cell)) + 3
			}
			n++
		}
		group := append(head[:len(head):len(head)], body[:n]...)
		b.table(group, header, width)
		body = body[n:]
	}
}

// trimmed drops blank rows, and the columns that are blank in every row from the
// right; width is the number of columns left.
func trimmed(rows [][]string) (kept [][]string, width int) {
	for _, row := range rows {
		last := len(row)
		for last > 0 && text.IsBlank(row[last-1]) {
			last--
		}
		if last > 0 {
			kept = append(kept, row)
			width = max(width, last)
		}
	}
	return kept, width
}

func (b *Builder) table(rows [][]string, header, width int) {
	if len(rows) == 0 {
		return
	}
	var s strings.Builder
	rule := "|" + strings.Repeat(" --- |", width)
	headEnd := 0
	if header == 0 {
		s.WriteString("|" + strings.Repeat("  |", width) + "\n" + rule + "\n")
		headEnd = s.Len()
	}
	for i, row := range rows {
		s.WriteByte('|')
		for j := range width {
			s.WriteByte(' ')
			if j < len(row) {
				s.WriteString(cell(row[j]))
			}
			s.WriteString(" |")
		}
		s.WriteByte('\n')
		// Markdown knows one header row; further ones stand under the rule.
		if i == 0 && header > 0 {
			s.WriteString(rule + "\n")
		}
		if i == header-1 {
			headEnd = s.Len()
		}
	}
	span, ok := b.block(rag.BlockTable, s.String())
	if ok {
		last := &b.blocks[len(b.blocks)-1]
		last.Header = rag.Span{Start: span.Start, End: min(span.Start+headEnd, span.End)}
	}
}

// cell writes a cell's content on one line.
func cell(s string) string {
	s = strings.TrimSpace(clean(s))
	if !strings.ContainsAny(s, "\n|") {
		return s
	}
	return strings.NewReplacer("|", `\|`, "\n", "<br>").Replace(s)
}
