package word

import (
	"sort"

	"ragdesk/backend/parse/doctext"
)

// pageSize is the size of a page of formatting in the main stream.
const pageSize = 512

// pages find the formatting of a place in the file: a table of pages by offset,
// and in each page runs by offset.
type pages struct {
	main  []byte
	first []uint32
	page  []int
}

// pagesOf reads a table of pages.
func pagesOf(b, main []byte) pages {
	p := pages{main: main}
	n := (len(b) - 4) / 8
	for i := range max(n, 0) {
		p.first = append(p.first, u32(b, 4*i))
		p.page = append(p.page, int(u32(b, 4*(n+1)+4*i)&0x3fffff))
	}
	return p
}

// run is where formatting is valid, in offsets of the main stream, and the
// offset of its data within page, 0 for none.
type run struct {
	end  int
	page []byte
	at   int
}

// find returns the run that fc lies in; stride is the size of an entry after the
// offsets of a page.
func (p pages) find(fc, stride int) (run, bool) {
	i := sort.Search(len(p.first), func(i int) bool { return int(p.first[i]) > fc }) - 1
	if i < 0 {
		return run{}, false
	}
	page := slice(p.main, p.page[i]*pageSize, pageSize)
	if len(page) < pageSize {
		return run{}, false
	}
	n := int(page[pageSize-1])
	j := sort.Search(n, func(j int) bool { return int(u32(page, 4*j+4)) > fc })
	if j == n || int(u32(page, 4*j)) > fc || 4*(n+1)+stride*(j+1) > pageSize {
		return run{}, false
	}
	return run{end: int(u32(page, 4*j+4)), page: page, at: 2 * int(page[4*(n+1)+stride*j])}, true
}

// charFlags are the properties of characters that decide whether they are text.
type charFlags struct {
	deleted, hidden bool
	// symbol is the character of a symbol font that is shown in place of '(', 0
	// for none.
	symbol uint16
}

// Property codes.
const (
	sprmDeleted   = 0x0800
	sprmHidden    = 0x083c
	sprmSymbol    = 0x6a09
	sprmInTable   = 0x2416
	sprmRowEnd    = 0x2417
	sprmInnerCell = 0x244b
	sprmInnerRow  = 0x244c
	sprmDepth     = 0x6649
	sprmLevel     = 0x260a
	sprmList      = 0x460b
	sprmOutline   = 0x2640
	sprmHuge1     = 0x6645
	sprmHuge2     = 0x6646
	sprmTable     = 0xd608
	sprmTabs      = 0xc615
)

// properties calls f with each property of a list and its operand.
func properties(b []byte, f func(code int, operand []byte)) {
	for len(b) >= 2 {
		code := u16(b, 0)
		b = b[2:]
		n := 0
		switch code >> 13 {
		case 0, 1:
			n = 1
		case 2, 4, 5:
			n = 2
		case 3:
			n = 4
		case 7:
			n = 3
		case 6:
			switch {
			case len(b) == 0:
				return
			case code == sprmTable:
				n = 1 + u16(b, 0)
			case code == sprmTabs && b[0] == 255:
				return
			default:
				n = 1 + int(b[0])
			}
		}
		if n > len(b) {
			return
		}
		f(code, b[:n])
		b = b[n:]
	}
}

// charsAt returns the flags of the character at fc and the offset up to which
// they hold.
func (d *document) charsAt(fc int) (charFlags, int) {
	r, ok := d.chars.find(fc, 1)
	if !ok {
		return charFlags{}, fc + 1
	}
	var flags charFlags
	if r.at > 0 {
		properties(slice(r.page, r.at+1, int(r.page[r.at])), func(code int, operand []byte) {
			switch code {
			case sprmDeleted:
				flags.deleted = operand[0] == 1
			case sprmHidden:
				flags.hidden = operand[0] == 1
			case sprmSymbol:
				flags.symbol = uint16(u16(operand, 2))
			}
		})
	}
	return flags, r.end
}

// paraFormat is what a paragraph's formatting says of structure.
type paraFormat struct {
	style int
	// table is how many tables the paragraph is inside of.
	table int
	// rowEnd: its mark ends a row of the outermost table; innerRow, innerCell: a
	// row or a cell of a table inside a cell.
	rowEnd, innerRow, innerCell bool
	// list is the number of its list, 0 for none, level its depth from 0.
	list, level int
	// outline is its level in the outline from 1, 0 for running text.
	outline int
	// cells describe, at the mark of a row, its cells.
	cells []doctext.Cell
}

// Flags and size of a cell's description in that of its row.
const (
	cellSize      = 20
	cellMerged    = 0x0002
	cellVertical  = 0x0060
	cellGoesAbove = 0x0020
)

// cellsOf reads the description of a row: the edges of its cells, and the cells.
func cellsOf(b []byte) []doctext.Cell {
	if len(b) < 3 {
		return nil
	}
	n := int(b[2])
	edges := b[3:min(3+2*(n+1), len(b))]
	b = b[3+len(edges):]
	var cells []doctext.Cell
	// Edges may lie left of the text; only their order matters.
	left := int(int16(u16(edges, 0))) - 1
	for i := 0; i < n && cellSize*i+2 <= len(b); i++ {
		flags := u16(b, cellSize*i)
		cells = append(cells, doctext.Cell{Right: int(int16(u16(edges, 2*i+2))) - left,
			Left: flags&cellMerged != 0, Above: flags&cellVertical == cellGoesAbove})
	}
	return cells
}

// bxSize is the size of an entry of a paragraph's run.
const bxSize = 13

// paraAt returns the formatting of the paragraph whose mark is at fc.
func (d *document) paraAt(fc int) paraFormat {
	r, ok := d.paras.find(fc, bxSize)
	if !ok || r.at == 0 {
		return paraFormat{}
	}
	at, n := r.at+1, 2*int(r.page[r.at])-1
	if n < 0 {
		n = 2 * int(r.page[min(at, pageSize-1)])
		at++
	}
	b := slice(r.page, at, n)
	f := paraFormat{style: u16(b, 0)}
	if f.style < len(d.styles) {
		s := d.styles[f.style]
		f.outline, f.list, f.level = s.outline, s.list, s.level
	}
	if len(b) > 2 {
		d.apply(&f, b[2:], 0)
	}
	return f
}

// apply lets properties change a paragraph's formatting.
func (d *document) apply(f *paraFormat, list []byte, deep int) {
	properties(list, func(code int, operand []byte) {
		switch code {
		case sprmInTable:
			if f.table == 0 && operand[0] != 0 {
				f.table = 1
			}
		case sprmDepth:
			f.table = int(min(u32(operand, 0), 64))
		case sprmRowEnd:
			f.rowEnd = operand[0] != 0
		case sprmInnerCell:
			f.innerCell = operand[0] != 0
		case sprmInnerRow:
			f.innerRow = operand[0] != 0
		case sprmTable:
			f.cells = cellsOf(operand)
		case sprmLevel:
			f.level = min(int(operand[0]), 8)
		case sprmList:
			f.list = u16(operand, 0)
		case sprmOutline:
			if f.outline = int(operand[0]) + 1; f.outline > 9 {
				f.outline = 0
			}
		case sprmHuge1, sprmHuge2:
			if at := int(u32(operand, 0)); deep == 0 {
				d.apply(f, slice(d.data, at+2, u16(d.data, at)), 1)
			}
		}
	})
}

// style is what a style says of structure.
type style struct{ outline, list, level int }

// Built-in styles.
const (
	styleHeading9 = 9
	styleTitle    = 62
	noStyle       = 0xfff
	maxStyleDepth = 16
)

// stylesOf reads the sheet of styles.
func stylesOf(b []byte) []style {
	count, base := u16(b, 2), u16(b, 4)
	at := 2 + u16(b, 0)
	type raw struct {
		style  style
		parent int
		sure   bool
	}
	var list []raw
	for range min(count, 4096) {
		n := u16(b, at)
		std := slice(b, at+2, n)
		at += 2 + n + n&1
		r := raw{parent: noStyle}
		if len(std) >= 6 {
			r.parent = u16(std, 2) >> 4
			switch kind := u16(std, 0) & 0xfff; {
			case 1 <= kind && kind <= styleHeading9:
				r.style.outline, r.sure = kind, true
			case kind == styleTitle:
				r.style.outline, r.sure = 1, true
			}
			if u16(std, 2)&15 == 1 {
				name := base + 2 + 2*u16(std, base) + 2
				var f paraFormat
				if n := u16(std, name); n > 2 {
					(&document{}).apply(&f, slice(std, name+4, n-2), 1)
				}
				r.style.list, r.style.level = f.list, f.level
				if f.outline > 0 && !r.sure {
					r.style.outline, r.sure = f.outline, true
				}
			}
		}
		list = append(list, r)
	}
	styles := make([]style, len(list))
	for i := range list {
		styles[i] = list[i].style
		for j, deep := list[i].parent, 0; j < len(list) && deep < maxStyleDepth; j, deep = list[j].parent, deep+1 {
			if styles[i].outline == 0 {
				styles[i].outline = list[j].style.outline
			}
			if styles[i].list == 0 {
				styles[i].list, styles[i].level = list[j].style.list, list[j].style.level
			}
		}
	}
	return styles
}
