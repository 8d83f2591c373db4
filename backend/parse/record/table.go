package record

import (
	"strings"
	"unicode/utf8"
)

// What records must be like to be a table.
const (
	maxColumns = 60
	// maxCell and maxRow are lengths in characters, of any cell and of the mean row.
	maxCell = 300
	maxRow  = 600
	// minFilled is the share of cells that hold something.
	minFilled = 0.5
	maxHeader = 1000
	// maxJoined is the depth of names joined to one, as in "address.city".
	maxJoined = 3
)

// table returns records as rows under a header, when they are alike and short
// enough; named are the members of an object, whose names fill the first column.
func table(members []Member, named bool) (rows [][]string, ok bool) {
	if len(members) < 2 || named && len(members) < 3 {
		return nil, false
	}
	t := grid{columns: map[string]int{}}
	if named {
		t.header = []string{""}
	}
	for _, m := range members {
		t.row = make([]string, len(t.header))
		if named {
			t.row[0] = m.Name
		}
		if m.Value.Kind != KindObject || len(m.Value.Members) == 0 || !t.add("", m.Value, 1) {
			return nil, false
		}
		t.rows = append(t.rows, t.row)
	}
	full := len(t.rows) * len(t.header)
	if float64(t.filled) < minFilled*float64(full) || t.points > maxRow*len(t.rows) {
		return nil, false
	}
	head := 0
	for _, name := range t.header {
		head += utf8.RuneCountInString(name) + 3
	}
	if head > maxHeader {
		return nil, false
	}
	for i, row := range t.rows {
		t.rows[i] = append(row, make([]string, len(t.header)-len(row))...)
	}
	return append([][]string{t.header}, t.rows...), true
}

// grid is a table being made.
type grid struct {
	header  []string
	columns map[string]int
	rows    [][]string
	row     []string
	// filled counts the cells that hold something, points their characters.
	filled, points int
}

// column returns the place of a column, -1 when there are too many.
func (t *grid) column(name string) int {
	i, ok := t.columns[name]
	if !ok {
		if i = len(t.header); i == maxColumns {
			return -1
		}
		t.columns[name] = i
		t.header = append(t.header, name)
	}
	return i
}

// add puts the members of an object into the row; it reports whether they fit.
func (t *grid) add(prefix string, v Value, depth int) bool {
	for _, m := range v.Members {
		name := joined(prefix, m.Name)
		if !m.Value.flat() {
			if m.Value.Kind != KindObject || depth == maxJoined || !t.add(name, m.Value, depth+1) {
				return false
			}
			continue
		}
		s := m.Value.line()
		n := utf8.RuneCountInString(s)
		i := t.column(name)
		if i < 0 || n > maxCell || m.Value.picture() || strings.Contains(strings.TrimSpace(s), "\n\n") {
			return false
		}
		for len(t.row) <= i {
			t.row = append(t.row, "")
		}
		if t.row[i] != "" {
			return false // a name twice
		}
		t.row[i] = s
		t.filled++
		t.points += n + 3
	}
	return true
}
