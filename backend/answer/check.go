package answer

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// mostly is the share of a sentence's words that a passage must hold to verify it.
const mostly = 0.6

// Evidence scores how well a passage bears a sentence that says it in other words.
// The zero value scores nothing.
type Evidence struct {
	Scorer rag.Reranker
	// High is the score from which a sentence counts as borne out.
	High float64
}

// Check reads the citations in a language model's reply and compares each sentence
// with the passages it cites. hits are those that the prompt showed.
//
// A citation is verified when its passage holds most of the sentence's words, or
// when evidence scores it high; it is wrong when the prompt had no passage of that
// number or the passage shares nothing with the sentence, and weak in between. A
// number that is not in the passage keeps a sentence from being verified. The check
// sees words, not sense: that "not" was added goes unnoticed.
//
// A reply that only says that the documents have no answer is Abstained.
func Check(ctx context.Context, evidence Evidence, reply string, hits []rag.Hit) (Answer, error) {
	a := Answer{Text: strings.TrimSpace(reply)}
	if refuses(a.Text) {
		a.Abstained = true
		return a, nil
	}
	byRank := make(map[int]rag.Hit, len(hits))
	for _, h := range hits {
		byRank[h.Rank] = h
	}
	for _, c := range claims(a.Text) {
		said := rag.Points(a.Text, []rag.Span{c.span})[0]
		if c.needs {
			a.Needing++
		}
		if len(c.numbers) == 0 && c.needs {
			a.Citations = append(a.Citations, Citation{State: CitationMissing, Claim: said})
		}
		for _, n := range c.numbers {
			cite := Citation{Marker: n, State: CitationWrong, Claim: said}
			if h, ok := byRank[n]; ok {
				var err error
				if cite, err = evidence.cite(ctx, cite, c.words, h); err != nil {
					return Answer{}, err
				}
			}
			a.Citations = append(a.Citations, cite)
		}
	}
	return a, nil
}

// refuses reports a reply that is the sentence for a question without an answer.
func refuses(reply string) bool {
	said := text.Letters(withoutMarks(reply).text)
	return said == text.Letters(Refusal("zh")) || said == text.Letters(Refusal("en"))
}

// cite completes a citation of a passage that was in the prompt.
func (e Evidence) cite(ctx context.Context, c Citation, words string, h rag.Hit) (Citation, error) {
	c.ChunkID, c.Source = h.Chunk.ID, h.Source
	passage := passageOf(h)
	said := termsOf(words)
	found := said.in(passage.Text)
	switch {
	case found.numbers && found.share >= mostly:
		c.State = CitationVerified
	case found.share > 0:
		c.State = CitationWeak
	}
	if c.State != CitationVerified && found.numbers && e.Scorer != nil {
		scores, err := e.Scorer.Rerank(ctx, words, []rag.Passage{{ID: h.Chunk.ID, Text: passage.Text}})
		if err != nil {
			return Citation{}, fmt.Errorf("score the evidence for a sentence: %w", err)
		}
		if scores[0].Score >= e.High {
			c.State = CitationVerified
		}
	}
	if c.State != CitationWrong {
		c.Quote, c.Points = bestQuote(said, passage)
	}
	return c, nil
}

// bestQuote is the sentence of a passage that shares most with what is said.
func bestQuote(said terms, passage rag.Passed) (string, rag.Span) {
	best, quoted := -1.0, rag.Span{}
	for _, span := range text.Sentences(passage.Text) {
		span = trim(passage.Text, span)
		if share := said.in(passage.Text[span.Start:span.End]).share; span.End > span.Start && share > best {
			best, quoted = share, span
		}
	}
	quote := passage.Text[quoted.Start:quoted.End]
	start := passage.Points.Start + utf8.RuneCountInString(passage.Text[:quoted.Start])
	return quote, rag.Span{Start: start, End: start + utf8.RuneCountInString(quote)}
}
