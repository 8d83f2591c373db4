package layout

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"ragdesk/backend/parse/doctext"
)

// Write adds pages to a document, each as a page of it. Outline holds the levels
// of the titles in the document's own outline, by what FoldTitle makes of them.
func Write(b *doctext.Builder, pages []Page, outline map[string]int) {
	texts := make([][]para, len(pages))
	for i, p := range pages {
		texts[i] = paragraphs(p)
	}
	levels(texts, outline)
	for _, ps := range texts {
		b.Page()
		for i := 0; i < len(ps); {
			p := ps[i]
			switch {
			case p.table != nil:
				b.Table(cleaned(p.table.rows), p.table.header)
			case p.level > 0:
				b.Heading(p.level, clean(p.text))
			case p.marked:
				n := i
				for n < len(ps) && ps[n].marked && ps[n].level == 0 && ps[n].table == nil {
					n++
				}
				b.List(items(ps[i:n]))
				i = n
				continue
			default:
				n := i + 1
				// Rows of cells that follow each other are one block.
				for n < len(ps) && cellRow(ps[n-1]) && cellRow(ps[n]) && ps[n].box.Y0-ps[n-1].box.Y1 < 1.2*p.size {
					n++
				}
				b.Paragraph(joinRows(ps[i:n]))
				i = n
				continue
			}
			i++
		}
	}
}

// cellRow reports whether p is a row of cells that became no table.
func cellRow(p para) bool {
	return p.table == nil && p.level == 0 && !p.marked && p.lines == 1 && strings.Contains(p.text, "  ")
}

func joinRows(ps []para) string {
	texts := make([]string, len(ps))
	for i, p := range ps {
		texts[i] = clean(p.text)
	}
	return strings.Join(texts, "\n")
}

func cleaned(rows [][]string) [][]string {
	for _, r := range rows {
		for i, s := range r {
			r[i] = clean(s)
		}
	}
	return rows
}

// clean turns a hyphen that divided no word in the end into one that shows, and
// the dots that lead to a page number into an ellipsis.
func clean(s string) string {
	s = strings.ReplaceAll(s, string(doctext.SoftHyphen), "-")
	if from, to, ok := leader(s); ok {
		s = strings.TrimRight(s[:from], " ") + " … " + strings.TrimLeft(s[to:], " ")
	}
	return s
}

// leaderDots is how many dots are a leader.
const leaderDots = 5

// leads reports whether s is a line of a table of contents.
func leads(s string) bool {
	_, _, ok := leader(s)
	return ok
}

// leader finds the first row of dots in s that leads from a title to a number.
func leader(s string) (from, to int, ok bool) {
	dots := 0
	for i, r := range s {
		switch {
		case r == '.' || r == '·' || r == '…' || r == '．':
			if dots == 0 {
				from = i
			}
			dots++
			to = i + utf8.RuneLen(r)
		case r == ' ' && dots > 0:
		case dots >= leaderDots:
			return from, to, true
		default:
			dots = 0
		}
	}
	return from, to, dots >= leaderDots
}

// items makes a list's items; their depth follows from where they start.
func items(ps []para) []doctext.Item {
	var stops []float64
	out := make([]doctext.Item, len(ps))
	for i, p := range ps {
		x := p.box.X0
		for len(stops) > 0 && x < stops[len(stops)-1]-2 {
			stops = stops[:len(stops)-1]
		}
		if len(stops) == 0 || x > stops[len(stops)-1]+0.7*p.size {
			stops = append(stops, x)
		}
		m := lead(p.text)
		out[i] = doctext.Item{Depth: len(stops) - 1, Marker: m, Text: clean(strings.TrimSpace(strings.TrimPrefix(p.text, m)))}
		if !isNumber(m) {
			out[i].Marker = "-"
		}
		if out[i].Text == "" {
			out[i] = doctext.Item{Depth: out[i].Depth, Text: clean(p.text)}
		}
	}
	return out
}

func isNumber(m string) bool {
	for _, r := range m {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return true
		}
	}
	return false
}
