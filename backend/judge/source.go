package judge

import (
	"context"
	"fmt"
	"math"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// windowTokens is how much of a context the embedder reads at a time: enough for a
// sentence to be understood in its surroundings, and well below its limit.
const windowTokens = 160

// source is the material of an item, embedded and cut into sentences.
type source struct {
	contexts  []string
	sentences []sentence
	// rows are the tokens of all contexts, in order.
	rows []row
	// codes are the rows' vectors.
	codes rag.TokenCodes
	// places are the sentences that hold a term, each once, in order.
	places map[string][]int
	// terms are the words of each context, in order.
	terms [][]text.Term
}

// sentence is a part of a context.
type sentence struct {
	context int
	span    rag.Span
	// from and to are its rows.
	from, to int
	// first and last are its terms in the context's.
	first, last int
}

// row is a token of a context.
type row struct {
	id       int32
	context  int
	span     rag.Span
	sentence int
}

// text is what the sentence says.
func (s *source) text(i int) string {
	at := s.sentences[i]
	return s.contexts[at.context][at.span.Start:at.span.End]
}

// words are the terms of a sentence.
func (s *source) words(i int) []text.Term {
	at := s.sentences[i]
	return s.terms[at.context][at.first:at.last]
}

// weight is how much a term tells: little when many sentences hold it.
func (s *source) weight(term string) float64 {
	return math.Log(float64(len(s.sentences)+2) / float64(len(s.places[term])+1))
}

// prepare reads contexts with one language's model.
func (l Language) prepare(ctx context.Context, contexts []string) (*source, error) {
	s := &source{contexts: contexts, places: map[string][]int{}, terms: make([][]text.Term, len(contexts))}
	var windows []window
	for i, c := range contexts {
		s.terms[i] = analyze(c)
		windows = append(windows, s.cut(l.Tokenizer, i, c)...)
	}
	texts := make([]string, len(windows))
	for i, w := range windows {
		texts[i] = contexts[w.context][w.span.Start:w.span.End]
		windows[i].tokens = tokensAt(l.Tokenizer, texts[i], w.span.Start)
	}
	codes, err := l.Codes.Codes(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("embed the tokens of %d passages: %w", len(texts), err)
	}
	for i, w := range windows {
		if err := s.add(w, codes[i]); err != nil {
			return nil, err
		}
	}
	s.bounds()
	return s, nil
}

// window is a part of a context that is embedded at a time.
type window struct {
	context int
	span    rag.Span
	tokens  []rag.Token
}

// cut divides a context into sentences, and packs these into windows. A sentence
// beyond a window's room is several.
func (s *source) cut(t rag.Tokenizer, context int, whole string) []window {
	var out []window
	term := 0
	var open window
	for _, span := range text.Sentences(whole) {
		if text.Letters(whole[span.Start:span.End]) == "" {
			continue
		}
		at := sentence{context: context, span: span, first: term}
		for term < len(s.terms[context]) && s.terms[context][term].Span.Start < span.End {
			term++
		}
		at.last = term
		s.sentences = append(s.sentences, at)
		tokens := tokensAt(t, whole[span.Start:span.End], span.Start)
		for len(tokens) > 0 {
			if room := windowTokens - len(open.tokens); len(open.tokens) > 0 && len(tokens) > room {
				out = append(out, open)
				open = window{}
			}
			n := min(len(tokens), windowTokens)
			if len(open.tokens) == 0 {
				open = window{context: context, span: rag.Span{Start: tokens[0].Span.Start}}
			}
			open.tokens = append(open.tokens, tokens[:n]...)
			open.span.End = tokens[n-1].Span.End
			tokens = tokens[n:]
		}
	}
	if len(open.tokens) > 0 {
		out = append(out, open)
	}
	return out
}

// tokensAt are the tokens of a part that begins at start.
func tokensAt(t rag.Tokenizer, part string, start int) []rag.Token {
	tokens := t.Tokens(part)
	for i := range tokens {
		tokens[i].Span.Start += start
		tokens[i].Span.End += start
	}
	return tokens
}

// add takes over a window's vectors.
func (s *source) add(w window, codes rag.TokenCodes) error {
	if codes.Rows != len(w.tokens) {
		return fmt.Errorf("%d vectors for %d tokens", codes.Rows, len(w.tokens))
	}
	for _, t := range w.tokens {
		s.rows = append(s.rows, row{id: t.ID, context: w.context, span: t.Span, sentence: -1})
	}
	s.codes.Rows += codes.Rows
	s.codes.Dim = max(s.codes.Dim, codes.Dim)
	s.codes.Codes = append(s.codes.Codes, codes.Codes...)
	s.codes.Inv = append(s.codes.Inv, codes.Inv...)
	return nil
}

// bounds ties rows and terms to sentences.
func (s *source) bounds() {
	at := 0
	for i := range s.sentences {
		sen := &s.sentences[i]
		sen.from = at
		for at < len(s.rows) && s.rows[at].context == sen.context && s.rows[at].span.Start < sen.span.End {
			s.rows[at].sentence = i
			at++
		}
		sen.to = at
		for _, t := range s.words(i) {
			if list := s.places[t.Term]; len(list) == 0 || list[len(list)-1] != i {
				s.places[t.Term] = append(list, i)
			}
		}
	}
}
