package measure_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/fault"
	"ragdesk/backend/measure"
)

func TestParseReadsEverySpelling(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ canonical, spellings string }{
		{"Hit@5", "Hit@5 hit_rate@5 HIT-RATE@5 success@5 Success_5 success.5 hitrate@5"},
		{"Hit", "hit success"},
		{"Recall@20", "Recall@20 recall_20 R@20 recall(rel=1)@20"},
		{"Recall", "recall RECALL r"},
		{"Precision@3", "precision@3 P@3 p_3 P.3 prec@3"},
		{"MRR", "mrr RR recip_rank"},
		{"MRR@10", "mrr@10 RR@10 recip_rank@10"},
		{"MAP", "map AP"},
		{"MAP@100", "map@100 AP@100 map_cut_100 map_cut.100"},
		{"nDCG@10", "ndcg@10 NDCG@10 nDCG@10 ndcg_cut_10 ndcg_cut.10 ndcg_10"},
		{"nDCG", "ndcg"},
		{"nDCG(gain=linear)@10", "nDCG(gain=linear)@10 NDCG(GAIN=LINEAR)@10"},
		{"nDCG(gain=exponential)@10", "ndcg(gain=exp)@10 ndcg(gain=exponential)@10 ndcg_burges@10"},
		{"Recall(rel=2)@20", "recall(rel=2)@20"},
		{"nDCG(gain=linear,rel=3)@5", "ndcg(rel=3,gain=linear)@5"},
	} {
		for _, s := range strings.Fields(tc.spellings) {
			m, err := measure.Parse(s)
			if err != nil {
				t.Errorf("Parse(%q): %v", s, err)
			} else if m.String() != tc.canonical {
				t.Errorf("Parse(%q) prints %q, want %q", s, m, tc.canonical)
			}
		}
	}
	if m, err := measure.Parse("  nDCG( gain = linear , rel = 2 )@7\t"); err != nil || m.String() != "nDCG(gain=linear,rel=2)@7" {
		t.Errorf("blanks: %v, %v", m, err)
	}
}

func TestParseRefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"", "faithfulness", "P@",
		"P5", "@5", "5", "_5", "ndcg(gain=log)@5", "ndcg()@5", "ndcg(gain=linear", "ndcg(gain=linear)5",
		"ndcg(gain=linear)@", "P(gain=linear)@5", "ndcg(gain=linear,gain=linear)@5", "ndcg(rel=0)@5",
		"ndcg(rel=2000)@5", "ndcg_burges(gain=linear)@5", "P(k=3)", ")(", "P)@5(", "P@5@5", "nDCG@10 MRR",
	} {
		m, err := measure.Parse(s)
		if !fault.Is(err, "metric_unknown") {
			t.Errorf("Parse(%q) = %v, %v; want metric_unknown", s, m, err)
			continue
		}
		if f := fault.Of(err); f.Params["metric"] != s || !strings.Contains(f.Params["known"], "nDCG@K") {
			t.Errorf("Parse(%q) params %v", s, f.Params)
		}
	}
}

func TestParseSaysWhichCutsThereAre(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"P@0", "P@-1", "P@+5", "P@05", "P@1.5", "P@1000001", "P@99999999999999999999", "ndcg_cut_0", "nDCG(rel=2)@0"} {
		if m, err := measure.Parse(s); !fault.Is(err, "cutoff_invalid") || fault.Of(err).Params["metric"] != s || fault.Of(err).Params["takes"] == "" {
			t.Errorf("Parse(%q) = %v, %v; want cutoff_invalid", s, m, err)
		}
	}
}

func TestEveryMeasurePrintsAndParsesBack(t *testing.T) {
	t.Parallel()
	for kind := measure.Hit; kind <= measure.NDCG; kind++ {
		for _, k := range []int{0, 1, 5, 10, 1000, measure.MaxK} {
			for _, rel := range []int{0, 2, 4, measure.MaxGrade} {
				for gain := measure.GainDefault; gain <= measure.GainExponential; gain++ {
					m := measure.Measure{Kind: kind, K: k, Rel: rel}
					if kind == measure.NDCG {
						m.Gain = gain
					}
					back, err := measure.Parse(m.String())
					if err != nil || back != m {
						t.Errorf("%v parses back to %v, %v", m, back, err)
					}
				}
			}
		}
	}
}

func TestParseListKeepsNamesAsTyped(t *testing.T) {
	t.Parallel()
	got, err := measure.ParseList("hit_rate@3, nDCG(gain=linear,rel=2)@5 ,MRR,hit_rate@3,success@3")
	if err != nil {
		t.Fatal(err)
	}
	want := []measure.Named{
		{Name: "hit_rate@3", Measure: measure.Measure{Kind: measure.Hit, K: 3}},
		{Name: "nDCG(gain=linear,rel=2)@5", Measure: measure.Measure{Kind: measure.NDCG, K: 5, Gain: measure.GainLinear, Rel: 2}},
		{Name: "MRR", Measure: measure.Measure{Kind: measure.MRR}},
		{Name: "success@3", Measure: measure.Measure{Kind: measure.Hit, K: 3}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, s := range []string{"", "MRR,", "MRR,,MAP", "MRR,nope"} {
		if _, err := measure.ParseList(s); !fault.Is(err, "metric_unknown") {
			t.Errorf("ParseList(%q): %v", s, err)
		}
	}
}

func TestMeasuresAreTextInJSON(t *testing.T) {
	t.Parallel()
	in := []measure.Measure{{Kind: measure.NDCG, K: 10}, {Kind: measure.MRR}}
	b, err := json.Marshal(in)
	if err != nil || string(b) != `["nDCG@10","MRR"]` {
		t.Fatalf("%s, %v", b, err)
	}
	var out []measure.Measure
	if err := json.Unmarshal(b, &out); err != nil || !cmp.Equal(in, out) {
		t.Errorf("back: %v, %v", out, err)
	}
	if err := json.Unmarshal([]byte(`["nope"]`), &out); err == nil {
		t.Error("an unknown measure was read")
	}
}

func TestDialectsAndGainsByName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]measure.Dialect{
		"trec": measure.DialectTREC, "RANX": measure.DialectRanx, " rag ": measure.DialectRAG,
		"AutoRAG": measure.DialectAutoRAG, "continuous-eval": measure.DialectContinuousEval,
	} {
		if d, err := measure.ParseDialect(name); err != nil || d != want {
			t.Errorf("ParseDialect(%q) = %v, %v", name, d, err)
		}
	}
	if _, err := measure.ParseDialect("eval"); !fault.Is(err, "dialect_unknown") {
		t.Errorf("eval is no dialect of files: %v", err)
	}
	if _, err := measure.ParseGain("square"); !fault.Is(err, "gain_unknown") {
		t.Errorf("square: %v", err)
	}
	m := measure.Measure{Kind: measure.NDCG, K: 5}
	if got := m.Resolve(measure.DialectTREC).String(); got != "nDCG(gain=linear)@5" {
		t.Errorf("trec: %s", got)
	}
	if got := m.Resolve(measure.DialectEval).String(); got != "nDCG(gain=exponential)@5" {
		t.Errorf("eval: %s", got)
	}
	m.Gain = measure.GainExponential
	if got := m.Resolve(measure.DialectTREC); got != m {
		t.Errorf("a gain that was given changed to %v", got)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"nDCG@10", "P_5", "recall(rel=2)@20", "map_cut.10", "hit_rate@5", "(", "@", "é@5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		m, err := measure.Parse(s)
		if err != nil {
			return
		}
		if back, err := measure.Parse(m.String()); err != nil || back != m {
			t.Errorf("%q is %v, which parses back to %v, %v", s, m, back, err)
		}
	})
}
