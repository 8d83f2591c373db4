package docx

import (
	"context"

	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/office/flow"
	"ragdesk/backend/parse/office/opc"
)

// table reads a table. One of a single cell is a frame: its content stands alone.
func (d *document) table(ctx context.Context, r *opc.Reader, emit flow.Emit) error {
	g := flow.Grid{Limit: d.env.Limits.Cells}
	header := 0
	var frame []flow.Block
	var rows func(opc.Element) error
	rows = func(e opc.Element) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch e.Name.Local {
		case "tr":
			w, err := d.row(ctx, r)
			if err != nil || w.deleted {
				return err
			}
			if w.header && header == len(g.Rows()) {
				header++
			}
			if len(g.Rows()) == 0 && len(w.cells) == 1 {
				frame = w.blocks
			}
			return g.Row(w.cells)
		case "sdt":
			return d.control(r, func() error { return r.Children(rows) })
		case "ins", "moveTo", "customXml":
			return r.Children(rows)
		}
		return nil
	}
	if err := r.Children(rows); err != nil {
		return err
	}
	if len(g.Rows()) == 1 && frame != nil {
		for _, b := range frame {
			if err := emit(b); err != nil {
				return err
			}
		}
		return nil
	}
	if header == 0 || header >= len(g.Rows()) {
		header = g.Header()
	}
	return emit(flow.Block{Kind: flow.Table, Rows: g.Rows(), Header: header})
}

// tableRow is a row being read.
type tableRow struct {
	cells           []flow.Cell
	header, deleted bool
	// blocks are those of the last cell.
	blocks []flow.Block
}

func (d *document) row(ctx context.Context, r *opc.Reader) (tableRow, error) {
	var w tableRow
	after := 0
	var cells func(opc.Element) error
	cells = func(e opc.Element) error {
		switch e.Name.Local {
		case "trPr":
			return r.Children(func(e opc.Element) error {
				switch e.Name.Local {
				case "tblHeader":
					w.header = opc.On(e)
				case "del", "moveFrom":
					w.deleted = true
				case "gridBefore":
					if n := opc.Int(e, "val", 0); n > 0 {
						w.cells = append(w.cells, flow.Cell{Cols: n})
					}
				case "gridAfter":
					after = opc.Int(e, "val", 0)
				}
				return nil
			})
		case "tc":
			c, blocks, err := d.cell(ctx, r, w)
			if c != nil {
				w.cells, w.blocks = append(w.cells, *c), blocks
			}
			return err
		case "sdt":
			return d.control(r, func() error { return r.Children(cells) })
		case "ins", "moveTo", "customXml":
			return r.Children(cells)
		}
		return nil
	}
	err := r.Children(cells)
	if after > 0 {
		w.cells = append(w.cells, flow.Cell{Cols: after})
	}
	return w, err
}

// cell reads a cell; nil for one that was deleted. A cell of the old horizontal
// merging widens the one before it.
func (d *document) cell(ctx context.Context, r *opc.Reader, w tableRow) (*flow.Cell, []flow.Block, error) {
	c := &flow.Cell{Cols: 1}
	deleted, covered := false, false
	var blocks []flow.Block
	emit := flow.Collect(&blocks)
	outer := d.carry
	d.carry = ""
	err := r.Children(func(e opc.Element) error {
		if e.Name.Local != "tcPr" {
			return d.blockElement(ctx, r, e, emit)
		}
		return r.Children(func(e opc.Element) error {
			switch v := guard.Attr(e, "val"); e.Name.Local {
			case "gridSpan":
				c.Cols = opc.Int(e, "val", 1)
			case "vMerge":
				c.Above = v != "restart"
			case "hMerge":
				covered = v != "restart"
			case "cellDel":
				deleted = true
			}
			return nil
		})
	})
	if d.carry != "" {
		blocks = append(blocks, flow.Block{Text: d.carry})
	}
	d.carry = outer
	if err != nil || deleted {
		return nil, nil, err
	}
	c.Text = flow.Flat(blocks)
	if covered && len(w.cells) > 0 {
		w.cells[len(w.cells)-1].Cols = max(w.cells[len(w.cells)-1].Cols, 1) + c.Cols
		return nil, nil, nil
	}
	return c, blocks, nil
}
