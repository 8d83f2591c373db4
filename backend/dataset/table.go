package dataset

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// table reads comma- or tab-separated rows under a header that names the fields.
// A list is a JSON list, or its entries with '|' between them. One gold passage
// may have columns of its own: doc, quote, start, end and grade.
func (r *reader) table(ctx context.Context, in io.Reader, comma rune) error {
	head := withoutBOM(in)
	rows := csv.NewReader(head)
	rows.Comma = delimiter(head, comma)
	rows.FieldsPerRecord = -1
	rows.LazyQuotes = rows.Comma == '\t'
	var header []string
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		var wrong *csv.ParseError
		if errors.As(err, &wrong) {
			r.note(Problem{wrong.StartLine, CodeBadQuotes, "\""})
			continue
		}
		if err != nil {
			return err
		}
		line, _ := rows.FieldPos(0)
		if header == nil {
			if header = renamedColumns(columns(row), r.columns); !hasTextColumn(header) {
				r.note(Problem{line, CodeNoColumn, "question"})
				return nil
			}
			r.keys.look(line, fieldsNamed(header), columnKeys())
			continue
		}
		r.row(line, header, row)
	}
}

// fieldsNamed are fields without values.
func fieldsNamed(names []string) fields {
	out := fields{}
	for _, name := range names {
		out[name] = nil
	}
	return out
}

// withoutBOM skips a byte-order mark.
func withoutBOM(in io.Reader) *bufio.Reader {
	b := bufio.NewReader(in)
	if head, err := b.Peek(3); err == nil && string(head) == "\xef\xbb\xbf" {
		_, _ = b.Discard(3) // it was just peeked
	}
	return b
}

// delimiter is what the header's cells stand between: comma, or in a header without it the
// semicolon or tab that some programs write in its place.
func delimiter(in *bufio.Reader, comma rune) rune {
	head, _ := in.Peek(in.Size()) // short at the end of a file, and an error comes again with the reading
	line, _, _ := strings.Cut(strings.TrimLeft(string(head), "\r\n"), "\n")
	best, most := comma, 0
	for _, c := range ";\t" {
		if n := strings.Count(line, string(c)); n > most && !strings.ContainsRune(line, comma) {
			best, most = c, n
		}
	}
	return best
}

// columns returns the names of a header.
func columns(row []string) []string {
	out := make([]string, len(row))
	for i, name := range row {
		out[i] = strings.ToLower(strings.TrimSpace(name))
	}
	return out
}

// hasTextColumn reports whether a header has a column for the question.
func hasTextColumn(header []string) bool {
	return slices.ContainsFunc(header, func(name string) bool {
		name = strings.ToLower(strings.Trim(name, " \""))
		return name == "question" || name == "query" || name == "user_input"
	})
}

// row reads one row as a question.
func (r *reader) row(line int, header, row []string) {
	d := decoder{line: line}
	defer func() { r.note(d.problems...) }()
	if len(row) != len(header) {
		d.problem(CodeBadRow, "%d ≠ %d", len(row), len(header))
		return
	}
	f := fields{}
	for i, cell := range row {
		if !utf8.ValidString(cell) {
			d.problem(CodeNotUTF8, "%s", header[i])
			return
		}
		if raw := cellValue(header[i], strings.TrimSpace(cell)); raw != nil {
			f[header[i]] = raw
		}
	}
	q := d.question(f)
	d.goldOfColumns(&q, f)
	r.add(q, f)
}

// goldOfColumns adds the gold that columns of its own describe, where there is no
// other.
func (d *decoder) goldOfColumns(q *Question, f fields) {
	if _, gold := f.first(goldKeys()); gold != nil || len(q.Gold) > 0 {
		return
	}
	if object := goldColumns(f); object != nil {
		q.Gold = []Gold{d.goldObject("row", object)}
		f["gold"] = json.RawMessage("[]") // the row does speak of gold
	}
}

// cellValue turns a cell into JSON; nil for an empty one.
func cellValue(column, cell string) json.RawMessage {
	isGold := slices.Contains(append(goldKeys(), relevantKeys()...), column)
	isList := isGold || slices.Contains([]string{"answers", "key_points", "contexts", "ground_truths", "retrieved_contexts"}, column)
	switch {
	case cell == "" && isGold:
		return json.RawMessage("[]")
	case cell == "":
		return nil
	case (cell[0] == '[' || cell[0] == '{') && json.Valid([]byte(cell)):
		return json.RawMessage(cell)
	case !isList:
		return quoted(cell)
	}
	parts := strings.Split(cell, "|")
	for i, p := range parts {
		parts[i] = string(quoted(strings.TrimSpace(p)))
	}
	return json.RawMessage("[" + strings.Join(parts, ",") + "]")
}

// quoted is s as JSON.
func quoted(s string) json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil { // strings always marshal
		return json.RawMessage(strconv.Quote(s))
	}
	return b
}

// goldColumns returns the columns that describe a gold passage, nil without its
// document.
func goldColumns(f fields) fields {
	name, doc := f.first([]string{"doc", "doc_id", "chunk_id"})
	if doc == nil {
		return nil
	}
	out := fields{name: doc}
	for _, key := range []string{"quote", "start", "end", "grade", "relevance"} {
		if raw, ok := f[key]; ok {
			out[key] = raw
		}
	}
	return out
}
