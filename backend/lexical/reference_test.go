package lexical_test

import (
	"context"
	"errors"
	"math"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// reference is BM25 over the same terms, computed for each chunk from its own
// term counts and nothing else: what the index must agree with.
type reference struct {
	ids    []rag.ChunkID
	chunks []map[string]map[string]int // by chunk and field: how often each term occurs
	length []map[string]int            // by chunk and field
	total  map[string]int              // by field
	holds  map[string]map[string]int   // by field: how many chunks hold each term
	closed bool
}

func fieldsOf(s string) map[string][]text.Term {
	a := text.Analyze(s)
	return map[string][]text.Term{"words": a.Words, "bigrams": a.Bigrams, "chars": a.Chars}
}

func newReference(ids []rag.ChunkID, texts []string) *reference {
	r := &reference{total: map[string]int{}, holds: map[string]map[string]int{"words": {}, "bigrams": {}, "chars": {}}}
	for i, s := range texts {
		counts, length := map[string]map[string]int{}, map[string]int{}
		for field, terms := range fieldsOf(s) {
			counts[field] = map[string]int{}
			for _, t := range terms {
				if counts[field][t.Term]++; counts[field][t.Term] == 1 {
					r.holds[field][t.Term]++
				}
				length[field]++
				r.total[field]++
			}
		}
		r.ids = append(r.ids, ids[i])
		r.chunks = append(r.chunks, counts)
		r.length = append(r.length, length)
	}
	return r
}

// one returns the BM25 score of chunk i for a single term.
func (r *reference) one(i int, field, term string) float64 {
	const k1, b = 0.6, 0.4
	n, holding := float64(len(r.chunks)), float64(r.holds[field][term])
	mean := float64(r.total[field]) / n
	tf := float64(r.chunks[i][field][term])
	idf := math.Log(1 + (n-holding+0.5)/(holding+0.5))
	return idf / 8 * tf * (k1 + 1) / (tf + k1*(1-b+b*float64(r.length[i][field])/mean))
}

// score returns the score of chunk i for an analysed query.
func (r *reference) score(i int, q map[string][]text.Term) float64 {
	if len(q["chars"]) == 1 && len(q["words"]) == 1 {
		return r.one(i, "chars", q["chars"][0].Term)
	}
	all := true
	for _, t := range q["words"] {
		all = all && t.Stop
	}
	for _, t := range append(q["bigrams"], q["chars"]...) {
		all = all && t.Stop
	}
	sum := func(field string, use func(text.Term) bool) float64 {
		s := 0.0
		for _, t := range q[field] {
			if (all || !t.Stop) && use(t) {
				s += r.one(i, field, t.Term)
			}
		}
		return s
	}
	always := func(text.Term) bool { return true }
	paired := func(c text.Term) bool {
		for _, b := range q["bigrams"] {
			if b.Span.Contains(c.Span) {
				return true
			}
		}
		return false
	}
	alone := func(c text.Term) bool { return !paired(c) }
	s := sum("words", always) + 0.5*sum("bigrams", always) + 0.3*sum("chars", alone)
	rare := func(c text.Term) bool {
		return paired(c) && float64(r.holds["chars"][c.Term]) <= 0.1*float64(len(r.chunks))
	}
	if s > 0 {
		s += 0.3 * sum("chars", rare)
	}
	return math.Round(s*1e9) / 1e9
}

// Search ranks by sorting everything.
func (r *reference) Search(ctx context.Context, query string, k int) ([]rag.Scored, error) {
	if r.closed {
		return nil, errors.New("closed")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	q := fieldsOf(query)
	var hits []rag.Scored
	for i, id := range r.ids {
		if s := r.score(i, q); s > 0 {
			hits = append(hits, rag.Scored{ID: id, Score: s})
		}
	}
	rag.SortScored(hits)
	return hits[:max(0, min(k, len(hits)))], nil
}

// Score scores one by one.
func (r *reference) Score(ctx context.Context, query string, ids []rag.ChunkID) ([]float64, error) {
	if r.closed {
		return nil, errors.New("closed")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	q := fieldsOf(query)
	out := make([]float64, len(ids))
	for i, id := range ids {
		for j := range r.ids {
			if r.ids[j] == id {
				out[i] = r.score(j, q)
			}
		}
	}
	return out, nil
}

// Count returns the number of chunks.
func (r *reference) Count() int { return len(r.ids) }

// Close closes.
func (r *reference) Close() error {
	r.closed = true
	return nil
}
