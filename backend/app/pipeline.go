package app

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
)

// defaultStrategy is what search and ask use unless told otherwise.
const defaultStrategy = rag.StrategyDefault

// pipeline is namedPipeline of a strategy that may be left out.
func pipeline(find resolver, strategy string, r api.Retrieval) (rag.Pipeline, error) {
	return namedPipeline(find, cmp.Or(strings.TrimSpace(strategy), defaultStrategy), r)
}

// namedPipeline reads a strategy, the file behind "@" or the pipeline of a run, and
// applies the settings of r over it.
func namedPipeline(find resolver, strategy string, r api.Retrieval) (rag.Pipeline, error) {
	var p rag.Pipeline
	var err error
	if path, isFile := strings.CutPrefix(strategy, "@"); isFile {
		p, err = pipelineFile(find, path)
	} else if ref, isRun := strings.CutPrefix(strategy, ofRun); isRun {
		var run runs.Run
		run, err = find.run(ref)
		p, strategy = run.Pipeline, ofRun+run.ID
	} else {
		strategy = strings.ToLower(strategy)
		p, err = find.strategy(strategy)
	}
	if err != nil {
		return rag.Pipeline{}, err
	}
	p.Strategy = strategy
	if err := override(find, &p, r); err != nil {
		return rag.Pipeline{}, err
	}
	if p.Reranker == rag.RerankDefault {
		if p.Reranker, err = find.reranker(rag.RerankDefault); err != nil {
			return rag.Pipeline{}, err
		}
	}
	return p, p.Validate()
}

// sidePipelines reads strategies to be run side by side. A setting that belongs
// to one stage, such as a threshold, or to one fusion, as alpha does, applies where
// that runs; it is refused only when no strategy has it. The code of a name given twice is
// "strategy_twice".
func sidePipelines(find resolver, names []string, r api.Retrieval) ([]rag.Pipeline, error) {
	out := make([]rag.Pipeline, len(names))
	used := map[rag.Stage]bool{}
	seen := map[string]bool{}
	weighs := false
	for i, name := range names {
		plain, err := namedPipeline(find, strings.TrimSpace(name), api.Retrieval{})
		if err != nil {
			return nil, err
		}
		if seen[plain.Strategy] {
			return nil, fault.New("strategy_twice", fault.P("strategy", name))
		}
		seen[plain.Strategy] = true
		own := ofStages(r, plain.Stages())
		for _, stage := range plain.Stages() {
			used[stage] = true
		}
		if plain.Fusion == rag.FusionNone {
			own.Fusion = nil
		}
		if own.Options != nil && !usesAlpha(plain, own.Fusion) {
			own.Options.Alpha = nil
		}
		weighs = weighs || usesAlpha(plain, own.Fusion)
		if out[i], err = namedPipeline(find, plain.Strategy, own); err != nil {
			return nil, err
		}
	}
	if r.Options != nil && r.Options.Alpha != nil && !weighs {
		return nil, rag.Unfit("alpha", *r.Options.Alpha)
	}
	return out, unusedStage(r, used)
}

// usesAlpha reports whether p, given a fusion or its own, has a weight; auto may
// stand for one that has.
func usesAlpha(p rag.Pipeline, named *string) bool {
	if named != nil {
		f, err := fusion(*named)
		return err == nil && (f == rag.FusionWeighted || f == rag.FusionAuto)
	}
	return p.Fusion == rag.FusionWeighted || p.Strategy == rag.StrategyAuto
}

// ofStages keeps of r what belongs to the given stages.
func ofStages(r api.Retrieval, stages []rag.Stage) api.Retrieval {
	has := func(name string) bool { return slices.Contains(stages, rag.Stage(name)) }
	r.Thresholds = maps.Clone(r.Thresholds)
	maps.DeleteFunc(r.Thresholds, func(stage string, _ float64) bool { return !has(stage) })
	if r.Options != nil {
		own := *r.Options
		own.MaxRanks = maps.Clone(own.MaxRanks)
		maps.DeleteFunc(own.MaxRanks, func(stage string, _ int) bool { return !has(stage) })
		if !has(string(rag.StageBM25)) {
			own.HeadingBoost = nil
		}
		r.Options = &own
	}
	return r
}

// unusedStage is the fault for a limit of a stage that no strategy has.
func unusedStage(r api.Retrieval, used map[rag.Stage]bool) error {
	for _, stage := range slices.Sorted(maps.Keys(r.Thresholds)) {
		if !used[rag.Stage(stage)] {
			return rag.Unfit("threshold", stage)
		}
	}
	if r.Options == nil {
		return nil
	}
	for _, stage := range slices.Sorted(maps.Keys(r.Options.MaxRanks)) {
		if !used[rag.Stage(stage)] {
			return rag.Unfit("max-rank", stage)
		}
	}
	return nil
}

// override sets what r gives. Legs fetch at least top-k candidates unless their
// number was given or belongs to the preset.
func override(find resolver, p *rag.Pipeline, r api.Retrieval) error {
	preset := p.Candidates
	set(&p.TopK, r.TopK)
	set(&p.Candidates, r.Candidates)
	set(&p.RerankDepth, r.RerankDepth)
	if r.TopK != nil && r.Candidates == nil && preset == rag.DefaultCandidates {
		p.Candidates = max(preset, p.TopK)
	}
	if r.Fusion != nil {
		if err := find.fuse(p, *r.Fusion); err != nil {
			return err
		}
	}
	if r.Reranker != nil {
		name, err := find.reranker(*r.Reranker)
		if err != nil {
			return err
		}
		p.Reranker = name
	}
	if r.Options != nil {
		if r.Options.Alpha != nil && !usesAlpha(*p, r.Fusion) {
			return rag.Unfit("alpha", *r.Options.Alpha)
		}
		options(p, *r.Options)
	}
	for stage, v := range r.Thresholds {
		if p.Thresholds == nil {
			p.Thresholds = map[rag.Stage]float64{}
		}
		p.Thresholds[rag.Stage(stage)] = v
	}
	return nil
}

// options sets what o gives.
func options(p *rag.Pipeline, o api.RetrievalOptions) {
	set(&p.Alpha, o.Alpha)
	set(&p.HeadingBoost, o.HeadingBoost)
	set(&p.FoldDuplicates, o.FoldDuplicates)
	set(&p.Diversity, o.Diversity)
	set(&p.Neighbours, o.Neighbours)
	if o.Rewrite != nil {
		p.Rewrite = rag.Rewrite(*o.Rewrite)
		if *o.Rewrite == "none" {
			p.Rewrite = ""
		}
	}
	set(&p.RewriteModel, o.RewriteModel)
	if o.ContextOrder != nil {
		p.ContextOrder = rag.ContextOrder(*o.ContextOrder)
		if p.ContextOrder == rag.OrderRelevance { // the default has one fingerprint
			p.ContextOrder = ""
		}
	}
	if f := rag.Filter(o.Filter); !f.IsZero() {
		p.Filter = f
	}
	for stage, n := range o.MaxRanks {
		if p.MaxRanks == nil {
			p.MaxRanks = map[rag.Stage]int{}
		}
		p.MaxRanks[rag.Stage(stage)] = n
	}
}

func set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}

func fusion(name string) (rag.Fusion, error) {
	switch f := rag.Fusion(strings.ToLower(name)); f {
	case rag.FusionUnion, rag.FusionRRF, rag.FusionWeighted, rag.FusionAuto:
		return f, nil
	}
	return "", fault.New("fusion_unknown", fault.P("fusion", name), fault.P("known", "union, rrf, weighted, auto"))
}

// pipelineYAML is a pipeline in a file: a strategy and what differs from it.
type pipelineYAML struct {
	Strategy    string             `yaml:"strategy"`
	Fusion      *string            `yaml:"fusion"`
	Alpha       *float64           `yaml:"alpha"`
	RRFK        *int               `yaml:"rrf_k"`
	Candidates  *int               `yaml:"candidates"`
	Reranker    *string            `yaml:"reranker"`
	RerankDepth *int               `yaml:"rerank_depth"`
	TopK        *int               `yaml:"top_k"`
	Thresholds  map[string]float64 `yaml:"thresholds"`

	MaxRanks       map[string]int `yaml:"max_ranks"`
	Filter         rag.Filter     `yaml:"filter"`
	HeadingBoost   *float64       `yaml:"heading_boost"`
	FoldDuplicates *float64       `yaml:"fold_duplicates"`
	Diversity      *float64       `yaml:"diversity"`
	Neighbours     *int           `yaml:"neighbours"`
	ContextOrder   *string        `yaml:"context_order"`
	Rewrite        *string        `yaml:"rewrite"`
	RewriteModel   *string        `yaml:"rewrite_model"`
}

func pipelineFile(find resolver, path string) (rag.Pipeline, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return rag.Pipeline{}, fault.Wrap(err, "not_found", fault.P("path", path))
	}
	if err != nil {
		return rag.Pipeline{}, fault.Wrap(err, "unreadable", fault.P("path", path))
	}
	var y pipelineYAML
	dec := yaml.NewDecoder(bytes.NewReader(raw))
	dec.KnownFields(true)
	if err := dec.Decode(&y); err != nil {
		return rag.Pipeline{}, fault.Wrap(err, "pipeline_file", fault.P("path", path), fault.P("detail", err))
	}
	if y.Strategy == "" {
		y.Strategy = defaultStrategy
	}
	p, err := find.strategy(y.Strategy)
	if err != nil {
		return rag.Pipeline{}, err
	}
	set(&p.RRFK, y.RRFK)
	return p, override(find, &p, api.Retrieval{TopK: y.TopK, Candidates: y.Candidates, Fusion: y.Fusion,
		Reranker: y.Reranker, RerankDepth: y.RerankDepth, Thresholds: y.Thresholds,
		Options: &api.RetrievalOptions{Alpha: y.Alpha, MaxRanks: y.MaxRanks, Filter: api.Filter(y.Filter), HeadingBoost: y.HeadingBoost,
			FoldDuplicates: y.FoldDuplicates, Diversity: y.Diversity, Neighbours: y.Neighbours, ContextOrder: y.ContextOrder,
			Rewrite: y.Rewrite, RewriteModel: y.RewriteModel}})
}
