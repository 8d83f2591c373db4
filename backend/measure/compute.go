package measure

import "math"

// Value computes m under the conventions of d. In the formulas R is the number
// of relevant items that exist, rel(i) is 1 when the item at rank i is relevant,
// and an uncut measure has k = the number of items retrieved.
func (p Profile) Value(m Measure, d Dialect) Value {
	if v, settled := p.withoutRelevant(m, d); settled {
		return v
	}
	if p.tied != nil {
		return Of(clamp(p.averaged(m, d)))
	}
	switch m.Kind {
	case Hit:
		return Of(p.hitRate(m))
	case Recall:
		return Of(p.recall(m))
	case Precision:
		return Of(p.precision(m, d))
	case MRR:
		return Of(p.reciprocalRank(m))
	case MAP:
		return Of(clamp(p.averagePrecision(m)))
	case NDCG:
		return Of(clamp(p.ndcg(m, d)))
	}
	return Absent(NoValues)
}

// Values computes each of ms.
func (p Profile) Values(ms []Measure, d Dialect) []Value {
	out := make([]Value, len(ms))
	for i, m := range ms {
		out[i] = p.Value(m, d)
	}
	return out
}

// withoutRelevant settles queries for which nothing relevant exists.
func (p Profile) withoutRelevant(m Measure, d Dialect) (Value, bool) {
	if p.relevant(gainLevel(m, d)) > 0 {
		return Value{}, false
	}
	switch {
	case d == DialectTREC || d == DialectRanx:
		return Of(0), true
	case p.hasGold && len(p.ideal) == 0:
		return Of(0), true
	case d == DialectRAG && m.Kind == Recall:
		return Of(1), true
	case d == DialectRAG && m.Kind == Precision:
		return Of(0), true
	}
	return Absent(NoRelevant), true
}

// gainLevel is the lowest grade that counts for m: trec_eval's relevance level
// does not reach nDCG.
func gainLevel(m Measure, d Dialect) int {
	if m.Kind == NDCG && d == DialectTREC {
		return 1
	}
	return m.level()
}

// found counts the items and the units at m's level within its cut; they differ
// only when units are judged and one item covers several.
func (p Profile) found(m Measure) (items, units int) {
	last := 0
	for _, h := range p.hits {
		if m.cuts(h.rank) {
			break
		}
		if h.grade < m.level() {
			continue
		}
		units++
		if h.rank != last {
			items, last = items+1, h.rank
		}
	}
	return items, units
}

// hitRate: 1 when some rel(i) = 1 for i ≤ k, else 0. It is success_k of
// [trec_eval] and hit_rate of [ranx].
func (p Profile) hitRate(m Measure) float64 {
	if items, _ := p.found(m); items > 0 {
		return 1
	}
	return 0
}

// recall: Σ_{i≤k} rel(i) / R [trec_eval].
func (p Profile) recall(m Measure) float64 {
	_, units := p.found(m)
	return float64(units) / float64(p.relevant(m.level()))
}

// precision: Σ_{i≤k} rel(i) / k, although fewer than k were retrieved
// [trec_eval]. DialectRAG divides by those retrieved within k. Nothing retrieved
// is 0.
func (p Profile) precision(m Measure, d Dialect) float64 {
	items, _ := p.found(m)
	return divide(float64(items), p.precisionDepth(m, d))
}

func (p Profile) precisionDepth(m Measure, d Dialect) int {
	switch {
	case m.K == 0:
		return p.retrieved
	case d == DialectRAG:
		return min(m.K, p.retrieved)
	}
	return m.K
}

// reciprocalRank: 1/i for the smallest i ≤ k with rel(i) = 1, else 0. With a cut
// it is recip_rank of [trec_eval] under -M k.
func (p Profile) reciprocalRank(m Measure) float64 {
	for _, h := range p.hits {
		if m.cuts(h.rank) {
			break
		}
		if h.grade >= m.level() {
			return 1 / float64(h.rank)
		}
	}
	return 0
}

// averagePrecision: Σ_{i≤k} rel(i) · P@i / R, with R not cut at k [trec_eval:
// map, map_cut].
func (p Profile) averagePrecision(m Measure) float64 {
	sum, items, last := 0.0, 0, 0
	for _, h := range p.hits {
		if m.cuts(h.rank) {
			break
		}
		if h.grade < m.level() {
			continue
		}
		if h.rank != last {
			items, last = items+1, h.rank
		}
		sum += float64(items) / float64(h.rank)
	}
	return sum / float64(p.relevant(m.level()))
}

// ndcg: Σ_{i≤k} g(grade_i)/log2(i+1), over the same sum for the ideal ranking cut
// at k, where g is the gain [JK02, B05; trec_eval: ndcg, ndcg_cut].
func (p Profile) ndcg(m Measure, d Dialect) float64 {
	m = m.Resolve(d)
	level := gainLevel(m, d)
	sum := 0.0
	for _, h := range p.hits {
		if !m.cuts(h.place) && h.grade >= level {
			sum += worth(h.grade, m.Gain) / discount(h.place)
		}
	}
	return sum / p.idealDCG(m, level)
}

func (p Profile) idealDCG(m Measure, level int) float64 {
	sum := 0.0
	for i, grade := range p.ideal[:p.relevant(level)] {
		if m.cuts(i + 1) {
			break
		}
		sum += worth(grade, m.Gain) / discount(i+1)
	}
	return sum
}

// worth is the gain of a grade of at least 1.
func worth(grade int, g Gain) float64 {
	if g == GainExponential {
		return math.Ldexp(1, grade) - 1
	}
	return float64(grade)
}

// discount is what a gain at rank i is divided by: log2(i + 1).
func discount(i int) float64 { return math.Log2(float64(i + 1)) }

// clamp removes the rounding error by which a sum of quotients may pass 1.
func clamp(x float64) float64 { return math.Min(math.Max(x, 0), 1) }

// divide returns a/b, and 0 for b = 0.
func divide(a float64, b int) float64 {
	if b == 0 {
		return 0
	}
	return a / float64(b)
}
