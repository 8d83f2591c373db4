// Package record writes nested data, such as that of JSON and XML, as text that
// can be read and searched: headings by name, tables of like records, and lines
// of "name: value".
//
//	record.Write(&b, record.Object(record.Member{Name: "年假", Value: record.Scalar("5")}), 1)
//
// Invariant: every name and every value of the data is in the text, with the
// exception of data URIs, of which the type is left and pictures are counted.
package record

import (
	"strings"
	"unicode/utf8"
)

// Kind tells the values apart.
type Kind int

// The kinds of value.
const (
	KindScalar Kind = iota
	KindObject
	KindArray
)

// Value is a text, an object or an array.
type Value struct {
	Kind Kind
	// Text is a scalar's.
	Text string
	// Members are an object's, in order and with repeated names kept, or an
	// array's, without names.
	Members []Member
}

// Member is a named value.
type Member struct {
	Name  string
	Value Value
}

// Scalar returns a text.
func Scalar(s string) Value { return Value{Text: s} }

// Object returns an object.
func Object(members ...Member) Value { return Value{Kind: KindObject, Members: members} }

// Array returns an array.
func Array(values ...Value) Value {
	v := Value{Kind: KindArray, Members: make([]Member, len(values))}
	for i, e := range values {
		v.Members[i].Value = e
	}
	return v
}

// text is what a scalar says; an empty object or array says that it is.
func (v Value) text() string {
	switch {
	case v.Kind == KindObject:
		return "{}"
	case v.Kind == KindArray:
		return "[]"
	case strings.HasPrefix(v.Text, "data:"):
		if head, _, ok := strings.Cut(v.Text, ";base64,"); ok && len(head) < 100 {
			return "[" + strings.TrimPrefix(head, "data:") + "]"
		}
	}
	return v.Text
}

// picture reports whether v is a picture in a data URI.
func (v Value) picture() bool {
	return v.Kind == KindScalar && strings.HasPrefix(v.Text, "data:image/") && v.text() != v.Text
}

// leaf reports whether v has nothing below it.
func (v Value) leaf() bool { return v.Kind == KindScalar || len(v.Members) == 0 }

// flat reports whether v is a leaf or an array of leaves that fits a line.
func (v Value) flat() bool {
	if v.leaf() {
		return true
	}
	if v.Kind != KindArray {
		return false
	}
	points := 0
	for _, m := range v.Members {
		if !m.Value.leaf() || strings.Contains(m.Value.Text, "\n") {
			return false
		}
		if points += utf8.RuneCountInString(m.Value.text()) + 2; points > maxLine {
			return false
		}
	}
	return true
}

// maxLine is the length in characters up to which an array is one line.
const maxLine = 200

// line is what a flat value says on a line.
func (v Value) line() string {
	if v.leaf() {
		return v.text()
	}
	parts := make([]string, len(v.Members))
	for i, m := range v.Members {
		parts[i] = m.Value.text()
	}
	return strings.Join(parts, ", ")
}

// points is about how many characters v takes, at most limit.
func (v Value) points(limit int) int {
	n := min(len(v.Text), limit)
	for _, m := range v.Members {
		if n >= limit {
			return limit
		}
		n += len(m.Name) + 2 + m.Value.points(limit-n)
	}
	return n
}
