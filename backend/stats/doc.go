// Package stats holds the intervals, paired tests and agreement statistics by
// which ragdesk compares retrieval strategies and judges.
//
// Invariants:
//   - Everything is pure. What is random takes its seed from Options and gives
//     the same result on every machine and with any number of processors.
//   - A number that cannot be computed is an error, ErrTooFew, ErrUndefined or
//     ErrArgument, never NaN and never a value that looks computed.
//   - A p-value of a simulation is never 0.
//
// Comparing two strategies over the same questions:
//
//	d, err := stats.Differences(baseline, changed) // changed − baseline, a question each
//	ci, err := stats.BootstrapMean(d, stats.Options{Seed: 1})
//	test, err := stats.SignFlip(d, stats.Options{Seed: 1})
//	adjusted, err := stats.Holm([]float64{test.P, other.P})
//
// Where several questions are variants of one, ClusterBootstrapMean and
// ClusterSignFlip take the question they are variants of.
//
// A percentile interval of values that are all equal has no width. For a rate,
// such as Hit@5, Wilson is the better interval, above all near 0 and 1.
//
// Sources of the formulas, by the names used in comments:
//   - [AS] Abramowitz and Stegun, Handbook of Mathematical Functions, 1964.
//   - [C60] Cohen, A coefficient of agreement for nominal scales, Educational and
//     Psychological Measurement 20(1), 1960.
//   - [C68] Cohen, Weighted kappa, Psychological Bulletin 70(4), 1968.
//   - [E87] Efron, Better bootstrap confidence intervals, JASA 82(397), 1987.
//   - [ET93] Efron and Tibshirani, An Introduction to the Bootstrap, 1993.
//   - [FCE69] Fleiss, Cohen and Everitt, Large sample standard errors of kappa and
//     weighted kappa, Psychological Bulletin 72(5), 1969.
//   - [F35] Fisher, The Design of Experiments, 1935.
//   - [H79] Holm, A simple sequentially rejective multiple test procedure,
//     Scandinavian Journal of Statistics 6(2), 1979.
//   - [M47] McNemar, Note on the sampling error of the difference between
//     correlated proportions or percentages, Psychometrika 12(2), 1947.
//   - [PPI] Angelopoulos et al., Prediction-powered inference, Science 382, 2023.
//   - [PS10] Phipson and Smyth, Permutation p-values should never be zero,
//     Statistical Applications in Genetics and Molecular Biology 9(1), 2010.
//   - [RG78] Rogan and Gladen, Estimating prevalence from the results of a
//     screening test, American Journal of Epidemiology 107(1), 1978.
//   - [SAC07] Smucker, Allan and Carterette, A comparison of statistical
//     significance tests for information retrieval evaluation, CIKM 2007.
//   - [W27] Wilson, Probable inference, the law of succession, and statistical
//     inference, JASA 22(158), 1927.
package stats

import (
	"errors"
	"fmt"
	"math"
)

// The errors, to be tested with errors.Is.
var (
	// ErrTooFew: the formula needs more data than were given.
	ErrTooFew = errors.New("too few data")
	// ErrUndefined: the formula divides by zero on these data.
	ErrUndefined = errors.New("undefined for these data")
	// ErrArgument: an argument is out of its range, not finite, or of the wrong
	// length.
	ErrArgument = errors.New("argument out of range")
)

// Interval is a closed interval.
type Interval struct{ Low, High float64 }

// Contains reports whether x lies in the interval.
func (i Interval) Contains(x float64) bool { return i.Low <= x && x <= i.High }

// checkFinite reports the first value that is not a finite number.
func checkFinite(name string, values []float64) error {
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%s[%d] is %v: %w", name, i, v, ErrArgument)
		}
	}
	return nil
}

// checkShare reports a probability or rate that does not lie strictly within
// (0, 1).
func checkShare(name string, x float64) error {
	if !(x > 0 && x < 1) {
		return fmt.Errorf("%s is %v, not between 0 and 1: %w", name, x, ErrArgument)
	}
	return nil
}

// Mean is the arithmetic mean, NaN of no values.
func Mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// squares returns the sum of the squared deviations from m.
func squares(values []float64, m float64) float64 {
	sum := 0.0
	for _, v := range values {
		d := v - m
		sum += float64(d * d) // the conversion forbids fusing, which differs by processor
	}
	return sum
}
