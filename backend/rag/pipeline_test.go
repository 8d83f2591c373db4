package rag_test

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

func parsed(t *testing.T, name string) rag.Pipeline {
	t.Helper()
	p, err := rag.ParseStrategy(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestParseStrategy(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		stages []rag.Stage
		fusion rag.Fusion
		// candidates, rerank depth and top-k
		counts [3]int
	}{
		"vector":          {[]rag.Stage{rag.StageVector}, rag.FusionNone, [3]int{50, 20, 5}},
		"bm25+rerank":     {[]rag.Stage{rag.StageBM25, rag.StageRerank}, rag.FusionNone, [3]int{50, 20, 5}},
		"hybrid":          {[]rag.Stage{rag.StageVector, rag.StageBM25, rag.StageFusion}, rag.FusionRRF, [3]int{50, 20, 5}},
		"rrf":             {[]rag.Stage{rag.StageVector, rag.StageBM25, rag.StageFusion}, rag.FusionRRF, [3]int{50, 20, 5}},
		"union+rerank":    {rag.Stages(), rag.FusionUnion, [3]int{50, 20, 5}},
		" Weighted ":      {[]rag.Stage{rag.StageVector, rag.StageBM25, rag.StageFusion}, rag.FusionWeighted, [3]int{50, 20, 5}},
		"HYBRID+RERANK":   {rag.Stages(), rag.FusionRRF, [3]int{50, 20, 5}},
		"classic":         {rag.Stages(), rag.FusionUnion, [3]int{5, 10, 3}},
		"default":         {rag.Stages(), rag.FusionRRF, [3]int{50, 20, 5}},
		"weighted+rerank": {rag.Stages(), rag.FusionWeighted, [3]int{50, 20, 5}},
	} {
		p := parsed(t, name)
		if !slices.Equal(p.Stages(), want.stages) || p.Fusion != want.fusion {
			t.Errorf("%q: stages %v, fusion %q, want %v", name, p.Stages(), p.Fusion, want)
		}
		if got := [3]int{p.Candidates, p.RerankDepth, p.TopK}; got != want.counts {
			t.Errorf("%q: counts %v, want %v", name, got, want.counts)
		}
		if err := p.Validate(); err != nil || p.Strategy != name {
			t.Errorf("%q: %v, strategy %q", name, err, p.Strategy)
		}
	}
}

func TestParseStrategyRefusesOtherNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "vectors", "+rerank", "vector+", "vector+rerank+rerank", "classic+rerank", "default+rerank", "rerank"} {
		if p, err := rag.ParseStrategy(name); !fault.Is(err, "strategy_unknown") {
			t.Errorf("ParseStrategy(%q) = %+v, %v, want strategy_unknown", name, p, err)
		}
	}
}

func TestStrategyNamesAreRead(t *testing.T) {
	t.Parallel()
	for _, name := range rag.StrategyNames() {
		parsed(t, name)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	thresholds := func(s rag.Stage, v float64) func(*rag.Pipeline) {
		return func(p *rag.Pipeline) { p.Thresholds = map[rag.Stage]float64{s: v} }
	}
	for name, c := range map[string]struct {
		strategy string
		change   func(*rag.Pipeline)
		setting  string // empty: valid
		unfit    bool
	}{
		"no leg":                      {"vector", func(p *rag.Pipeline) { p.Vector = false }, "strategy", true},
		"top-k 0":                     {"hybrid", func(p *rag.Pipeline) { p.TopK = 0 }, "top-k", false},
		"no candidates":               {"hybrid", func(p *rag.Pipeline) { p.Candidates = -1 }, "candidates", false},
		"rerank depth 0":              {"hybrid", func(p *rag.Pipeline) { p.RerankDepth = 0 }, "rerank-depth", false},
		"alpha below 0":               {"weighted", func(p *rag.Pipeline) { p.Alpha = -0.1 }, "alpha", false},
		"alpha above 1":               {"weighted", func(p *rag.Pipeline) { p.Alpha = 1.1 }, "alpha", false},
		"alpha not a number":          {"weighted", func(p *rag.Pipeline) { p.Alpha = math.NaN() }, "alpha", false},
		"alpha 1":                     {"weighted", func(p *rag.Pipeline) { p.Alpha = 1 }, "", false},
		"rrf-k below 0":               {"hybrid", func(p *rag.Pipeline) { p.RRFK = -1 }, "rrf-k", false},
		"rrf-k 0":                     {"hybrid", func(p *rag.Pipeline) { p.RRFK = 0 }, "", false},
		"fusion of one leg":           {"bm25", func(p *rag.Pipeline) { p.Fusion = rag.FusionRRF }, "fusion", true},
		"threshold of a stage":        {"hybrid", thresholds(rag.StageFusion, 0.01), "", false},
		"threshold of another stage":  {"vector", thresholds(rag.StageBM25, 1), "threshold", true},
		"threshold of no stage":       {"vector", thresholds("cosine", 1), "threshold", true},
		"threshold without reranking": {"hybrid", thresholds(rag.StageRerank, 1), "threshold", true},
		"threshold not a number":      {"vector", thresholds(rag.StageVector, math.NaN()), "threshold", false},
		"threshold infinite":          {"vector", thresholds(rag.StageVector, math.Inf(1)), "threshold", false},
		"boost of no words":           {"vector", func(p *rag.Pipeline) { p.HeadingBoost = 2 }, "heading-boost", true},
		"boost too high":              {"bm25", func(p *rag.Pipeline) { p.HeadingBoost = 101 }, "heading-boost", false},
		"diversity 1":                 {"hybrid", func(p *rag.Pipeline) { p.Diversity = 1 }, "diversity", false},
		"rewriting of no name":        {"hybrid", func(p *rag.Pipeline) { p.Rewrite = "poem" }, "rewrite", false},
		"rewriting of scores":         {"weighted", func(p *rag.Pipeline) { p.Rewrite = rag.RewriteMultiQuery }, "rewrite", true},
		"order of no name":            {"hybrid", func(p *rag.Pipeline) { p.ContextOrder = "best" }, "context-order", false},
		"rank 0":                      {"hybrid", func(p *rag.Pipeline) { p.MaxRanks = map[rag.Stage]int{rag.StageBM25: 0} }, "max-rank", false},
		"rank of no stage":            {"vector", func(p *rag.Pipeline) { p.MaxRanks = map[rag.Stage]int{rag.StageBM25: 3} }, "max-rank", true},
	} {
		p := parsed(t, c.strategy)
		c.change(&p)
		err := p.Validate()
		if c.setting == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		code, takes := "pipeline_invalid", true
		if c.unfit {
			code, takes = "setting_unfit", false
		}
		if said := fault.Of(err).Params["takes"]; !fault.Is(err, code) || fault.Of(err).Params["setting"] != c.setting || (said != "") != takes {
			t.Errorf("%s: %v, want %s of %s", name, err, code, c.setting)
		}
	}
}

func TestFingerprintCoversEverySettingButTheName(t *testing.T) {
	t.Parallel()
	base := rag.Pipeline{Thresholds: map[rag.Stage]float64{}}
	want := base.Fingerprint()
	for i := range reflect.TypeFor[rag.Pipeline]().NumField() {
		p := rag.Pipeline{Thresholds: map[rag.Stage]float64{}}
		field := reflect.ValueOf(&p).Elem().Field(i)
		switch field.Kind() {
		case reflect.Bool:
			field.SetBool(true)
		case reflect.Int:
			field.SetInt(7)
		case reflect.Float64:
			field.SetFloat(0.25)
		case reflect.String:
			field.SetString("x")
		case reflect.Map:
			p.Thresholds, p.MaxRanks = map[rag.Stage]float64{rag.StageVector: 0.5}, map[rag.Stage]int{rag.StageBM25: 3}
			if field.Type().Elem().Kind() == reflect.Float64 {
				p.MaxRanks = nil
			}
		case reflect.Struct:
			p.Filter.Tags = []string{"x"}
		default:
			t.Fatalf("field %s has a kind this test does not know", reflect.TypeFor[rag.Pipeline]().Field(i).Name)
		}
		name := reflect.TypeFor[rag.Pipeline]().Field(i).Name
		if same := p.Fingerprint() == want; same != (name == "Strategy") {
			t.Errorf("changing %s: fingerprint the same: %t", name, same)
		}
	}
	if base.Fingerprint("model") == want || base.Fingerprint("a", "b") == base.Fingerprint("ab") {
		t.Error("parts do not count")
	}
}

func TestOrderIsScoreThenID(t *testing.T) {
	t.Parallel()
	got := []rag.Scored{{"b", 1}, {"c", 2}, {"a", 1}, {"d", -1}, {"e", 2}}
	rag.SortScored(got)
	want := []rag.Scored{{"c", 2}, {"e", 2}, {"a", 1}, {"b", 1}, {"d", -1}}
	if !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
}

func TestSaturateBM25(t *testing.T) {
	t.Parallel()
	for b, want := range map[float64]float64{0: 0, 5: 0.5, 20: 0.8, 45: 0.9} {
		if got := rag.SaturateBM25(b); math.Abs(got-want) > 1e-12 {
			t.Errorf("SaturateBM25(%g) = %g, want %g", b, got, want)
		}
	}
}

func TestCheckUnit(t *testing.T) {
	t.Parallel()
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for want, v := range map[string][]float32{
		"":             {0.6, 0.8},
		"dim=1 want=2": {1},
		"v[1]=NaN":     {1, nan},
		"v[0]=+Inf":    {inf, 0},
		"norm=0":       {0, 0},
		"norm=2":       {0, -2},
	} {
		got := ""
		if err := rag.CheckUnit(v, 2); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("CheckUnit(%v) = %q, want %q", v, got, want)
		}
	}
}
