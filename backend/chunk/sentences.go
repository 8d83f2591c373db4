package chunk

import (
	"strings"

	"ragdesk/backend/rag"
)

// sentenceRule packs whole sentences and repeats whole sentences.
func sentenceRule() rule {
	return rule{name: "sentences/1", repeat: true, units: sentenceUnits}
}

// sentenceUnits returns the sentences of doc, lines and rows of code and tables
// among them.
func sentenceUnits(doc rag.Document, _ *pieces, _ tokens) []unit {
	path := headingPath{sections: doc.Sections}
	units := bySentences(doc.Text, rag.Span{End: len(doc.Text)})
	glued := openers(doc)
	out := units[:0]
	for _, u := range units {
		at := solid(doc.Text, u.start) // a sentence may begin with the space before it
		for len(glued) > 0 && glued[0].End <= at {
			glued = glued[1:]
		}
		if len(out) > 0 && len(glued) > 0 && glued[0].Start <= at {
			continue
		}
		u.cut, u.path = cutUnit, path.at(at)
		out = append(out, u)
	}
	return out
}

// openers returns where no sentence starts, in text order: at what follows a
// heading, from the rule under a table's header to its first row, in the first
// line of code, and at the line that closes it.
func openers(doc rag.Document) []rag.Span {
	var out []rag.Span
	add := func(start, end int) {
		if start < end {
			out = append(out, rag.Span{Start: start, End: end})
		}
	}
	for _, b := range structure(doc) {
		s := trim(doc.Text, b.Span, false)
		switch b.Kind {
		case rag.BlockHeading:
			add(s.Start+1, solid(doc.Text, s.End)+1)
		case rag.BlockTable:
			add(s.Start+1, solid(doc.Text, b.Header.End)+1)
		case rag.BlockCode:
			first := nextLine(doc.Text, s.Start, s.End)
			add(s.Start+1, solid(doc.Text, first)+1)
			if last := strings.LastIndexAny(doc.Text[s.Start:s.End], "\n\r") + 1; last > 0 && fenceMark(doc.Text[s.Start+last:s.End]) != "" {
				add(s.Start+last, s.End)
			}
		}
	}
	return out
}
