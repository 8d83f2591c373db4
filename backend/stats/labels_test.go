package stats_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"ragdesk/backend/stats"
)

// rated are ratings whose table is [[20 5] [10 15]], an item a cluster.
func rated() (a, b []int, clusters []string) {
	for i, c := range []struct{ a, b, n int }{{0, 0, 20}, {0, 1, 5}, {1, 0, 10}, {1, 1, 15}} {
		for j := range c.n {
			a, b, clusters = append(a, c.a), append(b, c.b), append(clusters, fmt.Sprintf("%d %d", i, j))
		}
	}
	return a, b, clusters
}

// TestBootstrapKappa compares the interval of single items with that of the large-sample
// standard error of kappa (Fleiss, Cohen and Everitt), 0.4 ± 1.96·0.1288.
func TestBootstrapKappa(t *testing.T) {
	t.Parallel()
	a, b, clusters := rated()
	ci, err := stats.BootstrapKappa(a, b, clusters, 2, stats.Unweighted, stats.Options{Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(ci.Low-.147) > .03 || math.Abs(ci.High-.652) > .03 {
		t.Errorf("interval %+v, want about [.147, .652]", ci)
	}
	again, err := stats.BootstrapKappa(a, b, clusters, 2, stats.Unweighted, stats.Options{Seed: 7})
	if err != nil || again != ci {
		t.Errorf("the same seed gives %+v, then %+v, %v", ci, again, err)
	}
	// Items that come ten together say less than ten apart.
	var wide []string
	for i := range a {
		wide = append(wide, fmt.Sprint(i/5))
	}
	coarse, err := stats.BootstrapKappa(a, b, wide, 2, stats.Unweighted, stats.Options{Seed: 7})
	if err != nil || coarse.High-coarse.Low <= ci.High-ci.Low {
		t.Errorf("clusters of 5 give %+v, items %+v, %v", coarse, ci, err)
	}
}

func TestBootstrapKappaRefuses(t *testing.T) {
	t.Parallel()
	same := []string{"a", "b", "c"}
	for name, c := range map[string]struct {
		a, b     []int
		clusters []string
		want     error
	}{
		"lengths":     {[]int{0, 1, 1}, []int{0, 1}, same, stats.ErrArgument},
		"clusters":    {[]int{0, 1, 1}, []int{0, 1, 1}, same[:2], stats.ErrArgument},
		"range":       {[]int{0, 2, 1}, []int{0, 1, 1}, same, stats.ErrArgument},
		"one cluster": {[]int{0, 1, 1}, []int{0, 1, 1}, []string{"a", "a", "a"}, stats.ErrTooFew},
		"one answer":  {[]int{0, 0, 0}, []int{0, 0, 0}, same, stats.ErrUndefined},
	} {
		if _, err := stats.BootstrapKappa(c.a, c.b, c.clusters, 2, stats.Unweighted, stats.Options{}); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestStratifiedPredictionPowered(t *testing.T) {
	t.Parallel()
	// Eight judged, four of them labelled: f 1101, y 1001.
	one := stats.Stratum{Judged: []float64{1, 1, 0, 1, 1, 1, 1, 0}, JudgedToo: []float64{1, 1, 0, 1}, Labels: []float64{1, 0, 0, 1}}
	got, err := stats.StratifiedPredictionPowered([]stats.Stratum{one}, .95)
	if err != nil {
		t.Fatal(err)
	}
	// .75 − .25; √(.1875/8 + .1875/4), as in PredictionPowered with the same f.
	if math.Abs(got.Value-.5) > 1e-12 || math.Abs(got.HalfWidth-1.959964*math.Sqrt(.1875/8+.1875/4)) > 1e-6 {
		t.Errorf("one stratum gives %+v", got)
	}
	// Strata by verdict at unequal rates: of 80 accused 8 labelled, 2 wrongly accused; of 20 accepted
	// 10 labelled, 5 wrongly accepted. The rate is .8·.75 + .2·.5.
	accused := stats.Stratum{Judged: repeated(80, 1), JudgedToo: repeated(8, 1), Labels: append(repeated(6, 1), 0, 0)}
	accepted := stats.Stratum{Judged: repeated(20, 0), JudgedToo: repeated(10, 0), Labels: append(repeated(5, 1), repeated(5, 0)...)}
	got, err = stats.StratifiedPredictionPowered([]stats.Stratum{accused, accepted}, .95)
	if err != nil || math.Abs(got.Value-.7) > 1e-12 {
		t.Errorf("two strata give %+v, %v, want .7", got, err)
	}
	// Labels without an error leave an interval all the same.
	accused.Labels, accepted.Labels = accused.JudgedToo, accepted.JudgedToo
	got, err = stats.StratifiedPredictionPowered([]stats.Stratum{accused, accepted}, .95)
	onlyMean := 1.959964 * math.Sqrt(.16/100)
	if err != nil || math.Abs(got.Value-.8) > 1e-12 || got.HalfWidth < onlyMean+.05 {
		t.Errorf("without errors %+v, %v: the half width is hardly above %v", got, err, onlyMean)
	}
	for name, s := range map[string][]stats.Stratum{
		"no labels": {{Judged: repeated(5, 1)}},
		"one label": {{Judged: repeated(5, 1), JudgedToo: repeated(1, 1), Labels: repeated(1, 1)}},
		"nothing":   {},
	} {
		if _, err := stats.StratifiedPredictionPowered(s, .95); !errors.Is(err, stats.ErrTooFew) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func repeated(n int, v float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = v
	}
	return out
}
