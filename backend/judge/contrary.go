package judge

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// Words that forbid and words that permit. What forbids is taken out of a text before
// it is looked for what permits.
var (
	forbids = regexp.MustCompile(`(?i)禁止|严禁|不得|不准|不许|不可以|不能|不允许|切勿|请勿|谢绝` +
		`|\b(?:must|may|shall|can|should)(?: not\b|n['’]t\b)|\bcannot\b|\bnot (?:be )?(?:allowed|permitted|entitled)\b|\b(?:prohibit|forbid|forbidden|ban)(?:s|ed|den)?\b|\bbanned\b`)
	permits = regexp.MustCompile(`(?i)可以|允许|准许|准予|获准|有权|\b(?:may|can|allowed|permitted|entitled)\b`)
)

// permission is -1 for a text that forbids, 1 for one that permits, and 0 for one that
// does both or neither.
func permission(s string) int {
	rest := forbids.ReplaceAllString(s, " ")
	forbidden, permitted := rest != s, permits.MatchString(rest)
	switch {
	case forbidden && !permitted:
		return -1
	case permitted && !forbidden:
		return 1
	}
	return 0
}

// modal reports a word that only forbids or permits.
func modal(s string) bool { return forbids.MatchString(s) || permits.MatchString(s) }

// part is a clause with its words and figures.
type part struct {
	context, sentence int
	text              string
	// words are its words that tell, without figures; subject is the first of them.
	words   map[string]bool
	subject string
	// figures are its numbers, by what stands behind them.
	figures map[string]string
}

// clauseMarks part clauses, as do words that join two.
var clauseMarks = regexp.MustCompile(`(?i)[,，;；、。！？!?\n]+\s|[，；、。！？\n]+|\b(?:and|but|while|whereas|or)\b|而且?|以及|和|与|及`)

// partsOf cuts a text into clauses.
func partsOf(s string) []part {
	var out []part
	start := 0
	for _, m := range append(clauseMarks.FindAllStringIndex(s, -1), []int{len(s), len(s)}) {
		if p := newPart(s[start:m[0]]); len(p.words)+len(p.figures) > 0 {
			out = append(out, p)
		}
		start = m[1]
	}
	return out
}

func newPart(s string) part {
	p := part{text: s, words: map[string]bool{}, figures: map[string]string{}}
	for _, w := range analyze(s) {
		switch {
		case number(w.Term):
			p.figures[w.Term] = unitOf(s, w.Span)
		case !w.Stop:
			p.words[w.Term] = true
			if p.subject == "" {
				p.subject = w.Term
			}
		}
	}
	return p
}

// unitOf is what a figure counts: the sign before it, or the first letter behind it.
func unitOf(s string, at rag.Span) string {
	if r, n := utf8.DecodeLastRuneInString(s[:at.Start]); n > 0 && strings.ContainsRune("$€£¥￥", r) {
		return string(r)
	}
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(s[at.End:], " "))
	if text.Letters(string(r)) == "" {
		return ""
	}
	return string(r)
}

// parts are the clauses of the sentences.
func (s *source) parts() []part {
	var out []part
	for i, at := range s.sentences {
		for _, p := range partsOf(s.text(i)) {
			p.context, p.sentence = at.context, i
			out = append(out, p)
		}
	}
	return out
}

// swapped finds a figure that the source gives to another: the clause that speaks of
// what the claim does has another figure of the same unit, and every clause that has the
// claim's figure speaks of something else.
func (c *claimed) swapped() (figure string, is bool) {
	var around []part
	for _, said := range partsOf(c.text) {
		for f, unit := range said.figures {
			if len(said.words) == 0 {
				continue
			}
			if around == nil {
				around = c.source.parts()
			}
			if given(said, f, unit, around) && (figure == "" || f < figure) {
				figure, is = f, true
			}
		}
	}
	return figure, is
}

// given reports that the clauses give a figure of what is said to something else.
func given(said part, figure, unit string, clauses []part) bool {
	var holders, rivals []part
	for _, k := range clauses {
		switch _, has := k.figures[figure]; {
		case has:
			holders = append(holders, k)
		case k.counts(unit) && !shares(k.figures, said.figures):
			rivals = append(rivals, k)
		}
	}
	for _, h := range holders {
		if !displaced(said, h, rivals) {
			return false
		}
	}
	return len(holders) > 0
}

// displaced reports that a clause beside the holder of a figure fits what is said as
// well or better, and has its subject, which the holder has not: it has one of its own.
func displaced(said, holder part, rivals []part) bool {
	if holder.words[said.subject] || common(said.words, holder.words) == len(holder.words) {
		return false
	}
	for _, r := range rivals {
		near := r.context == holder.context && r.sentence-holder.sentence <= 1 && holder.sentence-r.sentence <= 1
		if near && r.words[said.subject] && common(said.words, r.words) >= common(said.words, holder.words) {
			return true
		}
	}
	return false
}

// counts reports a figure of that unit.
func (p part) counts(unit string) bool {
	for _, u := range p.figures {
		if u == unit {
			return true
		}
	}
	return false
}

func shares(a, b map[string]string) bool {
	for f := range a {
		if _, ok := b[f]; ok {
			return true
		}
	}
	return false
}

func common(a, b map[string]bool) (n int) {
	for w := range a {
		if b[w] {
			n++
		}
	}
	return n
}
