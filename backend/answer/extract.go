package answer

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// ExtractiveModel is the name of answers made without a language model.
const ExtractiveModel = "extractive"

const (
	// extractChunks is how many of the top hits are read for sentences.
	extractChunks = 5
	// extractSentences is how many sentences an answer quotes at most.
	extractSentences = 3
	// extractMargin is how far below the best sentence another may score.
	extractMargin = 0.04
	// rankCost keeps a sentence of a lower hit from winning by a hair.
	rankCost = 0.01
	// maxQuote bounds a quoted sentence, in code points.
	maxQuote = 400
)

// States of a citation.
const (
	// CitationVerified means that the source holds what is said.
	CitationVerified = "verified"
	// CitationWeak means that the source has some of it.
	CitationWeak = "weak"
	// CitationWrong means that the source has nothing of it, or is none.
	CitationWrong = "wrong"
	// CitationMissing is a sentence that needs a source and names none.
	CitationMissing = "missing"
)

// Citation ties a marker in the answer to the words it quotes.
type Citation struct {
	// Marker is n of "[n]": the rank of the hit. 0 with CitationMissing.
	Marker int
	// ChunkID and Source are empty for a number without a passage.
	ChunkID rag.ChunkID
	Source  string
	// Points is the quote's place in the document, in code points.
	Points rag.Span
	// Quote is empty when the source has nothing to quote.
	Quote string
	State string
	// Claim is the place in the answer of what is said, in code points.
	Claim rag.Span
}

// Answer is an answer with its citations, in the order of their markers in the
// text.
type Answer struct {
	Text      string
	Citations []Citation
	// Needing counts the sentences that say something and so need a source.
	Needing int
	// Abstained is true when the hits hold nothing to answer with.
	Abstained bool
	// Best is the best of the sentences that Extract quotes.
	Best Best
	// Unnamed are the names with a number, such as E1, that the question has and none
	// of the passages that Extract quotes.
	Unnamed []string
}

// Best is the sentence that an extracted answer would be without the others.
type Best struct {
	Quote string
	// Score is the scorer's, plus lexicalShare of the question's terms that the
	// sentence holds, less rankCost a rank: it compares questions of one scorer.
	Score float64
}

// sentence is a candidate for quoting.
type sentence struct {
	hit   int      // index into hits
	span  rag.Span // in the hit's chunk text, trimmed
	text  string
	score float64 // by which it is chosen
	plain float64 // the scorer's and the terms' part of it
}

// Extractor answers without a language model, in the words of the passages.
type Extractor struct {
	Scorer rag.Reranker
	// Coverage is the share of a question's terms that a sentence holds, in [0, 1].
	Coverage func(question, sentence string) float64
	// Level is the score at which a sentence begins to answer, where several models
	// score, each the sentences of its language: their scores are compared by how far
	// they are above. Nil when one model scores all.
	Level func(sentence string) float64
}

// Extract answers question with the best sentences of the top hits, by score and
// coverage; a sentence about another of the kind that is asked for, as E9 is for E1,
// stands back. lang is the language of a refusal. Equal inputs give equal answers.
func (e Extractor) Extract(ctx context.Context, lang, question string, hits []rag.Hit) (Answer, error) {
	candidates := sentences(hits)
	if len(candidates) == 0 {
		return Answer{Text: Refusal(lang), Abstained: true}, nil
	}
	passages := make([]rag.Passage, len(candidates))
	for i, c := range candidates {
		passages[i] = rag.Passage{ID: hits[c.hit].Chunk.ID, Text: c.text}
	}
	scores, err := e.Scorer.Rerank(ctx, question, passages)
	if err != nil {
		return Answer{}, fmt.Errorf("score %d sentences: %w", len(candidates), err)
	}
	asked := codesIn(question)
	for i := range candidates {
		c := &candidates[i]
		c.plain = scores[i].Score + lexicalShare*e.Coverage(question, c.text) - rankCost*float64(c.hit)
		c.score = c.plain
		if e.Level != nil {
			c.score -= e.Level(c.text)
		}
		if ofSiblings(asked, c.text) {
			c.score -= siblingCost
		}
	}
	chosen := choose(candidates)
	a := quote(chosen, hits)
	best := slices.MaxFunc(chosen, func(a, b sentence) int { return cmp.Compare(a.score, b.score) })
	a.Best = Best{best.text, best.plain}
	quoted := make([]rag.Hit, len(chosen))
	for i, c := range chosen {
		quoted[i] = hits[c.hit]
	}
	a.Unnamed = unnamed(asked, question, quoted)
	return a, nil
}

// lexicalShare weighs the share of question terms a sentence holds, as the
// reranker's BM25 part does for whole chunks.
const lexicalShare = 0.2

// sentences cuts the top hits into sentences worth quoting; the same words are
// taken once.
func sentences(hits []rag.Hit) []sentence {
	var out []sentence
	seen := map[string]bool{}
	for i, h := range hits[:min(len(hits), extractChunks)] {
		for _, span := range text.Sentences(h.Chunk.Text) {
			if text.Heading(h.Chunk.Text[span.Start:span.End]) {
				continue
			}
			span = trim(h.Chunk.Text, span)
			words := h.Chunk.Text[span.Start:span.End]
			if !worthQuoting(words) || seen[words] {
				continue
			}
			seen[words] = true
			out = append(out, sentence{hit: i, span: span, text: words})
		}
	}
	return out
}

// trim takes blanks and Markdown line marks off both ends of a span.
func trim(s string, span rag.Span) rag.Span {
	part := s[span.Start:span.End]
	cut := strings.TrimLeftFunc(part, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("#>*-+|", r) })
	span.Start = span.End - len(cut)
	span.End = span.Start + len(strings.TrimRightFunc(cut, unicode.IsSpace))
	return span
}

// worthQuoting refuses what has hardly a word and what is too long to be a quote.
func worthQuoting(s string) bool {
	letters := 0
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			letters++
		}
	}
	return letters >= 4 && utf8.RuneCountInString(s) <= maxQuote
}

// choose takes the best sentence and those nearly as good, in reading order.
func choose(candidates []sentence) []sentence {
	slices.SortStableFunc(candidates, func(a, b sentence) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.hit, b.hit), cmp.Compare(a.span.Start, b.span.Start))
	})
	best := candidates[0].score
	n := 1
	for n < min(len(candidates), extractSentences) && candidates[n].score >= best-extractMargin {
		n++
	}
	chosen := candidates[:n]
	slices.SortFunc(chosen, func(a, b sentence) int {
		return cmp.Or(cmp.Compare(a.hit, b.hit), cmp.Compare(a.span.Start, b.span.Start))
	})
	return chosen
}

// quote writes the chosen sentences with their markers and checks each quote.
func quote(chosen []sentence, hits []rag.Hit) Answer {
	var a Answer
	var b strings.Builder
	for i, s := range chosen {
		h := hits[s.hit]
		if i > 0 {
			b.WriteString("\n")
		}
		said := utf8.RuneCountInString(b.String())
		fmt.Fprintf(&b, "%s [%d]", s.text, h.Rank)
		before := utf8.RuneCountInString(h.Chunk.Text[:s.span.Start])
		start := h.Chunk.Points.Start + before
		c := Citation{
			Marker: h.Rank, ChunkID: h.Chunk.ID, Source: h.Source, Quote: s.text,
			Points: rag.Span{Start: start, End: start + utf8.RuneCountInString(s.text)},
			Claim:  rag.Span{Start: said, End: said + utf8.RuneCountInString(s.text)},
		}
		c.State = check(c, h)
		a.Citations = append(a.Citations, c)
	}
	a.Text, a.Needing = b.String(), len(chosen)
	return a
}

// check compares a citation's quote with its chunk at its place.
func check(c Citation, h rag.Hit) string {
	local := rag.Span{Start: c.Points.Start - h.Chunk.Points.Start, End: c.Points.End - h.Chunk.Points.Start}
	span, ok := rag.BytesOf(h.Chunk.Text, local)
	if ok && h.Chunk.Text[span.Start:span.End] == c.Quote {
		return CitationVerified
	}
	return CitationWrong
}
