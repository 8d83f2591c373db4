package flow

import "ragdesk/backend/fault"

// Grid is a table being built whose cells may cover several rows and columns. The
// text of a cell stands in every place it covers.
type Grid struct {
	// Limit is the most cells, covered ones included.
	Limit int
	rows  [][]string
	// below are cells of earlier rows that cover rows to come, by their columns.
	below []span
	cells int
	// joined says that a cell of the first row covers several columns. reach is, by
	// column, how many rows the first row's cell covers.
	joined bool
	reach  map[int]int
}

// span is a cell that covers columns from col on for some more rows.
type span struct {
	col, width, rows int
	text             string
}

// Cell is a cell of a row with how many columns and rows it covers; 0 counts as
// 1.
type Cell struct {
	Text       string
	Cols, Rows int
	// Above says that the cell is covered by the one above it.
	Above bool
}

// widest is the most columns one cell is taken to cover; Word knows 63.
const widest = 1024

// Row adds a row. Columns that cells of earlier rows cover are filled with their
// text and pass for taken. Fault: limit_cells.
func (g *Grid) Row(cells []Cell) error {
	var row []string
	var still []span
	for _, c := range cells {
		row, still = g.covered(row, still, false)
		c = g.note(c, len(row))
		width := min(max(c.Cols, 1), widest)
		if c.Rows > 1 {
			still = append(still, span{col: len(row), width: width, rows: c.Rows - 1, text: c.Text})
		}
		for range width {
			row = append(row, c.Text)
		}
		if g.cells+len(row) > g.Limit {
			return fault.New("limit_cells", fault.P("limit", g.Limit))
		}
	}
	row, still = g.covered(row, still, true)
	g.below = still
	g.cells += len(row)
	g.rows = append(g.rows, row)
	return nil
}

// covered appends to row the cells of earlier rows that cover what comes next;
// all says that the row has no more cells of its own.
func (g *Grid) covered(row []string, still []span, all bool) ([]string, []span) {
	for len(g.below) > 0 && (all || g.below[0].col <= len(row)) {
		s := g.below[0]
		g.below = g.below[1:]
		for len(row) < s.col {
			row = append(row, "")
		}
		for len(row) < s.col+s.width {
			row = append(row, s.text)
		}
		if s.rows--; s.rows > 0 {
			still = append(still, s)
		}
	}
	return row, still
}

// note keeps what Header needs to know of a cell at col, and fills a cell that is
// covered from above.
func (g *Grid) note(c Cell, col int) Cell {
	n := len(g.rows)
	if n == 0 {
		if g.reach == nil {
			g.reach = make(map[int]int)
		}
		g.joined = g.joined || c.Cols > 1
		g.reach[col] = max(c.Rows, 1)
		return c
	}
	if c.Above {
		if above := g.rows[n-1]; col < len(above) {
			c.Text = above[col]
		}
		if g.reach[col] == n {
			g.reach[col]++
		}
	}
	return c
}

// Rows returns the rows so far.
func (g *Grid) Rows() [][]string { return g.rows }

// Header guesses how many rows are the header of a table that does not say: one,
// or those that a first row with joined cells reaches down to.
func (g *Grid) Header() int {
	tall := 1
	for _, rows := range g.reach {
		tall = max(tall, rows)
	}
	if g.joined && tall <= 3 && tall < len(g.rows) {
		return tall
	}
	return min(1, len(g.rows))
}
