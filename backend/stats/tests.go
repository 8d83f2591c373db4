package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// TTest is the result of PairedT.
type TTest struct {
	T float64
	// DF is the degrees of freedom.
	DF int
	// P is the two-sided p-value.
	P float64
}

// PairedT returns Student's test of the mean of paired differences: t = d̄/(s/√n)
// with n − 1 degrees of freedom, s² = Σ(d−d̄)²/(n−1). It supposes normal
// differences, which rank measures do not have: it is for information beside
// SignFlip. Differences that are all equal are ErrUndefined.
func PairedT(differences []float64) (TTest, error) {
	n := len(differences)
	if n < 2 {
		return TTest{}, fmt.Errorf("t test of %d differences: %w", n, ErrTooFew)
	}
	if err := checkFinite("differences", differences); err != nil {
		return TTest{}, err
	}
	center := Mean(differences)
	spread := squares(differences, center)
	if spread == 0 {
		return TTest{}, fmt.Errorf("t test of equal differences: %w", ErrUndefined)
	}
	t := center / math.Sqrt(spread/float64(n-1)/float64(n))
	return TTest{T: t, DF: n - 1, P: studentTail(t, float64(n-1))}, nil
}

// McNemar returns the exact two-sided p-value that b of b + c discordant pairs go
// one way when both ways are as likely [M47]: min(1, 2·P(X ≤ min(b, c))) of a
// binomial with chance 1/2. Without discordant pairs it is 1.
func McNemar(b, c int) (float64, error) {
	if b < 0 || c < 0 {
		return 0, fmt.Errorf("discordant pairs %d and %d: %w", b, c, ErrArgument)
	}
	return math.Min(1, 2*binomialTail(max(b, c), b+c, .5)), nil
}

// SignTest returns the p-values that at least wins of wins + losses differences
// are positive when both signs are as likely, one-sided, and that either sign is
// as frequent, two-sided. Ties are left out before. Without any difference both
// are 1.
func SignTest(wins, losses int) (oneSided, twoSided float64, err error) {
	if twoSided, err = McNemar(wins, losses); err != nil {
		return 0, 0, err
	}
	return binomialTail(wins, wins+losses, .5), twoSided, nil
}

// Holm returns p-values adjusted for their number [H79], in the order given: the
// i-th smallest of m becomes the largest of (m−j+1)·p(j) over j ≤ i, at most 1.
func Holm(p []float64) ([]float64, error) {
	for i, v := range p {
		if !(v >= 0 && v <= 1) {
			return nil, fmt.Errorf("p[%d] is %v: %w", i, v, ErrArgument)
		}
	}
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	out := make([]float64, len(p))
	largest := 0.0
	for i, at := range order {
		largest = math.Min(1, math.Max(largest, float64(len(p)-i)*p[at]))
		out[at] = largest
	}
	return out, nil
}
