package data

import (
	"context"
	"strings"

	"ragdesk/backend/fault"
)

// csvRow is one row of a delimited table.
type csvRow struct {
	fields []string
	// raw is the row as it stands in the file, without its line end.
	raw string
	// line is where it starts, from 1.
	line int
}

// blank reports whether all of a record's fields are empty. A line of nothing but
// delimiters is, too.
func (r csvRow) blank() bool {
	if len(r.fields) == 1 {
		return strings.Trim(r.fields[0], " "+delimiters) == ""
	}
	for _, f := range r.fields {
		if strings.TrimSpace(f) != "" {
			return false
		}
	}
	return true
}

// csvReader reads records by RFC 4180 and as spreadsheets do where a file breaks
// it: text after a closing quote belongs to the field, a quote inside a bare
// field is a character.
type csvReader struct {
	source string
	delim  byte
	at     int
	line   int
	// lineWise says that a quote was never closed: from there on quotes end with
	// their line.
	lineWise bool
	// unclosed is the line of the first quote that was never closed, or 0.
	unclosed int
}

// read returns the next record; ok is false at the end.
func (r *csvReader) read() (rec csvRow, ok bool) {
	if r.at >= len(r.source) {
		return csvRow{}, false
	}
	start, line := r.at, r.line
	fields, closed := r.fields()
	if !closed && !r.lineWise {
		r.lineWise, r.unclosed = true, line
		r.at, r.line = start, line
		fields, _ = r.fields()
	}
	raw := strings.TrimRight(r.source[start:r.at], "\r\n")
	return csvRow{fields: fields, raw: raw, line: line}, true
}

// fields reads to the end of the record; closed is false when it ends inside a
// quote.
func (r *csvReader) fields() (fields []string, closed bool) {
	closed = true
	for {
		field, ok := r.field()
		fields = append(fields, field)
		closed = closed && ok
		if r.at >= len(r.source) {
			return fields, closed
		}
		switch r.source[r.at] {
		case r.delim:
			r.at++
		default:
			r.newline()
			return fields, closed
		}
	}
}

// newline passes the line end at r.at.
func (r *csvReader) newline() {
	if strings.HasPrefix(r.source[r.at:], "\r\n") {
		r.at++
	}
	r.at++
	r.line++
}

// field reads one field and stops at the delimiter, the line end or the end.
func (r *csvReader) field() (field string, closed bool) {
	rest := r.source[r.at:]
	lead := len(rest) - len(strings.TrimLeft(rest, " "))
	if lead == len(rest) || rest[lead] != '"' {
		return r.bare(), true
	}
	r.at += lead
	quoted, closed := r.quoted()
	if !closed {
		return quoted, false
	}
	return quoted + strings.TrimRight(r.bare(), " "), true
}

// bare reads up to a delimiter or a line end.
func (r *csvReader) bare() string {
	start := r.at
	for r.at < len(r.source) {
		if c := r.source[r.at]; c == r.delim || c == '\n' || c == '\r' {
			break
		}
		r.at++
	}
	return r.source[start:r.at]
}

// quoted reads a quoted text from its opening quote to behind its closing one. A
// quote that does not close is part of the text.
func (r *csvReader) quoted() (s string, closed bool) {
	start := r.at
	r.at++
	from := r.at
	var b strings.Builder
	for r.at < len(r.source) {
		switch c := r.source[r.at]; {
		case c == '"' && strings.HasPrefix(r.source[r.at+1:], `"`):
			b.WriteString(r.source[from : r.at+1])
			r.at += 2
			from = r.at
		case c == '"':
			b.WriteString(r.source[from:r.at])
			r.at++
			return b.String(), true
		case (c == '\n' || c == '\r') && r.lineWise:
			r.at = start + 1
			return `"` + r.bare(), true
		case c == '\n' || c == '\r' && !strings.HasPrefix(r.source[r.at+1:], "\n"):
			r.line++
			r.at++
		default:
			r.at++
		}
	}
	if r.lineWise {
		r.at = start + 1
		return `"` + r.bare(), true
	}
	return r.source[start:], false
}

// everyRows is how often a loop over rows looks at its context.
const everyRows = 4096

// readAll reads all records that are not blank. Faults: limit_cells.
func (r *csvReader) readAll(ctx context.Context, maxCells int) ([]csvRow, error) {
	var all []csvRow
	cells := 0
	for n := 0; ; n++ {
		rec, ok := r.read()
		if !ok {
			return all, nil
		}
		if n%everyRows == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if rec.blank() {
			continue
		}
		if cells += len(rec.fields); cells > maxCells {
			return nil, fault.New("limit_cells", fault.P("limit", maxCells))
		}
		all = append(all, rec)
	}
}
