package fault

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"
)

// nearby is how much of the text before and after a mistake is shown, in code points.
const nearby = 20

// JSON is the fault of data that encoding/json refused with err, nil for nil:
// "json_syntax" {line, column, near} where it is no JSON, near being the text around the
// place, which ▸ marks; "json_end" {line, near} where it ends too early; "json_type" {field, found, want}
// where a value is of another kind, in JSON's own words, the field empty for the whole;
// "json_field" {field} for a field that nobody asked for; and "json_other" {reason}. Lines
// and columns count from 1, columns in code points.
func JSON(data []byte, err error) *Error {
	if err == nil {
		return nil
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), err.Error() == "unexpected end of JSON input":
		line, _, near := place(data, len(data))
		return Wrap(err, "json_end", P("line", line), P("near", near))
	case errors.As(err, &syntax):
		line, column, near := place(data, int(syntax.Offset)-1)
		return Wrap(err, "json_syntax", P("line", line), P("column", column), P("near", near))
	case errors.As(err, &kind):
		found, _, _ := strings.Cut(kind.Value, " ") // "number 1.5"
		return Wrap(err, "json_type", P("field", kind.Field), P("found", strings.Replace(found, "bool", "boolean", 1)), P("want", wanted(kind.Type)))
	}
	if field, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
		return Wrap(err, "json_field", P("field", strings.Trim(field, `"`)))
	}
	return Wrap(err, "json_other", P("reason", err.Error()))
}

// JSONLine is JSON for data that is one line of a file: "json_syntax_line" {column, near} in
// the place of "json_syntax", since whoever reads lines knows which one it was.
func JSONLine(data []byte, err error) *Error {
	f := JSON(data, err)
	if f == nil || f.Code != "json_syntax" {
		return f
	}
	return Wrap(err, "json_syntax_line", P("column", f.Params["column"]), P("near", f.Params["near"]))
}

// place is the line and column of the byte at an offset, and the text around it.
func place(data []byte, at int) (line, column int, near string) {
	at = min(max(at, 0), len(data))
	for at > 0 && at < len(data) && !utf8.RuneStart(data[at]) {
		at--
	}
	before, after := data[:at], data[at:]
	start := bytes.LastIndexByte(before, '\n') + 1
	line = 1 + bytes.Count(before, []byte("\n"))
	head := []rune(string(before[start:]))
	tail, _, _ := bytes.Cut(after, []byte("\n"))
	rest := []rune(strings.TrimRight(string(tail), "\r"))
	near = "▸" + string(rest[:min(len(rest), nearby)])
	if len(rest) > nearby {
		near += "…"
	}
	if len(head) > nearby {
		return line, len(head) + 1, "…" + string(head[len(head)-nearby:]) + near
	}
	return line, len(head) + 1, string(head) + near
}

// wanted is the kind of JSON value that a type is read from.
func wanted(t reflect.Type) string {
	if t == nil {
		return "object"
	}
	switch k := t.Kind(); {
	case k == reflect.Pointer:
		return wanted(t.Elem())
	case k == reflect.String:
		return "string"
	case k == reflect.Bool:
		return "boolean"
	case k == reflect.Slice, k == reflect.Array:
		return "array"
	case k >= reflect.Int && k <= reflect.Uintptr:
		return "integer"
	case k == reflect.Float32, k == reflect.Float64:
		return "number"
	}
	return "object"
}
