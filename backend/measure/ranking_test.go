package measure_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/measure"
)

// ranked makes a ranking of items of the given grades and an ideal.
func ranked(grades, ideal []int) measure.Ranking {
	r := measure.Ranking{Ideal: ideal}
	for i, g := range grades {
		r.Items = append(r.Items, measure.Item{ID: fmt.Sprint(i), Grade: g})
	}
	return r
}

func valueOf(t *testing.T, r measure.Ranking, name string, d measure.Dialect) measure.Value {
	t.Helper()
	p, err := measure.Judge(r)
	if err != nil {
		t.Fatal(err)
	}
	m, err := measure.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return p.Value(m, d)
}

func TestEvalConventions(t *testing.T) {
	t.Parallel()
	log2 := math.Log2
	perfect := ranked([]int{2, 1, 1}, []int{1, 2, 1})
	partial := ranked([]int{0, 1, 2}, []int{2, 2, 1, 1})
	for _, tc := range []struct {
		ranking measure.Ranking
		measure string
		want    float64
	}{
		{perfect, "nDCG", 1}, {perfect, "MAP", 1}, {perfect, "P@5", .6}, {perfect, "P", 1},
		{partial, "Recall@10", .5}, {partial, "P@10", .2}, {partial, "P", 2. / 3}, {partial, "MRR", .5}, {partial, "MRR@1", 0},
		{partial, "MAP", (1./2 + 2./3) / 4}, {partial, "MAP@2", (1. / 2) / 4},
		{partial, "nDCG@3", (1/log2(3) + 3/log2(4)) / (3 + 3/log2(3) + 1/log2(4))},
		{partial, "nDCG(gain=linear)@3", (1/log2(3) + 2/log2(4)) / (2 + 2/log2(3) + 1/log2(4))},
		{partial, "Recall(rel=2)@3", .5}, {partial, "MRR(rel=2)", 1. / 3},
		{partial, "nDCG(rel=2)@3", (3 / log2(4)) / (3 + 3/log2(3))},
		{ranked(nil, []int{1}), "P", 0}, {ranked(nil, []int{1}), "MRR", 0},
	} {
		if got := valueOf(t, tc.ranking, tc.measure, measure.DialectEval); !got.OK() || math.Abs(got.Score-tc.want) > 1e-12 {
			t.Errorf("%v of %v = %v, want %v", tc.measure, tc.ranking, got, tc.want)
		}
	}
}

func TestNothingRelevantExists(t *testing.T) {
	t.Parallel()
	none, found := ranked(nil, nil), ranked([]int{0, 0}, nil)
	gold := measure.Ranking{HasGold: true}
	absent := measure.Absent(measure.NoRelevant)
	for _, tc := range []struct {
		dialect measure.Dialect
		ranking measure.Ranking
		measure string
		want    measure.Value
	}{
		{measure.DialectTREC, found, "Recall@5", measure.Of(0)},
		{measure.DialectRanx, found, "nDCG@5", measure.Of(0)},
		{measure.DialectRAG, found, "recall", measure.Of(1)},
		{measure.DialectRAG, none, "recall", measure.Of(1)},
		{measure.DialectRAG, found, "precision", measure.Of(0)},
		{measure.DialectRAG, none, "precision", measure.Of(0)},
		{measure.DialectRAG, found, "MRR", absent},
		{measure.DialectEval, found, "Recall@5", absent},
		{measure.DialectEval, found, "nDCG@5", absent},
		{measure.DialectEval, gold, "nDCG@5", measure.Of(0)},
		{measure.DialectEval, gold, "Recall", measure.Of(0)},
		{measure.DialectRAG, gold, "recall", measure.Of(0)},
		{measure.DialectEval, ranked([]int{1}, []int{1}), "Recall(rel=2)@5", absent},
		{measure.DialectTREC, ranked([]int{1}, []int{1}), "Recall(rel=2)@5", measure.Of(0)},
		{measure.DialectTREC, ranked([]int{1}, []int{1}), "nDCG(rel=2)@5", measure.Of(1)},
		{measure.DialectRanx, ranked([]int{1}, []int{1}), "nDCG(rel=2)@5", measure.Of(0)},
	} {
		if got := valueOf(t, tc.ranking, tc.measure, tc.dialect); got != tc.want {
			t.Errorf("%v %s of %v = %v, want %v", tc.dialect, tc.measure, tc.ranking, got, tc.want)
		}
	}
}

func TestRAGPrecisionIsOverWhatWasRetrieved(t *testing.T) {
	t.Parallel()
	r := ranked([]int{1, 0, 1}, []int{1, 1, 1, 1})
	for name, want := range map[string]float64{"precision": 2. / 3, "precision@5": 2. / 3, "precision@2": .5, "recall": .5} {
		if got := valueOf(t, r, name, measure.DialectRAG); got.Score != want {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
}

func TestDuplicateItemsKeepTheirBestRank(t *testing.T) {
	t.Parallel()
	twice := measure.Ranking{
		Items: []measure.Item{{ID: "x"}, {ID: "a", Grade: 1}, {ID: "x"}, {ID: "a", Grade: 1}, {ID: "b", Grade: 1}},
		Ideal: []int{1, 1},
	}
	p, err := measure.Judge(twice)
	if err != nil {
		t.Fatal(err)
	}
	if p.Duplicates != 2 {
		t.Errorf("%d duplicates, want 2", p.Duplicates)
	}
	for name, want := range map[string]float64{"MAP": (1./2 + 2./3) / 2, "Recall@3": 1, "P": 2. / 3} {
		m, _ := measure.Parse(name)
		if got := p.Value(m, measure.DialectEval); math.Abs(got.Score-want) > 1e-12 {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
}

func TestUnitsCountOnce(t *testing.T) {
	t.Parallel()
	log2 := math.Log2
	both := measure.Ranking{ByUnit: true, Ideal: []int{1, 2}, Items: []measure.Item{
		{ID: "a", Units: []int{0, 1}}, {ID: "b", Units: []int{1}}, {ID: "c"},
	}}
	again := measure.Ranking{ByUnit: true, Ideal: []int{1, 1, 1}, Items: []measure.Item{
		{ID: "a", Units: []int{0}}, {ID: "b", Units: []int{0}}, {ID: "c", Units: []int{0, 1, 1}},
	}}
	for _, tc := range []struct {
		ranking measure.Ranking
		measure string
		want    float64
	}{
		{both, "Recall@1", 1}, {both, "P@1", 1}, {both, "P@3", 1. / 3}, {both, "MAP", 1}, {both, "nDCG@5", 1}, {both, "nDCG@1", 1},
		{again, "Recall@2", 1. / 3}, {again, "Recall@3", 2. / 3}, {again, "P@3", 2. / 3}, {again, "MRR", 1},
		{again, "MAP", (1 + 2./3) / 3}, {again, "nDCG", (1 + 1/log2(4)) / (1 + 1/log2(3) + 1/log2(4))},
	} {
		if got := valueOf(t, tc.ranking, tc.measure, measure.DialectEval); math.Abs(got.Score-tc.want) > 1e-12 {
			t.Errorf("%s of %v = %v, want %v", tc.measure, tc.ranking, got, tc.want)
		}
	}
}

func TestJudgeRefusesWhatCannotBe(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]measure.Ranking{
		"more found than exist":   ranked([]int{1, 1}, []int{1}),
		"a better one than exist": ranked([]int{2}, []int{1, 1}),
		"ideal grade 0":           ranked(nil, []int{0}),
		"grade too large":         ranked([]int{1001}, []int{1000}),
		"unknown unit":            {ByUnit: true, Ideal: []int{1}, Items: []measure.Item{{ID: "a", Units: []int{1}}}},
		"negative unit":           {ByUnit: true, Ideal: []int{1}, Items: []measure.Item{{ID: "a", Units: []int{-1}}}},
	} {
		if _, err := measure.Judge(r); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestMeasuresStayWithinZeroAndOne judges random rankings, by item and by unit,
// under every dialect, and checks that a perfect ranking is worth 1.
func TestMeasuresStayWithinZeroAndOne(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	measures := allMeasures()
	for range 3000 {
		r := randomRanking(rng)
		p, err := measure.Judge(r)
		if err != nil {
			t.Fatal(err)
		}
		for d := measure.DialectTREC; d <= measure.DialectEval; d++ {
			for i, v := range p.Values(measures, d) {
				if v.OK() && !(v.Score >= 0 && v.Score <= 1) || !v.OK() && v.Score != 0 {
					t.Fatalf("%v %v of %+v = %v", d, measures[i], r, v)
				}
			}
		}
		best := ranked(r.Ideal, r.Ideal)
		if !cmp.Equal(r.Ideal, []int(nil)) && valueOf(t, bestFirst(best), "nDCG", measure.DialectEval).Score != 1 {
			t.Fatalf("the ideal of %v is not worth 1", r.Ideal)
		}
	}
}

func bestFirst(r measure.Ranking) measure.Ranking {
	var out []measure.Item
	for grade := 4; grade > 0; grade-- {
		for _, item := range r.Items {
			if item.Grade == grade {
				out = append(out, item)
			}
		}
	}
	r.Items = out
	return r
}

func randomRanking(rng *rand.Rand) measure.Ranking {
	r := measure.Ranking{ByUnit: rng.IntN(2) == 0, HasGold: rng.IntN(2) == 0}
	for range rng.IntN(6) {
		r.Ideal = append(r.Ideal, 1+rng.IntN(4))
	}
	var grades []int
	for _, g := range r.Ideal {
		if rng.IntN(3) > 0 {
			grades = append(grades, g)
		}
	}
	for range rng.IntN(8) {
		grades = append(grades, -rng.IntN(3))
	}
	rng.Shuffle(len(grades), func(i, j int) { grades[i], grades[j] = grades[j], grades[i] })
	for i, g := range grades {
		item := measure.Item{ID: fmt.Sprint(i), Grade: g}
		for range rng.IntN(4) {
			if len(r.Ideal) > 0 {
				item.Units = append(item.Units, rng.IntN(len(r.Ideal)))
			}
		}
		r.Items = append(r.Items, item)
		if rng.IntN(4) == 0 {
			r.Items = append(r.Items, item)
		}
	}
	return r
}

func allMeasures() []measure.Measure {
	var out []measure.Measure
	for _, name := range strings.Fields("Hit Recall Precision MRR MAP nDCG(gain=linear) nDCG(gain=exp)") {
		for _, suffix := range []string{"", "@1", "@2", "@5", "@100"} {
			m, err := measure.Parse(name + suffix)
			if err != nil {
				panic(err)
			}
			two := m
			two.Rel = 2
			out = append(out, m, two)
		}
	}
	return out
}

func TestSummarizeBoundsWhatIsMissing(t *testing.T) {
	t.Parallel()
	values := []measure.Value{
		measure.Of(1), measure.Of(.5), measure.Absent(measure.NotRun), measure.Absent(measure.NoRelevant), measure.Absent(measure.NotRun),
	}
	want := measure.Mean{
		Value: measure.Of(.75), N: 2, Of: 5, Low: .3, High: .9,
		Missing: map[measure.Reason]int{measure.NotRun: 2, measure.NoRelevant: 1},
	}
	if diff := cmp.Diff(want, measure.Summarize(values)); diff != "" {
		t.Error(diff)
	}
	none := measure.Summarize(values[2:])
	if none.Value != measure.Absent(measure.NoValues) || none.Low != 0 || none.High != 1 {
		t.Errorf("all absent: %+v", none)
	}
	if full := measure.Summarize(values[:2]); full.Low != .75 || full.High != .75 || full.Missing != nil {
		t.Errorf("none absent: %+v", full)
	}
	if b, _ := values[2].MarshalJSON(); string(b) != "null" {
		t.Errorf("absent is %s in JSON", b)
	}
	if b, _ := values[1].MarshalJSON(); string(b) != "0.5" {
		t.Errorf("0.5 is %s in JSON", b)
	}
}
