package rerank

import (
	"context"
	"fmt"
	"math"
)

// Classify tells the classes of pairs: for each premise with the hypothesis the softmax
// of the model's logits, in their order. A pair that is too long is cut; see Fits.
func (c *CrossEncoder) Classify(ctx context.Context, premises []string, hypothesis string) ([][]float64, error) {
	pairs, err := c.pairs(len(premises), func(i int) (string, string) { return premises[i], hypothesis })
	if err != nil {
		return nil, err
	}
	logits, err := c.logits(ctx, pairs)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("classify with %s: %w", c.spec.Name, err)
	}
	k := c.spec.Classes
	out := make([][]float64, len(pairs))
	for i := range out {
		out[i] = softmax(logits[i*k : (i+1)*k])
	}
	return out, nil
}

// Fits reports that the model reads both texts whole.
func (c *CrossEncoder) Fits(premise, hypothesis string) (bool, error) {
	pairs, err := c.pairs(1, func(int) (string, string) { return premise, hypothesis })
	if err != nil {
		return false, err
	}
	return pairs[0].QueryCut == 0 && pairs[0].PassageCut == 0, nil
}

func softmax(logits []float64) []float64 {
	top := logits[0]
	for _, x := range logits {
		top = max(top, x)
	}
	out, sum := make([]float64, len(logits)), 0.0
	for i, x := range logits {
		out[i] = math.Exp(x - top)
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}
