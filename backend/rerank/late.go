package rerank

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"golang.org/x/sync/errgroup"

	"ragdesk/backend/rag"
	"ragdesk/backend/simd"
)

// lexicalWeight is the weight of the saturated BM25 part beside the late
// interaction part of weight 1. Late interaction alone falls below a good BM25
// on entity-heavy questions; docs/benchmarks.md has the measurement.
const lexicalWeight = 0.3

// CodeSource gives the token vectors of texts, in eight bits a value.
type CodeSource interface {
	Codes(ctx context.Context, texts []string) ([]rag.TokenCodes, error)
}

// LateInteraction compares every query token with every passage token (MaxSim:
// Khattab and Zaharia, ColBERT, SIGIR 2020, §3.2), on the token vectors of the
// embedder, which needs no further weights.
//
// With q_i the unit vectors of the query's n tokens and p_j those of the
// passage's, special tokens left out and both quantised to eight bits:
//
//	li    = 1/n · Σ_i max_j q_i·p_j                in [-1, 1]
//	score = (li + w·b/(b+s)) / (1+w)               at most 1
//
// where b is the passage's BM25 score for the query, w = 0.3 and
// s = rag.BM25Saturation. Both parts are in Relevance.Parts.
//
// In a library of several spaces the token vectors of a passage and of the query
// are those of the passage's own.
type LateInteraction struct {
	spaces      Spaces
	fingerprint string
}

// Spaces are the token vectors of a library.
type Spaces struct {
	// Codes has one source a space.
	Codes []CodeSource
	// Of returns the index of a passage's space; nil when there is one space.
	Of func(passage string) int
}

// NewLateInteraction returns a reranker over the given spaces, whose fingerprint
// becomes part of the reranker's own.
func NewLateInteraction(spaces Spaces, fingerprint string) *LateInteraction {
	return &LateInteraction{spaces, fmt.Sprintf("late-interaction/1 int8 w=%g s=%d %s", lexicalWeight, rag.BM25Saturation, fingerprint)}
}

var _ rag.Reranker = (*LateInteraction)(nil)

// Name returns "late-interaction".
func (l *LateInteraction) Name() string { return rag.RerankLateInteraction }

// Fingerprint covers the formula and the embedder.
func (l *LateInteraction) Fingerprint() string { return l.fingerprint }

// Rerank scores each passage. A query or passage without tokens has li = 0.
func (l *LateInteraction) Rerank(ctx context.Context, query string, passages []rag.Passage) ([]rag.Relevance, error) {
	if len(passages) == 0 {
		return nil, nil
	}
	out := make([]rag.Relevance, len(passages))
	for space, members := range l.bySpace(passages) {
		if err := l.rerank(ctx, query, passages, l.spaces.Codes[space], members, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Prepare computes the token vectors of a query in its language's space, which
// Rerank then finds kept: they need no passages, so that the model can run beside
// the search for these.
func (l *LateInteraction) Prepare(ctx context.Context, query string) error {
	space := 0
	if l.spaces.Of != nil {
		space = l.spaces.Of(query)
	}
	if _, err := l.spaces.Codes[space].Codes(ctx, []string{query}); err != nil {
		return fmt.Errorf("embed the tokens of the query: %w", err)
	}
	return nil
}

// bySpace groups the indices of passages by their space.
func (l *LateInteraction) bySpace(passages []rag.Passage) map[int][]int {
	groups := map[int][]int{}
	for i, p := range passages {
		space := 0
		if l.spaces.Of != nil {
			space = l.spaces.Of(p.Text)
		}
		groups[space] = append(groups[space], i)
	}
	return groups
}

// rerank scores the passages with the given indices, all of one space.
func (l *LateInteraction) rerank(ctx context.Context, query string, passages []rag.Passage, source CodeSource, members []int, out []rag.Relevance) error {
	texts := make([]string, 0, len(members)+1)
	texts = append(texts, query)
	for _, i := range members {
		texts = append(texts, passages[i].Text)
	}
	codes, err := source.Codes(ctx, texts)
	if err != nil {
		return fmt.Errorf("embed the tokens of %d passages: %w", len(members), err)
	}
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for n, i := range members {
		g.Go(func() error {
			li := MaxSim(codes[0], codes[n+1])
			lexical := rag.SaturateBM25(passages[i].BM25)
			out[i] = rag.Relevance{
				Score: (li + lexicalWeight*lexical) / (1 + lexicalWeight),
				Parts: []rag.Part{{Name: "li", Value: li}, {Name: "bm25", Value: lexical}},
			}
			return ctx.Err()
		})
	}
	return g.Wait()
}

// MaxSim is the mean over query rows of the best cosine with a passage row; 0
// when either has no rows.
func MaxSim(query, passage rag.TokenCodes) float64 {
	if query.Rows == 0 || passage.Rows == 0 {
		return 0
	}
	products := make([]int32, query.Rows*passage.Rows)
	simd.ProductInt8(products, query.Codes, passage.Codes, query.Dim)
	sum := 0.0
	for i := range query.Rows {
		best := float32(math.Inf(-1))
		for j, p := range products[i*passage.Rows : (i+1)*passage.Rows] {
			best = max(best, float32(p)*passage.Inv[j])
		}
		sum += float64(best) * float64(query.Inv[i])
	}
	return sum / float64(query.Rows)
}
