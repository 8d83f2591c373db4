package xlsx

import (
	"strconv"
	"strings"

	"ragdesk/backend/parse/grid"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/numfmt"
	"ragdesk/backend/parse/office/opc"
)

// formats are the number formats of a workbook's cell styles, by their index.
type formats []*numfmt.Format

func readFormats(r *opc.Reader) (formats, error) {
	codes := make(map[int]string)
	parsed := make(map[int]*numfmt.Format)
	var out formats
	err := r.Children(func(e opc.Element) error {
		switch e.Name.Local {
		case "numFmts":
			return r.Children(func(e opc.Element) error {
				codes[opc.Int(e, "numFmtId", -1)] = guard.Attr(e, "formatCode")
				return nil
			})
		case "cellXfs":
			return r.Children(func(e opc.Element) error {
				id := opc.Int(e, "numFmtId", 0)
				if parsed[id] == nil {
					code, own := codes[id]
					if !own {
						code = numfmt.Builtin(id)
					}
					parsed[id] = numfmt.Parse(code)
				}
				out = append(out, parsed[id])
				return nil
			})
		}
		return nil
	})
	return out, err
}

// at returns the format of a style; nil for one that is not known.
func (f formats) at(style int) *numfmt.Format {
	if style < 0 || style >= len(f) {
		return nil
	}
	return f[style]
}

// number shows a number by a style.
func (f formats) number(raw string, style int, date1904 bool) grid.Cell {
	v, err := strconv.ParseFloat(strings.TrimSpace(raw), 64)
	if err != nil {
		return grid.Cell{Text: raw}
	}
	return grid.Numeric(v, f.at(style), date1904)
}
