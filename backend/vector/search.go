package vector

import (
	"context"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"ragdesk/backend/rag"
	"ragdesk/backend/simd"
)

// A search passes over the vectors once, with products that are as fast as memory
// allows and whose rounding differs from chromem's by at most
//
//	ε = simd.DotsError(dim) · (length of the query) · (length of the row)
//
// Let t be the k-th best of these products. At least k rows have t or more, so
// that the k-th best of chromem's products is t − ε or more, and whatever is among
// chromem's first k, ties included, has a fast product of t − 2ε or more. Only
// these rows are scored again in chromem's order of additions: seldom many more
// than k. Clamping to [-1, 1] brings products no further apart, so that all of
// this holds for cosines.

// unitRows is how many rows are scored at a time: enough to hide what a turn
// costs, and few enough that processors finish together.
const unitRows = 512

const (
	// maxWorkers bounds the goroutines of a search. Memory is what it waits for, and
	// a few processors take all of it.
	maxWorkers = 8
	// workerUnits is how many units are worth a further goroutine.
	workerUnits = 8
)

// Search returns the k nearest chunks by the ordering rule, fewer when the index
// holds fewer, with cosines in [-1, 1]. The query must be a unit vector; its
// faults are dimension_mismatch {want, got} and query_vector_invalid {reason}.
func (x *Index) Search(ctx context.Context, query []float32, k int) ([]rag.Scored, error) {
	return x.SearchAllowed(ctx, query, k, nil)
}

// SearchAllowed is Search among the chunks that allow accepts; nil accepts all.
// It asks for those chunks alone that are near enough to be in the list, more
// than once for some and from several goroutines at a time, so that allow must
// give the same answer each time. Where it accepts few of many, Score of these
// is faster.
func (x *Index) SearchAllowed(ctx context.Context, query []float32, k int, allow func(rag.ChunkID) bool) ([]rag.Scored, error) {
	if err := x.check(ctx, query); err != nil {
		return nil, err
	}
	k = min(k, x.Count())
	if k < 1 {
		return nil, nil
	}
	s := scan{index: x, query: query, k: k, allow: allow, scores: x.borrow()}
	defer x.scores.Put(&s.scores)
	border, err := s.run(ctx)
	if err != nil {
		return nil, err
	}
	hits := s.survivors(border)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	rag.SortScored(hits)
	return slices.Clip(hits[:min(k, len(hits))]), nil
}

// borrow returns room for a score a row.
func (x *Index) borrow() []float32 {
	if s, ok := x.scores.Get().(*[]float32); ok {
		return *s
	}
	return make([]float32, x.rows)
}

// scan is one search.
type scan struct {
	index *Index
	query []float32
	k     int
	allow func(rag.ChunkID) bool
	// scores has the fast product of each row, part after part.
	scores []float32
	// next is the next unit that nobody works on.
	next atomic.Int64
}

// unit is a run of rows of one part; at is the place of the first in scan.scores.
type unit struct {
	part     int
	from, to int
	at       int
}

// run scores all rows and returns the fast product that a row among chromem's
// first k has at least.
func (s *scan) run(ctx context.Context) (border float32, err error) {
	units := s.units()
	workers := min(runtime.GOMAXPROCS(0), 1+len(units)/workerUnits, maxWorkers)
	best := make([]topScores, workers)
	var wg sync.WaitGroup
	for w := 1; w < workers; w++ {
		wg.Go(func() { best[w] = s.work(ctx, units) })
	}
	best[0] = s.work(ctx, units)
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	var all []float32
	for _, b := range best {
		all = append(all, b.heap...)
	}
	if len(all) < s.k { // fewer are allowed
		return float32(math.Inf(-1)), nil
	}
	slices.Sort(all)
	return s.border(all[len(all)-s.k]), nil
}

// border returns t − 2ε for the k-th best product t, rounded down; below −1 every
// row could be as good.
func (s *scan) border(t float32) float32 {
	length := 1 + 2*rag.UnitTolerance // of a vector that rag.CheckUnit accepts
	border := float64(clamp(t)) - 2*simd.DotsError(s.index.dim)*length*length
	if border <= -1 {
		return float32(math.Inf(-1))
	}
	return math.Nextafter32(float32(border), float32(math.Inf(-1)))
}

func (s *scan) units() []unit {
	units := make([]unit, 0, s.index.rows/unitRows+len(s.index.parts))
	at := 0
	for p := range s.index.parts {
		n := len(s.index.parts[p].ids)
		for from := 0; from < n; from += unitRows {
			units = append(units, unit{p, from, min(from+unitRows, n), at + from})
		}
		at += n
	}
	return units
}

// work scores units until none is left and returns the best products of the rows
// that count.
func (s *scan) work(ctx context.Context, units []unit) topScores {
	best := topScores{k: s.k}
	for ctx.Err() == nil {
		n := int(s.next.Add(1)) - 1
		if n >= len(units) {
			break
		}
		u := units[n]
		p := &s.index.parts[u.part]
		scores := s.scores[u.at : u.at+u.to-u.from]
		simd.Dots(scores, s.query, p.flat[u.from*p.dim:u.to*p.dim])
		floor := best.floor()
		for i, score := range scores {
			if score > floor && s.counts(p, u.from+i) {
				best.add(score)
				floor = best.floor()
			}
		}
	}
	return best
}

// counts reports whether a row is alive and allowed.
func (s *scan) counts(p *part, row int) bool {
	return !p.dead.has(row) && (s.allow == nil || s.allow(p.ids[row]))
}

// survivors returns the chunks whose fast product reaches the border, with their
// cosines, in no order.
func (s *scan) survivors(border float32) []rag.Scored {
	hits := make([]rag.Scored, 0, s.k+s.k/8)
	at := 0
	for i := range s.index.parts {
		p := &s.index.parts[i]
		for row, score := range s.scores[at : at+len(p.ids)] {
			if score >= border && s.counts(p, row) {
				hits = append(hits, rag.Scored{ID: p.ids[row], Score: cosine(s.query, p.row(row))})
			}
		}
		at += len(p.ids)
	}
	return hits
}

// topScores keeps the k best scores it is given in a heap with the least on top.
type topScores struct {
	k    int
	heap []float32
}

// floor is the score that another must exceed to be kept.
func (t *topScores) floor() float32 {
	if len(t.heap) < t.k {
		return float32(math.Inf(-1))
	}
	return t.heap[0]
}

// add keeps a score that exceeds the floor.
func (t *topScores) add(score float32) {
	h := t.heap
	if len(h) < t.k {
		t.heap = append(h, score)
		for i := len(h); i > 0 && t.heap[(i-1)/2] > t.heap[i]; i = (i - 1) / 2 {
			t.heap[i], t.heap[(i-1)/2] = t.heap[(i-1)/2], t.heap[i]
		}
		return
	}
	i := 0
	for {
		child := 2*i + 1
		if child >= len(h) {
			break
		}
		if child+1 < len(h) && h[child+1] < h[child] {
			child++
		}
		if score <= h[child] {
			break
		}
		h[i] = h[child]
		i = child
	}
	h[i] = score
}
