package judge

import (
	"context"
	"math"
	"slices"
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

// questionWords are question words with the kind of thing they ask for; longer ones first.
var questionWords = []struct{ word, kind string }{
	{"什么时候", "time"}, {"什么时间", "time"}, {"什么时期", "time"}, {"什么年代", "time"}, {"何时", "time"}, {"哪一年", "time"}, {"哪年", "time"}, {"哪一天", "time"}, {"哪天", "time"}, {"哪个月", "time"}, {"几月", "time"}, {"几年", "time"}, {"几时", "time"}, {"什么时后", "time"}, {"哪一日", "time"}, {"哪一个世纪", "time"}, {"哪个世纪", "time"}, {"几世纪", "time"}, {"哪个朝代", "time"}, {"哪一月", "time"},
	{"为什么", "why"}, {"为何", "why"}, {"什么原因", "why"}, {"什么目的", "why"},
	{"什么地方", "place"}, {"哪里", "place"}, {"哪儿", "place"}, {"何处", "place"}, {"何地", "place"}, {"哪个国家", "place"}, {"哪一个国家", "place"}, {"哪国", "place"}, {"哪个城市", "place"}, {"哪一个城市", "place"}, {"哪座城市", "place"}, {"哪个地区", "place"}, {"哪个地方", "place"}, {"哪一国", "place"}, {"哪个省", "place"}, {"哪省", "place"}, {"哪个州", "place"},
	{"什么人", "who"}, {"哪位", "who"}, {"哪一位", "who"}, {"何人", "who"}, {"谁", "who"}, {"哪个人", "who"}, {"哪些人", "who"},
	{"多少", "many"}, {"多大", "many"}, {"多长", "many"}, {"多高", "many"}, {"多久", "many"}, {"多重", "many"}, {"多远", "many"}, {"多宽", "many"}, {"多深", "many"}, {"多快", "many"}, {"几", "many"},
	{"怎么样", "how"}, {"怎么", "how"}, {"如何", "how"}, {"怎样", "how"}, {"什么方式", "how"}, {"什么方法", "how"},
	{"哪", "which"}, {"什么", "what"}, {"何", "what"}, {"啥", "what"}, {"甚么", "what"}, {"是指", "what"},
	{"how many", "many"}, {"how much", "many"}, {"how long", "many"}, {"how old", "many"}, {"how far", "many"}, {"how tall", "many"}, {"how often", "many"},
	{"what year", "time"}, {"which year", "time"}, {"what date", "time"}, {"what day", "time"}, {"what time", "time"}, {"when", "time"}, {"what century", "time"}, {"what month", "time"},
	{"what city", "place"}, {"what country", "place"}, {"which city", "place"}, {"which country", "place"}, {"where", "place"}, {"what state", "place"},
	{"who", "who"}, {"whose", "who"}, {"whom", "who"}, {"why", "why"}, {"how", "how"}, {"which", "which"}, {"what", "what"},
}

// kinds are what a question can ask for.
var kinds = []string{"time", "why", "place", "who", "many", "how", "which", "what", ""}

// wanted finds the question word and what it asks for.
func wanted(question string) (rag.Span, string) {
	f := text.Fold(question)
	low := f.Text
	for _, w := range questionWords {
		for from := 0; ; {
			at := strings.Index(low[from:], w.word)
			if at < 0 {
				break
			}
			at += from
			from = at + 1
			if w.word[0] < 0x80 && (at > 0 && isWord(low[at-1]) || at+len(w.word) < len(low) && isWord(low[at+len(w.word)])) {
				continue
			}
			return f.Origin(rag.Span{Start: at, End: at + len(w.word)}), w.kind
		}
	}
	return rag.Span{}, ""
}

// Statement makes a statement of a question and its answer by putting the answer in
// the question word's place, as Chinese does; ok is false without a question word.
func Statement(question, answer string) (statement string, ok bool) {
	wh, _ := wanted(question)
	if wh.End == 0 {
		return "", false
	}
	return strings.TrimRight(question[:wh.Start]+answer+question[wh.End:], "？?吗呢 "), true
}

func isWord(b byte) bool { return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' }

// types compares what is asked for with what the answer looks like.
func (a *asked) types(f *features, answer string) {
	shape := shapeOf(answer)
	for _, k := range kinds {
		for _, s := range shapes {
			f.add("type_"+k+"_"+s, b2f(a.wanted == k && shape[s]))
		}
	}
	n := float64(utf8.RuneCountInString(answer))
	f.add("answer_length", math.Log1p(n))
	head, _ := a.head()
	overlap := 0
	for _, r := range head {
		if strings.ContainsRune(text.Fold(answer).Text, r) {
			overlap++
		}
	}
	f.add("head_share", share(overlap, utf8.RuneCountInString(head)))
	f.add("head_any", b2f(overlap > 0))
	lastRune, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text.Fold(answer).Text, "》」』\"”)） "))
	f.add("head_last", b2f(head != "" && strings.ContainsRune(head, lastRune)))
	f.add("head_many", b2f(a.wanted == "many" && overlap > 0))
	f.add("head_many_none", b2f(a.wanted == "many" && head != "" && overlap == 0))
}

// head is what stands behind the question word: the noun asked for, or the unit.
func (a *asked) head() (string, bool) {
	rest := text.Fold(a.text[a.wh.End:]).Text
	var b strings.Builder
	n := 0
	for _, r := range rest {
		if !text.Han(r) || n == 4 || strings.ContainsRune("的是在了和与被把对为有个一", r) && n > 0 {
			break
		}
		if strings.ContainsRune("个一些种", r) {
			continue
		}
		b.WriteRune(r)
		n++
	}
	return b.String(), n > 0
}

var shapes = []string{"date", "number", "title", "place", "name", "dotted", "list", "long", "clause", "latin", "plain"}

// shapeOf says what an answer looks like.
func shapeOf(answer string) map[string]bool {
	f := text.Fold(answer).Text
	out := map[string]bool{}
	digits := false
	for _, w := range text.Analyze(answer).Words {
		if number(w.Term) {
			digits = true
		}
	}
	n := utf8.RuneCountInString(f)
	out["date"] = digits && strings.ContainsAny(f, "年月日") || strings.Contains(f, "世纪") || strings.Contains(f, "年代") || strings.Contains(f, "时期")
	out["number"] = digits && !out["date"]
	out["title"] = strings.ContainsAny(answer, "《》「」『』〈〉“”")
	last, _ := utf8.DecodeLastRuneInString(f)
	out["place"] = strings.ContainsRune("国省市县区州岛湾山洲镇村乡路街港河江湖海城郡郊部", last)
	out["dotted"] = strings.ContainsAny(answer, "·・‧")
	out["name"] = !digits && n >= 2 && n <= 4 && !out["place"] && !out["title"]
	out["list"] = strings.ContainsAny(answer, "、")
	out["clause"] = strings.ContainsAny(answer, "，。；,")
	out["long"] = n > 12
	latin := 0
	for _, r := range f {
		if r >= 'a' && r <= 'z' {
			latin++
		}
	}
	out["latin"] = latin*2 > n
	out["plain"] = !digits && n > 4 && n <= 12 && !out["place"] && !out["title"]
	return out
}
