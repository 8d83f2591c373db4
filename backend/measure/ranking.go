package measure

import (
	"cmp"
	"fmt"
	"slices"
)

// MaxGrade is the largest grade, and −MaxGrade the smallest, that is read or
// judged: 2^grade must stay a finite number when summed.
const MaxGrade = 1000

// Item is one place of a ranking.
type Item struct {
	// ID tells items apart; of items with the same ID the first one counts.
	ID string
	// Grade is how relevant the item is; below 1 is not relevant. It is not read
	// when the ranking is judged by unit.
	Grade int
	// Units are the indexes in Ranking.Ideal that the item covers.
	Units []int
}

// Ranking is what retrieval returned for one query, and all that it could have
// returned.
type Ranking struct {
	// Items are in rank order, the first at rank 1.
	Items []Item
	// Ideal holds the grade of every relevant item that exists, retrieved or not,
	// in any order; when ByUnit, the grade of every unit of relevance.
	Ideal []int
	// ByUnit judges units, such as the gold passages of a question, in place of
	// items. A unit counts once, at the first item that covers it; an item that
	// covers only units covered before it is not relevant. For nDCG alone an
	// item that brings m new units stands for m consecutive results, best grade
	// first, so that the ideal ranking of units is worth 1.
	ByUnit bool
	// HasGold says that the query has gold although Ideal is empty, because none
	// of it can be retrieved: it scores 0. Otherwise an empty Ideal makes values
	// absent, as the dialect says.
	HasGold bool
}

// Profile is a judged ranking, from which any measure follows. Its zero value is
// an empty ranking without gold.
type Profile struct {
	hits      []hit // by rank, then place
	ideal     []int // descending, all ≥ 1
	retrieved int
	hasGold   bool
	// tied is set instead of hits when ties are to be averaged.
	tied []tieGroup
	// Duplicates counts the items left out because their ID stood higher up.
	Duplicates int
}

// hit is a relevant item or a newly covered unit.
type hit struct {
	rank int // of the item, duplicates left out
	// place is the rank that nDCG discounts by: rank, or later where items above
	// brought several units each.
	place int
	grade int
}

// Judge counts what r found. It is an error when a grade or unit is out of range
// or when r found more than Ideal says there is, since no measure of such a
// ranking stays within [0, 1].
func Judge(r Ranking) (Profile, error) {
	p := Profile{hasGold: r.HasGold}
	for _, grade := range r.Ideal {
		if grade < 1 || grade > MaxGrade {
			return Profile{}, fmt.Errorf("judge ranking: ideal grade %d is not in 1…%d", grade, MaxGrade)
		}
	}
	seen := make(map[string]bool, len(r.Items))
	covered := make([]bool, len(r.Ideal))
	extra := 0
	for _, item := range r.Items {
		if seen[item.ID] {
			p.Duplicates++
			continue
		}
		seen[item.ID] = true
		p.retrieved++
		if !r.ByUnit {
			if item.Grade > MaxGrade {
				return Profile{}, fmt.Errorf("judge ranking: grade %d of %q is above %d", item.Grade, item.ID, MaxGrade)
			}
			if item.Grade >= 1 {
				p.hits = append(p.hits, hit{p.retrieved, p.retrieved, item.Grade})
			}
			continue
		}
		grades, err := newUnits(item, r.Ideal, covered)
		if err != nil {
			return Profile{}, err
		}
		for i, grade := range grades {
			p.hits = append(p.hits, hit{p.retrieved, p.retrieved + extra + i, grade})
		}
		extra += max(len(grades)-1, 0)
	}
	p.ideal = descending(r.Ideal)
	return p, p.check()
}

// newUnits marks the units that item covers and returns the grades of those that
// were not covered before, best first.
func newUnits(item Item, ideal []int, covered []bool) ([]int, error) {
	var grades []int
	for _, u := range item.Units {
		if u < 0 || u >= len(ideal) {
			return nil, fmt.Errorf("judge ranking: unit %d of %q is not in 0…%d", u, item.ID, len(ideal)-1)
		}
		if !covered[u] {
			covered[u] = true
			grades = append(grades, ideal[u])
		}
	}
	return descending(grades), nil
}

// check reports hits that the ideal does not have.
func (p Profile) check() error {
	found := make([]int, len(p.hits))
	for i, h := range p.hits {
		found[i] = h.grade
	}
	for i, grade := range descending(found) {
		if i >= len(p.ideal) || grade > p.ideal[i] {
			return fmt.Errorf("judge ranking: found grades %v, but only %v exist", found, p.ideal)
		}
	}
	return nil
}

func descending(grades []int) []int {
	out := slices.Clone(grades)
	slices.SortFunc(out, func(a, b int) int { return cmp.Compare(b, a) })
	return out
}

// relevant counts the items of the ideal at level and above.
func (p Profile) relevant(level int) int {
	n := 0
	for n < len(p.ideal) && p.ideal[n] >= level {
		n++
	}
	return n
}
