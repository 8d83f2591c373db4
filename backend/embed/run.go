package embed

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"ragdesk/backend/ort"
	"ragdesk/backend/rag"
)

// Documents returns one unit vector a text.
func (m *Model) Documents(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	err := m.each(ctx, texts, m.spec.DocumentPrefix, func(i int, rows matrix) (err error) {
		out[i], err = m.pool(i, rows)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Query returns the unit vector of a question.
func (m *Model) Query(ctx context.Context, text string) ([]float32, error) {
	var out []float32
	err := m.each(ctx, []string{text}, m.spec.QueryPrefix, func(i int, rows matrix) (err error) {
		out, err = m.pool(i, rows)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// TokenVectors returns, for each text, the unit vectors of its content tokens
// within the model's limit; no rows for a text without any. No prefix is added.
func (m *Model) TokenVectors(ctx context.Context, texts []string) ([]rag.TokenMatrix, error) {
	out := make([]rag.TokenMatrix, len(texts))
	err := m.each(ctx, texts, "", func(i int, rows matrix) (err error) {
		out[i], err = m.tokens(i, rows)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Encoded is what one run of the model tells of a text.
type Encoded struct {
	// Vector is the text's unit vector.
	Vector []float32
	// Tokens are the unit vectors of its content tokens.
	Tokens rag.TokenMatrix
}

// Encode returns vectors and token vectors of documents from one run a text:
// equal to those of Documents and, without a document prefix, of TokenVectors,
// at half the cost.
func (m *Model) Encode(ctx context.Context, texts []string) ([]Encoded, error) {
	out := make([]Encoded, len(texts))
	err := m.each(ctx, texts, m.spec.DocumentPrefix, func(i int, rows matrix) (err error) {
		if out[i].Vector, err = m.pool(i, rows); err != nil {
			return err
		}
		out[i].Tokens, err = m.tokens(i, rows)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// matrix is the model's output for one text: one row a token, special tokens
// first and last.
type matrix struct {
	rows, dim int
	data      []float32
}

func (x matrix) row(i int) []float32 { return x.data[i*x.dim : (i+1)*x.dim] }

// each runs the model over every text, in up to Workers goroutines, and hands
// each output to use, which is called from several goroutines at once. Long
// texts go first, so that no worker is left alone with one at the end. The first
// error stops the others; it names its text.
func (m *Model) each(ctx context.Context, texts []string, prefix string, use func(i int, rows matrix) error) error {
	if len(texts) == 0 {
		return ctx.Err()
	}
	order := make([]int, len(texts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(texts[b]), len(texts[a])) })
	var next atomic.Int64
	group, inner := errgroup.WithContext(ctx)
	for range min(m.spec.Workers, len(texts)) {
		group.Go(func() error {
			for {
				n := int(next.Add(1)) - 1
				if n >= len(order) {
					return nil
				}
				i := order[n]
				rows, err := m.run(inner, prefix+texts[i])
				if err == nil {
					err = checked(i, rows, m.spec.Dim, use)
				}
				if err != nil {
					return fmt.Errorf("embed text %d of %d: %w", i+1, len(texts), err)
				}
			}
		})
	}
	err := group.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// run is one pass of one text through the graph.
func (m *Model) run(ctx context.Context, text string) (matrix, error) {
	select {
	case m.slots <- struct{}{}:
		defer func() { <-m.slots }()
	case <-ctx.Done():
		return matrix{}, ctx.Err()
	}
	parts, err := m.parts()
	if err != nil {
		return matrix{}, err
	}
	ids, _ := parts.tokenizer.Encode(text, m.spec.Limit)
	out, err := parts.session.Run(ctx, ort.Batch{Rows: 1, IDs: ids})
	if err != nil {
		return matrix{}, err
	}
	if len(out.Shape) != 3 || out.Shape[0] != 1 || out.Shape[1] != int64(len(ids)) ||
		int64(len(out.Data)) != out.Shape[1]*out.Shape[2] {
		return matrix{}, fmt.Errorf("model output has shape %v with %d values for %d tokens",
			out.Shape, len(out.Data), len(ids))
	}
	return matrix{len(ids), int(out.Shape[2]), out.Data}, nil
}
