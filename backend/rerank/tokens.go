package rerank

import (
	"context"
	"errors"
	"fmt"
	"math"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// ErrTooLong is returned where a model would not read both texts whole.
var ErrTooLong = errors.New("the texts are too long for the model")

// Mark tells how the tokens of a text stand to what is before it: for each token of after
// its place there, in bytes, and the softmax of its logits, in their order. Texts that the
// model does not take whole are ErrTooLong.
func (c *CrossEncoder) Mark(ctx context.Context, before, after string) ([]rag.Span, [][]float64, error) {
	if !c.spec.Tokens {
		return nil, nil, fmt.Errorf("mark with %s: it has no logits for tokens", c.spec.Name)
	}
	pairs, err := c.pairs(1, func(int) (string, string) { return before, after })
	if err != nil {
		return nil, nil, err
	}
	parts, err := c.parts()
	if err != nil {
		return nil, nil, err
	}
	if pairs[0].QueryCut > 0 || pairs[0].PassageCut > 0 {
		return nil, nil, ErrTooLong
	}
	values, err := c.run(ctx, parts.session, pairs, []int{0})
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("mark with %s: %w", c.spec.Name, err)
	}
	// The tokens of after stand last but for the closing one.
	tokens := parts.tokenizer.Tokens(after)
	k := c.spec.Classes
	first := len(pairs[0].IDs) - 1 - len(tokens)
	spans, shares := make([]rag.Span, len(tokens)), make([][]float64, len(tokens))
	for i, tok := range tokens {
		logits := make([]float64, k)
		for n := range logits {
			v := float64(values[(first+i)*k+n])
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, nil, fault.New("score_invalid", fault.P("reranker", c.spec.Name), fault.P("index", i), fault.P("value", v))
			}
			logits[n] = v
		}
		spans[i], shares[i] = tok.Span, softmax(logits)
	}
	return spans, shares, nil
}
