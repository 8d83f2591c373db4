package judge

import (
	"cmp"
	"context"
	"math"
	"slices"
	"unicode"
	"unicode/utf8"

	"ragdesk/backend/rag"
	"ragdesk/backend/simd"
	"ragdesk/backend/text"
)

// claimed is a statement beside the source it is compared with.
type claimed struct {
	text   string
	tokens []rag.Token
	words  []text.Term
	codes  rag.TokenCodes
	source *source
	// cosines are tokens × rows.
	cosines []float32
	// content says which tokens carry sense.
	content []bool
	// best is each token's highest cosine and at its row.
	best []float64
	at   []int
	// same is each token's highest cosine with an equal token, −1 without one.
	same []float64
	// order are the sentences by how well they match, the best first.
	order []scored
}

type scored struct {
	sentence int
	score    float64
}

// compare aligns a statement with the source.
func (l Language) compare(ctx context.Context, said string, s *source) (*claimed, error) {
	codes, err := l.Codes.Codes(ctx, []string{said})
	if err != nil {
		return nil, err
	}
	c := &claimed{text: said, tokens: l.Tokenizer.Tokens(said), words: text.Analyze(said).Words, codes: codes[0], source: s}
	c.tokens = c.tokens[:min(len(c.tokens), c.codes.Rows)]
	n, m := len(c.tokens), len(s.rows)
	c.cosines = make([]float32, n*m)
	if n > 0 && m > 0 {
		products := make([]int32, n*m)
		simd.ProductInt8(products, c.codes.Codes[:n*c.codes.Dim], s.codes.Codes, c.codes.Dim)
		for i := range n {
			for j := range m {
				c.cosines[i*m+j] = float32(products[i*m+j]) * c.codes.Inv[i] * s.codes.Inv[j]
			}
		}
	}
	c.weigh()
	c.match()
	c.rank()
	return c, nil
}

// weigh finds the tokens that carry sense: those of words that are not too common.
func (c *claimed) weigh() {
	c.content = make([]bool, len(c.tokens))
	for i, t := range c.tokens {
		for _, w := range c.words {
			if !w.Stop && w.Span.Overlaps(t.Span) {
				c.content[i] = true
				break
			}
		}
	}
}

func (c *claimed) match() {
	n, m := len(c.tokens), len(c.source.rows)
	c.best, c.same, c.at = make([]float64, n), make([]float64, n), make([]int, n)
	for i := range n {
		c.best[i], c.same[i], c.at[i] = -1, -1, -1
		for j := range m {
			x := float64(c.cosines[i*m+j])
			if x > c.best[i] {
				c.best[i], c.at[i] = x, j
			}
			if c.source.rows[j].id == c.tokens[i].ID && x > c.same[i] {
				c.same[i] = x
			}
		}
	}
}

// within is the highest cosine of token i with a row of the sentence.
func (c *claimed) within(i, sentence int) float64 {
	m, best := len(c.source.rows), -1.0
	at := c.source.sentences[sentence]
	for j := at.from; j < at.to; j++ {
		best = max(best, float64(c.cosines[i*m+j]))
	}
	return best
}

// rank orders the sentences by the mean over the statement's content tokens of the
// best cosine.
func (c *claimed) rank() {
	for s := range c.source.sentences {
		sum, n := 0.0, 0
		for i := range c.tokens {
			if c.content[i] {
				sum += c.within(i, s)
				n++
			}
		}
		c.order = append(c.order, scored{s, sum / math.Max(float64(n), 1)})
	}
	slices.SortStableFunc(c.order, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
}

// number reports a term that is a number in digits.
func number(t string) bool {
	digits := 0
	for _, r := range t {
		switch {
		case unicode.IsDigit(r):
			digits++
		case r != '.' && r != ',' && r != '/' && r != ':' && r != '-':
			return false
		}
	}
	return digits > 0
}

// name reports a word that begins with a capital and is not the first of its
// sentence.
func name(whole string, t text.Term) bool {
	r, _ := utf8.DecodeRuneInString(whole[t.Span.Start:t.Span.End])
	return unicode.IsUpper(r) && t.Span.Start > 0
}
