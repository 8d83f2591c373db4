package lexical

import "ragdesk/backend/text"

// Weights of the fields beside the words, which have 1. With these, the constants
// of BM25 in index.go and 250-character windows, MRR@10 is .912 on CMRC 2018 and
// .946 on DRCD; words alone give .905 and .930, words and bigrams .912 and .941.
// The optimum is flat: bigrams from .35 to .7 and characters from .2 to .4 differ
// by less than .003.
const (
	bigramWeight = 0.5
	charWeight   = 0.3
)

// boostShare is the share of the chunks above which a character boosts nothing.
// Frequent characters take nine tenths of the time and add .001 to MRR@10.
const boostShare = 0.1

// queryTerm is one term to look up.
type queryTerm struct {
	field, term string
	// weight is the field's weight times how often the query says the term.
	weight float64
	// boosts marks a term that adds to the score of chunks found by the terms
	// before it and finds none by itself.
	boosts bool
}

// parse returns the terms that a query looks up, in an order that depends on the
// query alone, those that only boost last. Stop words are left out unless there
// is nothing else. Words and bigrams find chunks. A single character finds some
// when it stands alone, with no neighbour to make a bigram with; otherwise it
// only boosts, since half of 北京 in 北方 is no reason to show a chunk.
func (z Analyzer) parse(query string) []queryTerm {
	a := z.lexicon.Analyze(query)
	if len(a.Chars) == 1 && len(a.Words) == 1 && a.Words[0].Term == a.Chars[0].Term {
		return []queryTerm{{field: fieldChars, term: a.Chars[0].Term, weight: 1}}
	}
	terms := collect(a, false)
	if len(terms) == 0 {
		terms = collect(a, true)
	}
	return terms
}

func collect(a text.Analysis, stop bool) []queryTerm {
	var terms []queryTerm
	at := map[queryTerm]int{}
	add := func(t text.Term, as queryTerm, weight float64) {
		if t.Stop && !stop {
			return
		}
		as.term = t.Term
		i, seen := at[as]
		if !seen {
			i = len(terms)
			at[as] = i
			terms = append(terms, as)
		}
		terms[i].weight += weight
	}
	for _, t := range a.Words {
		add(t, queryTerm{field: fieldWords}, 1)
	}
	for _, t := range a.Bigrams {
		add(t, queryTerm{field: fieldBigrams}, bigramWeight)
	}
	alone, paired := splitChars(a)
	for _, t := range alone {
		add(t, queryTerm{field: fieldChars}, charWeight)
	}
	for _, t := range paired {
		add(t, queryTerm{field: fieldChars, boosts: true}, charWeight)
	}
	return terms
}

// splitChars tells characters that are part of no bigram from the others.
func splitChars(a text.Analysis) (alone, paired []text.Term) {
	b := 0
	for _, c := range a.Chars {
		for b < len(a.Bigrams) && a.Bigrams[b].Span.End < c.Span.End {
			b++
		}
		if b < len(a.Bigrams) && a.Bigrams[b].Span.Start <= c.Span.Start {
			paired = append(paired, c)
		} else {
			alone = append(alone, c)
		}
	}
	return alone, paired
}
