package odf

import (
	"context"

	"ragdesk/backend/parse/office/flow"
	"ragdesk/backend/parse/office/opc"
)

const (
	// mostRows is how often a row that holds something is repeated.
	mostRows = 1000
	// mostColumns is how often a cell of a table in a text is repeated.
	mostColumns = 256
)

// table reads a table of a text or slide. One of a single cell is left as a table
// of one cell.
func (d *document) table(ctx context.Context, r *opc.Reader) (flow.Block, error) {
	g := flow.Grid{Limit: d.env.Limits.Cells}
	header := 0
	var rows func(opc.Element) error
	rows = func(e opc.Element) error {
		switch e.Name.Local {
		case "table-header-rows":
			before := len(g.Rows())
			err := r.Children(rows)
			if before == 0 {
				header = len(g.Rows())
			}
			return err
		case "table-rows", "table-row-group":
			return r.Children(rows)
		case "table-row":
			cells, blank, err := d.row(ctx, r)
			if err != nil {
				return err
			}
			n := min(max(opc.Int(e, "number-rows-repeated", 1), 1), mostRows)
			if blank {
				n = 1
			}
			for range n {
				if err := g.Row(cells); err != nil {
					return err
				}
			}
		}
		return nil
	}
	err := r.Children(rows)
	if header == 0 || header >= len(g.Rows()) {
		header = g.Header()
	}
	return flow.Block{Kind: flow.Table, Rows: g.Rows(), Header: header}, err
}

// row reads the cells of a row; covered ones are left out, since those that cover
// them say how far they reach.
func (d *document) row(ctx context.Context, r *opc.Reader) (cells []flow.Cell, blank bool, err error) {
	blank = true
	err = r.Children(func(e opc.Element) error {
		if e.Name.Local != "table-cell" {
			return nil
		}
		blocks, err := d.collect(ctx, r)
		c := flow.Cell{Text: flow.Flat(blocks), Cols: opc.Int(e, "number-columns-spanned", 1),
			Rows: opc.Int(e, "number-rows-spanned", 1)}
		blank = blank && c.Text == ""
		for range min(max(opc.Int(e, "number-columns-repeated", 1), 1), mostColumns) {
			cells = append(cells, c)
		}
		return err
	})
	return cells, blank, err
}
