package measure_test

import (
	"context"
	"strings"
	"testing"

	"ragdesk/backend/fault"
	"ragdesk/backend/measure"
)

// TestOtherProgramsHaveTheirMeasuresAlone asks each dialect for everything: what it
// has is computed, anything else refused by a fault that says what there is.
func TestOtherProgramsHaveTheirMeasuresAlone(t *testing.T) {
	t.Parallel()
	run := "q Q0 aa 1 2 t\nq Q0 bb 2 1 t\n"
	for _, d := range measure.Dialects() {
		had := 0
		for _, name := range measure.Known() {
			m, err := measure.Parse(strings.ReplaceAll(name, "K", "5"))
			if err != nil {
				t.Fatal(err)
			}
			qrels, err := measure.ReadQrels(context.Background(), strings.NewReader("q 0 aa 1\n"), "q")
			if err != nil {
				t.Fatal(err)
			}
			results, err := measure.ReadRun(context.Background(), strings.NewReader(run), "r")
			if err != nil {
				t.Fatal(err)
			}
			report, err := measure.Score(context.Background(), qrels, results, measure.Options{Measures: []measure.Measure{m}, Dialect: d})
			switch {
			case d.Has(m):
				had++
				if err != nil || !report.Means[0].Value.OK() {
					t.Errorf("%v %s: %+v, %v", d, name, report.Means, err)
				}
			case !fault.Is(err, "dialect_measure"):
				t.Errorf("%v has no %s, got %v", d, name, err)
			}
		}
		if had < 3 {
			t.Errorf("%v has %d measures", d, had)
		}
	}
}

// TestProgramsReadRepeatedJudgmentsAndGaps: none of these lists may panic or give
// something that is not a number, in any dialect that does not refuse it.
func TestProgramsReadRepeatedJudgmentsAndGaps(t *testing.T) {
	t.Parallel()
	for _, d := range measure.Dialects() {
		for _, qrels := range []string{"q 0 a 1\nq 1 a 2\n", "q 0 a -3\n", "q 0 b 0\nq x a 1\n", "z 0 a 1\n"} {
			for _, run := range []string{"q Q0 a 1 1 t\nq Q0 a 2 1 t\n", "q Q0 é 1 inf t\nq Q0 aé 2 -inf t\n", "y Q0 a 1 0 t\n"} {
				for _, name := range measure.Known() {
					m, err := measure.Parse(strings.ReplaceAll(name, "K", "3"))
					if err != nil {
						t.Fatal(err)
					}
					judged, err := measure.ReadQrels(context.Background(), strings.NewReader(qrels), "q")
					if err != nil {
						t.Fatal(err)
					}
					results, err := measure.ReadRun(context.Background(), strings.NewReader(run), "r")
					if err != nil {
						t.Fatal(err)
					}
					report, err := measure.Score(context.Background(), judged, results, measure.Options{Measures: []measure.Measure{m}, Dialect: d})
					if err != nil {
						if !fault.Is(err, "dialect_measure") && !fault.Is(err, "trec_duplicate") {
							t.Errorf("%v %s: %v", d, name, err)
						}
						continue
					}
					for _, q := range report.Queries {
						if v := q.Values[0]; v.OK() && !(v.Score >= 0) {
							t.Errorf("%v %s of %q, %q = %v", d, name, qrels, run, v)
						}
					}
				}
			}
		}
	}
}
