package lexical

import (
	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// bigramWeight is the weight of the bigrams beside the words, which have 1.
const bigramWeight = 0.5

// queryTerm is one term to look up.
type queryTerm struct {
	field, term string
	// weight is the field's weight times how often the query says the term.
	weight float64
}

// parse returns the terms that a query looks up, in an order that depends on the
// query alone. Stop words are left out unless there is nothing else; single
// characters are looked up only when the query is one.
func parse(query string) []queryTerm {
	a := text.Analyze(query)
	if len(a.Chars) == 1 && len(a.Words) == 1 {
		return []queryTerm{{fieldChars, a.Chars[0].Term, 1}}
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
	add := func(field string, weight float64, in []text.Term) {
		for _, t := range in {
			if t.Stop && !stop {
				continue
			}
			key := queryTerm{field: field, term: t.Term}
			i, seen := at[key]
			if !seen {
				i = len(terms)
				at[key] = i
				terms = append(terms, key)
			}
			terms[i].weight += weight
		}
	}
	add(fieldWords, 1, a.Words)
	add(fieldBigrams, bigramWeight, a.Bigrams)
	return terms
}

// QueryTerms returns the words that a query is searched by, folded and stemmed,
// each once, for display.
func QueryTerms(query string) []string {
	out := []string{}
	for _, t := range parse(query) {
		if t.field != fieldBigrams {
			out = append(out, t.term)
		}
	}
	return out
}

// Match is a place in a text where a term of a query stands.
type Match struct {
	Span rag.Span
	Term string
}

// Matches returns the places in a text where the words of a query stand, in text
// order. They may overlap, as a compound and its parts do.
func Matches(query, chunk string) []Match {
	a := text.Analyze(chunk)
	wanted := map[queryTerm]bool{}
	for _, t := range parse(query) {
		wanted[queryTerm{field: t.field, term: t.term}] = true
	}
	out := []Match{}
	add := func(field string, in []text.Term) {
		for _, t := range in {
			if wanted[queryTerm{field: field, term: t.Term}] {
				out = append(out, Match{t.Span, t.Term})
			}
		}
	}
	add(fieldWords, a.Words)
	add(fieldChars, a.Chars)
	return out
}
