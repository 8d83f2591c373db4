package word_test

import (
	"encoding/binary"
	"unicode/utf16"

	"ragdesk/backend/parse/legacy/ole/oletest"
)

var le = binary.LittleEndian

// para is a paragraph of a test's document; its text ends in its mark.
type para struct {
	text  string
	style int
	// props are properties beside the style.
	props []byte
	// chars are properties of all its characters.
	chars []byte
}

// doc describes a document to build.
type doc struct {
	main, notes, headers, comments, endnotes, boxes []para
	// noteRefs and endRefs are the characters that refer to notes.
	noteRefs, endRefs []int
	// narrow: characters take one byte.
	narrow bool
	styles [][]byte
	// lists and overrides are the tables of lists.
	lists, levels, overrides []byte
	data                     []byte
	change                   func(main, table []byte)
}

// sprm is a property and its operand.
func sprm(code int, operand ...byte) []byte {
	return append(le.AppendUint16(nil, uint16(code)), operand...)
}

// stretch is where formatting is valid, and its data.
type stretch struct {
	end  int
	data []byte
}

// fkp builds pages of formatting from start on.
func fkp(start, stride int, list []stretch) [][]byte {
	var pages [][]byte
	for len(list) > 0 {
		n := min(len(list), 8)
		page := make([]byte, 512)
		le.PutUint32(page, uint32(start))
		free := 510
		for i, s := range list[:n] {
			le.PutUint32(page[4*(i+1):], uint32(s.end))
			if len(s.data) > 0 {
				free = (free - len(s.data)) &^ 1
				copy(page[free:], s.data)
				page[4*(n+1)+stride*i] = byte(free / 2)
			}
			start = s.end
		}
		page[511] = byte(n)
		pages = append(pages, page)
		list = list[n:]
	}
	return pages
}

// build writes the file.
func (d doc) build() []byte {
	const textAt = 0x800
	width := 2
	if d.narrow {
		width = 1
	}
	main := make([]byte, textAt)
	le.PutUint16(main, 0xa5ec)
	le.PutUint16(main[2:], 0xc1)
	le.PutUint16(main[10:], 0x200)
	at, cps := textAt, 0
	var paras, chars []stretch
	var starts [][]int
	for i, story := range [][]para{d.main, d.notes, d.headers, nil, d.comments, d.endnotes, d.boxes} {
		begin := cps
		var places []int
		for _, p := range story {
			places = append(places, cps-begin)
			units := utf16.Encode([]rune(p.text))
			for _, u := range units {
				if d.narrow {
					main = append(main, byte(u))
				} else {
					main = le.AppendUint16(main, u)
				}
			}
			cps += len(units)
			at += width * len(units)
			papx := append(le.AppendUint16(nil, uint16(p.style)), p.props...)
			if len(papx)%2 == 0 {
				papx = append([]byte{0, byte(len(papx) / 2)}, papx...)
			} else {
				papx = append([]byte{byte((len(papx) + 1) / 2)}, papx...)
			}
			paras = append(paras, stretch{at, papx})
			var chpx []byte
			if len(p.chars) > 0 {
				chpx = append([]byte{byte(len(p.chars))}, p.chars...)
			}
			chars = append(chars, stretch{at, chpx})
		}
		le.PutUint32(main[0x4c+4*i:], uint32(cps-begin))
		starts = append(starts, append(places, cps-begin, cps-begin))
	}
	table := []byte{0, 0, 0, 0}
	pair := func(index int, b []byte) {
		if len(b) == 0 {
			return
		}
		le.PutUint32(main[0x9a+8*index:], uint32(len(table)))
		le.PutUint32(main[0x9a+8*index+4:], uint32(len(b)))
		table = append(table, b...)
	}
	fc := uint32(textAt)
	if d.narrow {
		fc = fc*2 | 0x40000000
	}
	piece := le.AppendUint32(nil, 0)
	piece = le.AppendUint32(piece, uint32(cps))
	piece = le.AppendUint32(append(piece, 0, 0), fc)
	piece = append(piece, 0, 0)
	pair(33, append(append([]byte{1, 2, 0, 9, 9, 2}, le.AppendUint32(nil, uint32(len(piece)))...), piece...))
	for _, f := range []struct {
		index, stride int
		list          []stretch
	}{{12, 1, chars}, {13, 13, paras}} {
		pages := fkp(textAt, f.stride, f.list)
		var first, numbers []byte
		for _, p := range pages {
			for len(main)%512 != 0 {
				main = append(main, 0)
			}
			first = append(first, p[:4]...)
			numbers = le.AppendUint32(numbers, uint32(len(main)/512))
			main = append(main, p...)
		}
		first = le.AppendUint32(first, uint32(at))
		pair(f.index, append(first, numbers...))
	}
	pair(1, sheet(d.styles))
	plc := func(refs int, cp []int) []byte {
		var b []byte
		for _, c := range cp {
			b = le.AppendUint32(b, uint32(c))
		}
		return append(b, make([]byte, refs)...)
	}
	pair(2, plc(2*len(d.noteRefs), append(d.noteRefs, cps)))
	pair(3, plc(0, starts[1]))
	pair(46, plc(2*len(d.endRefs), append(d.endRefs, cps)))
	pair(47, plc(0, starts[5]))
	pair(73, d.lists)
	table = append(table, d.levels...)
	pair(74, d.overrides)
	if d.change != nil {
		d.change(main, table)
	}
	return oletest.File(map[string][]byte{"WordDocument": main, "1Table": table, "Data": d.data})
}

// sheet builds a sheet of styles.
func sheet(styles [][]byte) []byte {
	b := le.AppendUint16(nil, 4)
	b = le.AppendUint16(b, uint16(len(styles)))
	b = le.AppendUint16(b, 10)
	for _, s := range styles {
		b = append(le.AppendUint16(b, uint16(len(s))), s...)
		if len(s)%2 == 1 {
			b = append(b, 0)
		}
	}
	return b
}

// styleOf builds a paragraph style: its kind, the one it stands on, properties.
func styleOf(kind, base int, props []byte) []byte {
	b := le.AppendUint16(nil, uint16(kind))
	b = le.AppendUint16(b, uint16(base<<4|1))
	b = append(b, 2, 0, 0, 0, 0, 0)
	b = append(b, 1, 0, 'n', 0, 0, 0) // the name
	b = le.AppendUint16(b, uint16(2+len(props)))
	return append(append(b, 0, 0), props...)
}

// levelOf builds a level of a list.
func levelOf(start int, format byte, marker string) []byte {
	b := le.AppendUint32(nil, uint32(start))
	b = append(b, format)
	b = append(b, make([]byte, 23)...)
	b = le.AppendUint16(b, uint16(len(utf16.Encode([]rune(marker)))))
	for _, u := range utf16.Encode([]rune(marker)) {
		b = le.AppendUint16(b, u)
	}
	return b
}
