package judge

import (
	"math"
	"slices"
	"strings"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// Feature is one number that tells of a statement and its source.
type Feature struct {
	Name  string
	Value float64
}

type features []Feature

func (f *features) add(name string, v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		v = 0
	}
	*f = append(*f, Feature{name, v})
}

func mean(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// quantile of values that it sorts.
func quantile(v []float64, q float64) float64 {
	if len(v) == 0 {
		return 0
	}
	slices.Sort(v)
	return v[int(math.Round(q*float64(len(v)-1)))]
}

func share(n, of int) float64 { return float64(n) / math.Max(float64(of), 1) }

// statement measures what a statement says against its source.
func (c *claimed) statement() features {
	var f features
	c.alignment(&f)
	c.vocabulary(&f)
	c.bestSentences(&f)
	c.polarity(&f)
	f.cross("n_rows", "best_mean", "best_q10", "new_share", "new_count", "cover1", "cover3", "s1", "pairs_sentence", "same_mean", "denial_mismatch")
	f.cross("n_tokens", "best_mean", "best_q10", "new_share", "new_count", "cover1", "cover3", "s1", "pairs_sentence", "same_mean", "denial_mismatch")
	return f
}

// cross adds the products of a feature with others: what a share of new words means
// depends on how long claim and context are.
func (f *features) cross(with string, names ...string) {
	values := make(map[string]float64, len(*f))
	for _, x := range *f {
		values[x.Name] = x.Value
	}
	for _, n := range names {
		f.add(with+"*"+n, values[with]*values[n])
	}
}

func (c *claimed) alignment(f *features) {
	var best, same, all []float64
	for i := range c.tokens {
		all = append(all, c.best[i])
		if !c.content[i] {
			continue
		}
		best = append(best, c.best[i])
		if c.same[i] >= -.99 {
			same = append(same, c.same[i])
		}
	}
	f.add("n_tokens", math.Log1p(float64(len(c.tokens))))
	f.add("n_rows", math.Log1p(float64(len(c.source.rows))))
	f.add("n_sentences", math.Log1p(float64(len(c.source.sentences))))
	f.add("best_mean", mean(best))
	f.add("best_all_mean", mean(all))
	f.add("best_q10", quantile(best, .1))
	f.add("best_min", quantile(best, 0))
	f.add("best_q25", quantile(best, .25))
	f.add("best_low5", share(count(best, .5), len(best)))
	f.add("best_low6", share(count(best, .6), len(best)))
	f.add("best_low7", share(count(best, .7), len(best)))
	f.add("same_mean", mean(same))
	f.add("same_min", quantile(same, 0))
	f.add("same_q25", quantile(same, .25))
	f.add("same_share", share(len(same), len(best)))
	low := append([]float64(nil), best...)
	slices.Sort(low)
	f.add("best_low3", mean(low[:min(3, len(low))]))
}

func count(v []float64, below float64) int {
	n := 0
	for _, x := range v {
		if x < below {
			n++
		}
	}
	return n
}

func (c *claimed) vocabulary(f *features) {
	words, fresh, numbers, freshNumbers, names, freshNames := 0, 0, 0, 0, 0, 0
	weighted, freshWeighted := 0.0, 0.0
	var freshBest []float64
	pairs, kept, near := 0, 0, 0
	prev := ""
	for _, w := range c.words {
		if w.Stop {
			continue
		}
		words++
		_, known := c.source.places[w.Term]
		weight := c.source.weight(w.Term)
		weighted += weight
		if !known {
			fresh++
			freshWeighted += weight
			freshBest = append(freshBest, c.wordBest(w.Span))
		}
		switch {
		case number(w.Term):
			numbers++
			if !known {
				freshNumbers++
			}
		case name(c.text, w):
			names++
			if !known {
				freshNames++
			}
		}
		if prev != "" {
			pairs++
			if known && c.together(prev, w.Term) {
				kept++
			}
			if known && c.adjacent(prev, w.Term) {
				near++
			}
		}
		prev = w.Term
	}
	f.add("new_share", share(fresh, words))
	f.add("new_count", math.Log1p(float64(fresh)))
	f.add("new_weighted", freshWeighted/math.Max(weighted, 1e-9))
	f.add("new_best_mean", 1-mean(append(freshBest, 1)))
	f.add("new_best_min", 1-quantile(append(freshBest, 1), 0))
	f.add("numbers", math.Log1p(float64(numbers)))
	f.add("new_numbers", math.Log1p(float64(freshNumbers)))
	f.add("new_number_share", share(freshNumbers, numbers))
	f.add("names", math.Log1p(float64(names)))
	f.add("new_names", math.Log1p(float64(freshNames)))
	f.add("new_name_share", share(freshNames, names))
	f.add("pairs_sentence", share(kept, pairs))
	f.add("pairs_adjacent", share(near, pairs))
}

// wordBest is the mean best cosine of the tokens under a span.
func (c *claimed) wordBest(span rag.Span) float64 {
	var v []float64
	for i, t := range c.tokens {
		if t.Span.Overlaps(span) {
			v = append(v, c.best[i])
		}
	}
	return mean(v)
}

// together reports two terms that stand in one sentence.
func (c *claimed) together(a, b string) bool {
	x, y := c.source.places[a], c.source.places[b]
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case x[i] == y[j]:
			return true
		case x[i] < y[j]:
			i++
		default:
			j++
		}
	}
	return false
}

// adjacent reports a term that follows another within three words.
func (c *claimed) adjacent(a, b string) bool {
	for _, s := range c.source.places[a] {
		words := c.source.words(s)
		for i, w := range words {
			if w.Term != a {
				continue
			}
			for _, next := range words[i+1 : min(len(words), i+4)] {
				if next.Term == b {
					return true
				}
			}
		}
	}
	return false
}

func (c *claimed) bestSentences(f *features) {
	top := c.order[:min(3, len(c.order))]
	score := func(i int) float64 {
		if i < len(top) {
			return top[i].score
		}
		return 0
	}
	f.add("s1", score(0))
	f.add("s12", score(0)-score(1))
	f.add("s13", score(0)-score(2))
	for _, k := range []int{1, 2, 3} {
		c.covered(f, top[:min(k, len(top))], string(rune('0'+k)))
	}
	c.sequence(f)
}

// covered measures what the best sentences hold of the statement.
func (c *claimed) covered(f *features, top []scored, suffix string) {
	held := map[string]bool{}
	for _, s := range top {
		for _, w := range c.source.words(s.sentence) {
			held[w.Term] = true
		}
	}
	words, in, numbers, inNumbers, names, inNames := 0, 0, 0, 0, 0, 0
	weighted, inWeighted := 0.0, 0.0
	for _, w := range c.words {
		if w.Stop {
			continue
		}
		words++
		weight := c.source.weight(w.Term)
		weighted += weight
		if held[w.Term] {
			in++
			inWeighted += weight
		}
		if number(w.Term) {
			numbers++
			if held[w.Term] {
				inNumbers++
			}
		} else if name(c.text, w) {
			names++
			if held[w.Term] {
				inNames++
			}
		}
	}
	var best []float64
	for i := range c.tokens {
		if !c.content[i] {
			continue
		}
		x := -1.0
		for _, s := range top {
			x = max(x, c.within(i, s.sentence))
		}
		best = append(best, x)
	}
	f.add("cover"+suffix, share(in, words))
	f.add("cover_w"+suffix, inWeighted/math.Max(weighted, 1e-9))
	f.add("numbers_missing"+suffix, share(numbers-inNumbers, numbers))
	f.add("names_missing"+suffix, share(names-inNames, names))
	f.add("top_mean"+suffix, mean(best))
	f.add("top_min"+suffix, quantile(best, 0))
	f.add("top_q25"+suffix, quantile(best, .25))
	f.add("top_low6"+suffix, share(count(best, .6), len(best)))
}

// sequence measures how far the best sentence says things in the same order.
func (c *claimed) sequence(f *features) {
	if len(c.order) == 0 {
		f.add("order", 0)
		f.add("spread", 0)
		return
	}
	m := len(c.source.rows)
	at := c.source.sentences[c.order[0].sentence]
	var places []int
	for i := range c.tokens {
		if !c.content[i] {
			continue
		}
		best, where := -1.0, -1
		for j := at.from; j < at.to; j++ {
			if x := float64(c.cosines[i*m+j]); x > best {
				best, where = x, j
			}
		}
		if best > .5 {
			places = append(places, where)
		}
	}
	pairs, ordered := 0, 0
	for i := range places {
		for _, p := range places[i+1:] {
			pairs++
			if p >= places[i] {
				ordered++
			}
		}
	}
	f.add("order", share(ordered, pairs))
	used := map[int]bool{}
	for i := range c.tokens {
		if c.content[i] && c.at[i] >= 0 {
			used[c.source.rows[c.at[i]].sentence] = true
		}
	}
	f.add("spread", share(len(used), len(c.tokens)))
}

// polarity compares denials and directions of the statement with those of the best
// sentence.
func (c *claimed) polarity(f *features) {
	var evidence string
	if len(c.order) > 0 {
		evidence = c.source.text(c.order[0].sentence)
	}
	said, there := denials(c.text), denials(evidence)
	f.add("denies", b2f(said > 0))
	f.add("denial_mismatch", b2f(said%2 != there%2))
	f.add("denial_added", b2f(said > 0 && there == 0))
	f.add("denial_dropped", b2f(said == 0 && there > 0))
	up, down := directions(c.text)
	up2, down2 := directions(evidence)
	f.add("direction_mismatch", b2f(up > 0 && down == 0 && down2 > 0 && up2 == 0 || down > 0 && up == 0 && up2 > 0 && down2 == 0))
	f.add("direction_match", b2f(up > 0 && up2 > 0 || down > 0 && down2 > 0))
}

func b2f(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// denials counts words that deny.
func denials(s string) int {
	n := 0
	lower := " " + strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '\'' && r != '’' && !text.Han(r)
	}), " ") + " "
	lower = strings.ReplaceAll(lower, "’", "'")
	for _, w := range strings.Fields(lower) {
		if deniesEN[w] || strings.HasSuffix(w, "n't") {
			n++
		}
	}
	for _, w := range deniesZH {
		n += strings.Count(lower, w)
	}
	for _, w := range seemsZH {
		n -= strings.Count(lower, w)
	}
	return max(n, 0)
}

var deniesEN = set("not no never none nobody nothing neither nor without cannot lack lacks lacked lacking absence fail fails failed unable hardly rarely few little")

var deniesZH = []string{"不", "没", "未", "无", "非", "否认", "拒绝"}

// seemsZH look like denials and are none.
var seemsZH = []string{"不仅", "不但", "不断", "不过", "未来", "无论", "不同", "非常", "非洲", "不久", "无数"}

func set(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

// directions counts words for more and for less.
func directions(s string) (up, down int) {
	for _, w := range text.Analyze(s).Words {
		switch {
		case upWords()[w.Term]:
			up++
		case downWords()[w.Term]:
			down++
		}
	}
	return up, down
}
