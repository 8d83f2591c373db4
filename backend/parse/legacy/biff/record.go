// Package biff reads the workbooks of Excel 97 to 2003 (BIFF8), and those of
// Excel 5 and 95 and of the programs that write the plain records of Excel 2 to 4.
//
// Values are the ones stored in the file: a formula's is the one its writer
// computed last. Dates, times and percentages are written as their number format
// shows them, other numbers with all their digits. Merged cells repeat their
// value. Hidden sheets are read and named in a warning; comments are not text;
// charts and pictures are counted.
//
//	doc, err := biff.Parse(ctx, stream, in, env)
//
// Faults: password, corrupt, limit_cells, limit_pages, limit_text.
package biff

import "encoding/binary"

// Record types.
const (
	recEOF         = 0x0a
	recNote        = 0x1c
	recDateMode    = 0x22
	recFilePass    = 0x2f
	recContinue    = 0x3c
	recCodepage    = 0x42
	recObj         = 0x5d
	recBoundSheet  = 0x85
	recMulRK       = 0xbd
	recRString     = 0xd6
	recXF          = 0xe0
	recMergeCells  = 0xe5
	recSST         = 0xfc
	recLabelSST    = 0xfd
	recTxo         = 0x1b6
	recInteger2    = 0x02
	recNumber2     = 0x03
	recLabel2      = 0x04
	recBoolErr2    = 0x05
	recFormula     = 0x06
	recString2     = 0x07
	recFormat2     = 0x1e
	recXF3         = 0x243
	recXF4         = 0x443
	recNumber      = 0x203
	recLabel       = 0x204
	recBoolErr     = 0x205
	recFormula3    = 0x206
	recString      = 0x207
	recRK          = 0x27e
	recFormula4    = 0x406
	recFormat      = 0x41e
	recBOF         = 0x809
	recBOF2        = 0x09
	recBOF3        = 0x209
	recBOF4        = 0x409
	versionBIFF8   = 0x600
	substreamBook  = 0x05
	substreamSheet = 0x10
	substreamMacro = 0x40
	substreamChart = 0x20
)

// record is one record of a stream; rest are the contents of the CONTINUE
// records after it.
type record struct {
	id   uint16
	data []byte
	rest [][]byte
}

// u8, u16 and u32 read little-endian numbers, 0 beyond the end.
func (r record) u8(at int) int  { return u8(r.data, at) }
func (r record) u16(at int) int { return u16(r.data, at) }

func u8(b []byte, at int) int {
	if at < 0 || at >= len(b) {
		return 0
	}
	return int(b[at])
}

func u16(b []byte, at int) int {
	if at < 0 || at+2 > len(b) {
		return 0
	}
	return int(binary.LittleEndian.Uint16(b[at:]))
}

func u32(b []byte, at int) uint32 {
	if at < 0 || at+4 > len(b) {
		return 0
	}
	return binary.LittleEndian.Uint32(b[at:])
}

func u64(b []byte, at int) uint64 {
	if at < 0 || at+8 > len(b) {
		return 0
	}
	return binary.LittleEndian.Uint64(b[at:])
}

// scanner walks the records of a stream.
type scanner struct {
	b  []byte
	at int
	// cut says that the last record was not whole.
	cut bool
}

// next returns the next record with its continuations; ok is false at the end.
func (s *scanner) next() (r record, ok bool) {
	r.id, r.data, ok = s.one()
	if !ok {
		return record{}, false
	}
	for s.at+4 <= len(s.b) && u16(s.b, s.at) == recContinue {
		_, data, _ := s.one()
		r.rest = append(r.rest, data)
	}
	return r, true
}

func (s *scanner) one() (id uint16, data []byte, ok bool) {
	if s.at < 0 || s.at+4 > len(s.b) {
		return 0, nil, false
	}
	id = uint16(u16(s.b, s.at))
	end := s.at + 4 + u16(s.b, s.at+2)
	if end > len(s.b) {
		s.cut = true
		end = len(s.b)
	}
	data = s.b[s.at+4 : end]
	s.at = end
	return id, data, true
}
