// Package grid turns the cells of a spreadsheet's sheet into the tables and lines
// that a reader sees on it.
//
// A sheet is no table: it may hold several, with titles above and notes below
// them. Blank rows and columns separate them; a line of one cell above a table is
// its title; what a merged cell covers repeats its content. Only cells that hold
// something cost anything, however far apart they stand.
//
//	s := grid.New(env.Limits)
//	err := s.Set(0, 0, grid.Cell{Text: "姓名"})
//	err = s.Write(ctx, &b)
package grid

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/text"
)

// Kind is what a cell holds.
type Kind uint8

// The kinds of cell.
const (
	Text Kind = iota
	Number
	Date
)

// Cell is the content of a cell as it is shown.
type Cell struct {
	Text string
	Kind Kind
	// Year says that a number may be a year: a whole one from 1900 to 2100.
	Year bool
	// merge counts from 1 the merged range the cell belongs to; 0 for none.
	merge int32
	col   int32
}

// row is a row that holds something, its cells by column once the sheet is
// settled.
type row struct {
	index int
	cells []Cell
}

// Range is a rectangle of cells, both ends included, counted from 0.
type Range struct{ Top, Left, Bottom, Right int }

// Sheet collects the cells of a sheet. It is for one goroutine.
type Sheet struct {
	limits guard.Limits
	rows   []row
	merges []Range
	// tables are ranges that the file itself calls tables, with the number of their
	// header rows.
	tables map[[2]int]int
	cells  int
}

// New returns an empty sheet.
func New(l guard.Limits) *Sheet { return &Sheet{limits: l, tables: make(map[[2]int]int)} }

// Set puts c at a place; a blank cell is none. Fault: limit_cells.
func (s *Sheet) Set(r, col int, c Cell) error {
	if r < 0 || col < 0 || col > 1<<20 || text.IsBlank(c.Text) {
		return nil
	}
	if s.cells++; s.cells > s.limits.Cells {
		return fault.New("limit_cells", fault.P("limit", s.limits.Cells))
	}
	c.col = int32(col)
	at := len(s.rows)
	if at > 0 && s.rows[at-1].index >= r {
		at = s.find(r)
	}
	if at == len(s.rows) || s.rows[at].index != r {
		s.rows = slices.Insert(s.rows, at, row{index: r})
	}
	s.rows[at].cells = append(s.rows[at].cells, c)
	return nil
}

// find returns the place of the first row at or below index.
func (s *Sheet) find(index int) int {
	return sort.Search(len(s.rows), func(i int) bool { return s.rows[i].index >= index })
}

// Merge states that a range is one cell.
func (s *Sheet) Merge(r Range) {
	if r.Top >= 0 && r.Left >= 0 && r.Bottom >= r.Top && r.Right >= r.Left && (r.Bottom > r.Top || r.Right > r.Left) {
		s.merges = append(s.merges, r)
	}
}

// Table states that a table begins at a place with so many header rows.
func (s *Sheet) Table(top, left, header int) { s.tables[[2]int{top, left}] = header }

// Blank reports whether no cell holds anything.
func (s *Sheet) Blank() bool { return len(s.rows) == 0 }

// Write adds the sheet's content to b. Faults: limit_cells, limit_text.
func (s *Sheet) Write(ctx context.Context, b *doctext.Builder) error {
	s.sort()
	if err := s.expand(ctx); err != nil {
		return err
	}
	if len(s.rows) == 0 {
		return nil
	}
	l := layout{sheet: s}
	l.divide(region(s.rows), 0)
	for _, p := range l.pieces {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.write(b)
		if int64(b.Len()) > s.limits.Text {
			return fault.New("limit_text", fault.P("limit", s.limits.Text))
		}
	}
	return nil
}

// sort orders the cells of each row; of two at one place the later one counts.
func (s *Sheet) sort() {
	byCol := func(a, b Cell) int { return cmp.Compare(a.col, b.col) }
	for i := range s.rows {
		cells := s.rows[i].cells
		if slices.IsSortedFunc(cells, byCol) && !doubled(cells) {
			continue
		}
		slices.Reverse(cells)
		slices.SortStableFunc(cells, byCol)
		s.rows[i].cells = slices.CompactFunc(cells, func(a, b Cell) bool { return a.col == b.col })
	}
}

func doubled(cells []Cell) bool {
	for i := 1; i < len(cells); i++ {
		if cells[i].col == cells[i-1].col {
			return true
		}
	}
	return false
}

// expand repeats the content of merged cells in the cells they cover, as far as
// the rows and columns of the sheet hold anything.
func (s *Sheet) expand(ctx context.Context) error {
	last := int32(0)
	for _, r := range s.rows {
		last = max(last, r.cells[len(r.cells)-1].col)
	}
	work, bytes := 0, int64(0)
	for i, m := range s.merges {
		if err := ctx.Err(); err != nil {
			return err
		}
		origin := s.at(m.Top, m.Left)
		if origin == nil {
			continue
		}
		origin.merge = int32(i + 1)
		fill := *origin
		right := min(m.Right, int(last))
		for r := s.find(m.Top); r < len(s.rows) && s.rows[r].index <= m.Bottom; r++ {
			n := max(right-m.Left+1, 1)
			work, bytes = work+n, bytes+int64(n*len(fill.Text))
			if work > s.limits.Cells {
				return fault.New("limit_cells", fault.P("limit", s.limits.Cells))
			}
			if bytes > s.limits.Text {
				return fault.New("limit_text", fault.P("limit", s.limits.Text))
			}
			s.rows[r].cells = cover(s.rows[r].cells, fill, m.Left, right)
		}
	}
	return nil
}

// at returns the cell at a place, nil without one.
func (s *Sheet) at(r, col int) *Cell {
	i := s.find(r)
	if i == len(s.rows) || s.rows[i].index != r {
		return nil
	}
	cells := s.rows[i].cells
	j := sort.Search(len(cells), func(k int) bool { return int(cells[k].col) >= col })
	if j == len(cells) || int(cells[j].col) != col {
		return nil
	}
	return &cells[j]
}

// cover puts fill into the columns left to right of a row. A cell that already
// holds something keeps it, but belongs to the merged range when it says the same.
func cover(cells []Cell, fill Cell, left, right int) []Cell {
	from := sort.Search(len(cells), func(k int) bool { return int(cells[k].col) >= left })
	to := sort.Search(len(cells), func(k int) bool { return int(cells[k].col) > right })
	own := cells[from:to]
	filled := make([]Cell, 0, right-left+1)
	for col := left; col <= right; col++ {
		c := fill
		c.col = int32(col)
		if len(own) > 0 && int(own[0].col) == col {
			if own[0].Text != fill.Text {
				c = own[0]
			}
			own = own[1:]
		}
		filled = append(filled, c)
	}
	return slices.Replace(cells, from, to, filled...)
}
