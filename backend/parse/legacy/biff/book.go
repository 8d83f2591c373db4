package biff

import (
	"context"
	"errors"
	"fmt"
	"path"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/charset"
	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/numfmt"
	"ragdesk/backend/rag"
)

// book is what the first part of a workbook says of all sheets.
type book struct {
	env      guard.Env
	biff8    bool
	codepage int
	strings  []string
	formats  map[int]string
	// xf gives the number format of a cell format.
	xf []int
	// parsed are the formats in use, by number.
	parsed   map[int]*numfmt.Format
	sheets   []bound
	date1904 bool
}

// bound is the entry of a sheet.
type bound struct {
	name   string
	offset int
	hidden bool
	kind   int
}

// Kinds of sheet in a bound.
const (
	kindSheet = 0
	kindMacro = 1
	kindChart = 2
	kindBasic = 6
)

// IsRaw reports whether b is a stream of workbook records without a container.
func IsRaw(b []byte) bool {
	switch u16(b, 0) {
	case recBOF, recBOF2, recBOF3, recBOF4:
	default:
		return false
	}
	n := u16(b, 2)
	return n >= 4 && n <= 32 && len(b) >= 4+n
}

// Parse reads the stream of a workbook, the content of "Workbook" or "Book" in a
// compound file, or a file that is nothing else.
func Parse(ctx context.Context, stream []byte, in rag.Input, env guard.Env) (rag.Document, error) {
	b := &doctext.Builder{Title: path.Base(in.Source), MediaType: "application/vnd.ms-excel", ParsedBy: "biff/1"}
	k := &book{env: env, formats: map[int]string{}, parsed: map[int]*numfmt.Format{}}
	s := &scanner{b: stream}
	first, ok := s.next()
	if !ok || !isBOF(first.id) {
		return rag.Document{}, guard.Corrupt("xls", errors.New("no start of a workbook"))
	}
	var err error
	switch kind := first.u16(2); {
	case first.id == recBOF && kind == substreamBook || first.id == recBOF4 && kind == 0x100:
		if err = k.globals(first, s); err == nil {
			err = k.readSheets(ctx, b, stream)
		}
	default:
		err = k.lone(ctx, b, stream)
	}
	if err != nil {
		return rag.Document{}, err
	}
	if s.cut {
		b.Warn(doctext.WarnTruncated, "")
	}
	if !k.biff8 {
		b.Encoding = fmt.Sprintf("windows-%d", k.codepage)
		if k.codepage == 0 || k.codepage > 0x7fff {
			b.Encoding = "windows-1252"
		}
	} else {
		b.Encoding = "UTF-16LE"
	}
	return b.Document(in, env.Limits)
}

func isBOF(id uint16) bool {
	return id == recBOF || id == recBOF2 || id == recBOF3 || id == recBOF4
}

// globals reads what comes before the sheets.
func (k *book) globals(first record, s *scanner) error {
	k.biff8 = first.u16(0) == versionBIFF8
	for {
		r, ok := s.next()
		if !ok {
			return nil
		}
		switch r.id {
		case recEOF:
			return nil
		case recFilePass:
			return guard.Password("xls")
		case recSST:
			k.strings = sharedStrings(r, k.env.Limits.Text)
		case recBoundSheet:
			k.bound(r)
		default:
			k.setting(r)
		}
	}
}

// setting reads a record that says how cells are to be read.
func (k *book) setting(r record) {
	switch r.id {
	case recCodepage:
		k.codepage = r.u16(0)
	case recDateMode:
		k.date1904 = r.u16(0) == 1
	case recXF:
		k.xf = append(k.xf, r.u16(2))
	case recXF3, recXF4:
		k.xf = append(k.xf, r.u8(1))
	case recFormat2:
		k.formats[len(k.formats)] = k.short(r.data, 0)
	case recFormat:
		if k.biff8 {
			s := segmentsOf(r)
			id := s.u16()
			k.formats[id] = s.unicode()
			return
		}
		k.formats[r.u16(0)] = k.short(r.data, 2)
	}
}

// short reads a string with a count of one byte.
func (k *book) short(b []byte, at int) string {
	if at >= len(b) {
		return ""
	}
	return bytesString(b[at+1:min(at+1+u8(b, at), len(b))], k.codepage)
}

// bound reads the entry of a sheet.
func (k *book) bound(r record) {
	sheet := bound{offset: int(u32(r.data, 0)), hidden: r.u8(4)&3 != 0, kind: r.u8(5)}
	if k.biff8 {
		s := segmentsOf(r)
		s.skip(6)
		count := s.u8()
		sheet.name = s.chars(count, s.u8())
	} else {
		sheet.name = k.short(r.data, 6)
	}
	k.sheets = append(k.sheets, sheet)
}

// readSheets reads the sheets that the book lists.
func (k *book) readSheets(ctx context.Context, b *doctext.Builder, stream []byte) error {
	if n := len(k.sheets); n > k.env.Limits.Pages {
		return fault.New("limit_pages", fault.P("limit", k.env.Limits.Pages), fault.P("pages", n))
	}
	read := map[int]bool{}
	for _, sheet := range k.sheets {
		switch sheet.kind {
		case kindChart:
			b.Health.Images++
			continue
		case kindBasic:
			continue
		}
		s := &scanner{b: stream, at: sheet.offset}
		first, ok := s.next()
		if !ok || !isBOF(first.id) || read[sheet.offset] {
			b.Warn(doctext.WarnTruncated, sheet.name)
			continue
		}
		read[sheet.offset] = true
		if sheet.hidden {
			b.Warn(doctext.WarnHidden, sheet.name)
		}
		if err := k.sheet(ctx, b, sheet.name, s); err != nil {
			return err
		}
		if s.cut {
			b.Warn(doctext.WarnTruncated, sheet.name)
		}
	}
	return nil
}

// lone reads a stream that is one sheet without a book around it.
func (k *book) lone(ctx context.Context, b *doctext.Builder, stream []byte) error {
	if k.codepage = k.loneCodepage(stream); k.codepage == 0 {
		k.codepage = 1252
	}
	s := &scanner{b: stream}
	first, _ := s.next()
	k.biff8 = first.id == recBOF && first.u16(0) == versionBIFF8
	return k.sheet(ctx, b, "", s)
}

// loneCodepage returns the stated code page, or the one that all labels together
// look like.
func (k *book) loneCodepage(stream []byte) int {
	s := &scanner{b: stream}
	var labels []byte
	for {
		r, ok := s.next()
		if !ok {
			break
		}
		switch r.id {
		case recCodepage:
			return r.u16(0)
		case recLabel:
			labels = append(append(labels, r.data[min(8, len(r.data)):]...), '\n')
		case recLabel2:
			labels = append(append(labels, r.data[min(8, len(r.data)):]...), '\n')
		}
	}
	pages := map[string]int{"UTF-8": 65001, "GB18030": 936, "Big5": 950, "Shift_JIS": 932, "EUC-KR": 949,
		"windows-1250": 1250, "windows-1251": 1251}
	return pages[charset.Labelled(labels, "").Encoding]
}
