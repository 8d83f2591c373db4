package measure

// tieGroup is a run of equally scored items, at least one of them relevant.
type tieGroup struct {
	// above counts the items scored higher, size those in the group.
	above, size int
	// grades are those of the relevant ones.
	grades []int
}

// relevant counts the grades at level and above.
func (g tieGroup) relevant(level int) int {
	n := 0
	for _, grade := range g.grades {
		if grade >= level {
			n++
		}
	}
	return n
}

// within returns how many of the group's places lie within m's cut.
func (g tieGroup) within(m Measure) int {
	if m.K == 0 {
		return g.size
	}
	return min(max(m.K-g.above, 0), g.size)
}

// averaged is the expected value of m when every order of equally scored items
// is as likely as another [MN08]. It needs no sampling: by symmetry each place
// of a group of n with r relevant items holds a relevant one with probability
// r/n.
func (p Profile) averaged(m Measure, d Dialect) float64 {
	level := gainLevel(m, d)
	switch m.Kind {
	case Hit:
		return p.averagedHit(m, level)
	case Recall:
		return p.averagedFound(m, level) / float64(p.relevant(level))
	case Precision:
		return divide(p.averagedFound(m, level), p.precisionDepth(m, d))
	case MRR:
		return p.averagedRR(m, level)
	case MAP:
		return p.averagedAP(m, level)
	}
	return p.averagedNDCG(m.Resolve(d), level)
}

// averagedFound: Σ over groups of r · (places within the cut)/n.
func (p Profile) averagedFound(m Measure, level int) float64 {
	sum := 0.0
	for _, g := range p.tied {
		sum += float64(g.relevant(level)*g.within(m)) / float64(g.size)
	}
	return sum
}

// averagedHit is the probability that one of the places within the cut holds a
// relevant item. Only the first group with a relevant item matters: either all of
// it lies within the cut, or nothing below it does.
func (p Profile) averagedHit(m Measure, level int) float64 {
	for _, g := range p.tied {
		r := g.relevant(level)
		if r == 0 {
			continue
		}
		none := 1.0 // that no place so far holds a relevant item
		for i := range g.within(m) {
			none = float64(none * float64(max(g.size-i-r, 0)) / float64(g.size-i))
		}
		return 1 - none
	}
	return 0
}

// averagedRR sums, over the places i of the first group with a relevant item, the
// probability that the first relevant one stands there, times 1/(above + i).
func (p Profile) averagedRR(m Measure, level int) float64 {
	for _, g := range p.tied {
		r := g.relevant(level)
		if r == 0 {
			continue
		}
		sum, none := 0.0, 1.0
		for i := range g.within(m) {
			left := float64(g.size - i)
			sum += none * (float64(r) / left) / float64(g.above+i+1)
			none *= max(left-float64(r), 0) / left
		}
		return sum
	}
	return 0
}

// averagedAP: the place i of a group holds a relevant item with probability r/n,
// and then the relevant items above it are those of higher groups and, on
// average, (i−1)(r−1)/(n−1) of its own.
func (p Profile) averagedAP(m Measure, level int) float64 {
	sum, before := 0.0, 0
	for _, g := range p.tied {
		r := g.relevant(level)
		own := divide(float64(r-1), g.size-1)
		for i := range g.within(m) {
			expected := float64(before+1) + float64(float64(i)*own)
			sum += float64(r) / float64(g.size) * expected / float64(g.above+i+1)
		}
		before += r
	}
	return sum / float64(p.relevant(level))
}

// averagedNDCG gives each place of a group the group's mean gain.
func (p Profile) averagedNDCG(m Measure, level int) float64 {
	sum := 0.0
	for _, g := range p.tied {
		gain := 0.0
		for _, grade := range g.grades {
			if grade >= level {
				gain += worth(grade, m.Gain)
			}
		}
		for i := range g.within(m) {
			sum += gain / float64(g.size) / discount(g.above+i+1)
		}
	}
	return sum / p.idealDCG(m, level)
}
