package stats_test

import (
	"errors"
	"math"
	"testing"

	"ragdesk/backend/stats"
)

// TestAgreesWithScipy holds the tests that scipy has too against scipy 1.17:
// ttest_1samp, binomtest with its Wilson interval, and permutation_test.
func TestAgreesWithScipy(t *testing.T) {
	t.Parallel()
	near := func(name string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-6 {
			t.Errorf("%s is %v, scipy has %v", name, got, want)
		}
	}
	few, more := []float64{.2, .1, 0, .3, -.1}, []float64{.11, -.05, .3, .22, .07, -.12, .4, .02}
	for _, c := range []struct {
		d             []float64
		t, p, flipped float64
	}{{few, 1.4142135623730954, .23019964108049876, .375}, {more, 1.8950791828920925, .09992643025846626, .109375}} {
		tt, err1 := stats.PairedT(c.d)
		flip, err2 := stats.SignFlip(c.d, stats.Options{})
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		near("paired t", tt.T, c.t)
		near("paired t p", tt.P, c.p)
		near("sign flip p", flip.P, c.flipped)
	}
	for _, c := range []struct {
		k, n      int
		low, high float64
	}{
		{17, 20, .6395811352592431, .9476312541037835}, {5, 5, .5655175352168251, 1},
		{3, 40, .025836025774588198, .19864233524310543}, {0, 12, 0, .24249400665524085},
	} {
		ci, err := stats.Wilson(c.k, c.n, .95)
		if err != nil {
			t.Fatal(err)
		}
		near("Wilson low", ci.Low, c.low)
		near("Wilson high", ci.High, c.high)
	}
	for _, c := range []struct {
		b, c int
		p    float64
	}{{6, 1, .125}, {15, 4, .0192108154296875}, {3, 3, 1}} {
		p, err := stats.McNemar(c.b, c.c)
		if err != nil {
			t.Fatal(err)
		}
		near("McNemar", p, c.p)
	}
	one, two, err := stats.SignTest(9, 2)
	if err != nil {
		t.Fatal(err)
	}
	near("sign test, one-sided", one, .03271484375)
	near("sign test, two-sided", two, .0654296875)
}
