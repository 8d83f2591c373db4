package judge

import (
	"math"
	"slices"
	"strings"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// at measures one occurrence.
func (a *asked) at(c *claimed, inClaim rag.Span, p place) features {
	from, to := a.source.rowsOf(p)
	o := occurrence{asked: a, claim: c, inClaim: inClaim, place: p, from: from, to: to, sentence: a.source.rows[from].sentence}
	var f features
	o.nearness(&f)
	o.sentences(&f)
	o.cover(&f)
	o.vectors(&f)
	o.order(&f)
	o.repeats(&f)
	return f
}

// occurrence is a place in the context where a short answer stands.
type occurrence struct {
	*asked
	claim   *claimed
	inClaim rag.Span
	place   place
	// from and to bound its rows of vectors, which lie in a sentence.
	from, to, sentence int
}

// nearness is how near the question's words stand, at several reaches, and how many rows have
// them nearer.
func (o occurrence) nearness(f *features) {
	f.add("near25", o.near(o.place, 25))
	for _, reach := range reaches {
		x := o.near(o.place, reach)
		below, top := 0, 0.0
		for _, y := range o.asked.nearness[reach] {
			if y < x {
				below++
			}
			top = max(top, y)
		}
		suffix := map[float64]string{8: "8", 25: "25", 80: "80"}[reach]
		f.add("near_"+suffix, x)
		f.add("near_rank_"+suffix, share(below, len(o.source.rows)))
		f.add("near_gap_"+suffix, top-x)
	}
}

// sentences is how the occurrence's sentence ranks for the question, and for the claim.
func (o occurrence) sentences(f *features) {
	rankOf := func(order []scored) (score, top float64, rank int) {
		for i, s := range order {
			if s.sentence == o.sentence {
				return s.score, order[0].score, i
			}
		}
		return 0, 0, len(order)
	}
	score, top, rank := rankOf(o.asked.order)
	f.add("q_sentence", score)
	f.add("q_gap", top-score)
	f.add("q_rank", math.Log1p(float64(rank)))
	f.add("q_first", b2f(rank == 0))
	score, top, rank = rankOf(o.claim.order)
	f.add("c_sentence", score)
	f.add("c_gap", top-score)
	f.add("c_rank", math.Log1p(float64(rank)))
}

// cover is the share of the question's words, by weight, that its sentence and its clause hold.
func (o occurrence) cover(f *features) {
	all := 0.0
	cover := make([]float64, len(o.source.sentences))
	for _, w := range o.askedWords() {
		weight := o.source.weight(w.Term)
		all += weight
		for _, i := range o.source.places[w.Term] {
			cover[i] += weight
		}
	}
	held, top := cover[o.sentence], slices.Max(cover)
	f.add("cover", held/math.Max(all, 1e-9))
	f.add("cover_gap", (top-held)/math.Max(all, 1e-9))
	begin, end := clause(o.source.contexts[o.place.context], o.place.start, o.place.end)
	in := 0.0
	for _, w := range o.askedWords() {
		for _, q := range o.places[w.Term] {
			if q.context == o.place.context && q.start >= begin && q.end <= end {
				in += o.source.weight(w.Term)
				break
			}
		}
	}
	f.add("cover_clause", in/math.Max(all, 1e-9))
}

// cosine is that of token i with row j.
func (o occurrence) cosine(x *claimed, i, j int) float64 {
	return float64(x.cosines[i*len(o.source.rows)+j])
}

// inside is the mean of the best cosines of the tokens in a span with the occurrence's rows.
func (o occurrence) inside(x *claimed, span rag.Span) float64 {
	var v []float64
	for i, t := range x.tokens {
		if !t.Span.Overlaps(span) {
			continue
		}
		best := -1.0
		for j := o.from; j < o.to; j++ {
			best = max(best, o.cosine(x, i, j))
		}
		v = append(v, best)
	}
	return mean(v)
}

// vectors is how claim, question word and the question's other words fit the occurrence.
func (o occurrence) vectors(f *features) {
	wh := o.inside(o.claimed, o.wh)
	f.add("subst_same", o.inside(o.claim, o.inClaim))
	f.add("wh_cos", wh)
	f.add("wh_rank", o.whRank(wh))
	f.add("q_window", o.window())
	var said []float64
	for j := o.from; j < o.to; j++ {
		v := 0.0
		for i := range o.tokens {
			v = max(v, o.cosine(o.claimed, i, j))
		}
		said = append(said, v)
	}
	f.add("a_in_q", mean(said))
}

// whRank is the share of rows that fit the question word less than x.
func (o occurrence) whRank(x float64) float64 {
	rows, below := len(o.source.rows), 0
	for j := range rows {
		v, n := 0.0, 0
		for i, t := range o.tokens {
			if t.Span.Overlaps(o.wh) {
				v += o.cosine(o.claimed, i, j)
				n++
			}
		}
		if n > 0 && v/float64(n) < x {
			below++
		}
	}
	return share(below, rows)
}

// windowRows is how many rows around an answer the question's words are looked for in.
const windowRows = 12

// window is the mean of the best cosines of the question's own words with the rows around.
func (o occurrence) window() float64 {
	var q []float64
	for i := range o.tokens {
		if !o.content[i] {
			continue
		}
		best := -1.0
		for j := max(0, o.from-windowRows); j < min(len(o.source.rows), o.to+windowRows); j++ {
			if o.source.rows[j].context == o.place.context {
				best = max(best, o.cosine(o.claimed, i, j))
			}
		}
		q = append(q, best)
	}
	return mean(q)
}

// order is whether the words before the question word stand before the answer, and how near the
// last before and the first behind it are.
func (o occurrence) order(f *features) {
	ahead, behind, n := 0.0, 0.0, 0.0
	var last, first *text.Term
	words := o.askedWords()
	for i, w := range words {
		weight := o.source.weight(w.Term)
		n += weight
		before := w.Span.End <= o.wh.Start
		for _, q := range o.places[w.Term] {
			if q.context == o.place.context && gap(o.place, q) <= 60 && before == (q.end <= o.place.start) {
				if before {
					ahead += weight
				} else {
					behind += weight
				}
				break
			}
		}
		if before {
			last = &words[i]
		} else if first == nil {
			first = &words[i]
		}
	}
	f.add("ordered", (ahead+behind)/math.Max(n, 1e-9))
	f.add("last_near", math.Exp(-o.distance(last, true)/10))
	f.add("first_near", math.Exp(-o.distance(first, false)/10))
}

// distance is that of the nearest place of a word before, or behind, the occurrence; infinite
// without one.
func (o occurrence) distance(w *text.Term, before bool) float64 {
	best := math.Inf(1)
	if w == nil {
		return best
	}
	for _, q := range o.places[w.Term] {
		if q.context == o.place.context && (q.end <= o.place.start) == before {
			best = min(best, gap(o.place, q))
		}
	}
	return best
}

// repeats is the share of the answer's words that the question says itself, and where it stands.
func (o occurrence) repeats(f *features) {
	asked := map[string]bool{}
	for _, w := range o.askedWords() {
		asked[w.Term] = true
	}
	same, n := 0, 0
	for _, w := range o.source.terms[o.place.context] {
		if w.Span.Start >= o.place.start && w.Span.End <= o.place.end && !w.Stop {
			n++
			if asked[w.Term] {
				same++
			}
		}
	}
	f.add("repeats", share(same, n))
	f.add("position", float64(o.place.start)/math.Max(float64(len(o.source.contexts[o.place.context])), 1))
}

// clause is the part between marks that holds a place.
func clause(s string, start, end int) (int, int) {
	marks := "，。；！？,;!?\n"
	b := strings.LastIndexAny(s[:start], marks)
	if b < 0 {
		b = 0
	}
	e := strings.IndexAny(s[end:], marks)
	if e < 0 {
		return b, len(s)
	}
	return b, end + e
}
