package record

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"ragdesk/backend/parse/doctext"
)

// How data is divided: an object of at most smallObject bytes is lines under its
// parent's heading, and headings are at most deepest levels deep.
const (
	smallObject = 1200
	deepest     = 5
	// maxPath is the length in bytes from which on names are not joined any more.
	maxPath = 120
)

// Write writes v, with headings from level on.
func Write(b *doctext.Builder, v Value, level int) {
	w := writer{b: b}
	w.value("", v, level)
	w.flush()
}

// writer writes data.
type writer struct {
	b *doctext.Builder
	// open are the lines of the paragraph being written.
	open []string
}

func (w *writer) flush() {
	if len(w.open) > 0 {
		w.b.Paragraph(strings.Join(w.open, "\n"))
	}
	w.open = nil
}

// line adds "name: value" to the paragraph. A value of several paragraphs is one
// by itself.
func (w *writer) line(name string, v Value) {
	if v.picture() {
		w.b.Health.Images++
	}
	s := v.line()
	switch {
	case name == "":
	case strings.Contains(s, "\n"):
		s = name + ":\n" + s
	default:
		s = name + ": " + s
	}
	if strings.Contains(strings.TrimSpace(s), "\n\n") {
		w.flush()
		w.b.Paragraph(s)
		return
	}
	w.open = append(w.open, s)
}

// value writes v under its name.
func (w *writer) value(name string, v Value, level int) {
	switch {
	case v.flat():
		w.line(name, v)
	case v.Kind == KindObject:
		w.object(v, level)
	default:
		w.array(name, v, level)
	}
}

// object writes an object's members: leaves as lines, others as sections.
func (w *writer) object(v Value, level int) {
	if w.tables(v.Members, true) {
		return
	}
	for _, m := range v.Members {
		switch {
		case m.Value.flat():
			w.line(m.Name, m.Value)
		case level > deepest, m.Value.Kind == KindObject && m.Value.points(smallObject) < smallObject:
			w.lines(m.Name, m.Value)
		default:
			w.flush()
			w.b.Heading(level, m.Name)
			w.value(m.Name, m.Value, level+1)
			w.flush()
		}
	}
}

// tables writes members as a table if they are one.
func (w *writer) tables(members []Member, named bool) bool {
	rows, ok := table(members, named)
	if ok {
		w.flush()
		w.b.Rows(rows, 1)
		// The header is made of names that every record has of its own.
		w.b.Health.RowsRead--
		w.b.Health.RowsKept--
	}
	return ok
}

// array writes an array: a table, a list, or its records one by one.
func (w *writer) array(name string, v Value, level int) {
	if w.tables(v.Members, false) || w.matrix(v) || w.list(v) {
		return
	}
	w.flush()
	w.b.Health.RowsRead += len(v.Members)
	w.b.Health.RowsKept += len(v.Members)
	for i, m := range v.Members {
		switch {
		case m.Value.leaf():
			w.line("", m.Value)
		case level > deepest, m.Value.points(smallObject) < smallObject, flatMembers(m.Value):
			w.lines("", m.Value)
		default:
			w.b.Heading(level, label(name, m.Value, i))
			w.value("", m.Value, level+1)
		}
		w.flush()
	}
}

// flatMembers reports whether an object has leaves only, however long.
func flatMembers(v Value) bool {
	for _, m := range v.Members {
		if !m.Value.flat() {
			return false
		}
	}
	return v.Kind == KindObject
}

// matrix writes an array of arrays of leaves as a table.
func (w *writer) matrix(v Value) bool {
	var rows [][]string
	for _, m := range v.Members {
		if m.Value.Kind != KindArray || len(m.Value.Members) == 0 || len(m.Value.Members) > maxColumns {
			return false
		}
		var row []string
		for _, c := range m.Value.Members {
			if !c.Value.leaf() || c.Value.picture() || utf8.RuneCountInString(c.Value.Text) > maxCell {
				return false
			}
			row = append(row, c.Value.text())
		}
		rows = append(rows, row)
	}
	if len(rows) < 2 {
		return false
	}
	w.flush()
	w.b.Rows(rows, doctext.HeaderRows(rows))
	return true
}

// list writes an array of short leaves.
func (w *writer) list(v Value) bool {
	items := make([]doctext.Item, 0, len(v.Members))
	for _, m := range v.Members {
		if !m.Value.leaf() || utf8.RuneCountInString(m.Value.text()) > maxCell || strings.Contains(m.Value.Text, "\n") {
			return false
		}
		items = append(items, doctext.Item{Text: m.Value.text()})
	}
	for _, m := range v.Members {
		if m.Value.picture() {
			w.b.Health.Images++
		}
	}
	w.flush()
	w.b.List(items)
	return true
}

// lines writes v as lines whose names are joined: "address.city: 北京",
// "steps[0].text: …".
func (w *writer) lines(path string, v Value) {
	if v.flat() {
		w.line(path, v)
		return
	}
	if len(path) > maxPath {
		w.open = append(w.open, path+":")
		path = "…"
	}
	for i, m := range v.Members {
		name := joined(path, m.Name)
		if v.Kind == KindArray {
			name = fmt.Sprintf("%s[%d]", path, i)
		}
		w.lines(name, m.Value)
	}
}

// joined is the name of a member within path; a member without a name is what its
// parent says itself.
func joined(path, name string) string {
	if path == "" || name == "" {
		return path + name
	}
	return path + "." + name
}

// naming are the members that name a record, in the order they are looked for.
const naming = " title name 标题 名称 姓名 label question 问题 id _id key code 编号 "

// label is the heading of a record in an array: what names it, or its number.
func label(name string, v Value, i int) string {
	best, at := "", len(naming)
	for _, m := range v.Members {
		s := m.Value.Text
		place := strings.Index(naming, " "+strings.ToLower(m.Name)+" ")
		if m.Name == "" || place < 0 || place >= at || m.Value.Kind != KindScalar || s == "" ||
			utf8.RuneCountInString(s) > 80 || strings.Contains(s, "\n") {
			continue
		}
		best, at = s, place
	}
	switch {
	case best != "":
		return best
	case name != "":
		return fmt.Sprintf("%s[%d]", name, i)
	}
	return fmt.Sprintf("[%d]", i)
}
