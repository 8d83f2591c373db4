package label

import (
	"slices"

	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
)

// Pair is a claim that both raters judged.
type Pair struct {
	Item runs.LabelItem
	A, B string
}

// Differ reports that the raters do not agree on the state.
func (p Pair) Differ() bool { return p.A != p.B }

// Pairs are the claims of a source, or of the whole book where it is nil, that A labelled and
// B judged; left counts those that A labelled and that are in no agreement.
func Pairs(b *Book, src *Source, o Options) (pairs []Pair, left map[string]int) {
	left = map[string]int{}
	for _, item := range claims(b, src) {
		said := b.said(item.Key, o.By)
		switch said {
		case "":
			continue
		case runs.StateUnclear, disputed:
			left[said]++
			continue
		}
		other := b.other(item.Key, src, o)
		switch other {
		case "":
			left[LeftNoVerdict]++
		case runs.StateUnclear:
			left[LeftUnclear]++
		default:
			pairs = append(pairs, Pair{item, said, other})
		}
	}
	return pairs, left
}

// claims are those of a source, or all of the book.
func claims(b *Book, src *Source) []runs.LabelItem {
	if src == nil {
		return b.Items()
	}
	var out []runs.LabelItem
	for _, a := range src.Answers {
		out = append(out, a.Items...)
	}
	return out
}

// said is what a person says of a claim, or what people say together.
func (b *Book) said(key, by string) string {
	if by == "" {
		return consensus(b.Labels(key))
	}
	l, _ := b.Label(key, by)
	return l.State
}

// other is what rater B says of a claim.
func (b *Book) other(key string, src *Source, o Options) string {
	if o.Against != "" {
		return b.said(key, o.Against)
	}
	if src != nil && (o.Fingerprint == "" || o.Fingerprint == src.Fingerprint) {
		_, c, _ := src.Find(key)
		return scored(string(c.Verdict))
	}
	return scored(b.verdicts[o.Fingerprint][key].Verdict)
}

// scored is a verdict, empty for a claim that its detector left unscored.
func scored(verdict string) string {
	if verdict == string(rag.ClaimUnscored) {
		return ""
	}
	return verdict
}

// whole are the answers of which every claim is in pairs, each as one pair: not supported
// when one of its claims is not.
func whole(b *Book, src *Source, pairs []Pair) []Pair {
	sizes := map[string]int{}
	for _, item := range claims(b, src) {
		sizes[item.AnswerKey]++
	}
	found := map[string][]Pair{}
	var order []string
	for _, p := range pairs {
		key := p.Item.AnswerKey
		if found[key] == nil {
			order = append(order, key)
		}
		found[key] = append(found[key], p)
	}
	var out []Pair
	for _, key := range order {
		in := found[key]
		if len(in) < sizes[key] {
			continue
		}
		sum := Pair{Item: in[0].Item, A: runs.StateSupported, B: runs.StateSupported}
		for _, p := range in {
			if supportedClass(p.A) == 0 {
				sum.A = runs.StateUnverifiable
			}
			if supportedClass(p.B) == 0 {
				sum.B = runs.StateUnverifiable
			}
		}
		out = append(out, sum)
	}
	return out
}

// Disagreements are the pairs on which the raters differ, those furthest apart first:
// supported against contradicted, then other supported ones, then the rest.
func Disagreements(b *Book, src *Source, o Options) []Pair {
	pairs, _ := Pairs(b, src, o)
	out := slices.DeleteFunc(pairs, func(p Pair) bool { return !p.Differ() })
	slices.SortStableFunc(out, func(p, q Pair) int { return q.distance() - p.distance() })
	return out
}

// distance is how far apart the raters of a pair are.
func (p Pair) distance() int {
	a, b := orderedClass(p.A), orderedClass(p.B)
	if a < 0 || b < 0 {
		return 0
	}
	return max(a-b, b-a) + max(supportedClass(p.A)-supportedClass(p.B), supportedClass(p.B)-supportedClass(p.A))
}
