package stats_test

import (
	"fmt"

	"ragdesk/backend/stats"
)

// Two strategies over the same ten questions: seven were won, one was lost, two
// were tied.
func Example() {
	baseline := []float64{.5, .3, 1, 0, .5, .3, .2, 1, .5, 0}
	changed := []float64{1, .5, 1, .5, .5, .5, .5, .5, 1, .3}
	d, err := stats.Differences(baseline, changed)
	if err != nil {
		fmt.Println(err)
		return
	}
	ci, err := stats.BootstrapMean(d, stats.Options{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	test, err := stats.SignFlip(d, stats.Options{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("[%.3f, %.3f], p = %.4f, exact: %v\n", ci.Low, ci.High, test.P, test.Exact)
	// Output: [0.000, 0.360], p = 0.1094, exact: true
}
