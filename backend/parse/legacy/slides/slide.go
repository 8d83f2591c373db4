package slides

import (
	"cmp"
	"slices"
	"strings"

	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/text"
)

// Types of drawing record.
const (
	drawGroup        = 0xf003
	drawShape        = 0xf004
	drawShapeAtom    = 0xf00a
	drawText         = 0xf00d
	drawChildAnchor  = 0xf00f
	drawClientAnchor = 0xf010
	drawClientData   = 0xf011
	drawMoreProps    = 0xf122
	typePlaceholder  = 0x0bc3
	shapePicture     = 75
	propTable        = 0x039f
)

// Placeholders that show the same on every slide.
const (
	placeDate   = 7
	placeHeader = 10
)

// content is what a slide shows.
type content struct {
	texts    []textRun
	tables   [][][]string
	spoken   []textRun
	notes    uint32
	hidden   bool
	images   int
	repeated int
}

// shape is what is read of one shape.
type shape struct {
	kind        int
	placeholder int
	table       bool
	top, left   int
	texts       []textRun
}

// slideReader reads the drawing of one slide.
type slideReader struct {
	content
	outline []textRun
	used    []bool
	depth   int
}

// content reads a slide or a page of notes; outline are its texts in the list.
func (s *show) content(slide record, outline []textRun) content {
	r := &slideReader{outline: outline, used: make([]bool, len(outline)), depth: s.limits.Depth}
	for c := range slide.children() {
		switch c.kind {
		case typeSlideAtom:
			r.notes = u32(c.body, 16)
		case typeSlideInfo:
			r.hidden = u16(c.body, 10)&4 != 0
		case typeDrawing:
			r.drawing(c, 0)
		}
	}
	for i, t := range outline {
		if !r.used[i] && !t.field() {
			r.texts = append(r.texts, t)
		}
	}
	return r.content
}

// drawing reads the shapes of a container and of the groups in it.
func (r *slideReader) drawing(c record, deep int) {
	if deep > r.depth {
		return
	}
	var cells []shape
	table := false
	for child := range c.children() {
		switch {
		case child.kind == drawShape:
			s := r.shape(child)
			table = table || s.table
			if table {
				cells = append(cells, s)
				continue
			}
			r.keep(s)
		case child.container():
			r.drawing(child, deep+1)
		}
	}
	if rows := rowsOf(cells); len(rows) > 0 {
		r.tables = append(r.tables, rows)
	}
}

// keep takes a shape that is no cell of a table.
func (r *slideReader) keep(s shape) {
	if s.kind == shapePicture {
		r.images++
	}
	for _, t := range s.texts {
		switch {
		case t.field():
		case placeDate <= s.placeholder && s.placeholder <= placeHeader:
			r.repeated++
		default:
			r.texts = append(r.texts, t)
		}
	}
}

// shape reads one shape.
func (r *slideReader) shape(c record) shape {
	s := shape{}
	for child := range c.children() {
		switch child.kind {
		case drawShapeAtom:
			s.kind = child.instance
		case drawMoreProps:
			for i := range child.instance {
				if u16(child.body, 6*i)&0x3fff == propTable {
					s.table = true
				}
				if 6*i > len(child.body) {
					break
				}
			}
		case drawChildAnchor:
			s.left, s.top = int(int32(u32(child.body, 0))), int(int32(u32(child.body, 4)))
		case drawClientAnchor:
			s.top, s.left = int(int16(u16(child.body, 0))), int(int16(u16(child.body, 2)))
		case drawClientData:
			for d := range child.children() {
				if d.kind == typePlaceholder && len(d.body) > 4 {
					s.placeholder = int(d.body[4])
				}
			}
		case drawText:
			s.texts = append(s.texts, r.textbox(child)...)
		}
	}
	return s
}

// textbox reads the text of a shape: its own, or the one it refers to.
func (r *slideReader) textbox(c record) []textRun {
	var reader textReader
	for child := range c.children() {
		if child.kind == typeOutlineRef {
			if i := int(u32(child.body, 0)); i < len(r.outline) && !r.used[i] {
				r.used[i] = true
				return []textRun{r.outline[i]}
			}
			continue
		}
		reader.take(child)
	}
	return reader.list
}

// rowsOf sorts the cells of a table into rows by their places.
func rowsOf(cells []shape) [][]string {
	cells = slices.DeleteFunc(cells, func(s shape) bool { return s.table || len(s.texts) == 0 })
	slices.SortStableFunc(cells, func(a, b shape) int {
		return cmp.Or(cmp.Compare(a.top, b.top), cmp.Compare(a.left, b.left))
	})
	var columns []int
	for _, c := range cells {
		columns = append(columns, c.left)
	}
	slices.Sort(columns)
	columns = slices.Compact(columns)
	var rows [][]string
	top := 0
	for i, c := range cells {
		if i == 0 || c.top != top {
			rows = append(rows, make([]string, len(columns)))
			top = c.top
		}
		at, _ := slices.BinarySearch(columns, c.left)
		rows[len(rows)-1][at] = c.texts[0].plain()
	}
	return rows
}

// writeSlide adds a slide: its title, its texts, its tables and its notes.
func writeSlide(b *doctext.Builder, c content) {
	b.Health.Images += c.images
	b.Health.Repeated += c.repeated
	titled := false
	for _, t := range c.texts {
		if t.title() && !titled && !text.IsBlank(t.text) {
			b.Heading(1, strings.Join(strings.Fields(t.plain()), " "))
			titled = true
		}
	}
	skipped := false
	for _, t := range c.texts {
		points := slices.DeleteFunc(t.points(), func(i doctext.Item) bool { return text.IsBlank(i.Text) })
		switch {
		case len(points) == 0:
		case t.title() && !skipped:
			skipped = true
		case t.outlined() && len(points) > 1:
			b.List(points)
		default:
			for _, p := range points {
				b.Paragraph(p.Text)
			}
		}
	}
	for _, rows := range c.tables {
		b.Table(rows, 1)
	}
	for _, t := range c.spoken {
		if !text.IsBlank(t.text) {
			b.Paragraph("> " + strings.ReplaceAll(t.plain(), "\n", "\n> "))
		}
	}
}
