package answer

import (
	"strings"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// claim is a sentence of a reply with the passages it cites.
type claim struct {
	// span is its bytes in the reply, without the citations after its end.
	span rag.Span
	// words are the sentence without citations and list marks.
	words   string
	numbers []int
	// needs reports that the sentence says something, and so needs a source.
	needs bool
}

// bare is a reply without its citations, which would tear sentences apart.
type bare struct {
	text  string
	marks []mark
	// at are the marks' places in text.
	at []int
}

func withoutMarks(reply string) bare {
	b := bare{marks: marks(reply)}
	var kept strings.Builder
	end := 0
	for _, m := range b.marks {
		kept.WriteString(reply[end:m.span.Start])
		b.at = append(b.at, kept.Len())
		end = m.span.End
	}
	kept.WriteString(reply[end:])
	b.text = kept.String()
	return b
}

// origin is the place in the reply of a place in the bare text. Marks at that very
// place stand before it when after is set, else behind it.
func (b bare) origin(place int, after bool) int {
	moved := place
	for i, m := range b.marks {
		if b.at[i] < place || after && b.at[i] == place {
			moved += m.span.End - m.span.Start
		}
	}
	return moved
}

// claims cuts a reply into its sentences and gives each the citations in it and
// behind it. A citation that begins a line belongs to what follows on that line.
func claims(reply string) []claim {
	b := withoutMarks(reply)
	var out []claim
	for _, s := range text.Statements(b.text) {
		out = append(out, claim{span: s.Span, words: s.Words, needs: !s.Heading && !s.Leads && text.Weight(s.Words) >= sayingWeight})
	}
	if len(out) == 1 {
		out[0].needs = true
	}
	for i, m := range b.marks {
		if c := owner(out, b.text, b.at[i]); c >= 0 {
			out[c].numbers = append(out[c].numbers, m.numbers...)
		}
	}
	for i := range out {
		out[i].numbers = unique(out[i].numbers)
		out[i].span = rag.Span{Start: b.origin(out[i].span.Start, true), End: b.origin(out[i].span.End, false)}
	}
	return out
}

// owner is the sentence that a mark at a place of the bare text belongs to; -1 when
// there is none.
func owner(sentences []claim, bareText string, place int) int {
	line := strings.LastIndexByte(bareText[:place], '\n') + 1
	rest, _, _ := strings.Cut(bareText[place:], "\n")
	before := bareText[line:place]
	if len(text.ListMark(before)) == len(before) && text.Weight(rest) > 0 {
		for i, c := range sentences {
			if c.span.End > place {
				return i
			}
		}
	}
	for i := len(sentences) - 1; i >= 0; i-- {
		if sentences[i].span.Start < place {
			return i
		}
	}
	return -1
}

// sayingWeight is the weight from which a sentence says something by itself.
const sayingWeight = 4

func unique(list []int) []int {
	var out []int
	seen := map[int]bool{}
	for _, n := range list {
		if !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	return out
}
