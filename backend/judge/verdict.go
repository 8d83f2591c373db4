package judge

import (
	"strings"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// conflictScore is the cosine from which the best sentence speaks of the same thing,
// so that a difference is a contradiction.
const conflictScore = .6

// conflictRisk is the least risk of a claim that says what a sentence says, but for
// its figure or for a denial; conflictShare is the share of its words that the
// sentence must hold.
const (
	conflictRisk  = .8
	conflictShare = .65
)

// conflicts reports a claim that repeats the best sentence with a figure that the
// source does not have, with a denial more or less, or permitting what it forbids, and
// one whose figure the source gives to another.
func (c *claimed) conflicts() bool {
	if len(c.order) == 0 || c.order[0].score < conflictScore {
		return false
	}
	best := c.order[0].sentence
	held := map[string]bool{}
	figure := false
	for _, w := range c.source.words(best) {
		held[w.Term] = true
		figure = figure || number(w.Term)
	}
	words, in := 0, 0
	for _, w := range c.words {
		if w.Stop || number(w.Term) || modal(w.Term) {
			continue
		}
		words++
		if held[w.Term] {
			in++
		}
	}
	covered := share(in, words)
	numbers, _ := c.missing()
	_, swapped := c.swapped()
	switch {
	case len(numbers) > 0 && figure && covered >= conflictShare, swapped:
		return true
	case permission(c.text)*permission(c.source.text(best)) < 0:
		return covered >= conflictShare
	case denials(c.text)%2 != denials(c.source.text(best))%2:
		return covered >= 1 && words >= 2
	}
	return false
}

// evidence are the sentences that match best.
func (c *claimed) evidence() []rag.Evidence {
	out := []rag.Evidence{}
	for _, s := range c.order[:min(len(c.order), shownEvidence)] {
		out = append(out, c.source.shown(s.sentence, s.score))
	}
	return out
}

// shown is a sentence as evidence.
func (s *source) shown(sentence int, score float64) rag.Evidence {
	at := s.sentences[sentence]
	return s.part(at.context, at.span, score)
}

// part is a part of a context, without blanks at its ends.
func (s *source) part(context int, span rag.Span, score float64) rag.Evidence {
	whole := s.contexts[context]
	inner := trimmed(whole[span.Start:span.End])
	span = rag.Span{Start: span.Start + inner.Start, End: span.Start + inner.End}
	return rag.Evidence{
		Context: context, Points: rag.Points(whole, []rag.Span{span})[0], Text: whole[span.Start:span.End], Score: score,
	}
}

// quoted is the sentence around a place as evidence, or the place itself where it
// runs over several.
func (s *source) quoted(p place) []rag.Evidence {
	for _, at := range s.sentences {
		if at.context == p.context && at.span.Start <= p.start && p.end <= at.span.End {
			return []rag.Evidence{s.part(p.context, at.span, 1)}
		}
	}
	return []rag.Evidence{s.part(p.context, rag.Span{Start: p.start, End: p.end}, 1)}
}

// objection says what is wrong with a claim that is not supported, and so whether
// the source says otherwise or nothing.
func (c *claimed) objection() (verdict rag.ClaimVerdict, reason, detail string) {
	if len(c.order) == 0 {
		return rag.Unverifiable, ReasonUnlike, ""
	}
	best := c.order[0]
	near := best.score >= conflictScore
	evidence := c.source.text(best.sentence)
	numbers, names := c.missing()
	figure, swapped := c.swapped()
	switch {
	case swapped:
		return rag.Contradicted, ReasonSwapped, figure
	case near && permission(c.text)*permission(evidence) < 0:
		return rag.Contradicted, ReasonPermission, ""
	case len(numbers) > 0 && near && hasNumber(c.source.words(best.sentence)):
		return rag.Contradicted, ReasonOtherNumber, strings.Join(numbers, ", ")
	case near && denials(c.text)%2 != denials(evidence)%2:
		return rag.Contradicted, ReasonDenial, ""
	case near && opposed(c.text, evidence):
		return rag.Contradicted, ReasonDirection, ""
	case len(numbers) > 0:
		return rag.Unverifiable, ReasonNumbers, strings.Join(numbers, ", ")
	case len(names) > 0:
		return rag.Unverifiable, ReasonNames, strings.Join(names, ", ")
	}
	return rag.Unverifiable, ReasonUnlike, ""
}

// missing are the figures and names of the claim that the source does not have.
func (c *claimed) missing() (numbers, names []string) {
	for _, w := range c.words {
		if _, known := c.source.places[w.Term]; known || w.Stop {
			continue
		}
		said := c.text[w.Span.Start:w.Span.End]
		switch {
		case number(w.Term):
			numbers = append(numbers, said)
		case name(c.text, w):
			names = append(names, said)
		}
	}
	return numbers, names
}

func hasNumber(words []text.Term) bool {
	for _, w := range words {
		if number(w.Term) {
			return true
		}
	}
	return false
}

// opposed reports a text that speaks of more where the other speaks of less.
func opposed(a, b string) bool {
	up, down := directions(a)
	up2, down2 := directions(b)
	return up > 0 && down == 0 && down2 > 0 && up2 == 0 || down > 0 && up == 0 && up2 > 0 && down2 == 0
}
