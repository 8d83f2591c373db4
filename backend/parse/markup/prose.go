package markup

import (
	"fmt"
	"strconv"
	"strings"

	"ragdesk/backend/parse/doctext"
)

// Names of elements in DocBook, JATS, TEI, DITA, FictionBook, Word's XML and
// their kin, in lower case between spaces.
const (
	titleNames   = " title head caption bridgehead subtitle article-title "
	codeNames    = " programlisting screen codeblock code preformat literallayout "
	listNames    = " itemizedlist orderedlist list ul ol steps simplelist def-list variablelist dl "
	entryNames   = " listitem list-item item li step member varlistentry def-item dlentry "
	tableNames   = " table informaltable table-wrap tbl simpletable "
	rowNames     = " tr row tblrow strow sthead "
	cellNames    = " td th cell entry tc stentry "
	pictureNames = " imagedata graphic image img inlinegraphic inline-graphic binary pict bindata "
	// silentNames hold no text of the document.
	silentNames = " binary bindata instrtext deltext style styles fonts docpr script indexterm remark processing-instruction lists "
)

// prose writes the running text below e, its headings from level on.
func (w *xmlWriter) prose(e *element, level int) {
	if w.stop() != nil {
		return
	}
	switch {
	case e.name == "":
	case e.is(pictureNames):
		w.paragraph(e)
	case e.is(silentNames):
	case e.is(titleNames):
		w.b.Heading(level, e.flowed())
	case e.is(codeNames) && strings.Contains(strings.TrimSpace(e.all()), "\n"):
		w.b.Code(e.attr("language"), e.all())
	case e.is(listNames) && e.child(entryNames) != nil:
		var items []doctext.Item
		w.entries(e, 0, &items)
		w.b.List(items)
	case e.is(tableNames):
		w.proseTable(e, level)
	case e.words() || !e.elements() || e.is(" p para "):
		w.paragraph(e)
	default:
		deeper := level
		for _, k := range e.kids {
			w.prose(k, deeper)
			if k.is(titleNames) {
				// What follows a section's title is below it.
				deeper = level + 1
			}
		}
	}
}

// paragraph writes an element of running text; tables, lists and code inside it
// stand by themselves. Pictures are counted; elements in them are text, such as a
// caption, and what they say themselves is their data.
func (w *xmlWriter) paragraph(e *element) {
	var t inline
	var run func(e *element)
	run = func(e *element) {
		switch {
		case e.is(pictureNames):
			w.b.Health.Images++
			for _, k := range e.kids {
				if k.name != "" {
					run(k)
				}
			}
		case e.is(silentNames):
		case e.is(tableNames), e.is(listNames) && e.child(entryNames) != nil,
			e.is(codeNames) && strings.Contains(strings.TrimSpace(e.all()), "\n"):
			w.b.Paragraph(t.take())
			w.prose(e, 6)
		default:
			if e.is(" br lb tab cr ") {
				t.line()
			}
			t.add(e.text)
			for _, k := range e.kids {
				run(k)
			}
		}
	}
	run(e)
	w.b.Paragraph(t.take())
}

// entries collects a list's entries and those of lists inside them.
func (w *xmlWriter) entries(list *element, depth int, items *[]doctext.Item) {
	n := 0
	for _, k := range list.kids {
		if !k.is(entryNames) {
			if k.is(titleNames) {
				w.b.Paragraph(k.flowed())
			}
			continue
		}
		n++
		marker := ""
		if list.is(" orderedlist ol steps ") || list.attr("list-type") == "order" {
			marker = fmt.Sprintf("%d.", n)
		}
		*items = append(*items, doctext.Item{Depth: min(depth, maxIndent), Marker: marker})
		own := len(*items) - 1
		var parts []string
		var walk func(e *element)
		walk = func(e *element) {
			var t inline
			for _, c := range e.kids {
				switch {
				case c.is(listNames) && c.child(entryNames) != nil:
					w.entries(c, depth+1, items)
				case c.is(" para p simpara term def dt dd listitem cmd info "):
					parts = append(parts, t.take())
					walk(c)
				default:
					c.run(&t)
				}
			}
			parts = append(parts, t.take())
		}
		walk(k)
		(*items)[own].Text = strings.Join(kept(parts), "\n")
	}
}

// kept is parts without empty ones.
func kept(parts []string) []string {
	var k []string
	for _, p := range parts {
		if p != "" {
			k = append(k, p)
		}
	}
	return k
}

// proseTable writes a table, its title above it.
func (w *xmlWriter) proseTable(e *element, level int) {
	var rows [][]string
	header := 0
	var walk func(e *element, head bool)
	walk = func(e *element, head bool) {
		for _, k := range e.kids {
			switch {
			case k.is(rowNames):
				var row []string
				for _, c := range k.kids {
					if c.is(cellNames) {
						row = w.cell(row, c)
					}
				}
				rows = append(rows, row)
				if head || k.is(" sthead ") {
					header++
				}
			case k.is(titleNames):
				w.b.Paragraph(k.flowed())
			case k.name != "":
				walk(k, head || k.is(" thead "))
			}
		}
	}
	walk(e, false)
	switch {
	case len(rows) == 0:
		for _, k := range e.kids {
			if !k.is(titleNames) {
				w.prose(k, level)
			}
		}
		return
	case header == 0 || header == len(rows):
		header = doctext.HeaderRows(rows)
	}
	writeRows(w.b, rows, header)
}

// cell adds a cell to a row, as often as it has columns.
func (w *xmlWriter) cell(row []string, c *element) []string {
	s := c.cell()
	row = append(row, s)
	columns, _ := strconv.Atoi(c.attr("colspan"))
	for i := 1; i < min(columns, maxSpan) && len(s) <= maxRepeated && w.repeated <= maxRepeatedAll; i++ {
		w.repeated += len(s) + 1
		row = append(row, s)
	}
	return row
}

// cell returns the text of a table's cell, its paragraphs on lines.
func (e *element) cell() string {
	var parts []string
	var t inline
	for _, k := range e.kids {
		if k.is(" p para simpara ") {
			parts = append(parts, t.take(), k.flowed())
			continue
		}
		k.run(&t)
	}
	return strings.Join(kept(append(parts, t.take())), "\n")
}
