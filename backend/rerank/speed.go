package rerank

import (
	"context"
	"strings"
	"time"
)

// Speed is what a cross-encoder costs on this machine.
type Speed struct {
	// PerPair is the time a query and a passage take when many are scored at once.
	PerPair time.Duration
	// Tokens is the length of the pairs that were measured, special tokens included.
	Tokens int
	// Pairs is how many were measured.
	Pairs int
}

// PerQuery is the time that reranking depth passages takes.
func (s Speed) PerQuery(depth int) time.Duration { return time.Duration(depth) * s.PerPair }

// sampleQuery and sampleText make a pair of about 300 tokens, as a question and
// a chunk of the default size do.
const (
	sampleQuery = "公司的年假和病假分别有几天？ How many days of leave are there?"
	sampleText  = "员工每年享有带薪年假，入职满一年为五天，满十年为十天。Employees report the days to the office in advance. "
)

// Measure scores a few made-up pairs and returns what they took: once to warm up,
// then two rounds of as many runs as go on at once. It takes as long as that does;
// ctx ends it.
func (c *CrossEncoder) Measure(ctx context.Context) (Speed, error) {
	texts := make([]string, c.spec.Workers*c.spec.Batch)
	for i := range texts {
		texts[i] = strings.Repeat(sampleText, 5)
	}
	pairs, err := c.pairs(len(texts), func(i int) (string, string) { return sampleQuery, texts[i] })
	if err != nil {
		return Speed{}, err
	}
	if _, err := c.logits(ctx, pairs[:1]); err != nil {
		return Speed{}, err
	}
	s := Speed{Tokens: len(pairs[0].IDs)}
	const rounds = 2
	start := time.Now()
	for range rounds {
		if _, err := c.logits(ctx, pairs); err != nil {
			return Speed{}, err
		}
	}
	s.Pairs = rounds * len(texts)
	s.PerPair = time.Since(start) / time.Duration(s.Pairs)
	return s, nil
}
