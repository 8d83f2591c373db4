package answer

import (
	"regexp"
	"strings"
	"unicode"

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

// listHead is what may stand before the first word of a line.
var listHead = regexp.MustCompile(`^[\s>#*+•·|-]*(?:\p{Nd}{1,3}[.)、．)][\s*]*)?`)

// claims cuts a reply into its sentences and gives each the citations in it and
// behind it. A citation that begins a line belongs to what follows on that line.
func claims(reply string) []claim {
	b := withoutMarks(reply)
	var out []claim
	for _, s := range text.Sentences(b.text) {
		words := b.text[s.Start:s.End]
		if weight(words) == 0 {
			continue
		}
		lead := len(words) - len(strings.TrimLeftFunc(words, unicode.IsSpace))
		s.Start, s.End = s.Start+lead, s.Start+len(strings.TrimRightFunc(words, unicode.IsSpace))
		words = b.text[s.Start:s.End]
		heading := isHeading(words)
		words = strings.Trim(words[len(listHead.FindString(words)):], "*_ ")
		out = append(out, claim{span: s, words: words, needs: !heading && weight(words) >= sayingWeight && !opens(words)})
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
	if len(listHead.FindString(before)) == len(before) && weight(rest) > 0 {
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

// weight counts letters and digits; a Chinese character counts twice.
func weight(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case text.Han(r):
			n += 2
		case unicode.IsLetter(r), unicode.IsDigit(r):
			n++
		}
	}
	return n
}

// opens reports a sentence that leads to the next or asks, and so says nothing.
func opens(s string) bool {
	s = strings.TrimRight(s, "*_ ")
	for _, end := range []string{":", "：", "?", "？"} {
		if strings.HasSuffix(s, end) {
			return true
		}
	}
	return false
}

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
