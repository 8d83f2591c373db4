package measure

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"math/bits"
	"slices"
	"sort"
)

// worker judges one query after another and keeps its scratch memory.
type worker struct {
	opts               Options
	qrelsFile, runFile string
	judged, results    idSet
	keys               []float64
	// dropped marks rows that are lower duplicates.
	dropped []bool
	hits    []ranked
}

// ranked is a relevant document of the run.
type ranked struct {
	row   int
	grade int
}

// profile finds the ranks of the relevant documents. Nothing else of the run's
// order matters to any measure, so the run is not sorted: each of its n
// documents is placed among the h relevant ones found, in O(n log h).
func (w *worker) profile(judged, results *group) (Profile, error) {
	grades, duplicates, err := w.grades(judged)
	if err != nil {
		return Profile{}, err
	}
	p := Profile{Duplicates: duplicates}
	for i, grade := range grades {
		if grade >= 1 && !w.dropped[i] {
			p.ideal = append(p.ideal, int(grade))
		}
	}
	p.ideal = descending(p.ideal)
	if results == nil {
		return p, nil
	}
	w.hits = w.hits[:0]
	relevant := w.relevantRows(judged, grades)
	if duplicates, err = w.index(results); err != nil {
		return Profile{}, err
	}
	p.Duplicates += duplicates
	p.retrieved = len(results.rows) - duplicates
	for _, i := range relevant {
		if at := w.results.find(results, judged.id(judged.rows[i])); at >= 0 {
			w.hits = append(w.hits, ranked{at, int(grades[i])})
		}
	}
	if w.opts.AverageTies {
		p.tied = w.tieGroups()
		return p, nil
	}
	p.hits = w.ranks(results)
	return p, nil
}

// grades returns the grades of a query's judgments in their order; of a document
// judged twice the lower judgment is dropped, or the query refused.
func (w *worker) grades(g *group) ([]float64, int, error) {
	grades := make([]float64, len(g.rows))
	for i, r := range g.rows {
		grades[i] = r.value
	}
	n, err := w.dedupe(&w.judged, g, grades, w.qrelsFile)
	return grades, n, err
}

// relevantRows lists the judgments of grade 1 and above.
func (w *worker) relevantRows(g *group, grades []float64) []int {
	var rows []int
	for i := range g.rows {
		if grades[i] >= 1 && !w.dropped[i] {
			rows = append(rows, i)
		}
	}
	return rows
}

// index fills keys, dropped and the set of results.
func (w *worker) index(g *group) (int, error) {
	w.keys = resize(w.keys, len(g.rows))
	single := w.opts.Dialect == DialectTREC && !w.opts.Double
	for i, r := range g.rows {
		if w.keys[i] = r.value; single {
			w.keys[i] = float64(float32(r.value))
		}
	}
	return w.dedupe(&w.results, g, w.keys, w.runFile)
}

// dedupe puts g's documents into set. Of a document that stands twice the row
// with the greater value stays, the first among equals; DialectTREC refuses it.
func (w *worker) dedupe(set *idSet, g *group, values []float64, file string) (int, error) {
	w.dropped = resize(w.dropped, len(g.rows))
	clear(w.dropped)
	set.reset(len(g.rows))
	n := 0
	for i, r := range g.rows {
		at := set.put(g, i)
		if at == i {
			continue
		}
		if w.opts.Dialect == DialectTREC {
			return 0, duplicate(file, g, r)
		}
		n++
		if values[i] > values[at] {
			set.replace(g, i)
			w.dropped[at] = true
		} else {
			w.dropped[i] = true
		}
	}
	return n, nil
}

// compare orders rows a and b of the run by the dialect's rule; negative means
// that a stands higher.
func (w *worker) compare(g *group, a, b int) int {
	if c := cmp.Compare(w.keys[b], w.keys[a]); c != 0 {
		return c
	}
	switch w.opts.Dialect {
	case DialectTREC:
		return bytes.Compare(g.id(g.rows[b]), g.id(g.rows[a]))
	case DialectRanx:
		return cmp.Compare(a, b)
	}
	return bytes.Compare(g.id(g.rows[a]), g.id(g.rows[b]))
}

// ranks returns the hits with their ranks, counted over all rows kept.
func (w *worker) ranks(g *group) []hit {
	if len(w.hits) == 0 {
		return nil
	}
	slices.SortFunc(w.hits, func(a, b ranked) int { return w.compare(g, a.row, b.row) })
	above := make([]int, len(w.hits)+1) // rows that stand between hit i−1 and hit i
	for i := range g.rows {
		if w.dropped[i] {
			continue
		}
		above[sort.Search(len(w.hits), func(h int) bool { return w.compare(g, i, w.hits[h].row) < 0 })]++
	}
	out := make([]hit, len(w.hits))
	rank := 1
	for i, h := range w.hits {
		rank += above[i]
		out[i] = hit{rank, rank, h.grade}
	}
	return out
}

// tieGroups returns the groups of equal scores that hold a hit, best first; never
// nil, so that a profile shows it was asked for.
func (w *worker) tieGroups() []tieGroup {
	slices.SortStableFunc(w.hits, func(a, b ranked) int { return cmp.Compare(w.keys[b.row], w.keys[a.row]) })
	groups, scores := []tieGroup{}, []float64{}
	for _, h := range w.hits {
		if key := w.keys[h.row]; len(scores) == 0 || scores[len(scores)-1] != key {
			groups, scores = append(groups, tieGroup{}), append(scores, key)
		}
		last := &groups[len(groups)-1]
		last.grades = append(last.grades, h.grade)
	}
	above := make([]int, len(groups)+1)
	for i, key := range w.keys {
		if w.dropped[i] {
			continue
		}
		at := sort.Search(len(scores), func(s int) bool { return scores[s] <= key })
		if at < len(scores) && scores[at] == key {
			groups[at].size++
		} else {
			above[at]++
		}
	}
	total := 0
	for i := range groups {
		total += above[i]
		groups[i].above = total
		total += groups[i].size
	}
	return groups
}

// idSet is a hash table with open addressing over the ids of one group. Its
// entries are row numbers, so it owns no ids and is reused without allocation.
type idSet struct {
	seed  maphash.Seed
	slots []slot
	mask  uint32
}

type slot struct {
	hash uint32
	row  int32 // plus 1; 0 is empty
}

// reset empties the set and makes room for n ids.
func (s *idSet) reset(n int) {
	if s.slots == nil {
		s.seed = maphash.MakeSeed()
	}
	size := 1 << bits.Len(uint(2*n))
	s.slots = resize(s.slots, size)
	clear(s.slots)
	s.mask = uint32(size - 1)
}

// at returns the slot that holds id, or the empty one where it belongs.
func (s *idSet) at(g *group, id []byte) (*slot, uint32) {
	hash := uint32(maphash.Bytes(s.seed, id))
	for i := hash & s.mask; ; i = (i + 1) & s.mask {
		at := &s.slots[i]
		if at.row == 0 || at.hash == hash && bytes.Equal(g.id(g.rows[at.row-1]), id) {
			return at, hash
		}
	}
}

// put adds row i unless its id is there, and returns the row that holds the id.
func (s *idSet) put(g *group, i int) int {
	at, hash := s.at(g, g.id(g.rows[i]))
	if at.row == 0 {
		*at = slot{hash, int32(i + 1)}
	}
	return int(at.row) - 1
}

// replace makes row i the holder of its id, which is there.
func (s *idSet) replace(g *group, i int) {
	at, _ := s.at(g, g.id(g.rows[i]))
	at.row = int32(i + 1)
}

// find returns the row that holds id, −1 if none does.
func (s *idSet) find(g *group, id []byte) int {
	at, _ := s.at(g, id)
	return int(at.row) - 1
}

// resize returns a slice of length n, s's own memory when it is large enough.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
