package judge

import (
	"context"
	"math"
	"strings"
	"unicode/utf8"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// asked is a question about a source.
type asked struct {
	*claimed
	folded text.Folded
	// wh is the question word's place in the question; empty without one.
	wh rag.Span
	// wanted is the kind of thing asked for.
	wanted string
	// nearness is, for every row, how near the question's words stand to it, by reach.
	nearness map[float64][]float64
	places   map[string][]place
}

// place is where a term stands.
type place struct{ context, start, end int }

var reaches = []float64{8, 25, 80}

// ask reads a question.
func (l Language) ask(ctx context.Context, question string, s *source) (*asked, error) {
	c, err := l.compare(ctx, question, s)
	if err != nil {
		return nil, err
	}
	a := &asked{claimed: c, folded: text.Fold(question), nearness: map[float64][]float64{}, places: map[string][]place{}}
	a.wh, a.wanted = wanted(question)
	for i, terms := range s.terms {
		for _, t := range terms {
			a.places[t.Term] = append(a.places[t.Term], place{i, t.Span.Start, t.Span.End})
		}
	}
	for _, reach := range reaches {
		a.nearness[reach] = make([]float64, len(s.rows))
		for j, r := range s.rows {
			a.nearness[reach][j] = a.near(place{r.context, r.span.Start, r.span.End}, reach)
		}
	}
	return a, nil
}

// askedWords are the question's words that tell, without the question word.
func (a *asked) askedWords() []text.Term {
	var out []text.Term
	for _, w := range a.words {
		if !w.Stop && !w.Span.Overlaps(a.wh) {
			out = append(out, w)
		}
	}
	return out
}

// near is the weighted share of the question's words that stand about a place.
func (a *asked) near(p place, reach float64) float64 {
	sum, all := 0.0, 0.0
	for _, w := range a.askedWords() {
		weight := a.source.weight(w.Term)
		all += weight
		best := 0.0
		for _, q := range a.places[w.Term] {
			if q.context == p.context {
				best = max(best, math.Exp(-gap(p, q)/reach))
			}
		}
		sum += weight * best
	}
	return sum / math.Max(all, 1e-9)
}

// gap is the distance of two places, in the bytes of about one Latin letter.
func gap(p, q place) float64 {
	switch {
	case q.end <= p.start:
		return float64(p.start-q.end) / 3
	case p.end <= q.start:
		return float64(q.start-p.end) / 3
	}
	return 0
}

// occurrences are the places of an answer in the source.
func (s *source) occurrences(answer string) []place {
	needle := text.Letters(answer)
	var out []place
	if needle == "" {
		return nil
	}
	for i, c := range s.contexts {
		letters, at := lettersAt(c)
		for from := 0; ; {
			k := strings.Index(letters[from:], needle)
			if k < 0 {
				break
			}
			k += from
			out = append(out, place{i, at[k], at[k+len(needle)-1] + 1})
			from = k + 1
			if len(out) > 50 {
				return out
			}
		}
	}
	return out
}

// lettersAt is text.Letters of s with the place of each byte.
func lettersAt(s string) (string, []int) {
	f := text.Fold(s)
	var b strings.Builder
	var at []int
	for i, r := range f.Text {
		if text.Letters(string(r)) == "" {
			continue
		}
		origin := f.Origin(rag.Span{Start: i, End: i + utf8.RuneLen(r)})
		n := utf8.RuneLen(r)
		b.WriteRune(r)
		for k := range n {
			if k == n-1 {
				at = append(at, origin.End-1)
			} else {
				at = append(at, origin.Start)
			}
		}
	}
	return b.String(), at
}

func (s *source) rowsOf(p place) (from, to int) {
	from = -1
	for j, r := range s.rows {
		if r.context == p.context && r.span.Start < p.end && p.start < r.span.End {
			if from < 0 {
				from = j
			}
			to = j + 1
		}
	}
	return max(from, 0), to
}

// answered measures how well an answer fits the question; it needs an occurrence.
func (l Language) answered(ctx context.Context, a *asked, answer string) (features, place, error) {
	var f features
	s := a.source
	at := rag.Span{Start: a.wh.Start, End: a.wh.Start + len(answer)}
	c, err := l.compare(ctx, a.statement(answer), s)
	if err != nil {
		return nil, place{}, err
	}
	places := s.occurrences(answer)
	f.add("found", b2f(len(places) > 0))
	f.add("occurrences", math.Log1p(float64(len(places))))
	best := features(nil)
	score := -1.0
	var where place
	for _, p := range places[:min(len(places), 12)] {
		g := a.at(c, at, p)
		if v := g[0].Value; v > score {
			best, score, where = g, v, p
		}
	}
	if best == nil {
		best = a.at(c, at, place{})
		for i := range best {
			best[i].Value = 0
		}
	}
	f = append(f, best...)
	a.types(&f, answer)
	var all []float64
	for i := range c.tokens {
		all = append(all, c.best[i])
	}
	f.add("claim_mean", mean(all))
	f.add("claim_s1", c.order[0].score)
	return f, where, nil
}

// statement is the question with the answer in the question word's place.
func (a *asked) statement(answer string) string {
	return a.text[:a.wh.Start] + answer + a.text[a.wh.End:]
}
