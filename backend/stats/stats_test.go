package stats_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"ragdesk/backend/stats"
)

// draws returns n values of a fixed generator, skewed like reciprocal ranks.
func draws(seed uint64, n int) []float64 {
	rng := rand.New(rand.NewPCG(seed, 0))
	out := make([]float64, n)
	for i := range out {
		out[i] = 1 / float64(1+rng.IntN(10))
	}
	return out
}

func near(t *testing.T, name string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %v, want %v ± %v", name, got, want, tolerance)
	}
}

// TestBootstrapAgreesWithScipy holds a skewed sample against scipy 1.17's
// intervals from 400,000 resamples.
func TestBootstrapAgreesWithScipy(t *testing.T) {
	t.Parallel()
	values := []float64{0, 0, 0, 0, .1, .2, .2, .5, .5, 1, 1, 3}
	o := stats.Options{Resamples: 100_000, Seed: 5}
	plain, err := stats.BootstrapMean(values, o)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "percentile low", plain.Low, .16667, .01)
	near(t, "percentile high", plain.High, 1.06667, .02)
	accelerated, err := stats.BootstrapMeanBCa(values, o)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "BCa low", accelerated.Low, .23333, .01)
	near(t, "BCa high", accelerated.High, 1.325, .03)
}

func TestBootstrapCoversTheTrueMean(t *testing.T) {
	t.Parallel()
	truth := 0.0
	for i := range 10 {
		truth += 1 / float64(i+1) / 10
	}
	const trials = 400
	covered := map[string]int{}
	for seed := range uint64(trials) {
		values := draws(seed, 60)
		o := stats.Options{Resamples: 1000, Seed: seed}
		plain, err1 := stats.BootstrapMean(values, o)
		accelerated, err2 := stats.BootstrapMeanBCa(values, o)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		for name, ci := range map[string]stats.Interval{"percentile": plain, "BCa": accelerated} {
			if ci.Contains(truth) {
				covered[name]++
			}
		}
	}
	for _, name := range []string{"percentile", "BCa"} {
		if share := float64(covered[name]) / trials; share < .91 || share > .98 {
			t.Errorf("the 95 %% %s interval covers the mean in %.3f of samples", name, share)
		}
	}
}

// TestResultsDependOnTheSeedAlone repeats on one processor what ran on all.
func TestResultsDependOnTheSeedAlone(t *testing.T) {
	values := draws(1, 301)
	d, err := stats.Differences(values, draws(2, 301))
	if err != nil {
		t.Fatal(err)
	}
	run := func(seed uint64) (stats.Interval, stats.SignFlipTest) {
		o := stats.Options{Resamples: 3000, Seed: seed}
		ci, err1 := stats.BootstrapMean(values, o)
		flip, err2 := stats.SignFlip(d, o)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		return ci, flip
	}
	ci, flip := run(1)
	before := runtime.GOMAXPROCS(1)
	oneCI, oneFlip := run(1)
	runtime.GOMAXPROCS(max(before, 3))
	manyCI, manyFlip := run(1)
	runtime.GOMAXPROCS(before)
	if ci != oneCI || flip != oneFlip || ci != manyCI || flip != manyFlip {
		t.Errorf("%v %v, on one processor %v %v, on three %v %v", ci, flip, oneCI, oneFlip, manyCI, manyFlip)
	}
	if other, _ := run(2); other == ci {
		t.Error("another seed gave the same interval")
	}
	// The draws themselves must not change between versions: runs are compared.
	near(t, "low", ci.Low, 0.2768718, 1e-6)
	near(t, "high", ci.High, 0.3376578, 1e-6)
}

func TestClusterBootstrapWidensWhenClustersRepeat(t *testing.T) {
	t.Parallel()
	base := draws(3, 50)
	var values []float64
	var own, shared []string
	for i, v := range base {
		for range 4 { // four variants that always score alike carry the news of one
			values = append(values, v)
			own = append(own, strconv.Itoa(len(own)))
			shared = append(shared, strconv.Itoa(i))
		}
	}
	o := stats.Options{Seed: 9}
	alone, err1 := stats.BootstrapMean(base, o)
	clustered, err2 := stats.ClusterBootstrapMean(values, shared, o)
	naive, err3 := stats.ClusterBootstrapMean(values, own, o)
	plain, err4 := stats.BootstrapMean(values, o)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	near(t, "clustered low", clustered.Low, alone.Low, 1e-9)
	near(t, "clustered high", clustered.High, alone.High, 1e-9)
	near(t, "single clusters low", naive.Low, plain.Low, 1e-9)
	ratio := (clustered.High - clustered.Low) / (naive.High - naive.Low)
	near(t, "width against independent values", ratio, 2, .15)
}

func TestSignFlipTriesEveryAssignment(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(11, 0))
	for range 40 {
		n := 1 + rng.IntN(10)
		d := make([]float64, n)
		observed, nonzero := 0.0, 0
		for i := range d {
			d[i] = float64(rng.IntN(7)-3) / 10
			observed += d[i]
			if d[i] != 0 {
				nonzero++
			}
		}
		hits := 0
		for flips := range 1 << n {
			sum := 0.0
			for i, v := range d {
				if flips>>i&1 == 1 {
					v = -v
				}
				sum += v
			}
			if math.Abs(sum) >= math.Abs(observed)-1e-9 {
				hits++
			}
		}
		got, err := stats.SignFlip(d, stats.Options{})
		if err != nil || !got.Exact || got.N != nonzero {
			t.Fatalf("%v: %+v, %v", d, got, err)
		}
		near(t, "p", got.P, float64(hits)/float64(int(1)<<n), 1e-12)
	}
}

// TestSignFlipBySimulation uses differences of one size, for which the sign test
// has the exact answer.
func TestSignFlipBySimulation(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ wins, losses int }{{16, 8}, {30, 14}, {60, 41}, {700, 650}} {
		var d []float64
		for range tc.wins {
			d = append(d, .1)
		}
		for range tc.losses {
			d = append(d, -.1)
		}
		got, err := stats.SignFlip(append(d, 0, 0, 0), stats.Options{Resamples: 40_000, Seed: 3})
		if err != nil || got.Exact || got.N != len(d) {
			t.Fatalf("%+v, %v", got, err)
		}
		want, err := stats.McNemar(tc.wins, tc.losses)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "p", got.P, want, .012)
	}
	all := make([]float64, 60)
	for i := range all {
		all[i] = 1 + float64(i)
	}
	if got, err := stats.SignFlip(all, stats.Options{Resamples: 999}); err != nil || got.P != 1./1000 {
		t.Errorf("p = %v, %v; want 1/1000, not 0", got, err)
	}
}

func TestPermutingTheQuestionsChangesNothingExact(t *testing.T) {
	t.Parallel()
	d, err := stats.Differences(draws(4, 18), draws(5, 18))
	if err != nil {
		t.Fatal(err)
	}
	flip, err1 := stats.SignFlip(d, stats.Options{})
	test, err2 := stats.PairedT(d)
	mirrored := slices.Clone(d)
	for i := range mirrored {
		mirrored[i] = -mirrored[i]
	}
	slices.Reverse(mirrored)
	flip2, err3 := stats.SignFlip(mirrored, stats.Options{})
	test2, err4 := stats.PairedT(mirrored)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	near(t, "sign flip p", flip2.P, flip.P, 1e-12)
	near(t, "t", test2.T, -test.T, 1e-9)
	near(t, "t test p", test2.P, test.P, 1e-9)
}

func TestClusterSignFlipCountsClusters(t *testing.T) {
	t.Parallel()
	d := []float64{.1, .2, .1, .3, .2, .1, .1, .2}
	clusters := []string{"a", "a", "b", "b", "c", "c", "d", "d"}
	got, err := stats.ClusterSignFlip(d, clusters, stats.Options{})
	if err != nil || got.N != 4 {
		t.Fatalf("%+v, %v", got, err)
	}
	near(t, "p of four clusters", got.P, 2./16, 1e-12)
	alone, err := stats.SignFlip(d, stats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "p of eight differences", alone.P, 2./256, 1e-12)
}

func TestHolm(t *testing.T) {
	t.Parallel()
	got, err := stats.Holm([]float64{.5, .001, .5, .9, .02})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{1, .005, 1, 1, .08} {
		near(t, strconv.Itoa(i), got[i], want, 1e-12)
	}
	if one, err := stats.Holm([]float64{.04}); err != nil || one[0] != .04 {
		t.Errorf("one p-value becomes %v, %v", one, err)
	}
	if none, err := stats.Holm(nil); err != nil || len(none) != 0 {
		t.Errorf("none becomes %v, %v", none, err)
	}
}

// TestWeightedKappa compares with statsmodels, whose errors are those of Fleiss, Cohen and
// Everitt.
func TestWeightedKappa(t *testing.T) {
	t.Parallel()
	table := [][]int{{10, 2, 0}, {3, 8, 1}, {0, 2, 4}}
	for _, tc := range []struct {
		weights   stats.Weights
		kappa, se float64
	}{{stats.Linear, .6610169491525424, .10835591964843763}, {stats.Quadratic, .7560975609756098, .08448085866086913}} {
		got, err := stats.Kappa(table, tc.weights, .95)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "kappa", got.Kappa, tc.kappa, 1e-9)
		near(t, "standard error", got.SE, tc.se, 1e-9)
	}
	ratings, err := stats.Crosstab([]int{0, 0, 1, 2, 2}, []int{0, 1, 1, 2, 2}, 3)
	if err != nil {
		t.Fatal(err)
	}
	perfect, err := stats.Kappa([][]int{{3, 0}, {0, 2}}, stats.Quadratic, .95)
	if err != nil || perfect.Kappa != 1 || perfect.SE != 0 {
		t.Errorf("perfect agreement: %+v, %v", perfect, err)
	}
	if got, err := stats.Kappa(ratings, stats.Unweighted, .95); err != nil || got.N != 5 || got.Observed != .8 {
		t.Errorf("crosstab: %+v, %v", got, err)
	}
}

func TestPowerAndItsInverses(t *testing.T) {
	t.Parallel()
	power, err := stats.Power(.05, .3, 200, .05)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "power", power, 0.6543457860365568, 1e-6)
	effect, err := stats.MinimumEffect(.3, 200, .05, .8)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "minimum effect", effect, 0.05943059719280696, 1e-8)
	n, err := stats.SampleSize(effect*1.0001, .3, .05, .8)
	if err != nil || n != 200 {
		t.Errorf("sample size %d, %v", n, err)
	}
	back, err := stats.Power(effect, .3, 200, .05)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "power at the minimum effect", back, .8, 1e-4)
}

func TestWhatCannotBeComputedIsAnError(t *testing.T) {
	t.Parallel()
	nan, o := math.NaN(), stats.Options{}
	two := []float64{1, 2}
	for name, tc := range map[string]struct {
		err  func() error
		want error
	}{
		"bootstrap of one":       {func() error { _, err := stats.BootstrapMean([]float64{1}, o); return err }, stats.ErrTooFew},
		"bootstrap of NaN":       {func() error { _, err := stats.BootstrapMean([]float64{1, nan}, o); return err }, stats.ErrArgument},
		"bootstrap at level 1":   {func() error { _, err := stats.BootstrapMean(two, stats.Options{Level: 1}); return err }, stats.ErrArgument},
		"negative resamples":     {func() error { _, err := stats.BootstrapMean(two, stats.Options{Resamples: -1}); return err }, stats.ErrArgument},
		"one cluster":            {func() error { _, err := stats.ClusterBootstrapMean(two, []string{"a", "a"}, o); return err }, stats.ErrTooFew},
		"clusters unnamed":       {func() error { _, err := stats.ClusterBootstrapMean(two, []string{"a"}, o); return err }, stats.ErrArgument},
		"unpaired":               {func() error { _, err := stats.Differences(two, two[:1]); return err }, stats.ErrArgument},
		"sign flip of none":      {func() error { _, err := stats.SignFlip(nil, o); return err }, stats.ErrTooFew},
		"t of one":               {func() error { _, err := stats.PairedT(two[:1]); return err }, stats.ErrTooFew},
		"t of equals":            {func() error { _, err := stats.PairedT([]float64{1, 1}); return err }, stats.ErrUndefined},
		"negative pairs":         {func() error { _, err := stats.McNemar(-1, 2); return err }, stats.ErrArgument},
		"p above 1":              {func() error { _, err := stats.Holm([]float64{1.1}); return err }, stats.ErrArgument},
		"p NaN":                  {func() error { _, err := stats.Holm([]float64{nan}); return err }, stats.ErrArgument},
		"rate of none":           {func() error { _, err := stats.Wilson(0, 0, .95); return err }, stats.ErrTooFew},
		"more than all":          {func() error { _, err := stats.Wilson(3, 2, .95); return err }, stats.ErrArgument},
		"unanimous kappa":        {func() error { _, err := stats.Kappa([][]int{{5, 0}, {0, 0}}, stats.Unweighted, .95); return err }, stats.ErrUndefined},
		"kappa of none":          {func() error { _, err := stats.Kappa([][]int{{0, 0}, {0, 0}}, stats.Linear, .95); return err }, stats.ErrTooFew},
		"ragged table":           {func() error { _, err := stats.Kappa([][]int{{1, 0}, {1}}, stats.Linear, .95); return err }, stats.ErrArgument},
		"negative count":         {func() error { _, err := stats.Kappa([][]int{{1, -1}, {1, 1}}, stats.Linear, .95); return err }, stats.ErrArgument},
		"rating out of range":    {func() error { _, err := stats.Crosstab([]int{2}, []int{0}, 2); return err }, stats.ErrArgument},
		"judge by chance":        {func() error { _, err := stats.RoganGladen(.5, .4, .6); return err }, stats.ErrUndefined},
		"sensitivity above 1":    {func() error { _, err := stats.RoganGladen(.5, 1.4, .6); return err }, stats.ErrArgument},
		"one label":              {func() error { _, err := stats.PredictionPowered(two, two[:1], two[:1], .95); return err }, stats.ErrTooFew},
		"effect 0":               {func() error { _, err := stats.SampleSize(0, .3, .05, .8); return err }, stats.ErrArgument},
		"negative deviation":     {func() error { _, err := stats.MinimumEffect(-1, 10, .05, .8); return err }, stats.ErrArgument},
		"win rate of one half":   {func() error { _, err := stats.SignTestSize(.5, .05, .8); return err }, stats.ErrArgument},
		"power without a spread": {func() error { _, err := stats.Power(.1, 0, 10, .05); return err }, stats.ErrArgument},
	} {
		if err := tc.err(); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
	}
}

func TestRatesStayWithinTheirBounds(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 60; n++ {
		for k := 0; k <= n; k++ {
			ci, err := stats.Wilson(k, n, .95)
			if err != nil || !(ci.Low >= 0 && ci.High <= 1 && ci.Contains(float64(k)/float64(n))) {
				t.Fatalf("%d of %d: %v, %v", k, n, ci, err)
			}
		}
	}
	for _, observed := range []float64{0, .2, .5, 1} {
		if rate, err := stats.RoganGladen(observed, .8, .7); err != nil || rate < 0 || rate > 1 {
			t.Errorf("observed %v becomes %v, %v", observed, rate, err)
		}
	}
	if flip, err := stats.SignFlip([]float64{0, 0}, stats.Options{}); err != nil || flip.P != 1 || flip.N != 0 {
		t.Errorf("no difference: %+v, %v", flip, err)
	}
	same, err := stats.BootstrapMeanBCa([]float64{.5, .5, .5}, stats.Options{})
	if err != nil || same != (stats.Interval{Low: .5, High: .5}) {
		t.Errorf("equal values: %v, %v", same, err)
	}
}

func BenchmarkBootstrapMean(b *testing.B) {
	values := draws(1, 2500)
	for b.Loop() {
		if _, err := stats.BootstrapMean(values, stats.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSignFlip(b *testing.B) {
	d, err := stats.Differences(draws(1, 2500), draws(2, 2500))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := stats.SignFlip(d, stats.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
