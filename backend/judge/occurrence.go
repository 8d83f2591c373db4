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
	var f features
	s := a.source
	from, to := s.rowsOf(p)
	sen := s.rows[from].sentence
	rankOf := func(order []scored) (score, top float64, rank int) {
		for i, o := range order {
			if o.sentence == sen {
				return o.score, order[0].score, i
			}
		}
		return 0, 0, len(order)
	}
	near := a.near(p, 25)
	f.add("near25", near)
	for _, reach := range reaches {
		x := a.near(p, reach)
		below := 0
		top := 0.0
		for _, y := range a.nearness[reach] {
			if y < x {
				below++
			}
			top = max(top, y)
		}
		suffix := map[float64]string{8: "8", 25: "25", 80: "80"}[reach]
		f.add("near_"+suffix, x)
		f.add("near_rank_"+suffix, share(below, len(s.rows)))
		f.add("near_gap_"+suffix, top-x)
	}
	qs, qtop, qrank := rankOf(a.order)
	f.add("q_sentence", qs)
	f.add("q_gap", qtop-qs)
	f.add("q_rank", math.Log1p(float64(qrank)))
	f.add("q_first", b2f(qrank == 0))
	cs, ctop, crank := rankOf(c.order)
	f.add("c_sentence", cs)
	f.add("c_gap", ctop-cs)
	f.add("c_rank", math.Log1p(float64(crank)))
	// words of the question in the sentence
	all := 0.0
	cover := make([]float64, len(s.sentences))
	for _, w := range a.askedWords() {
		weight := s.weight(w.Term)
		all += weight
		for _, i := range s.places[w.Term] {
			cover[i] += weight
		}
	}
	held, top := cover[sen], slices.Max(cover)
	f.add("cover", held/math.Max(all, 1e-9))
	f.add("cover_gap", (top-held)/math.Max(all, 1e-9))
	// clause
	cb, ce := clause(s.contexts[p.context], p.start, p.end)
	in := 0.0
	for _, w := range a.askedWords() {
		for _, q := range a.places[w.Term] {
			if q.context == p.context && q.start >= cb && q.end <= ce {
				in += s.weight(w.Term)
				break
			}
		}
	}
	f.add("cover_clause", in/math.Max(all, 1e-9))
	// vectors
	m := len(s.rows)
	cos := func(x *claimed, i, j int) float64 { return float64(x.cosines[i*m+j]) }
	inside := func(x *claimed, span rag.Span) float64 {
		var v []float64
		for i, t := range x.tokens {
			if !t.Span.Overlaps(span) {
				continue
			}
			best := -1.0
			for j := from; j < to; j++ {
				best = max(best, cos(x, i, j))
			}
			v = append(v, best)
		}
		return mean(v)
	}
	f.add("subst_same", inside(c, inClaim))
	f.add("wh_cos", inside(a.claimed, a.wh))
	f.add("wh_rank", func() float64 {
		x, below := inside(a.claimed, a.wh), 0
		for j := range m {
			v, n := 0.0, 0
			for i, t := range a.tokens {
				if t.Span.Overlaps(a.wh) {
					v += cos(a.claimed, i, j)
					n++
				}
			}
			if n > 0 && v/float64(n) < x {
				below++
			}
		}
		return share(below, m)
	}())
	// the question's own words in context against the rows around the answer
	var q []float64
	for i := range a.tokens {
		if !a.content[i] {
			continue
		}
		best := -1.0
		for j := max(0, from-12); j < min(m, to+12); j++ {
			if s.rows[j].context == p.context {
				best = max(best, cos(a.claimed, i, j))
			}
		}
		q = append(q, best)
	}
	f.add("q_window", mean(q))
	var qa []float64
	for j := from; j < to; j++ {
		v := 0.0
		for i := range a.tokens {
			v = max(v, cos(a.claimed, i, j))
		}
		qa = append(qa, v)
	}
	f.add("a_in_q", mean(qa))
	// order: words before the question word stand before the answer
	before, after, n := 0.0, 0.0, 0.0
	var lastW, firstW *text.Term
	words := a.askedWords()
	for i, w := range words {
		weight := s.weight(w.Term)
		n += weight
		side := w.Span.End <= a.wh.Start
		for _, o := range a.places[w.Term] {
			if o.context != p.context || gap(p, o) > 60 {
				continue
			}
			if side == (o.end <= p.start) {
				if side {
					before += weight
				} else {
					after += weight
				}
				break
			}
		}
		if side {
			lastW = &words[i]
		} else if firstW == nil {
			firstW = &words[i]
		}
	}
	dist := func(w *text.Term, ahead bool) float64 {
		best := math.Inf(1)
		if w == nil {
			return best
		}
		for _, o := range a.places[w.Term] {
			if o.context == p.context && (o.end <= p.start) == ahead {
				best = min(best, gap(p, o))
			}
		}
		return best
	}
	last, first := dist(lastW, true), dist(firstW, false)
	f.add("ordered", (before+after)/math.Max(n, 1e-9))
	f.add("last_near", math.Exp(-last/10))
	f.add("first_near", math.Exp(-first/10))
	// the answer says what the question says
	qw := map[string]bool{}
	for _, w := range words {
		qw[w.Term] = true
	}
	same, nw := 0, 0
	for _, w := range s.terms[p.context] {
		if w.Span.Start >= p.start && w.Span.End <= p.end && !w.Stop {
			nw++
			if qw[w.Term] {
				same++
			}
		}
	}
	f.add("repeats", share(same, nw))
	f.add("position", float64(p.start)/math.Max(float64(len(s.contexts[p.context])), 1))
	return f
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
