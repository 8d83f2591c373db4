package dataset

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"ragdesk/backend/fault"
)

// Part is one part of a split.
type Part struct {
	Name string
	// Share is above 0, relative to the shares of the other parts.
	Share float64
}

// SplitOptions say what must stay together besides variants.
type SplitOptions struct {
	Seed uint64
	// Documents keeps questions with gold in the same document together, so that
	// no part knows the documents of another.
	Documents bool
}

// Split divides a dataset so that each part has its share of every type, as far as
// what must stay together allows: variants of a question always, questions about
// the same document on demand. The parts' names are the dataset's with the part's
// appended; their questions keep their order. Equal seeds give equal parts.
//
// Fault: split_invalid {part, share} for a part without a name, with a name used
// before, or with a share that is not a number above 0.
func (d Dataset) Split(parts []Part, o SplitOptions) ([]Dataset, error) {
	total, names := 0.0, map[string]bool{}
	for _, p := range parts {
		if p.Name == "" || names[p.Name] || !(p.Share > 0) || math.IsInf(p.Share, 0) {
			return nil, fault.New("split_invalid", fault.P("part", p.Name), fault.P("share", p.Share))
		}
		names[p.Name] = true
		total += p.Share
	}
	groups := d.groups(o)
	counts := make([]map[string]int, len(parts))
	sizes := make([]int, len(parts))
	for i := range counts {
		counts[i] = map[string]int{}
	}
	all := map[string]int{}
	for _, q := range d.Questions {
		all[q.Type]++
	}
	chosen := make([]int, len(d.Questions))
	for _, g := range groups {
		best, bestNeed := 0, math.Inf(-1)
		for i, p := range parts {
			if need := d.need(g, all, counts[i], sizes[i], p.Share/total); need > bestNeed {
				best, bestNeed = i, need
			}
		}
		for _, q := range g {
			chosen[q] = best
			counts[best][d.Questions[q].Type]++
			sizes[best]++
		}
	}
	out := make([]Dataset, len(parts))
	for i, p := range parts {
		out[i].Name = d.Name + "-" + p.Name
	}
	for i, q := range d.Questions {
		at := &out[chosen[i]]
		at.Questions = append(at.Questions, q)
	}
	return out, nil
}

// need says how much a part lacks what a group has: the part of its due that is
// missing, averaged over the group's questions by type, then over all.
func (d Dataset) need(group []int, all, have map[string]int, size int, share float64) float64 {
	byType := 0.0
	for _, i := range group {
		t := d.Questions[i].Type
		due := share * float64(all[t])
		byType += (due - float64(have[t])) / due
	}
	due := share * float64(len(d.Questions))
	return byType/float64(len(group)) + (due-float64(size))/due
}

// groups returns what must stay together, largest first, otherwise shuffled.
func (d Dataset) groups(o SplitOptions) [][]int {
	parent := make([]int, len(d.Questions))
	for i := range parent {
		parent[i] = i
	}
	find := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	first := map[string]int{}
	join := func(i int, key string) {
		if j, ok := first[key]; ok {
			parent[find(i)] = find(j)
		} else {
			first[key] = i
		}
	}
	for i, cluster := range d.Clusters() {
		join(i, "cluster "+cluster)
		if !o.Documents {
			continue
		}
		for _, g := range d.Questions[i].Gold {
			join(i, "document "+g.Doc)
		}
	}
	byRoot := map[int][]int{}
	for i := range d.Questions {
		byRoot[find(i)] = append(byRoot[find(i)], i)
	}
	groups := slices.Collect(maps.Values(byRoot))
	slices.SortFunc(groups, func(a, b []int) int { return cmp.Compare(a[0], b[0]) })
	rng := rand.New(rand.NewPCG(o.Seed, 0))
	rng.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
	slices.SortStableFunc(groups, func(a, b []int) int { return cmp.Compare(len(b), len(a)) })
	return groups
}

// Sample draws n questions, each type having its share of them to the nearest
// question. A variant whose original is not drawn becomes a variant of
// another question drawn of its cluster. The questions keep their order, and equal seeds
// give equal samples.
//
// Fault: sample_invalid {n, questions} when n is not between 1 and the number of
// questions.
func (d Dataset) Sample(n int, seed uint64) (Dataset, error) {
	if n < 1 || n > len(d.Questions) {
		return Dataset{}, fault.New("sample_invalid", fault.P("n", n), fault.P("questions", len(d.Questions)))
	}
	byType := map[string][]int{}
	for i, q := range d.Questions {
		byType[q.Type] = append(byType[q.Type], i)
	}
	types := slices.Sorted(maps.Keys(byType))
	sizes := make([]int, len(types))
	for i, t := range types {
		sizes[i] = len(byType[t])
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	var drawn []int
	for i, quota := range apportion(n, sizes) {
		of := byType[types[i]]
		rng.Shuffle(len(of), func(a, b int) { of[a], of[b] = of[b], of[a] })
		drawn = append(drawn, of[:quota]...)
	}
	slices.Sort(drawn)
	return d.subset(drawn, fmt.Sprintf("%s-%d", d.Name, n)), nil
}

// apportion divides n in proportion to sizes by the method of largest remainders;
// n is at most their sum, so that no quota exceeds its size.
func apportion(n int, sizes []int) []int {
	total := 0
	for _, s := range sizes {
		total += s
	}
	quotas, order := make([]int, len(sizes)), make([]int, len(sizes))
	left := n
	for i, s := range sizes {
		quotas[i], order[i] = n*s/total, i
		left -= quotas[i]
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(n*sizes[b]%total, n*sizes[a]%total) })
	for _, i := range order[:left] {
		quotas[i]++
	}
	return quotas
}

// subset returns the questions at the given places with their variants put right.
func (d Dataset) subset(at []int, name string) Dataset {
	out := Dataset{Name: name, Questions: make([]Question, len(at))}
	here := map[string]bool{}
	for _, i := range at {
		here[d.Questions[i].ID] = true
	}
	// The head of a cluster is its first question here that is a variant of none
	// here.
	clusters, head := d.Clusters(), map[string]string{}
	for n, i := range at {
		q := d.Questions[i]
		if !here[q.VariantOf] {
			q.VariantOf = head[clusters[i]]
			if q.VariantOf == "" {
				head[clusters[i]] = q.ID
			}
		}
		out.Questions[n] = q
	}
	return out
}
