package lexical

import (
	"math"
	"slices"
)

// accumulator sums the scores of a query, by document number.
type accumulator struct {
	scores  []float64
	touched []uint32
}

// scoredDoc is a document number with its rounded score.
type scoredDoc struct {
	doc   uint32
	score float64
}

func (ix *Index) accumulator() *accumulator {
	if a, ok := ix.scores.Get().(*accumulator); ok {
		return a
	}
	var docs int64
	for _, s := range ix.snapshot.Segments() {
		docs += s.FullSize()
	}
	return &accumulator{scores: make([]float64, docs)}
}

func (ix *Index) release(a *accumulator) {
	for _, doc := range a.touched {
		a.scores[doc] = 0
	}
	a.touched = a.touched[:0]
	ix.scores.Put(a)
}

// add adds to a document's score; a boost only if it has one.
func (a *accumulator) add(doc uint32, score float64, boost bool) {
	if a.scores[doc] == 0 {
		if boost {
			return
		}
		a.touched = append(a.touched, doc)
	}
	a.scores[doc] += score
}

// best returns the documents whose score is at least the k-th best, so more than
// k when scores tie there, in no order.
func (a *accumulator) best(k int) []scoredDoc {
	docs := make([]scoredDoc, 0, len(a.touched))
	for _, doc := range a.touched {
		if s := round(a.scores[doc]); s > 0 {
			docs = append(docs, scoredDoc{doc, s})
		}
	}
	if len(docs) <= k {
		return docs
	}
	scores := make([]float64, len(docs))
	for i, d := range docs {
		scores[i] = d.score
	}
	slices.Sort(scores)
	border := scores[len(scores)-k]
	return slices.DeleteFunc(docs, func(d scoredDoc) bool { return d.score < border })
}

// round makes scores that differ by the noise of floating point equal.
func round(score float64) float64 { return math.Round(score*1e9) / 1e9 }
