package layout

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ragdesk/backend/parse/doctext"
)

// para is a paragraph or a table.
type para struct {
	text  string
	table *table
	box   Box
	// size and bold are of its lines; lines is how many it has.
	size  float64
	bold  bool
	lines int
	// cells is how many cells its row has.
	cells int
	// marked says that it starts as a list's item does.
	marked bool
	// level is that of a heading, 0 for none.
	level int
	aside bool
}

// paragraphs joins the lines of a page.
func paragraphs(p Page) []para {
	var out []para
	for i, r := range p.regions {
		ps := r.paragraphs()
		// A paragraph goes on at the top of the next column.
		if n := len(out); n > 0 && len(ps) > 0 && p.continues(i) && flowsOn(out[n-1], ps[0]) {
			out[n-1].text = doctext.Join(out[n-1].text, ps[0].text)
			out[n-1].lines += ps[0].lines
			ps = ps[1:]
		}
		out = append(out, ps...)
	}
	return out
}

// continues reports whether region i is the column beside the region before it.
func (p Page) continues(i int) bool {
	if i == 0 || p.regions[i].aside {
		return false
	}
	a, b := p.regions[i-1].box, p.regions[i].box
	return b.Y0 < a.Y1 && (b.X0 >= a.X1-1 || b.X1 <= a.X0+1)
}

// flowsOn reports whether b is the rest of the unfinished paragraph a.
func flowsOn(a, b para) bool {
	if a.table != nil || b.table != nil || b.marked || a.bold != b.bold || math.Abs(a.size-b.size) > 0.08*a.size || a.lines < 2 {
		return false
	}
	last, next := lastRune(a.text), firstRune(b.text)
	if endsSentence(last) || last == ':' || last == '：' {
		return false
	}
	return wide(last) || wide(next) || last == doctext.SoftHyphen || last == '-' || last == ',' || unicode.IsLower(next)
}

func endsSentence(r rune) bool { return strings.ContainsRune(".!?。！？…;；", r) }

// paragraphs joins the lines of a region. Lines part where the distance grows,
// the size changes, a line is indented or starts an item, or the one before it
// ends early.
func (r region) paragraphs() []para {
	var out []para
	var open *para
	usual := r.pitch()
	var last line
	for i, it := range r.items {
		if it.table != nil {
			t := it.table
			out = append(out, para{table: t, box: t.box, aside: r.aside})
			open = nil
			continue
		}
		l := it.line
		if open != nil && !r.parts(last, l, *open, usual, r.around(i)) {
			open.text = doctext.Join(open.text, l.text)
			open.box = open.box.Union(l.box)
			open.bold = open.bold && l.bold
			open.lines++
		} else {
			out = append(out, para{text: l.text, box: l.box, size: l.size, bold: l.bold, lines: 1, cells: l.cells,
				marked: marker(l.text) != "" || l.hung, aside: r.aside})
			open = &out[len(out)-1]
		}
		last = l
	}
	return out
}

// pitch is the usual distance of the region's lines.
func (r region) pitch() float64 {
	var steps []float64
	for i := 1; i < len(r.items); i++ {
		a, b := r.items[i-1], r.items[i]
		if a.table == nil && b.table == nil && b.line.box.Y0 > a.line.box.Y0 {
			steps = append(steps, b.line.box.Y1-a.line.box.Y1)
		}
	}
	if len(steps) == 0 {
		return 0
	}
	// Most steps may lie between paragraphs of a line each.
	slices.Sort(steps)
	return steps[len(steps)/4]
}

// around is the smaller of the steps before and after that from item i-1 to i,
// very large without either.
func (r region) around(i int) float64 {
	least := 1e9
	for _, k := range []int{i - 1, i + 1} {
		if k < 1 || k >= len(r.items) || r.items[k].table != nil || r.items[k-1].table != nil {
			continue
		}
		if step := r.items[k].line.box.Y1 - r.items[k-1].line.box.Y1; step > 0 {
			least = min(least, step)
		}
	}
	return least
}

// Steps between lines in ems: less than close is within a paragraph wherever the
// neighbours are as far apart, more than far is not unless most lines are.
const (
	closeStep = 1.3
	farStep   = 1.9
	// apartStep is wider than double spacing.
	apartStep = 2.6
)

// parts reports whether next starts a paragraph of its own after last; around is
// the step of the lines beside them.
func (r region) parts(last, next line, open para, usual, around float64) bool {
	em := max(last.size, 1)
	step := next.box.Y1 - last.box.Y1
	switch {
	case last.cells > 1 || next.cells > 1:
		return true // what stands in cells keeps its row
	case leads(last.text):
		return true
	case math.Abs(last.size-next.size) > 0.12*em:
		return true
	case last.bold != next.bold && step > 1.05*usual:
		return true
	case step < -0.5*em, step > apartStep*em, step > 1.35*usual && step > closeStep*em && (step > farStep*em || step > 1.2*around):
		return true
	case open.lines == 1 && last.box.X0-next.box.X0 > 5*em && !last.rtl:
		return true // a line in the middle or on the right, and one on the left
	case marker(next.text) != "" && (open.marked || !strings.Contains(marker(next.text), "-")), next.hung:
		return true
	}
	if open.marked {
		// The lines of an item hang under its text.
		return next.box.X0 < open.box.X0-0.5*em
	}
	if last.rtl || next.rtl {
		return r.box.X1-next.box.X1 > 1.2*em && r.box.X1-last.box.X1 < 0.8*em || last.box.X0-r.box.X0 > 0.25*r.box.Width()
	}
	indent := next.box.X0 - last.box.X0
	if open.lines == 1 {
		// The first line may itself be indented: then the second stands left of it.
		if indent > 1.2*em {
			return true
		}
	} else if indent > 0.8*em {
		return true
	}
	return r.early(last, next)
}

// early reports whether last ends so early that the first word of next would have
// fitted: then the break is meant.
func (r region) early(last, next line) bool {
	room := r.box.X1 - last.box.X1
	word := next.text
	if i := strings.IndexByte(word, ' '); i >= 0 {
		word = word[:i]
	}
	n := utf8.RuneCountInString(next.text)
	if n == 0 {
		return false
	}
	width := next.box.Width() * float64(utf8.RuneCountInString(word)) / float64(n)
	if wide(firstRune(next.text)) {
		width = last.size
	}
	if room < width+1.5*last.size {
		return false
	}
	// Ragged text may end early by a word; only an end of a sentence, or much
	// room, is certain.
	return endsSentence(lastRune(last.text)) || lastRune(last.text) == '：' || lastRune(last.text) == ':' ||
		room > 0.35*r.box.Width() || room > width*1.5+4*last.size && wide(firstRune(next.text))
}
