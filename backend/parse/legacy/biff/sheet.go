package biff

import (
	"context"
	"math"
	"strconv"

	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/grid"
	"ragdesk/backend/parse/numfmt"
)

// Kinds of drawn object.
const (
	objChart   = 5
	objPicture = 8
	objNote    = 0x19
)

// sheetReader is the state between the records of a sheet.
type sheetReader struct {
	*book
	grid *grid.Sheet
	// row, col, xf are of the formula whose text follows in a STRING.
	row, col int
	pending  bool
	// object is the kind of the drawn object that a text box belongs to.
	object int
	boxes  []string
	images int
}

// checkEvery is how many records lie between two looks at the context.
const checkEvery = 4096

// sheet reads one sheet up to its end; charts inside it are counted only.
func (k *book) sheet(ctx context.Context, b *doctext.Builder, name string, s *scanner) error {
	r := &sheetReader{book: k, grid: grid.New(k.env.Limits)}
	inside := 1
	for n := 0; inside > 0; n++ {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		rec, ok := s.next()
		if !ok {
			break
		}
		switch {
		case isBOF(rec.id):
			inside++
			r.images++
		case rec.id == recEOF:
			inside--
		case inside > 1:
		default:
			if err := r.record(rec); err != nil {
				return err
			}
		}
	}
	b.Page()
	if !r.grid.Blank() {
		b.Heading(1, name)
	}
	if err := r.grid.Write(ctx, b); err != nil {
		return err
	}
	for _, box := range r.boxes {
		b.Paragraph(box)
	}
	b.Health.Images += r.images
	return nil
}

// record takes one record of the sheet itself.
func (r *sheetReader) record(rec record) error {
	switch rec.id {
	case recMergeCells:
		for i := range rec.u16(0) {
			at := 2 + 8*i
			if at+8 > len(rec.data) {
				break
			}
			r.grid.Merge(grid.Range{Top: rec.u16(at), Bottom: rec.u16(at + 2), Left: rec.u16(at + 4), Right: rec.u16(at + 6)})
		}
	case recObj:
		r.object = rec.u16(4)
		if r.object == objPicture {
			r.images++
		}
	case recTxo:
		if r.object != objNote && len(rec.rest) > 0 {
			s := &segments{parts: rec.rest}
			r.boxes = append(r.boxes, s.chars(rec.u16(10), s.u8()))
		}
	case recMulRK:
		for i := 0; 4+6*i+6 < len(rec.data); i++ {
			at := 4 + 6*i
			if err := r.number(rec.u16(0), rec.u16(2)+i, rec.u16(at), rk(u32(rec.data, at+2))); err != nil {
				return err
			}
		}
	case recCodepage, recDateMode, recXF, recXF3, recXF4, recFormat, recFormat2:
		// A book of one sheet has its settings here.
		r.setting(rec)
	default:
		return r.cell(rec)
	}
	return nil
}

// cell takes a record that is one cell.
func (r *sheetReader) cell(rec record) error {
	if len(rec.data) < shortest(rec.id) {
		return nil
	}
	row, col, xf := rec.u16(0), rec.u16(2), rec.u16(4)
	switch rec.id {
	case recNumber:
		return r.number(row, col, xf, math.Float64frombits(u64(rec.data, 6)))
	case recRK:
		return r.number(row, col, xf, rk(u32(rec.data, 6)))
	case recNumber2:
		return r.number(row, col, -1, math.Float64frombits(u64(rec.data, 7)))
	case recInteger2:
		return r.number(row, col, -1, float64(rec.u16(7)))
	case recLabelSST:
		if i := u32(rec.data, 6); int64(i) < int64(len(r.strings)) {
			return r.text(row, col, r.strings[i])
		}
	case recLabel, recRString:
		return r.label(row, col, rec)
	case recLabel2:
		return r.text(row, col, r.short(rec.data, 7))
	case recBoolErr:
		return r.text(row, col, boolErr(rec.u8(6), rec.u8(7) != 0))
	case recBoolErr2:
		return r.text(row, col, boolErr(rec.u8(7), rec.u8(8) != 0))
	case recFormula, recFormula3, recFormula4:
		return r.formula(row, col, xf, rec)
	case recString, recString2:
		return r.formulaText(rec)
	}
	return nil
}

// shortest is the size below which a record says nothing.
func shortest(id uint16) int {
	switch id {
	case recNumber, recFormula, recFormula3, recFormula4:
		return 14
	case recNumber2:
		return 15
	case recRK, recLabelSST:
		return 10
	case recString, recString2:
		return 1
	}
	return 8
}

// label takes a cell with a text of its own.
func (r *sheetReader) label(row, col int, rec record) error {
	if r.biff8 {
		s := segmentsOf(rec)
		s.skip(6)
		count := s.u16()
		return r.text(row, col, s.chars(count, s.u8()))
	}
	end := min(8+rec.u16(6), len(rec.data))
	if end <= 8 {
		return nil
	}
	return r.text(row, col, bytesString(rec.data[8:end], r.codepage))
}

// formula takes the value that a formula had when it was saved.
func (r *sheetReader) formula(row, col, xf int, rec record) error {
	r.pending = false
	if rec.u16(12) != 0xffff {
		return r.number(row, col, xf, math.Float64frombits(u64(rec.data, 6)))
	}
	switch rec.u8(6) {
	case 0:
		r.row, r.col, r.pending = row, col, true
	case 1:
		return r.text(row, col, boolErr(rec.u8(8), false))
	case 2:
		return r.text(row, col, boolErr(rec.u8(8), true))
	}
	return nil
}

// formulaText takes the text that the formula before it had.
func (r *sheetReader) formulaText(rec record) error {
	if !r.pending {
		return nil
	}
	r.pending = false
	if r.biff8 {
		return r.text(r.row, r.col, segmentsOf(rec).unicode())
	}
	end := min(2+rec.u16(0), len(rec.data))
	if end <= 2 {
		return nil
	}
	return r.text(r.row, r.col, bytesString(rec.data[2:end], r.codepage))
}

// text takes a cell that shows a text.
func (r *sheetReader) text(row, col int, s string) error {
	return r.grid.Set(row, col, grid.Cell{Text: s})
}

// number takes a numeric cell; xf is -1 without a format.
func (r *sheetReader) number(row, col, xf int, v float64) error {
	return r.grid.Set(row, col, grid.Numeric(v, r.format(xf), r.date1904))
}

// format returns the number format of a cell format; nil without.
func (k *book) format(xf int) *numfmt.Format {
	if xf < 0 || xf >= len(k.xf) {
		return nil
	}
	id := k.xf[xf]
	if k.parsed[id] == nil {
		code := k.formats[id]
		if code == "" {
			code = numfmt.Builtin(id)
		}
		k.parsed[id] = numfmt.Parse(code)
	}
	return k.parsed[id]
}

// rk unpacks a number of 30 bits.
func rk(v uint32) float64 {
	var f float64
	if v&2 != 0 {
		f = float64(int32(v) >> 2)
	} else {
		f = math.Float64frombits(uint64(v&^3) << 32)
	}
	if v&1 != 0 {
		f /= 100
	}
	return f
}

// boolErr names a truth value or an error.
func boolErr(v int, isError bool) string {
	if !isError {
		return map[bool]string{true: "TRUE", false: "FALSE"}[v != 0]
	}
	names := map[int]string{0x00: "#NULL!", 0x07: "#DIV/0!", 0x0f: "#VALUE!", 0x17: "#REF!",
		0x1d: "#NAME?", 0x24: "#NUM!", 0x2a: "#N/A"}
	if name := names[v]; name != "" {
		return name
	}
	return "#ERR" + strconv.Itoa(v)
}
