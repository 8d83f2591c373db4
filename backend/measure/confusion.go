package measure

// Confusion counts verdicts of a detector by what they should have been.
type Confusion struct {
	// TruePositive and FalseNegative items are of the class that is looked for,
	// FalsePositive and TrueNegative ones are not.
	TruePositive, FalsePositive, TrueNegative, FalseNegative int
}

// Add counts one item.
func (c *Confusion) Add(is, found bool) {
	switch {
	case is && found:
		c.TruePositive++
	case is:
		c.FalseNegative++
	case found:
		c.FalsePositive++
	default:
		c.TrueNegative++
	}
}

// Precision is the share of what was found that is of the class; absent when nothing
// was found.
func (c Confusion) Precision() Value {
	return ratio(c.TruePositive, c.TruePositive+c.FalsePositive, NoValues)
}

// Recall is the share of the class that was found; absent when there is none.
func (c Confusion) Recall() Value {
	return ratio(c.TruePositive, c.TruePositive+c.FalseNegative, NoValues)
}

// Specificity is the share of the others that was left alone; absent when there are
// none.
func (c Confusion) Specificity() Value {
	return ratio(c.TrueNegative, c.TrueNegative+c.FalsePositive, NoValues)
}

// F1 is TP/(TP + (FP + FN)/2); absent without any of them.
func (c Confusion) F1() Value {
	return ratio(2*c.TruePositive, 2*c.TruePositive+c.FalsePositive+c.FalseNegative, NoValues)
}

// BalancedAccuracy is the mean of recall and specificity: ½ by chance, however rare
// the class. It is absent unless both kinds are there.
func (c Confusion) BalancedAccuracy() Value {
	r, s := c.Recall(), c.Specificity()
	switch {
	case !r.OK():
		return r
	case !s.OK():
		return s
	}
	return Of((r.Score + s.Score) / 2)
}

// Table is the square table of counts by label and verdict, the class first.
func (c Confusion) Table() [][]int {
	return [][]int{{c.TruePositive, c.FalseNegative}, {c.FalsePositive, c.TrueNegative}}
}
