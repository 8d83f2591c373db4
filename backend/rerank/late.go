// Package rerank scores passages against a query with more care than the
// indexes can: late interaction over the embedder's token vectors.
//
// A reranker only scores; retrieve orders by the score and the ordering rule.
//
//	r := rerank.NewLateInteraction(embedder)
//	scores, err := r.Rerank(ctx, "年假有几天", passages)
package rerank

import (
	"context"
	"fmt"

	"ragdesk/backend/rag"
)

// lexicalWeight is the weight of the saturated BM25 part beside the late
// interaction part of weight 1. Late interaction alone falls below a good BM25
// on entity-heavy questions; docs/benchmarks.md has the measurement.
const lexicalWeight = 0.3

// LateInteraction compares every query token with every passage token (MaxSim:
// Khattab and Zaharia, ColBERT, SIGIR 2020, §3.2), on the token vectors of the
// embedder, which needs no further weights.
//
// With q_i the unit vectors of the query's n tokens and p_j those of the
// passage's, special tokens left out:
//
//	li    = 1/n · Σ_i max_j q_i·p_j                in [-1, 1]
//	score = (li + w·b/(b+s)) / (1+w)               at most 1
//
// where b is the passage's BM25 score for the query, w = 0.3 and
// s = rag.BM25Saturation. Both parts are in Relevance.Parts.
type LateInteraction struct {
	tokens      rag.TokenEmbedder
	fingerprint string
}

// NewLateInteraction returns a reranker over tokens, whose fingerprint becomes
// part of the reranker's own.
func NewLateInteraction(tokens rag.TokenEmbedder, fingerprint string) *LateInteraction {
	return &LateInteraction{tokens, fmt.Sprintf("late-interaction/1 w=%g s=%d %s", lexicalWeight, rag.BM25Saturation, fingerprint)}
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
	texts := make([]string, 0, len(passages)+1)
	texts = append(texts, query)
	for _, p := range passages {
		texts = append(texts, p.Text)
	}
	vectors, err := l.tokens.TokenVectors(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("embed the tokens of %d passages: %w", len(passages), err)
	}
	out := make([]rag.Relevance, len(passages))
	for i, p := range passages {
		li := MaxSim(vectors[0], vectors[i+1])
		lexical := rag.SaturateBM25(p.BM25)
		out[i] = rag.Relevance{
			Score: (li + lexicalWeight*lexical) / (1 + lexicalWeight),
			Parts: []rag.Part{{Name: "li", Value: li}, {Name: "bm25", Value: lexical}},
		}
	}
	return out, nil
}

// MaxSim is the mean over query rows of the best dot product with a passage
// row; 0 when either has no rows.
func MaxSim(query, passage rag.TokenMatrix) float64 {
	if query.Rows == 0 || passage.Rows == 0 {
		return 0
	}
	dim, sum := query.Dim, 0.0
	for i := range query.Rows {
		q := query.Data[i*dim : (i+1)*dim]
		best := float32(-2) // below any cosine
		for j := range passage.Rows {
			best = max(best, dot(q, passage.Data[j*dim:(j+1)*dim]))
		}
		sum += float64(best)
	}
	return sum / float64(query.Rows)
}

// dot has four running sums so that the processor can overlap the additions;
// their order is fixed, so equal inputs give equal bits.
func dot(a, b []float32) float32 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float32
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return (s0 + s1) + (s2 + s3)
}
