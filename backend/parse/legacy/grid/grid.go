// Package grid lays out the cells of a spreadsheet as headings, paragraphs and
// tables.
//
// A run of rows between blank ones is a table of its own; a row that says one
// thing is a paragraph; the first row of a table is its header unless it looks
// like data; merged cells repeat their value; columns blank throughout a table
// are left out.
//
//	s := grid.New("报价", env.Limits)
//	err := s.Set(0, 0, "产品", false)
//	s.Merge(0, 0, 0, 3)
//	err = s.Write(ctx, &b)
//
// Faults: limit_cells, limit_text.
package grid

import (
	"context"
	"slices"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/text"
)

// cell is a value and whether it is a number, date or truth value.
type cell struct {
	text string
	data bool
	// merged says that the value is a copy of a merged range's.
	merged bool
}

// area is a merged range, both ends included.
type area struct{ row1, col1, row2, col2 int }

// Sheet collects the cells of one sheet. It is for one goroutine.
type Sheet struct {
	name   string
	limits guard.Limits
	rows   map[int]map[int]cell
	merges []area
	// byRow are the merged ranges by the row that they begin in.
	byRow map[int][]area
	cells int
	bytes int64
}

// New returns an empty sheet.
func New(name string, l guard.Limits) *Sheet {
	return &Sheet{name: name, limits: l, rows: map[int]map[int]cell{}}
}

// Set gives a cell its value; data says that it is no text. Rows and columns
// count from 0. Faults: limit_cells, limit_text.
func (s *Sheet) Set(row, col int, value string, data bool) error {
	if text.IsBlank(value) {
		return nil
	}
	return s.put(row, col, cell{text: value, data: data})
}

func (s *Sheet) put(row, col int, c cell) error {
	if s.cells++; s.cells > s.limits.Cells {
		return fault.New("limit_cells", fault.P("limit", s.limits.Cells))
	}
	if s.bytes += int64(len(c.text)); s.bytes > s.limits.Text {
		return fault.New("limit_text", fault.P("limit", s.limits.Text))
	}
	if s.rows[row] == nil {
		s.rows[row] = map[int]cell{}
	}
	s.rows[row][col] = c
	return nil
}

// Merge says that a range, both ends included, shows the value of its first
// cell.
func (s *Sheet) Merge(row1, col1, row2, col2 int) {
	if row2 < row1 || col2 < col1 || row1 == row2 && col1 == col2 {
		return
	}
	s.merges = append(s.merges, area{row1, col1, row2, col2})
}

// Write adds the sheet as a page with its name as heading.
func (s *Sheet) Write(ctx context.Context, b *doctext.Builder) error {
	b.Page()
	numbers := s.rowNumbers()
	if len(numbers) == 0 {
		return nil
	}
	s.byRow = make(map[int][]area, len(s.merges))
	for _, m := range s.merges {
		s.byRow[m.row1] = append(s.byRow[m.row1], m)
	}
	if err := s.fill(ctx, numbers); err != nil {
		return err
	}
	b.Heading(1, s.name)
	var before []string
	for len(numbers) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := 1
		for n < len(numbers) && numbers[n] == numbers[n-1]+1 {
			n++
		}
		var err error
		if before, err = s.region(b, numbers[:n], before); err != nil {
			return err
		}
		numbers = numbers[n:]
	}
	return nil
}

func (s *Sheet) rowNumbers() []int {
	numbers := make([]int, 0, len(s.rows))
	for row := range s.rows {
		numbers = append(numbers, row)
	}
	slices.Sort(numbers)
	return numbers
}

// fill copies the value of each merged range over the part of it that lies in
// rows and columns that hold something, up to the limit of cells.
func (s *Sheet) fill(ctx context.Context, numbers []int) error {
	columns := s.columns(numbers)
	// Overlapping ranges are an error; looking at many of them would take for ever.
	looks := 0
	for _, m := range s.merges {
		if err := ctx.Err(); err != nil {
			return err
		}
		value, ok := s.rows[m.row1][m.col1]
		if !ok {
			continue
		}
		value.merged = true
		from, _ := slices.BinarySearch(numbers, m.row1)
		left, _ := slices.BinarySearch(columns, m.col1)
		for _, row := range numbers[from:] {
			if row > m.row2 {
				break
			}
			for _, col := range columns[left:] {
				if looks++; col > m.col2 {
					break
				}
				if s.cells >= s.limits.Cells || looks > 4*s.limits.Cells {
					return nil
				}
				if _, taken := s.rows[row][col]; taken {
					continue
				}
				if err := s.put(row, col, value); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// region writes the rows of one run without a blank row and returns its header;
// before is the header of the run above.
func (s *Sheet) region(b *doctext.Builder, numbers []int, before []string) ([]string, error) {
	for len(numbers) > 0 && single(s.rows[numbers[0]]) && (len(numbers) == 1 || !single(s.rows[numbers[1]]) || s.long(numbers[0])) {
		b.Paragraph(first(s.rows[numbers[0]]))
		numbers = numbers[1:]
	}
	if len(numbers) == 0 {
		return before, nil
	}
	columns := s.columns(numbers)
	if len(numbers)*len(columns) > s.limits.Cells {
		return nil, fault.New("limit_cells", fault.P("limit", s.limits.Cells))
	}
	rows := make([][]string, len(numbers))
	for i, n := range numbers {
		rows[i] = make([]string, len(columns))
		for j, col := range columns {
			rows[i][j] = s.rows[n][col].text
		}
	}
	header := s.header(numbers, rows)
	if header == 0 && len(before) == len(columns) {
		rows, header = slices.Insert(rows, 0, before), 1
		b.Health.RowsRead--
		b.Health.RowsKept--
	}
	b.Rows(rows, header)
	if int64(b.Len()) > s.limits.Text {
		return nil, fault.New("limit_text", fault.P("limit", s.limits.Text))
	}
	if header > 0 {
		return rows[header-1], nil
	}
	return nil, nil
}

// columns lists the columns that hold something in one of the rows.
func (s *Sheet) columns(numbers []int) []int {
	used := map[int]bool{}
	for _, n := range numbers {
		for col := range s.rows[n] {
			used[col] = true
		}
	}
	columns := make([]int, 0, len(used))
	for col := range used {
		columns = append(columns, col)
	}
	slices.Sort(columns)
	return columns
}

// single reports whether a row shows one value alone.
func single(row map[int]cell) bool {
	value := ""
	plain := 0
	for _, c := range row {
		if value != "" && c.text != value {
			return false
		}
		value = c.text
		if !c.merged {
			plain++
		}
	}
	// Copies of a merged range are one value; equal cells of their own are not.
	return plain <= 1 || len(row) == 1
}

func first(row map[int]cell) string {
	for _, c := range row {
		return c.text
	}
	return ""
}

// longTitle is the number of bytes from which a lone cell is running text.
const longTitle = 120

// long reports whether the row's one value is running text or a title across
// several columns rather than an entry of a list.
func (s *Sheet) long(row int) bool {
	return len(s.rows[row]) > 1 || len(first(s.rows[row])) > longTitle
}

// maxHeader is the most header rows looked for.
const maxHeader = 4

// header counts the header rows of a run: the first one when it looks like one,
// and those that merged cells of the header reach into or divide. rows are the
// values at numbers.
func (s *Sheet) header(numbers []int, rows [][]string) int {
	n := doctext.HeaderRows(rows)
	if n == 0 && s.divided(numbers) {
		n = 1 // repeated names of groups
	}
	most := min(maxHeader, len(numbers)-1)
	for i := 0; i < n && n < most; i++ {
		for _, m := range s.byRow[numbers[i]] {
			reach := i + 1 + m.row2 - m.row1
			if m.col2 > m.col1 && reach < len(numbers) && s.words(numbers[reach]) {
				reach++ // a group's name above the names of its columns
			}
			n = min(max(n, reach), most)
		}
	}
	for i := 1; i < n; i++ {
		if !s.words(numbers[i]) {
			return i
		}
	}
	return n
}

// divided reports whether the first row names groups of columns: it is of words,
// a cell of it spans several columns, and the second row is of words too.
func (s *Sheet) divided(numbers []int) bool {
	if len(numbers) < 3 || !s.words(numbers[0]) || !s.words(numbers[1]) {
		return false
	}
	return slices.ContainsFunc(s.byRow[numbers[0]], func(m area) bool { return m.col2 > m.col1 })
}

// words reports whether a row holds short texts only.
func (s *Sheet) words(row int) bool {
	for _, c := range s.rows[row] {
		if c.data && !year(c.text) || len(c.text) > longTitle {
			return false
		}
	}
	return true
}

// year reports whether s is a year of our time, which heads a column as often as
// it is data.
func year(s string) bool { return len(s) == 4 && "1900" <= s && s <= "2100" }
