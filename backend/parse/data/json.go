package data

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"ragdesk/backend/parse/charset"
	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/record"
	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// Codes of the warnings of ParseJSON and ParseJSONLines.
const (
	// WarnJSON says that a file was read although it is no JSON to the letter. The
	// detail says where and what: "line 3, column 5: comment".
	WarnJSON = "json_invalid"
	// WarnLines says that lines of a JSON Lines file are no JSON and stay as text.
	// The detail counts them and names the first.
	WarnLines = "jsonl_bad_lines"
)

// ParseJSON reads a JSON file; one that is a sequence of values is read as JSON
// Lines. Fault: corrupt, whose reason begins with line and column.
func ParseJSON(ctx context.Context, in rag.Input, env guard.Env) (rag.Document, error) {
	b, s, err := open(in, "application/json", "json/1")
	if err != nil {
		return rag.Document{}, err
	}
	l := env.Limits.Filled()
	v, r, err := readJSON(s, l)
	var bad *syntaxError
	switch {
	case text.IsBlank(s):
		return b.Document(in, l)
	case errors.As(err, &bad):
		if done, err := writeLines(ctx, b, s, l, mostLines); err != nil || done {
			b.MediaType = "application/jsonl"
			return finish(b, in, l, err)
		}
		return rag.Document{}, guard.Corrupt("json", fmt.Errorf("%s: %w", position(s, bad.at), bad))
	case err != nil:
		return rag.Document{}, err
	}
	if r.odd >= 0 {
		b.Warn(WarnJSON, position(s, r.odd)+": "+r.oddity)
	}
	record.Write(b, v, 1)
	return b.Document(in, l)
}

// ParseJSONLines reads a file of JSON values, one a line or one after the other.
func ParseJSONLines(ctx context.Context, in rag.Input, env guard.Env) (rag.Document, error) {
	b, s, err := open(in, "application/jsonl", "jsonl/1")
	if err != nil {
		return rag.Document{}, err
	}
	l := env.Limits.Filled()
	_, err = writeLines(ctx, b, s, l, anyLines)
	return finish(b, in, l, err)
}

func finish(b *doctext.Builder, in rag.Input, l guard.Limits, err error) (rag.Document, error) {
	if err != nil {
		return rag.Document{}, err
	}
	return b.Document(in, l)
}

// open decodes a file and begins its document.
func open(in rag.Input, mediaType, parsedBy string) (*doctext.Builder, string, error) {
	r, err := charset.ReadLoose(in.Bytes, charset.Hint{Forced: in.Encoding})
	if err != nil {
		return nil, "", err
	}
	b := doctext.Builder{Title: path.Base(in.Source), MediaType: mediaType, Encoding: r.Encoding, ParsedBy: parsedBy}
	b.Health.Confidence = r.Confidence
	b.WarnAll(r.Warnings)
	return &b, r.Text, nil
}

// newJSON returns a reader of s.
func newJSON(s string, l guard.Limits) *jsonReader {
	return &jsonReader{s: s, maxDepth: l.Depth, maxValues: l.Cells, odd: -1}
}

// readJSON reads the one value that s is.
func readJSON(s string, l guard.Limits) (record.Value, *jsonReader, error) {
	r := newJSON(s, l)
	v, err := r.value()
	if err != nil {
		return record.Value{}, r, err
	}
	c, err := r.next()
	if err == nil && c != 0 {
		err = r.fail("more after the value")
	}
	return v, r, err
}

// Shares of a file's lines that must be JSON for it to be JSON Lines.
const (
	anyLines  = 0
	mostLines = 0.5
)

// writeLines writes a file of values; done is false, and nothing written, when
// fewer than share of its lines are any.
func writeLines(ctx context.Context, b *doctext.Builder, s string, l guard.Limits, share float64) (done bool, err error) {
	if values, err := sequence(ctx, s, l); err == nil {
		writeRecords(b, values)
		return true, nil
	} else if bad := (*syntaxError)(nil); !errors.As(err, &bad) {
		return false, err
	}
	var values []record.Value
	var others []string
	var lines []int
	left := l
	n := 0
	for line := range strings.Lines(s) {
		if n++; n%everyRows == 1 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		if text.IsBlank(line) {
			continue
		}
		v, r, err := readJSON(strings.TrimRight(line, "\r\n"), left)
		var bad *syntaxError
		switch {
		case errors.As(err, &bad), err == nil && share > 0 && v.Kind == record.KindScalar:
			others, lines = append(others, strings.TrimRight(line, "\r\n")), append(lines, n)
		case err != nil:
			return false, err
		default:
			left.Cells -= min(r.values, left.Cells-1)
			values = append(values, v)
		}
	}
	if float64(len(values)) < share*float64(len(values)+len(others)) || share > 0 && len(values) < 2 {
		return false, nil
	}
	writeRecords(b, values)
	b.Paragraph(strings.Join(others, "\n"))
	b.Health.RowsRead += len(others)
	b.Health.RowsKept += len(others)
	if len(lines) > 0 {
		b.Warn(WarnLines, counted(lines))
	}
	return true, nil
}

// writeRecords writes values as an array has them, none as nothing.
func writeRecords(b *doctext.Builder, values []record.Value) {
	if len(values) > 0 {
		record.Write(b, record.Array(values...), 1)
	}
}

// sequence reads values that follow one another; texts and numbers alone are no
// records.
func sequence(ctx context.Context, s string, l guard.Limits) ([]record.Value, error) {
	r := newJSON(s, l)
	var all []record.Value
	for {
		c, err := r.next()
		if err != nil || c == 0 {
			return all, err
		}
		if c != '{' && c != '[' {
			return nil, r.fail("no record")
		}
		v, err := r.value()
		if err != nil {
			return nil, err
		}
		if len(all)%everyRows == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		all = append(all, v)
	}
}
