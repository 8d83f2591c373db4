package measure_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"ragdesk/backend/measure"
)

// TestAveragedTiesEqualTheMeanOverAllOrders compares the closed forms with every
// order of up to six equally scored documents, one by one.
func TestAveragedTiesEqualTheMeanOverAllOrders(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	measures := allMeasures()
	for range 150 {
		n := 1 + rng.IntN(6)
		grades, scores := make([]int, n), make([]int, n)
		var qrels measure.Qrels
		var run measure.Run
		for i := range n {
			grades[i], scores[i] = rng.IntN(4)-1, rng.IntN(3)
			add(t, qrels.Add("q", fmt.Sprint("d", i), grades[i]))
			add(t, run.Add("q", fmt.Sprint("d", i), float64(scores[i])))
		}
		add(t, qrels.Add("q", "missed", 1))
		report, err := measure.Score(t.Context(), &qrels, &run,
			measure.Options{Measures: measures, Dialect: measure.DialectRanx, AverageTies: true})
		if err != nil {
			t.Fatal(err)
		}
		want := meanOverOrders(t, grades, scores, measures)
		for i, v := range report.Queries[0].Values {
			if !v.OK() || math.Abs(v.Score-want[i]) > 1e-9 {
				t.Fatalf("%v of grades %v with scores %v = %v, want %v", measures[i], grades, scores, v, want[i])
			}
		}
	}
}

func add(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// meanOverOrders judges every permutation that respects the scores.
func meanOverOrders(t *testing.T, grades, scores []int, ms []measure.Measure) []float64 {
	t.Helper()
	sums, orders := make([]float64, len(ms)), 0
	ideal := []int{1}
	for _, g := range grades {
		if g > 0 {
			ideal = append(ideal, g)
		}
	}
	permute(len(grades), func(order []int) {
		for i := 1; i < len(order); i++ {
			if scores[order[i]] > scores[order[i-1]] {
				return
			}
		}
		r := measure.Ranking{Ideal: ideal}
		for _, i := range order {
			r.Items = append(r.Items, measure.Item{ID: fmt.Sprint(i), Grade: grades[i]})
		}
		p, err := measure.Judge(r)
		add(t, err)
		for i, v := range p.Values(ms, measure.DialectRanx) {
			sums[i] += v.Score
		}
		orders++
	})
	for i := range sums {
		sums[i] /= float64(orders)
	}
	return sums
}

// permute calls visit with every order of 0…n−1 (Heap's algorithm).
func permute(n int, visit func([]int)) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	var generate func(k int)
	generate = func(k int) {
		if k <= 1 {
			visit(order)
			return
		}
		for i := range k {
			generate(k - 1)
			if k%2 == 0 {
				order[i], order[k-1] = order[k-1], order[i]
			} else {
				order[0], order[k-1] = order[k-1], order[0]
			}
		}
	}
	generate(n)
}
