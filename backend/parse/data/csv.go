package data

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"ragdesk/backend/parse/charset"
	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// Codes of the warnings of ParseCSV.
const (
	// WarnRagged says that rows have another number of fields than most. The
	// detail counts them and names the lines of the first.
	WarnRagged = "csv_ragged"
	// WarnUnclosedQuote says that a quote never closes; from its line on quotes
	// end with their line. The detail is the line.
	WarnUnclosedQuote = "csv_unclosed_quote"
)

// ParseCSV reads a table of delimited rows, such as .csv and .tsv. The delimiter
// is found by evidence, and so is a header. Rows with too many fields stay as
// they stand in the file, below the table: which column their fields belong to
// is not known.
func ParseCSV(ctx context.Context, in rag.Input, env guard.Env) (rag.Document, error) {
	b, s, err := open(in, "text/csv", "csv/1")
	if err != nil {
		return rag.Document{}, err
	}
	l := env.Limits.Filled()
	delim, source := findDelimiter(in.Source, s)
	if delim == '\t' {
		b.MediaType = "text/tab-separated-values"
	}
	reader := csvReader{source: source, delim: delim, line: 1 + strings.Count(s[:len(s)-len(source)], "\n")}
	records, err := reader.readAll(ctx, l.Cells)
	if err != nil {
		return rag.Document{}, err
	}
	if reader.unclosed > 0 {
		b.Warn(WarnUnclosedQuote, fmt.Sprint(reader.unclosed))
	}
	if n := strings.Count(s, "\x00"); n > 0 {
		b.Warn(charset.WarnControl, fmt.Sprintf("U+0000 ×%d", n))
	}
	writeTable(b, records, l)
	return b.Document(in, l)
}

// writeTable writes what stands above the table, the table, and the rows that do
// not fit it.
func writeTable(b *doctext.Builder, records []csvRow, l guard.Limits) {
	var widths []int
	for _, rec := range records {
		widths = append(widths, len(rec.fields))
	}
	usual, _ := commonest(widths)
	above := titleRows(records, usual)
	for _, rec := range records[:above] {
		b.Paragraph(rec.plain())
	}
	records = records[above:]
	nameFirstColumn(records, usual)
	var rows [][]string
	var long []string
	var ragged []int
	size := 0
	for _, rec := range records {
		if len(rec.fields) != usual {
			ragged = append(ragged, rec.line)
		}
		if width(rec.fields) > usual {
			long = append(long, rec.raw)
			continue
		}
		rows = append(rows, rec.fields)
		size += len(rec.raw)
	}
	b.Health.RowsRead += above + len(long)
	b.Health.RowsKept += above + len(long)
	if len(ragged) > 0 {
		b.Warn(WarnRagged, counted(ragged))
	}
	header := doctext.HeaderRows(rows)
	if header > 0 && (int64(size) > l.Text/4 || headerTooLong(rows[0])) {
		b.Table(rows, header)
	} else if len(rows) > 0 {
		b.Rows(rows, header)
	}
	b.Paragraph(strings.Join(long, "\n"))
}

// nameFirstColumn gives a header that names all columns but the first, as R
// writes it, an empty first name.
func nameFirstColumn(records []csvRow, usual int) {
	if len(records) < 2 || usual < 3 || len(records[0].fields) != usual-1 || len(records[1].fields) != usual {
		return
	}
	if doctext.HeaderRows([][]string{records[0].fields, {}}) > 0 {
		records[0].fields = append([]string{""}, records[0].fields...)
	}
}

// plain is a record outside the table: its one field, or the row as it stands.
func (r csvRow) plain() string {
	if width(r.fields) == 1 {
		return r.fields[0]
	}
	return r.raw
}

// maxTitleRows is how many rows above a table's header are looked for.
const maxTitleRows = 10

// titleRows counts the rows at the start that are no part of a table with usual
// columns: rows with one field, and shorter ones that are no header.
func titleRows(records []csvRow, usual int) int {
	if usual < 2 {
		return 0
	}
	n := 0
	for n < len(records)-1 && n < maxTitleRows && isTitle(records[n].fields, usual) {
		n++
	}
	if n == maxTitleRows || n == len(records)-1 {
		return 0
	}
	return n
}

func isTitle(fields []string, usual int) bool {
	return len(fields) == 1 || len(fields) < usual-1 || usual > 2 && filled(fields) == 1
}

// filled counts the fields that hold something.
func filled(fields []string) int {
	n := 0
	for _, f := range fields {
		if !text.IsBlank(f) {
			n++
		}
	}
	return n
}

// width is the number of fields up to the last that holds something.
func width(fields []string) int {
	n := len(fields)
	for n > 0 && text.IsBlank(fields[n-1]) {
		n--
	}
	return n
}

// maxHeader is the length in characters up to which a header is repeated.
const maxHeader = 1000

func headerTooLong(header []string) bool {
	n := 0
	for _, c := range header {
		n += utf8.RuneCountInString(c) + 3
	}
	return n > maxHeader
}

// counted renders line numbers as "count: first few".
func counted(lines []int) string {
	const shown = 10
	var s strings.Builder
	fmt.Fprintf(&s, "%d: ", len(lines))
	for i, l := range lines[:min(len(lines), shown)] {
		if i > 0 {
			s.WriteString(", ")
		}
		fmt.Fprint(&s, l)
	}
	if len(lines) > shown {
		s.WriteString(" …")
	}
	return s.String()
}
