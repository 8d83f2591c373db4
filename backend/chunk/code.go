package chunk

import (
	"slices"
	"strings"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// codeRule makes a chunk of each function or type, with the comments, attributes
// and decorators before it; of a type that does not fit, of its head and of each
// function in it. What stands before the first of them, such as imports, is a
// chunk of its own, statements between them are packed, and neighbours of less
// than an eighth of the size share a chunk. A function that does not fit is split
// at its lines, the least indented and those after blank lines first. The headings
// are the path of enclosing types and the function's name.
//
// Programs are read by a scanner of their lexemes and brackets or, in languages
// without brackets, of their indentation: it needs no grammar, takes linear time
// on any input, and reads unknown languages by blank lines.
func codeRule() rule { return rule{name: "code/1", units: codeUnits, lines: true} }

// codeUnits returns the functions, types and statements of doc.
func codeUnits(doc rag.Document, p *pieces, c tokens) []unit {
	syn, known := syntaxes()[languageOf(doc)]
	if !known {
		syn = syntax{line: []string{"#", "//", "--", ";"}}
	}
	w := codeWalk{pieces: p, size: c.size}
	items := outline(doc.Text, syn)
	first := slices.IndexFunc(items, func(i item) bool { return i.kind != itemOther })
	if first > 0 {
		w.add(items[0].start, []string{}, 0, cutAlways)
		items = items[first:]
	}
	w.walk(items, len(doc.Text), []string{}, 0)
	units := tidy(p, w.units)
	mergeSmall(units, (c.size+7)/8, c.size)
	return units
}

// codeWalk makes units of items.
type codeWalk struct {
	*pieces
	size  int
	units []unit
}

func (w *codeWalk) add(start int, path []string, level int, c cut) {
	if line := strings.LastIndexAny(w.text[:start], "\n\r") + 1; text.IsBlank(w.text[line:start]) {
		start = line
	}
	w.units = append(w.units, unit{start: start, cut: c, level: level, path: path, split: byLines(start, nil, codeLine)})
}

// walk adds the items of one level, which end at byte end.
func (w *codeWalk) walk(items []item, end int, path []string, level int) {
	other := false // the item before is a statement
	for i, one := range items {
		stop := end
		if i+1 < len(items) {
			stop = items[i+1].start
		}
		own := slices.Concat(path, one.names)
		switch {
		case one.kind == itemOther && other:
			w.add(one.start, path, level, cutUnit)
		case one.kind == itemOther:
			w.add(one.start, path, level, cutAlways)
		case len(one.items) > 0 && w.weight(one.start, stop) > w.size:
			w.add(one.start, own, level, cutAlways) // its head, fields included
			first := slices.IndexFunc(one.items, func(i item) bool { return i.kind != itemOther })
			w.walk(one.items[first:], stop, own, level+1)
		default:
			w.add(one.start, own, level, cutAlways)
		}
		other = one.kind == itemOther
	}
}
