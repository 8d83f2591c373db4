package lexical

import (
	"cmp"
	"slices"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// QueryTerms returns the words that a query is searched by, folded and stemmed,
// each once, for display. The bigrams and characters searched beside them are
// parts of these words and not listed.
func (z Analyzer) QueryTerms(query string) []string {
	out := []string{}
	for _, t := range z.parse(query) {
		if t.field == fieldWords || t.field == fieldChars && t.weight == 1 {
			out = append(out, t.term)
		}
	}
	return out
}

// Match is a place in a text where a term of a query stands.
type Match struct {
	// Span covers bytes of the text as it was given.
	Span rag.Span
	Term string
}

// Matches returns the places in a chunk's text where the terms of a query stand,
// in text order and without overlap. Besides words these are bigrams from inside
// the query's words, or from beside single characters, as names that are in no
// dictionary have; terms that overlap are joined, under the name of the longest.
func (z Analyzer) Matches(query, chunk string) []Match {
	words, pairs, chars := z.displayed(query)
	a := z.lexicon.Analyze(chunk)
	var found []Match
	add := func(wanted map[string]bool, in []text.Term) {
		for _, t := range in {
			if wanted[t.Term] {
				found = append(found, Match{t.Span, t.Term})
			}
		}
	}
	add(words, a.Words)
	add(pairs, a.Bigrams)
	add(chars, a.Chars)
	slices.SortStableFunc(found, func(x, y Match) int {
		return cmp.Or(cmp.Compare(x.Span.Start, y.Span.Start), cmp.Compare(y.Span.End, x.Span.End))
	})
	return join(found)
}

// displayed returns the terms of a query that are worth marking, by field.
func (z Analyzer) displayed(query string) (words, pairs, chars map[string]bool) {
	words, pairs, chars = map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, t := range z.parse(query) {
		switch {
		case t.field == fieldWords:
			words[t.term] = true
		case t.field == fieldChars && !t.boosts:
			chars[t.term] = true
		}
	}
	a := z.lexicon.Analyze(query)
	w := 0
	for _, b := range a.Bigrams {
		for w < len(a.Words) && a.Words[w].Span.End <= b.Span.Start {
			w++
		}
		if w < len(a.Words) && meaningful(a.Words[w:], b) {
			pairs[b.Term] = true
		}
	}
	return words, pairs, chars
}

// meaningful reports whether a bigram lies in the first of the words, or spans it
// and the next with one of them a single character, and neither is a stop word.
func meaningful(words []text.Term, b text.Term) bool {
	if words[0].Stop {
		return false
	}
	if words[0].Span.Contains(b.Span) {
		return true
	}
	single := func(t text.Term) bool { return len([]rune(t.Term)) == 1 }
	return len(words) > 1 && !words[1].Stop && (single(words[0]) || single(words[1]))
}

// join unites overlapping matches, which are in order.
func join(in []Match) []Match {
	out := []Match{}
	for _, m := range in {
		last := len(out) - 1
		if last < 0 || !out[last].Span.Overlaps(m.Span) {
			out = append(out, m)
			continue
		}
		if m.Span.Len() > out[last].Span.Len() {
			out[last].Term = m.Term
		}
		out[last].Span.End = max(out[last].Span.End, m.Span.End)
	}
	return out
}
