package stats

import (
	"math"
	"slices"
	"testing"
)

// The wanted values are scipy 1.17's.
func TestDistributions(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name      string
		got, want float64
	}{
		{"t 1.414 on 4", studentTail(math.Sqrt2, 4), 0.23019964108049884},
		{"t 2.5 on 199", studentTail(2.5, 199), 0.013227259966507704},
		{"t 12.3 on 3", studentTail(-12.3, 3), 0.00115748827629462},
		{"t 0.01 on 1", studentTail(.01, 1), 0.993634014470186},
		{"60 of 100", binomialTail(60, 100, .5), 0.028443966820490444},
		{"5050 of 10000", binomialTail(5050, 10000, .5), 0.16108709989765543},
		{"3 of 3", binomialTail(3, 3, .9), .729},
		{"520 of 1000", binomialTail(520, 1000, .4), 1.1963706227513079e-14},
		{"0 of 3", binomialTail(0, 3, .1), 1},
		{"4 of 3", binomialTail(4, 3, .1), 0},
		{"beta .3", betaRatio(.3, 2, 5), 0.5798250000000003},
		{"beta .99", betaRatio(.99, 50, .5), 0.3173043978741973},
		{"beta .001", betaRatio(1e-3, .5, 200), 0.4727558929747644},
		{"quantile .975", normalQuantile(.975), 1.959963984540054},
		{"quantile .8", normalQuantile(.8), 0.8416212335729143},
		{"cdf 1.96", normalCDF(1.959963984540054), .975},
	} {
		if math.Abs(tc.got-tc.want) > 1e-9*math.Max(tc.want, 1e-5) {
			t.Errorf("%s = %.15g, want %.15g", tc.name, tc.got, tc.want)
		}
	}
}

// replicates are 200 fixed numbers for which the intervals were computed with
// numpy's percentile and scipy's normal distribution.
func replicates() []float64 {
	out := make([]float64, 200)
	for i := range out {
		out[i] = float64(i*37%200)/200 + float64(i*i%7)/70
	}
	slices.Sort(out)
	return out
}

func TestIntervalsFromReplicates(t *testing.T) {
	t.Parallel()
	wide, err1 := accelerated(replicates(), .5, .03, .95)
	narrow, err2 := accelerated(replicates(), .5, .03, .8)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	for _, tc := range []struct {
		name      string
		got, want Interval
	}{
		{"BCa 95 %", wide, Interval{0.06275753, 1.00892743}},
		{"BCa 80 %", narrow, Interval{0.12446089, 0.91744465}},
		{"percentile", percentiles(replicates(), .025, .975), Interval{0.06205357, 1.00858929}},
	} {
		if math.Abs(tc.got.Low-tc.want.Low) > 1e-7 || math.Abs(tc.got.High-tc.want.High) > 1e-7 {
			t.Errorf("%s = %v, want %v", tc.name, tc.got, tc.want)
		}
	}
	if _, err := accelerated(replicates(), 7, .03, .95); err == nil {
		t.Error("an estimate beyond every replicate gave an interval")
	}
}
