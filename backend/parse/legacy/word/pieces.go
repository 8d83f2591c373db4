package word

import (
	"encoding/binary"
	"sort"
	"unicode/utf16"

	"ragdesk/backend/text"
)

// u16 and u32 read little-endian numbers, 0 beyond the end.
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

// slice returns n bytes of b from at, as many as there are.
func slice(b []byte, at, n int) []byte {
	if at < 0 || at >= len(b) || n <= 0 {
		return nil
	}
	return b[at:min(at+n, len(b))]
}

// units returns s in UTF-16.
func units(s string) []uint16 { return utf16.Encode([]rune(s)) }

// piece is a run of characters [start, end) that stand together in the file.
type piece struct {
	start, end int
	// fc is the offset of the first character in the main stream.
	fc int
	// narrow characters are of one byte.
	narrow bool
}

// Kinds of entry before the table of pieces.
const (
	entryFormat = 1
	entryTable  = 2
)

// piecesOf reads the table of pieces from the complex part of a file.
func piecesOf(b []byte) []piece {
	for len(b) >= 3 && b[0] == entryFormat {
		b = b[min(3+u16(b, 1), len(b)):]
	}
	if len(b) < 5 || b[0] != entryTable {
		return nil
	}
	b = slice(b, 5, int(u32(b, 1)))
	n := (len(b) - 4) / 12
	var pieces []piece
	for i := range n {
		p := piece{start: int(u32(b, 4*i)), end: int(u32(b, 4*i+4))}
		fc := u32(b, 4*(n+1)+8*i+2)
		if p.fc = int(fc & 0x3fffffff); fc&0x40000000 != 0 {
			p.fc, p.narrow = p.fc/2, true
		}
		if p.end <= p.start || len(pieces) > 0 && p.start != pieces[len(pieces)-1].end {
			continue
		}
		pieces = append(pieces, p)
	}
	return pieces
}

// appendTo appends the piece's characters; those that the file lacks are left
// out.
func (p piece) appendTo(out []uint16, main []byte) []uint16 {
	if p.narrow {
		s, err := text.Loose("windows-1252", slice(main, p.fc, p.end-p.start))
		if err != nil {
			return out
		}
		return append(out, units(s)...)
	}
	b := slice(main, p.fc, 2*(p.end-p.start))
	for i := 0; i+1 < len(b); i += 2 {
		out = append(out, binary.LittleEndian.Uint16(b[i:]))
	}
	return out
}

// place returns the file offset of a character and the end of its piece in
// characters; ok is false where no piece is.
func (d *document) place(cp int) (fc, end, width int, ok bool) {
	i := sort.Search(len(d.pieces), func(i int) bool { return d.pieces[i].end > cp })
	if i == len(d.pieces) || d.pieces[i].start > cp {
		return 0, 0, 0, false
	}
	p := d.pieces[i]
	if width = 2; p.narrow {
		width = 1
	}
	return p.fc + width*(cp-p.start), p.end, width, true
}
