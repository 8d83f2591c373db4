package label

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// Size is how much of a source is drawn: Share of each stratum, or Count answers in
// all; one of them is set.
type Size struct {
	Share float64
	Count int
}

// DefaultSize is what is drawn when nothing is said: a tenth.
const DefaultSize = "10%"

// ParseSize reads "10%" or "50". The fault is "sample_size_invalid" {sample}.
func ParseSize(s string) (Size, error) {
	s = strings.TrimSpace(cmp.Or(s, DefaultSize))
	invalid := fault.New("sample_size_invalid", fault.P("sample", s))
	if percent, ok := strings.CutSuffix(s, "%"); ok {
		v, err := strconv.ParseFloat(strings.TrimSpace(percent), 64)
		if err != nil || !(v > 0 && v <= 100) {
			return Size{}, invalid
		}
		return Size{Share: v / 100}, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return Size{}, invalid
	}
	return Size{Count: n}, nil
}

// stratum is the verdict and language of an answer: what a sample keeps the shares of.
// The verdict is the worst on its claims.
func (a Answer) stratum() string { return a.Lang + "/" + a.worst() }

// worst is the worst verdict on a claim of the answer.
func (a Answer) worst() string {
	for _, v := range []rag.ClaimVerdict{rag.Contradicted, rag.Unverifiable, rag.Supported} {
		if slices.ContainsFunc(a.Claims, func(c rag.Claim) bool { return c.Verdict == v }) {
			return string(v)
		}
	}
	return string(rag.Abstained)
}

// Draw takes answers of a source: the share of each stratum, rounded up, so that at
// least one of each is there. A count is divided by the strata's sizes, one of each
// first. What is drawn depends on the content and the seed alone, and so does its
// order, which does not tell strata apart.
func Draw(s Source, size Size, seed uint64) []Answer {
	strata := map[string][]Answer{}
	for _, a := range s.Answers {
		strata[a.stratum()] = append(strata[a.stratum()], a)
	}
	names := make([]string, 0, len(strata))
	for name, in := range strata {
		names = append(names, name)
		shuffle(in, seed)
	}
	slices.Sort(names)
	takes := make([]int, len(names))
	for i, name := range names {
		if size.Count == 0 {
			takes[i] = int(math.Ceil(size.Share*float64(len(strata[name])) - 1e-9))
		}
	}
	if size.Count > 0 {
		divide(takes, names, strata, size.Count)
	}
	var out []Answer
	for i, name := range names {
		out = append(out, strata[name][:takes[i]]...)
	}
	shuffle(out, seed)
	return out
}

// divide gives each stratum one place, the largest first, and then the next place to
// the stratum that is furthest below its share.
func divide(takes []int, names []string, strata map[string][]Answer, count int) {
	order := make([]int, len(names))
	total := 0
	for i := range names {
		order[i] = i
		total += len(strata[names[i]])
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(strata[names[b]]), len(strata[names[a]])) })
	count = min(count, total)
	for _, i := range order {
		if count == 0 {
			return
		}
		takes[i], count = 1, count-1
	}
	for ; count > 0; count-- {
		best := -1
		for _, i := range order {
			if n := len(strata[names[i]]); takes[i] < n && (best < 0 || takes[i]*len(strata[names[best]]) < takes[best]*n) {
				best = i
			}
		}
		takes[best]++
	}
}

// shuffle orders answers by a hash of seed and content.
func shuffle(in []Answer, seed uint64) {
	at := func(a Answer) uint64 {
		h := fnv.New64a()
		fmt.Fprintf(h, "%s %d", a.Key, seed)
		return bits.ReverseBytes64(h.Sum64()) * 0x9e3779b97f4a7c15
	}
	slices.SortFunc(in, func(a, b Answer) int { return cmp.Or(cmp.Compare(at(a), at(b)), cmp.Compare(a.Key, b.Key)) })
}
