package xlsx

import (
	"context"
	"strconv"
	"strings"

	"ragdesk/backend/parse/grid"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/office/opc"
	"ragdesk/backend/text"
)

// sheetReader reads the cells of one sheet.
type sheetReader struct {
	w    *workbook
	grid *grid.Sheet
	// row and col are where the next cell stands that does not say where.
	row, col int
	cells    int
	// noValue counts formulas without a saved value.
	noValue int
}

func (s *sheetReader) read(ctx context.Context, r *opc.Reader) error {
	return r.Children(func(e opc.Element) error {
		switch e.Name.Local {
		case "sheetData":
			return r.Children(func(e opc.Element) error {
				if err := ctx.Err(); err != nil {
					return err
				}
				if e.Name.Local != "row" {
					return nil
				}
				return s.readRow(r, e)
			})
		case "mergeCells":
			return r.Children(func(e opc.Element) error {
				if m, ok := parseRange(guard.Attr(e, "ref")); ok {
					s.grid.Merge(m)
				}
				return nil
			})
		}
		return nil
	})
}

func (s *sheetReader) readRow(r *opc.Reader, e opc.Element) error {
	if n := opc.Int(e, "r", 0); n > 0 {
		s.row = n - 1
	}
	s.col = 0
	err := r.Children(func(e opc.Element) error {
		if e.Name.Local != "c" {
			return nil
		}
		return s.readCell(r, e)
	})
	s.row++
	return err
}

func (s *sheetReader) readCell(r *opc.Reader, e opc.Element) error {
	var kind, ref, metadata string
	style := 0
	for _, a := range e.Attr {
		switch a.Name.Local {
		case "t":
			kind = a.Value
		case "r":
			ref = a.Value
		case "vm":
			metadata = a.Value
		case "s":
			style, _ = strconv.Atoi(a.Value) // not a number: the first style
		}
	}
	row, col := s.row, s.col
	if ref != "" {
		if at, ok := parseRef(ref); ok {
			row, col = at[0], at[1]
		}
	}
	s.col = col + 1
	value, inline, formula := "", "", false
	err := r.Children(func(e opc.Element) (err error) {
		switch e.Name.Local {
		case "v":
			value, err = r.Text()
		case "is":
			inline, err = richText(r)
		case "f":
			formula = true
		}
		return err
	})
	if err != nil {
		return err
	}
	if formula && value == "" && inline == "" && kind != "str" {
		s.noValue++
	}
	c := s.content(kind, value, inline, style)
	if text.IsBlank(c.Text) {
		return nil
	}
	if pictureCell(kind, c.Text, metadata) {
		s.w.out.Health.Images++
		return nil
	}
	s.cells++
	return s.grid.Set(row, col, c)
}

// pictureCell reports whether a cell shows a picture: Excel writes it as an error
// with metadata, WPS as a function.
func pictureCell(kind, shown, metadata string) bool {
	return kind == "e" && metadata != "" && shown == "#VALUE!" ||
		strings.HasPrefix(shown, "=DISPIMG(") || strings.HasPrefix(shown, "=_xlfn.DISPIMG(")
}

// content returns what a cell shows.
func (s *sheetReader) content(kind, value, inline string, style int) grid.Cell {
	switch kind {
	case "s":
		i, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil || i < 0 || i >= len(s.w.strings) {
			return grid.Cell{}
		}
		return grid.Cell{Text: s.shown(s.w.strings[i], style)}
	case "inlineStr":
		if inline == "" {
			inline = unescape(value)
		}
		return grid.Cell{Text: s.shown(inline, style)}
	case "str":
		return grid.Cell{Text: s.shown(unescape(value), style)}
	case "e":
		return grid.Cell{Text: value}
	case "b":
		switch strings.TrimSpace(value) {
		case "":
			return grid.Cell{}
		case "0", "false":
			return grid.Cell{Text: "FALSE"}
		}
		return grid.Cell{Text: "TRUE"}
	case "d":
		return grid.Cell{Text: isoDate(value), Kind: grid.Date}
	}
	if strings.TrimSpace(value) == "" {
		return grid.Cell{Text: inline}
	}
	return s.w.formats.number(value, style, s.w.date1904)
}

// shown puts a text into its number format.
func (s *sheetReader) shown(v string, style int) string {
	if f := s.w.formats.at(style); f != nil && !text.IsBlank(v) {
		return f.Text(v)
	}
	return v
}

// isoDate writes an ISO 8601 date as dates are read: without an empty time.
func isoDate(s string) string {
	s = strings.TrimSuffix(strings.TrimSpace(s), "Z")
	day, time, _ := strings.Cut(s, "T")
	if time = strings.TrimSuffix(time, ".000"); time == "" || time == "00:00:00" {
		return day
	}
	return day + " " + time
}

// parseRef reads a reference such as B3 or $B$3 as row and column from 0.
func parseRef(ref string) (at [2]int, ok bool) {
	row, col := 0, 0
	for _, c := range ref {
		switch {
		case c == '$':
		case 'A' <= c && c <= 'Z' && row == 0:
			col = col*26 + int(c-'A') + 1
		case 'a' <= c && c <= 'z' && row == 0:
			col = col*26 + int(c-'a') + 1
		case '0' <= c && c <= '9' && col > 0:
			row = row*10 + int(c-'0')
		default:
			return at, false
		}
		if col > 1<<14 || row > 1<<20 {
			return at, false
		}
	}
	return [2]int{row - 1, col - 1}, row > 0 && col > 0
}

// parseRange reads a reference such as A1:C3.
func parseRange(ref string) (grid.Range, bool) {
	from, to, both := strings.Cut(ref, ":")
	a, okA := parseRef(from)
	b, okB := parseRef(to)
	return grid.Range{Top: a[0], Left: a[1], Bottom: b[0], Right: b[1]}, both && okA && okB
}
