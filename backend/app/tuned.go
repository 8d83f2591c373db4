package app

import (
	"context"
	"sync"

	"ragdesk/backend/api"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
)

// States of what "auto" stands for.
const (
	autoTuned   = "tuned"
	autoUntuned = "untuned"
	autoStale   = "stale"
)

// resolver gives names that depend on the machine and the library their meaning.
type resolver struct {
	// reranker turns a reranker as it was asked for into the name of the one meant.
	reranker func(asked string) (string, error)
	// tuned is what was tuned for the library.
	tuned func() (tuned, error)
	// run is a stored run by its id, a unique beginning of it, or its folder.
	run func(ref string) (runs.Run, error)
}

// tuned is a library's own choice; nil without one that holds.
type tuned struct {
	*rag.Tuned
	state string
}

// resolver resolves names for one library, which is looked at only when a name
// asks for it. An empty kb has nothing tuned.
func (s *Service) resolver(ctx context.Context, kb string) resolver {
	return resolver{reranker: s.rerankerName, run: s.runs().Run, tuned: sync.OnceValues(func() (tuned, error) {
		if kb == "" {
			return tuned{state: autoUntuned}, nil
		}
		lib, err := s.library(ctx, kb)
		if err != nil {
			return tuned{}, err
		}
		return s.tunedOf(ctx, lib)
	})}
}

func (s *Service) tunedOf(ctx context.Context, lib rag.Library) (tuned, error) {
	t, err := s.store.Tuned(ctx, lib)
	switch {
	case err != nil:
		return tuned{}, err
	case t == nil:
		return tuned{state: autoUntuned}, nil
	case t.Library != lib.Fingerprint():
		return tuned{state: autoStale}, nil
	}
	return tuned{t, autoTuned}, nil
}

// strategy reads a strategy's name.
func (f resolver) strategy(name string) (rag.Pipeline, error) {
	p, err := rag.ParseStrategy(name)
	if err != nil || p.Strategy != rag.StrategyAuto {
		return p, err
	}
	t, err := f.tuned()
	if err != nil {
		return rag.Pipeline{}, err
	}
	if t.Tuned != nil {
		p = t.Pipeline
		p.Strategy = rag.StrategyAuto
	}
	return p, nil
}

// fuse gives p a fusion by its name.
func (f resolver) fuse(p *rag.Pipeline, name string) error {
	fusion, err := fusion(name)
	if err != nil {
		return err
	}
	p.Fusion = fusion
	if fusion != rag.FusionAuto {
		return nil
	}
	p.Fusion = rag.FusionRRF
	t, err := f.tuned()
	if err != nil || t.Tuned == nil {
		return err
	}
	p.Fusion, p.Alpha = t.Pipeline.Fusion, t.Pipeline.Alpha
	return nil
}

// auto tells what "auto" stood for in p; nil unless the strategy or the settings
// asked for it.
func (f resolver) auto(p rag.Pipeline, r api.Retrieval) (*api.AutoChoice, error) {
	fused := false
	if r.Fusion != nil {
		named, err := fusion(*r.Fusion)
		fused = err == nil && named == rag.FusionAuto
	}
	if p.Strategy != rag.StrategyAuto && !fused {
		return nil, nil
	}
	t, err := f.tuned()
	if err != nil {
		return nil, err
	}
	c := choice(p)
	c.State = t.state
	return &c, nil
}

// choice names how p fuses and reranks.
func choice(p rag.Pipeline) api.AutoChoice {
	c := api.AutoChoice{Strategy: strategyOf(p), Reranker: p.Reranker}
	if p.Fusion != rag.FusionNone {
		name := string(p.Fusion)
		c.Fusion = &name
	}
	if p.Fusion == rag.FusionWeighted {
		c.Alpha = &p.Alpha
	}
	return c
}

// strategyOf is the name of a strategy with the legs, the fusion and the reranking
// of p.
func strategyOf(p rag.Pipeline) string {
	name := string(p.Fusion)
	switch {
	case p.Fusion == rag.FusionRRF:
		name = "hybrid"
	case p.Fusion == rag.FusionNone && p.Vector:
		name = "vector"
	case p.Fusion == rag.FusionNone:
		name = "bm25"
	}
	if p.Reranker != rag.RerankNone {
		name += "+rerank"
	}
	return name
}

// tunedView converts a library's choice.
func tunedView(t rag.Tuned, lib rag.Library) *api.Tuned {
	c := choice(t.Pipeline)
	return &api.Tuned{
		Strategy: c.Strategy, Fusion: c.Fusion, Alpha: c.Alpha, Reranker: c.Reranker,
		Candidates: t.Pipeline.Candidates, RerankDepth: t.Pipeline.RerankDepth,
		Dataset: t.Dataset, Primary: t.Primary, Baseline: t.Baseline, N: t.N, Diff: t.Diff, PAdj: t.PAdj,
		Verdict: t.Verdict, Stale: t.Library != lib.Fingerprint(),
	}
}

// libraryTuned is what is kept for a library, nil for nothing.
func (s *Service) libraryTuned(ctx context.Context, lib rag.Library) (*api.Tuned, error) {
	t, err := s.store.Tuned(ctx, lib)
	if err != nil || t == nil {
		return nil, err
	}
	return tunedView(*t, lib), nil
}

// ForgetTuning makes "auto" the default again.
func (s *Service) ForgetTuning(ctx context.Context, r api.ForgetTuningRequest) (api.ForgottenTuning, error) {
	lib, err := s.library(ctx, r.KB)
	if err != nil {
		return api.ForgottenTuning{}, err
	}
	out := api.ForgottenTuning{KB: lib.Name}
	if out.Forgotten, err = s.libraryTuned(ctx, lib); err != nil || out.Forgotten == nil {
		return out, err
	}
	w, err := s.store.Lock(ctx, "tune "+lib.Name, s.cfg.LockWait)
	if err != nil {
		return api.ForgottenTuning{}, err
	}
	defer unlock(w)
	return out, w.ForgetTuned(ctx, lib)
}
