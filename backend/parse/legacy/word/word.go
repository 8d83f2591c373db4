// Package word reads the documents of Word 97 to 2003, and the text of those of
// Word 6 and 95.
//
// Headings come from styles and outline levels, lists with their numbers, tables
// from their cell marks, notes at their places. The results of fields are text,
// their instructions are not; deleted and hidden text is left out; headers and
// footers are counted, pictures too.
//
//	doc, err := word.Parse(ctx, file, in, env)
//
// Faults: password, corrupt, limit_text.
package word

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/legacy/ole"
	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// stories are the lengths of a document's parts, which follow each other in the
// text, in characters.
type stories struct{ main, notes, headers, macros, comments, endnotes, boxes, headerBoxes int }

// document is an open Word file.
type document struct {
	// main, table and data are the file's streams.
	main, table, data []byte
	// old says that it is of Word 6 or 95, whose formatting is not read.
	old bool
	stories
	pieces []piece
	// units are the characters of all stories in UTF-16.
	units  []uint16
	paras  pages
	chars  pages
	styles []style
	lists  lists
}

// Offsets in the file's header, for Word 97 and for Word 6.
const (
	atFib, atLid, atFlags             = 2, 6, 10
	flagTable1, flagEncrypted, flag16 = 0x200, 0x100, 0x1000
	atPairs                           = 0x9a
	fibWord97                         = 0xc0
	magic97, magic95                  = 0xa5ec, 0xa5dc
	pairStyles, pairNoteRefs          = 1, 2
	pairNoteTexts, pairChars          = 3, 12
	pairParas, pairPieces             = 13, 33
	pairEndRefs, pairEndTexts         = 46, 47
	pairLists, pairOverrides          = 73, 74
	pairBoxes, boxSize                = 56, 26
	oldTextStart, oldLengths, oldCLX  = 0x18, 0x34, 0x160
	newLengths                        = 0x4c
)

// Parse reads an OLE file that has a stream "WordDocument".
func Parse(ctx context.Context, f *ole.File, in rag.Input, env guard.Env) (rag.Document, error) {
	d := &document{}
	d.main, _ = f.Stream("WordDocument")
	if m := u16(d.main, 0); m != magic97 && m != magic95 || len(d.main) < 0x200 {
		return rag.Document{}, guard.Corrupt("doc", errors.New("no header of a document"))
	}
	flags := u16(d.main, atFlags)
	if flags&flagEncrypted != 0 {
		return rag.Document{}, guard.Password("doc")
	}
	b := &doctext.Builder{MediaType: "application/msword", Encoding: "UTF-16LE", ParsedBy: "word/1"}
	if d.old = u16(d.main, atFib) < fibWord97; d.old {
		codepage := codepageOf(u16(d.main, atLid))
		b.Encoding = "windows-" + strconv.Itoa(codepage)
		d.readOld(codepage, flags&flag16 != 0)
	} else {
		name := "0Table"
		if flags&flagTable1 != 0 {
			name = "1Table"
		}
		d.table, _ = f.Stream(name)
		d.data, _ = f.Stream("Data")
		if err := d.read(env.Limits); err != nil {
			return rag.Document{}, err
		}
	}
	if stated := d.total(); len(d.units) < stated {
		b.Warn(doctext.WarnTruncated, fmt.Sprintf("%d of %d characters", len(d.units), stated))
	}
	if err := write(ctx, d, b, env.Limits); err != nil {
		return rag.Document{}, err
	}
	return b.Document(in, env.Limits)
}

func (s stories) total() int {
	return s.main + s.notes + s.headers + s.macros + s.comments + s.endnotes + s.boxes + s.headerBoxes
}

// pair returns what a pair of offset and length in the header stands for, in the
// table stream.
func (d *document) pair(index int) []byte {
	at, n := int64(u32(d.main, atPairs+8*index)), int64(u32(d.main, atPairs+8*index+4))
	if atPairs+8*index+8 > len(d.main) || at+n > int64(len(d.table)) {
		return nil
	}
	return d.table[at : at+n]
}

// lengths reads the stories' lengths at an offset of the header.
func (d *document) lengths(at int) {
	n := func(i int) int { return min(int(u32(d.main, at+4*i)), 1<<30) }
	d.stories = stories{n(0), n(1), n(2), n(3), n(4), n(5), n(6), n(7)}
}

// read reads the text and formatting of a file of Word 97 or later.
func (d *document) read(l guard.Limits) error {
	d.lengths(newLengths)
	d.pieces = piecesOf(d.pair(pairPieces))
	if len(d.pieces) == 0 {
		return guard.Corrupt("doc", errors.New("no table of pieces"))
	}
	for _, p := range d.pieces {
		d.units = p.appendTo(d.units, d.main)
		if int64(len(d.units)) > l.Text {
			return fault.New("limit_text", fault.P("limit", l.Text))
		}
	}
	d.paras = pagesOf(d.pair(pairParas), d.main)
	d.chars = pagesOf(d.pair(pairChars), d.main)
	d.styles = stylesOf(d.pair(pairStyles))
	d.lists = listsOf(d.pair(pairLists), d.table, int(u32(d.main, atPairs+8*pairLists))+len(d.pair(pairLists)), d.pair(pairOverrides))
	return nil
}

// readOld reads the text of a file of Word 6 or 95.
func (d *document) readOld(codepage int, wide bool) {
	d.lengths(oldLengths)
	var raw []byte
	at, n := int64(u32(d.main, oldCLX)), int64(u32(d.main, oldCLX+4))
	if n > 0 && at+n <= int64(len(d.main)) {
		for _, p := range piecesOf(d.main[at : at+n]) {
			width := 1
			if wide {
				width = 2
			}
			raw = append(raw, slice(d.main, p.fc, width*(p.end-p.start))...)
		}
	}
	if len(raw) == 0 {
		width := 1
		if wide {
			width = 2
		}
		raw = slice(d.main, int(u32(d.main, oldTextStart)), width*d.total())
	}
	name := strconv.Itoa(codepage)
	if wide {
		name = "UTF-16LE"
	}
	s, err := text.Loose(name, raw[:min(len(raw), d.mainBytes(wide))])
	if err != nil {
		return
	}
	d.units = units(s)
	// Characters of two bytes count twice in the stated lengths.
	d.stories = stories{main: len(d.units)}
}

// mainBytes is the number of bytes of the main story of an old file.
func (d *document) mainBytes(wide bool) int {
	if wide {
		return 2 * d.stories.main
	}
	return d.stories.main
}

// codepageOf returns the code page of a language.
func codepageOf(lid int) int {
	switch lid {
	case 0x0804, 0x1004:
		return 936
	case 0x0404, 0x0c04, 0x1404:
		return 950
	}
	pages := map[int]int{0x11: 932, 0x12: 949, 0x19: 1251, 0x22: 1251, 0x23: 1251, 0x02: 1251, 0x05: 1250, 0x0e: 1250,
		0x15: 1250, 0x18: 1250, 0x1a: 1250, 0x1b: 1250, 0x24: 1250, 0x08: 1253, 0x1f: 1254, 0x0d: 1255, 0x01: 1256,
		0x29: 1256, 0x25: 1257, 0x26: 1257, 0x27: 1257, 0x1e: 874, 0x2a: 1258}
	if page := pages[lid&0x3ff]; page != 0 {
		return page
	}
	return 1252
}
