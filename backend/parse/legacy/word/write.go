package word

import (
	"context"
	"strconv"
	"strings"
	"unicode/utf16"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
)

// Characters with a meaning of their own.
const (
	charPicture  = 0x01
	charNote     = 0x02
	charComment  = 0x05
	charCell     = 0x07
	charDrawing  = 0x08
	charLine     = 0x0b
	charPage     = 0x0c
	charPara     = 0x0d
	charColumn   = 0x0e
	fieldBegin   = 0x13
	fieldResult  = 0x14
	fieldEnd     = 0x15
	charHyphen   = 0x1e
	charOptional = 0x1f
)

// maxInstruction is the length of a field's instruction beyond which its end is
// taken to be missing.
const maxInstruction = 8192

// story reads the characters [at, end) of one part of the text.
type story struct {
	*document
	flow *doctext.Flow
	at   int
	end  int
	// fields says of each open field whether its result has begun; skipped counts
	// the characters of the instruction.
	fields  []bool
	skipped int
	// flags hold up to the character flagsEnd.
	flags    charFlags
	flagsEnd int
	notes    map[int]note
	para     []uint16
	// cell holds the paragraphs of the open cell, row its row's cells, inner the
	// row of a table inside the cell.
	cell, row, inner []string
	images, hidden   int
}

// note is a part of another story that belongs to a character.
type note struct{ start, end int }

// write adds the document's stories.
func write(ctx context.Context, d *document, b *doctext.Builder, l guard.Limits) error {
	flow := &doctext.Flow{Builder: b}
	main := &story{document: d, flow: flow, end: min(d.stories.main, len(d.units)), notes: d.notes()}
	if err := main.read(ctx, l); err != nil {
		return err
	}
	boxes := d.stories.main + d.stories.notes + d.headers + d.macros + d.comments + d.endnotes
	s := &story{document: d, flow: flow, at: boxes, end: min(boxes+d.boxes, len(d.units))}
	if err := s.read(ctx, l); err != nil {
		return err
	}
	flow.Close()
	b.Health.Images += max(main.images+s.images-d.boxCount(), 0)
	if n := main.hidden + s.hidden; n > 0 {
		b.Warn(doctext.WarnHiddenText, strconv.Itoa(n))
	}
	headers := d.stories.main + d.stories.notes
	for _, p := range strings.Split(d.plain(headers, headers+d.headers), "\n") {
		if strings.TrimSpace(p) != "" {
			b.Health.Repeated++
		}
	}
	return nil
}

// boxCount is how many drawings are text boxes.
func (d *document) boxCount() int { return max((len(d.pair(pairBoxes))-4)/boxSize-1, 0) }

// notes finds the footnotes and endnotes by the characters that refer to them.
func (d *document) notes() map[int]note {
	found := map[int]note{}
	add := func(refs, texts []byte, base int) {
		last := 0
		for i := range max((len(refs)-4)/6, 0) {
			start, end := int(u32(texts, 4*i)), int(u32(texts, 4*i+4))
			if start < last || end < start { // notes follow each other
				continue
			}
			found[int(u32(refs, 4*i))] = note{base + start, base + end}
			last = end
		}
	}
	add(d.pair(pairNoteRefs), d.pair(pairNoteTexts), d.stories.main)
	add(d.pair(pairEndRefs), d.pair(pairEndTexts), d.stories.main+d.stories.notes+d.headers+d.macros+d.comments)
	return found
}

// plain returns the characters [start, end) without structure, one paragraph a
// line.
func (d *document) plain(start, end int) string {
	s := &story{document: d, at: start, end: min(end, len(d.units))}
	var out []string
	for s.at < s.end {
		s.next()
		out = append(out, s.take())
	}
	return strings.Join(out, "\n")
}

// read adds the story paragraph by paragraph.
func (s *story) read(ctx context.Context, l guard.Limits) error {
	for n := 0; s.at < s.end; n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		mark := s.next()
		s.add(mark, s.format(s.at-1))
		if int64(s.flow.Len()) > l.Text {
			return fault.New("limit_text", fault.P("limit", l.Text))
		}
	}
	if len(s.row)+len(s.cell) > 0 {
		s.endCell()
		s.endRow(nil)
	}
	return nil
}

// format returns the formatting of the paragraph whose mark is the character cp.
func (s *story) format(cp int) paraFormat {
	fc, _, _, ok := s.place(cp)
	if !ok {
		return paraFormat{}
	}
	return s.paraAt(fc)
}

// next reads up to and including a paragraph's mark and returns it.
func (s *story) next() uint16 {
	for s.at < s.end {
		if s.at >= s.flagsEnd {
			s.look()
		}
		c := s.units[s.at]
		s.at++
		if c == charPara || c == charCell || c == charPage {
			return c
		}
		s.char(c)
	}
	return charPara
}

// look finds the flags of the characters from at on.
func (s *story) look() {
	s.flags, s.flagsEnd = charFlags{}, s.end
	fc, pieceEnd, width, ok := s.place(s.at)
	if !ok {
		return
	}
	flags, until := s.charsAt(fc)
	s.flags = flags
	s.flagsEnd = min(pieceEnd, s.at+max((until-fc)/width, 1))
}

// char takes one character that ends no paragraph.
func (s *story) char(c uint16) {
	switch c {
	case fieldBegin:
		s.fields, s.skipped = append(s.fields, false), 0
		return
	case fieldResult:
		if n := len(s.fields); n > 0 {
			s.fields[n-1] = true
		}
		return
	case fieldEnd:
		if n := len(s.fields); n > 0 {
			s.fields = s.fields[:n-1]
		}
		return
	}
	for _, result := range s.fields {
		if !result {
			if s.skipped++; s.skipped > maxInstruction {
				s.fields = nil
			}
			return
		}
	}
	switch {
	case s.flags.deleted:
		return
	case s.flags.hidden:
		s.hidden++
		return
	}
	if n, ok := s.notes[s.at-1]; ok && s.flow != nil {
		text := strings.Trim(s.plain(n.start, n.end), "\n ")
		s.para = append(s.para, units(s.flow.Note(text))...)
		return
	}
	if c == '(' && s.flags.symbol != 0 {
		c = s.flags.symbol
	}
	switch c {
	case charPicture, charDrawing:
		s.images++
	case charNote, charComment, charOptional, 3, 4:
	case charLine, charColumn:
		s.para = append(s.para, '\n')
	case charHyphen:
		s.para = append(s.para, '-')
	default:
		if c >= ' ' || c == '\t' {
			s.para = append(s.para, symbol(c))
		}
	}
}

// symbol replaces characters of symbol fonts, which are for private use, by what
// they look like.
func symbol(c uint16) uint16 {
	if c < 0xf000 || c > 0xf0ff {
		return c
	}
	switch c {
	case 0xf0fc, 0xf050:
		return '✓'
	case 0xf0fb, 0xf04f:
		return '✗'
	case 0xf0fe, 0xf052:
		return '☑'
	case 0xf0a8, 0xf06f, 0xf072, 0xf0a3:
		return '☐'
	case 0xf0e0, 0xf0e8, 0xf0f0, 0xf0ae:
		return '→'
	}
	return '•'
}

// take returns the paragraph read and starts another.
func (s *story) take() string {
	p := string(utf16.Decode(s.para))
	s.para = s.para[:0]
	return p
}

// add takes the paragraph read, which mark ends, into the text.
func (s *story) add(mark uint16, f paraFormat) {
	p := s.take()
	inTable := f.table > 0 || s.old && (mark == charCell || len(s.row)+len(s.cell) > 0 && mark != charPage)
	if !inTable {
		if len(s.row)+len(s.cell) > 0 {
			s.endCell()
			s.endRow(nil)
		}
		s.paragraph(p, f)
		return
	}
	switch {
	case f.innerRow:
		if len(s.inner) > 0 {
			s.cell = append(s.cell, strings.Join(s.inner, " | "))
		}
		s.inner = nil
	case f.innerCell:
		s.inner = append(s.inner, strings.TrimSpace(p))
	case f.rowEnd, s.old && mark == charCell && p == "" && len(s.cell) == 0 && len(s.row) > 0:
		s.endRow(f.cells)
	case mark == charCell:
		s.cell = append(s.cell, s.listed(p, f))
		s.endCell()
	default:
		s.cell = append(s.cell, s.listed(p, f))
	}
}

// listed returns a paragraph in a cell with the number of its list.
func (s *story) listed(p string, f paraFormat) string {
	if p == "" {
		return p
	}
	if marker, _ := s.lists.marker(f.list, f.level); marker != "" {
		return marker + " " + p
	}
	return p
}

func (s *story) endCell() {
	s.row = append(s.row, strings.TrimSpace(strings.Join(s.cell, "\n")))
	s.cell = nil
}

// endRow adds the row; cells describe its cells where that is known.
func (s *story) endRow(cells []doctext.Cell) {
	cells = doctext.Cells(s.row, cells)
	s.flow.Row(cells, false)
	s.row, s.cell, s.inner = nil, nil, nil
}

// paragraph adds a paragraph outside tables.
func (s *story) paragraph(p string, f paraFormat) {
	if strings.TrimSpace(p) == "" {
		s.flow.EndTable()
		return
	}
	marker, listed := s.lists.marker(f.list, f.level)
	s.flow.Add(doctext.Para{Text: p, Heading: f.outline, List: listed, Depth: f.level, Marker: marker})
}
