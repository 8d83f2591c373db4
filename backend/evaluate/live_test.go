package evaluate_test

import (
	"math"
	"testing"

	"ragdesk/backend/runs"
)

func TestWhatIsShownOnTheWayEndsInTheResult(t *testing.T) {
	t.Parallel()
	setup, _ := synthetic(t, 40, func(q int) (int, int) { return q % 8, q%3 + 1 })
	var shown []runs.Live
	setup.Live = func(l runs.Live) { shown = append(shown, l) }
	exp := run(t, setup)
	if len(shown) == 0 {
		t.Fatal("nothing was shown")
	}
	for i, l := range shown {
		if l.Of != 40 || l.Questions < 1 || len(l.Runs) != 2 || l.Primary != exp.Primary || i > 0 && l.Questions < shown[i-1].Questions {
			t.Errorf("%d: %+v", i, l)
		}
	}
	last := shown[len(shown)-1]
	if last.Questions != 40 {
		t.Fatalf("%d questions at the end", last.Questions)
	}
	for i, r := range exp.Runs {
		got := last.Runs[i]
		if got.Name != r.Name || got.FailedQueries != r.FailedQueries || got.ErroredQueries != r.ErroredQueries {
			t.Errorf("%+v, want %+v", got, r.Scores)
		}
		for name, m := range r.Metrics {
			if l := got.Metrics[name]; l.N != m.N || l.Value == nil || math.Abs(*l.Value-*m.Value) > 1e-12 {
				t.Errorf("%s of %s: %+v, want %v", name, r.Name, l, *m.Value)
			}
		}
	}
}
