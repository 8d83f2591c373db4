package rtf

import (
	"strings"

	"ragdesk/backend/parse/doctext"
)

// rows is the state of the table being read.
type rows struct {
	// cells describe the row's cells, next is the one to come.
	cells []doctext.Cell
	next  doctext.Cell
	// header: the row is a header.
	header bool
	// lines are the paragraphs of the open cell, row its row's cells.
	lines, row []string
	// innerLines and inner are those of a table inside the cell.
	innerLines, inner []string
}

// line adds a paragraph of a cell.
func (t *rows) line(s string, inner bool) {
	if inner {
		t.innerLines = append(t.innerLines, s)
		return
	}
	t.lines = append(t.lines, s)
}

// open reports whether a row has begun.
func (t *rows) open() bool { return len(t.row)+len(t.lines)+len(t.inner)+len(t.innerLines) > 0 }

// tableWord takes what describes tables; false for others.
func (r *reader) tableWord(word string, n int) bool {
	if r.st.skip || r.st.table != noTable {
		return false
	}
	t := &r.rows
	switch word {
	case "trowd":
		if !r.st.nested {
			t.cells, t.next, t.header = nil, doctext.Cell{}, false
		}
	case "trhdr":
		t.header = t.header || !r.st.nested
	case "clmrg":
		t.next.Left = true
	case "clvmrg":
		t.next.Above = true
	case "cellx":
		if !r.st.nested {
			t.next.Right = n
			t.cells = append(t.cells, t.next)
		}
		t.next = doctext.Cell{}
	case "cell":
		r.endCell()
	case "row":
		r.endRow()
	case "nestcell":
		r.endInnerCell()
	case "nestrow":
		r.endInnerRow()
	default:
		return false
	}
	return true
}

// takeCell returns the text of a paragraph in a cell with its list's number.
func (r *reader) takeCell() string {
	p := r.para(r.take(), r.st.para)
	if p.Marker != "" && p.Text != "" && strings.ContainsFunc(p.Marker, func(c rune) bool { return c < 0x2000 && c != '·' }) {
		return p.Marker + " " + p.Text
	}
	return p.Text
}

// endCell ends a cell of the outermost table.
func (r *reader) endCell() {
	r.flush()
	if len(r.sinks) > 1 {
		r.sink().WriteByte('\t')
		return
	}
	t := &r.rows
	t.lines = append(t.lines, r.takeCell())
	t.row = append(t.row, strings.TrimSpace(strings.Join(append(t.lines, r.boxes...), "\n")))
	t.lines, r.boxes = nil, nil
}

// lastCell ends the cell that the document ends in.
func (r *reader) lastCell() {
	if r.flush(); r.st.para.inTable && len(r.sinks) == 1 && strings.TrimSpace(r.sinks[0].String()) != "" {
		r.endCell()
	}
}

// endInnerCell ends a cell of a table inside a cell.
func (r *reader) endInnerCell() {
	r.flush()
	if len(r.sinks) > 1 {
		r.sink().WriteByte('\t')
		return
	}
	t := &r.rows
	t.innerLines = append(t.innerLines, r.takeCell())
	t.inner = append(t.inner, strings.TrimSpace(strings.Join(t.innerLines, " ")))
	t.innerLines = nil
}

// endInnerRow ends a row of a table inside a cell: a line of the cell.
func (r *reader) endInnerRow() {
	if len(r.rows.inner) > 0 {
		r.rows.lines = append(r.rows.lines, strings.Join(r.rows.inner, " | "))
	}
	r.rows.inner = nil
}

// endRow ends a row of the outermost table.
func (r *reader) endRow() {
	r.flush()
	if len(r.sinks) > 1 {
		r.sink().WriteByte('\n')
		return
	}
	t := &r.rows
	r.endInnerRow()
	if len(t.lines) > 0 || strings.TrimSpace(r.sinks[0].String()) != "" {
		r.endCell()
	}
	if len(t.row) == 0 {
		return
	}
	t.flush(&r.flow)
}

// flush adds the row to the text.
func (t *rows) flush(flow *doctext.Flow) {
	cells := doctext.Cells(t.row, t.cells)
	flow.Row(cells, t.header)
	t.row = nil
}

// endTable ends a row that nothing ended.
func (r *reader) endTable() {
	if r.rows.open() {
		rest := r.take()
		r.endInnerRow()
		r.rows.row = append(r.rows.row, strings.TrimSpace(strings.Join(r.rows.lines, "\n")))
		r.rows.lines = nil
		r.rows.flush(&r.flow)
		r.sinks[0].WriteString(rest)
	}
}
