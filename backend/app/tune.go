package app

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"ragdesk/backend/api"
	"ragdesk/backend/dataset"
	"ragdesk/backend/evaluate"
	"ragdesk/backend/fault"
	"ragdesk/backend/job"
	"ragdesk/backend/measure"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
)

// tunedResult is the result of a tune job.
type tunedResult struct{ report api.TuneReport }

// tunePlan is what a tune request asks for.
type tunePlan struct {
	evaluation
	save, unconfirmed bool
}

// StartTune chooses how a library fuses and reranks.
func (s *Service) StartTune(ctx context.Context, r api.TuneRequest) (api.Job, error) {
	plan, err := s.tunePlan(ctx, r)
	if err != nil {
		return api.Job{}, err
	}
	snap := s.board.Start("tune", func(ctx context.Context, progress *job.Reporter) (any, error) {
		report, err := s.tune(ctx, plan, progress)
		if err != nil {
			return nil, err
		}
		return tunedResult{report}, nil
	})
	return jobSnapshot("", snap), nil
}

// tunePlan reads a request; what is wrong with it shows before any work.
func (s *Service) tunePlan(ctx context.Context, r api.TuneRequest) (tunePlan, error) {
	for argument, value := range map[string]string{"--kb": r.KB, "--dataset": r.Dataset} {
		if value == "" {
			return tunePlan{}, fault.New("argument_missing", fault.P("argument", argument))
		}
	}
	if r.Unconfirmed && !r.Save {
		return tunePlan{}, fault.New("argument_missing", fault.P("argument", "--save"))
	}
	primary := cmp.Or(r.Primary, "nDCG@10")
	p := tunePlan{save: r.Save, unconfirmed: r.Unconfirmed, evaluation: evaluation{
		library: evaluate.Ref{Value: r.KB}, dataset: evaluate.Ref{Value: r.Dataset, IsPath: IsPath(r.Dataset)},
		metrics: []string{primary}, primary: primary, seed: r.Seed,
	}}
	var err error
	if p.entries, p.baseline, err = s.tuneEntries(ctx, r); err != nil {
		return tunePlan{}, err
	}
	if r.Gain != "" {
		if p.gain, err = measure.ParseGain(r.Gain); err != nil {
			return tunePlan{}, err
		}
	}
	if p.relevance, err = dataset.ParseRelevance(r.Relevance, r.Unit); err != nil {
		return tunePlan{}, err
	}
	return p, evaluate.CheckTuning(p.primary)
}

// tunedStrategies are tried when none are named.
var tunedStrategies = []string{"hybrid", "union", "weighted", "hybrid+rerank", "union+rerank", "weighted+rerank"}

// tuneEntries are the candidates, each once, and the name of the baseline, which is
// among them.
func (s *Service) tuneEntries(ctx context.Context, r api.TuneRequest) ([]evaluate.Entry, string, error) {
	find := s.resolver(ctx, r.KB)
	alphas := r.Alphas
	if len(alphas) == 0 {
		for i := range 11 {
			alphas = append(alphas, float64(i)/10)
		}
	}
	for _, a := range alphas {
		if !(a >= 0 && a <= 1) {
			return nil, "", rag.OutOfRange("alphas", a, "0 – 1")
		}
	}
	strategies := r.Strategies
	if len(strategies) == 0 {
		strategies = tunedStrategies
	}
	l := entryList{}
	for _, name := range strategies {
		p, err := tunePipeline(find, name, r)
		if err != nil {
			return nil, "", err
		}
		if p.Fusion != rag.FusionWeighted {
			l.add(p)
			continue
		}
		for _, p.Alpha = range alphas {
			l.add(p)
		}
	}
	baseline, err := tunePipeline(find, cmp.Or(r.Baseline, rag.StrategyAuto), r)
	if err != nil {
		return nil, "", err
	}
	return l.entries, l.add(baseline), nil
}

// tunePipeline reads a strategy with the settings that all candidates share.
func tunePipeline(find resolver, name string, r api.TuneRequest) (rag.Pipeline, error) {
	p, err := namedPipeline(find, strings.TrimSpace(name), api.Retrieval{Candidates: r.Candidates})
	if err != nil || p.Reranker == rag.RerankNone {
		return p, err
	}
	settings := api.Retrieval{Candidates: r.Candidates, RerankDepth: r.RerankDepth}
	if r.Reranker != "" {
		settings.Reranker = &r.Reranker
	}
	return namedPipeline(find, strings.TrimSpace(name), settings)
}

// entryList holds pipelines under names of their own.
type entryList struct{ entries []evaluate.Entry }

// add returns the name of p, which is put down unless it is there.
func (l *entryList) add(p rag.Pipeline) string {
	if p.Fusion != rag.FusionWeighted {
		p.Alpha = rag.DefaultAlpha // it changes nothing
	}
	for _, e := range l.entries {
		if e.Pipeline.Fingerprint() == p.Fingerprint() {
			return e.Name
		}
	}
	name := strategyOf(p)
	if p.Fusion == rag.FusionWeighted {
		name += fmt.Sprintf(" alpha=%g", math.Round(p.Alpha*1e6)/1e6)
	}
	if slices.ContainsFunc(l.entries, func(e evaluate.Entry) bool { return e.Name == name }) {
		name = p.Strategy + " " + p.Fingerprint() // a preset's own counts
	}
	p.Strategy = strategyOf(p)
	l.entries = append(l.entries, evaluate.Entry{Name: name, Pipeline: p})
	return name
}

// tune runs a plan and keeps its choice where that was asked for.
func (s *Service) tune(ctx context.Context, plan tunePlan, progress rag.Progress) (api.TuneReport, error) {
	ds, found, err := s.readDataset(ctx, plan.dataset.Value)
	if err != nil {
		return api.TuneReport{}, err
	}
	lib, err := s.library(ctx, plan.library.Value)
	if err != nil {
		return api.TuneReport{}, err
	}
	b, err := s.bind(ctx, plan.dataset.Value, ds, found, lib)
	if err != nil {
		return api.TuneReport{}, err
	}
	if err := s.rememberBindings(ctx, b, lib); err != nil {
		return api.TuneReport{}, err
	}
	setup, err := s.setup(ctx, plan.evaluation, b, lib)
	if err != nil {
		return api.TuneReport{}, err
	}
	halves, err := divide(b.Dataset, plan.seed)
	if err != nil {
		return api.TuneReport{}, err
	}
	t, err := evaluate.Tune(ctx, setup, searcher{s, lib.Name}, halves, func(ctx context.Context, held evaluate.Setup) (runs.Experiment, error) {
		return s.runSetup(ctx, held, progress)
	}, progress)
	if err != nil {
		return api.TuneReport{}, err
	}
	report := api.TuneReport{Tuning: t, KB: lib.Name}
	if report.Saved, err = s.keepTuned(ctx, plan, lib, t); err != nil {
		return api.TuneReport{}, err
	}
	report.Tuned, err = s.libraryTuned(ctx, lib)
	return report, err
}

// divide puts half of the questions of each type on either side, variants of one
// question on the same.
func divide(ds dataset.Dataset, seed uint64) (evaluate.Halves, error) {
	parts, err := ds.Split([]dataset.Part{{Name: "dev", Share: 1}, {Name: "held-out", Share: 1}}, dataset.SplitOptions{Seed: seed})
	if err != nil {
		return evaluate.Halves{}, err
	}
	dev := map[string]bool{}
	for _, q := range parts[0].Questions {
		dev[q.ID] = true
	}
	var h evaluate.Halves
	for i, q := range ds.Questions {
		if dev[q.ID] {
			h.Dev = append(h.Dev, i)
		} else {
			h.HeldOut = append(h.HeldOut, i)
		}
	}
	return h, nil
}

// keepTuned keeps the winner as the library's own choice when the plan says so and
// the held-out half does not speak against it.
func (s *Service) keepTuned(ctx context.Context, plan tunePlan, lib rag.Library, t runs.Tuning) (bool, error) {
	verdict := runs.Inconclusive
	switch {
	case t.Winner == t.Baseline:
		verdict = ""
	case t.Verdict != nil:
		verdict = *t.Verdict
	}
	if !plan.save || verdict == runs.Worse || verdict == runs.Inconclusive && !plan.unconfirmed {
		return false, nil
	}
	choice := rag.Tuned{
		Pipeline: t.WinnerPipeline(), Library: lib.Fingerprint(), Dataset: t.Dataset.Name, Hash: t.Dataset.Hash,
		Primary: t.Primary, Seed: t.Seed, Baseline: t.Baseline, Verdict: verdict,
	}
	if c := t.Confirmed; c != nil {
		choice.N, choice.Diff, choice.PAdj = c.N, c.Diff, c.PAdj
	}
	w, err := s.store.Lock(ctx, "tune "+lib.Name, s.cfg.LockWait)
	if err != nil {
		return false, err
	}
	defer unlock(w)
	return true, w.SetTuned(ctx, lib, choice)
}

// SearchAll implements evaluate.AllSearcher.
func (s searcher) SearchAll(ctx context.Context, pipelines []rag.Pipeline, query string) ([]evaluate.Result, error) {
	found, err := s.service.findAll(ctx, s.kb, pipelines, query)
	if err != nil {
		return nil, err
	}
	out := make([]evaluate.Result, len(found))
	for i, f := range found {
		out[i] = evaluate.Result{Hits: f.Hits, Dropped: f.Dropped, Took: f.Took, Fingerprint: f.fingerprint}
	}
	return out, nil
}
