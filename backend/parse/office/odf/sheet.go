package odf

import (
	"context"
	"strconv"
	"strings"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/grid"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/office/flow"
	"ragdesk/backend/parse/office/opc"
	"ragdesk/backend/text"
)

// sheets reads the sheets of a spreadsheet, each as a page.
func (d *document) sheets(ctx context.Context, r *opc.Reader) error {
	return r.Children(func(e opc.Element) error {
		if e.Name.Local != "table" {
			return nil
		}
		if err := d.page(); err != nil {
			return err
		}
		return d.sheet(ctx, r, e)
	})
}

// page starts a page. Fault: limit_pages.
func (d *document) page() error {
	if d.pages++; d.pages > d.env.Limits.Pages {
		return fault.New("limit_pages", fault.P("limit", d.env.Limits.Pages), fault.P("pages", d.pages))
	}
	if err := d.w.Flush(); err != nil {
		return err
	}
	d.out.Page()
	return nil
}

// sheetReader reads the cells of one sheet.
type sheetReader struct {
	d    *document
	name string
	grid *grid.Sheet
	row  int
	// noValue counts formulas without a value, cut is how often a row was repeated
	// that was cut short.
	noValue, cut int
	boxes        []flow.Block
}

func (d *document) sheet(ctx context.Context, r *opc.Reader, e opc.Element) error {
	l := d.env.Limits
	l.Cells = max(l.Cells-d.cells, 0)
	s := &sheetReader{d: d, name: guard.Attr(e, "name"), grid: grid.New(l)}
	if d.styles.isHidden("table", guard.Attr(e, "style-name")) {
		d.out.Warn(doctext.WarnHidden, s.name)
	}
	if err := s.rows(ctx, r); err != nil {
		return err
	}
	if s.noValue > 0 {
		d.out.Warn(doctext.WarnNoValues, s.name+": "+strconv.Itoa(s.noValue))
	}
	if s.cut > 0 {
		d.out.Warn(WarnRows, s.name+": "+strconv.Itoa(s.cut))
	}
	if s.grid.Blank() && len(s.boxes) == 0 {
		return nil
	}
	d.out.Heading(1, s.name)
	if err := s.grid.Write(ctx, d.out); err != nil {
		return err
	}
	for _, b := range s.boxes {
		if err := d.emit(b); err != nil {
			return err
		}
	}
	return d.w.Flush()
}

func (s *sheetReader) rows(ctx context.Context, r *opc.Reader) error {
	return r.Children(func(e opc.Element) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch e.Name.Local {
		case "table-row":
			return s.readRow(ctx, r, e)
		case "table-rows", "table-header-rows", "table-row-group":
			return s.rows(ctx, r)
		case "shapes":
			return s.d.shapeBlocks(ctx, r, e, s.box)
		}
		return nil
	})
}

func (s *sheetReader) box(b flow.Block) error {
	s.boxes = append(s.boxes, b)
	return nil
}

// placed is a cell with its column and how often it stands there.
type placed struct {
	cell       grid.Cell
	col, times int
}

func (s *sheetReader) readRow(ctx context.Context, r *opc.Reader, e opc.Element) error {
	var cells []placed
	col := 0
	err := r.Children(func(e opc.Element) error {
		if e.Name.Local != "table-cell" && e.Name.Local != "covered-table-cell" {
			return nil
		}
		n := max(opc.Int(e, "number-columns-repeated", 1), 1)
		c, err := s.readCell(ctx, r, e)
		if err != nil {
			return err
		}
		if e.Name.Local == "table-cell" && !text.IsBlank(c.Text) {
			cells = append(cells, placed{c, col, n})
			s.grid.Merge(grid.Range{Top: s.row, Left: col,
				Bottom: s.row + min(opc.Int(e, "number-rows-spanned", 1), 1<<20) - 1,
				Right:  col + min(opc.Int(e, "number-columns-spanned", 1), 1<<14) - 1})
		}
		col = min(col+n, 1<<20)
		return nil
	})
	if err != nil {
		return err
	}
	repeat := min(max(opc.Int(e, "number-rows-repeated", 1), 1), 1<<21)
	times := min(repeat, mostRows)
	if len(cells) > 0 && times < repeat {
		s.cut = repeat
	}
	for i := 0; i < times && len(cells) > 0; i++ {
		if err := s.set(s.row+i, cells); err != nil {
			return err
		}
	}
	s.row = min(s.row+repeat, 1<<30)
	return nil
}

// set puts the cells of a row into the grid.
func (s *sheetReader) set(row int, cells []placed) error {
	for _, c := range cells {
		for i := range c.times {
			if err := s.grid.Set(row, c.col+i, c.cell); err != nil {
				return err
			}
			s.d.cells++
		}
	}
	return nil
}

// readCell reads what a cell shows. Annotations are not text.
func (s *sheetReader) readCell(ctx context.Context, r *opc.Reader, e opc.Element) (grid.Cell, error) {
	var lines []string
	err := r.Children(func(e opc.Element) error {
		switch {
		case e.Name.Local == "p":
			in := inline{d: s.d}
			err := in.read(ctx, r)
			lines = append(lines, strings.TrimSpace(in.out.String()))
			s.boxes = append(s.boxes, in.boxes...)
			return err
		case isShape(e):
			return s.d.shapeBlocks(ctx, r, e, s.box)
		}
		return nil
	})
	c := grid.Cell{Text: strings.TrimSpace(strings.Join(lines, "\n"))}
	value := ""
	switch guard.Attr(e, "value-type") {
	case "float", "currency", "percentage":
		c.Kind, value = grid.Number, plainValue(e)
		v, err := strconv.ParseFloat(value, 64)
		c.Year = err == nil && grid.MayBeYear(v)
	case "date":
		c.Kind, value = grid.Date, guard.Attr(e, "date-value")
	case "time":
		c.Kind, value = grid.Date, guard.Attr(e, "time-value")
	case "boolean":
		value = strings.ToUpper(guard.Attr(e, "boolean-value"))
	case "string":
		value = guard.Attr(e, "string-value")
	}
	if c.Text == "" {
		c.Text = value
	}
	if c.Text == "" && guard.Attr(e, "formula") != "" && guard.Attr(e, "value-type") == "" {
		s.noValue++
	}
	return c, err
}

// plainValue returns the attribute value, which other attributes end in too.
func plainValue(e opc.Element) string {
	for _, a := range e.Attr {
		if a.Name.Local == "value" {
			return a.Value
		}
	}
	return ""
}
