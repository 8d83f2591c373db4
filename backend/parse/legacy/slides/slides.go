// Package slides reads the presentations of PowerPoint 97 to 2003.
//
// Slides come in the order of the show, each a page with its title as heading,
// the texts of its shapes, tables as tables, and its notes. Hidden slides are
// read and named in a warning; pictures and charts are counted; what masters
// show on every slide is not text.
//
//	doc, err := slides.Parse(ctx, file, in, env)
//
// Faults: password, corrupt, limit_pages, limit_text.
package slides

import (
	"context"
	"errors"
	"fmt"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/legacy/ole"
	"ragdesk/backend/rag"
)

// Types of record.
const (
	typeDocument     = 0x03e8
	typeSlide        = 0x03ee
	typeSlideAtom    = 0x03ef
	typeNotes        = 0x03f0
	typeSlidePersist = 0x03f3
	typeSlideInfo    = 0x03f9
	typeDrawing      = 0x040c
	typeOutlineRef   = 0x0f9e
	typeTextHeader   = 0x0f9f
	typeTextChars    = 0x0fa0
	typeTextProps    = 0x0fa1
	typeTextBytes    = 0x0fa8
	typeSlideList    = 0x0ff0
	typeUserEdit     = 0x0ff5
	typeCurrentUser  = 0x0ff6
	typePersist      = 0x1772
	typeEncryption   = 0x2f14
)

// Lists of slides, by the instance of their record.
const (
	listSlides = 0
	listNotes  = 2
)

// tokenEncrypted is the mark of an encrypted presentation.
const tokenEncrypted = 0xf3d1c4df

// show is an open presentation.
type show struct {
	stream []byte
	// persist gives the offset of each stored object.
	persist map[uint32]uint32
	// document is the number of the object that lists the slides.
	document uint32
	limits   guard.Limits
	// read are the offsets of the slides and notes taken.
	read map[uint32]bool
}

// entry is a slide in a list: its object, its id, and the texts stored beside it.
type entry struct {
	object, id uint32
	texts      []textRun
}

// Parse reads an OLE file that has a stream "PowerPoint Document".
func Parse(ctx context.Context, f *ole.File, in rag.Input, env guard.Env) (rag.Document, error) {
	s := &show{persist: map[uint32]uint32{}, limits: env.Limits, read: map[uint32]bool{}}
	s.stream, _ = f.Stream("PowerPoint Document")
	user, _ := f.Stream("Current User")
	if u32(user, 12) == tokenEncrypted {
		return rag.Document{}, guard.Password("ppt")
	}
	if err := s.open(int64(u32(user, 16)), len(user) > 0); err != nil {
		return rag.Document{}, err
	}
	b := &doctext.Builder{MediaType: "application/vnd.ms-powerpoint", Encoding: "UTF-16LE", ParsedBy: "ppt/1"}
	if err := s.write(ctx, b); err != nil {
		return rag.Document{}, err
	}
	return b.Document(in, env.Limits)
}

// open follows the chain of edits from the newest, at offset, back; the newest
// place of an object holds. Without a place to start from, or with a wrong one,
// the last edit in the stream is taken.
func (s *show) open(offset int64, known bool) error {
	if r, ok := recordAt(s.stream, int(offset)); !known || !ok || r.kind != typeUserEdit {
		offset = s.lastEdit()
	}
	seen := map[int64]bool{}
	for at := offset; at > 0 && !seen[at]; {
		seen[at] = true
		r, ok := recordAt(s.stream, int(at))
		if !ok || r.kind != typeUserEdit {
			break
		}
		if len(r.body) >= 32 && u32(r.body, 28) != 0 {
			return guard.Password("ppt")
		}
		s.directory(int(u32(r.body, 12)))
		if s.document == 0 {
			s.document = u32(r.body, 16)
		}
		at = int64(u32(r.body, 8))
	}
	if len(s.persist) == 0 {
		return guard.Corrupt("ppt", errors.New("no table of slides"))
	}
	return nil
}

// lastEdit looks for the last edit among the records of the stream, 0 for none.
func (s *show) lastEdit() (offset int64) {
	for at := 0; ; {
		r, ok := recordAt(s.stream, at)
		if !ok {
			return offset
		}
		if r.kind == typeUserEdit {
			offset = int64(at)
		}
		at = r.end
	}
}

// directory reads where objects are; places known already are newer.
func (s *show) directory(at int) {
	r, ok := recordAt(s.stream, at)
	if !ok || r.kind != typePersist {
		return
	}
	for b := r.body; len(b) >= 4; {
		head := u32(b, 0)
		id, n := head&0xfffff, int(head>>20)
		b = b[4:]
		for i := 0; i < n && len(b) >= 4; i++ {
			if _, newer := s.persist[id]; !newer {
				s.persist[id] = u32(b, 0)
			}
			id++
			b = b[4:]
		}
	}
}

// once returns the record of a stored slide or page of notes the first time.
func (s *show) once(id uint32) (record, bool) {
	at, ok := s.persist[id]
	if !ok || s.read[at] {
		return record{}, false
	}
	s.read[at] = true
	return recordAt(s.stream, int(at))
}

// object returns the record of a stored object.
func (s *show) object(id uint32) (record, bool) {
	at, ok := s.persist[id]
	if !ok {
		return record{}, false
	}
	return recordAt(s.stream, int(at))
}

// lists reads the slides and the notes that the document lists.
func (s *show) lists() (slides, notes []entry, err error) {
	doc, ok := s.object(s.document)
	if !ok || doc.kind != typeDocument {
		return nil, nil, guard.Corrupt("ppt", errors.New("no list of slides"))
	}
	for r := range doc.children() {
		if r.kind != typeSlideList {
			continue
		}
		switch r.instance {
		case listSlides:
			slides = append(slides, entries(r)...)
		case listNotes:
			notes = append(notes, entries(r)...)
		}
	}
	return slides, notes, nil
}

// entries reads one list.
func entries(list record) []entry {
	var out []entry
	var reader textReader
	closeEntry := func() {
		if len(out) > 0 {
			out[len(out)-1].texts = reader.runs()
		}
		reader = textReader{}
	}
	for r := range list.children() {
		if r.kind == typeSlidePersist {
			closeEntry()
			out = append(out, entry{object: u32(r.body, 0), id: u32(r.body, 12)})
			continue
		}
		reader.take(r)
	}
	closeEntry()
	return out
}

// write adds the slides in their order.
func (s *show) write(ctx context.Context, b *doctext.Builder) error {
	slides, notes, err := s.lists()
	if err != nil {
		return err
	}
	if n := len(slides); n > s.limits.Pages {
		return fault.New("limit_pages", fault.P("limit", s.limits.Pages), fault.P("pages", n))
	}
	byID := make(map[uint32]entry, len(notes))
	for _, n := range notes {
		byID[n.id] = n
	}
	for i, e := range slides {
		if err := ctx.Err(); err != nil {
			return err
		}
		b.Page()
		slide, ok := s.once(e.object)
		if !ok || slide.kind != typeSlide {
			b.Warn(doctext.WarnTruncated, fmt.Sprintf("slide %d", i+1))
			writeSlide(b, content{texts: e.texts})
			continue
		}
		c := s.content(slide, e.texts)
		if c.hidden {
			b.Warn(doctext.WarnHidden, fmt.Sprintf("slide %d", i+1))
		}
		if n, ok := byID[c.notes]; ok && c.notes != 0 {
			if r, ok := s.once(n.object); ok && r.kind == typeNotes {
				c.spoken = s.content(r, n.texts).texts
			}
		}
		writeSlide(b, c)
		if int64(b.Len()) > s.limits.Text {
			return fault.New("limit_text", fault.P("limit", s.limits.Text))
		}
	}
	return nil
}
