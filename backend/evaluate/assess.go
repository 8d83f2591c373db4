package evaluate

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"runtime"

	"golang.org/x/sync/errgroup"

	"ragdesk/backend/measure"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
	"ragdesk/backend/stats"
)

// options are what assess needs beside the runs.
type options struct {
	metrics           []metric
	primary, baseline int
	depth             int
	seed              uint64
	resamples         int
	own               *rag.Pipeline
}

func (p plan) options() options {
	return options{
		metrics: p.metrics, primary: p.primary, baseline: p.baseline, depth: p.depth,
		seed: p.Seed, resamples: p.Resamples, own: p.Own,
	}
}

// assessment computes scores, comparisons and advice from runs over the same
// questions.
type assessment struct {
	options
	stored []runs.Stored
	// values are by run, metric and question.
	values [][][]measure.Value
	// profiles are by run and question.
	profiles [][]measure.Profile
	exp      runs.Experiment
}

// assess scores and compares runs. Their records are the same questions in the
// same order; they are completed in place.
func assess(ctx context.Context, stored []runs.Stored, o options) (runs.Experiment, error) {
	a := &assessment{options: o, stored: stored}
	if err := a.judge(); err != nil {
		return runs.Experiment{}, err
	}
	a.exp = runs.Experiment{
		Runs: make([]runs.Result, len(stored)), Comparisons: []runs.Comparison{}, Pairs: []runs.Pair{},
		Metrics: metricNames(o.metrics), Primary: o.metrics[o.primary].name, Baseline: stored[o.baseline].Name,
		Seed: o.seed, Created: stored[len(stored)-1].Created,
	}
	var jobs []func() error
	for i := range stored {
		jobs = append(jobs, a.scoreRun(i)...)
	}
	comparing, finish := a.compare()
	jobs = append(jobs, comparing...)
	if err := inParallel(ctx, jobs); err != nil {
		return runs.Experiment{}, err
	}
	if err := finish(); err != nil {
		return runs.Experiment{}, err
	}
	for i := range stored {
		if i == o.baseline {
			continue
		}
		pair, err := a.pair(o.baseline, i)
		if err != nil {
			return runs.Experiment{}, err
		}
		a.exp.Pairs = append(a.exp.Pairs, pair)
	}
	a.exp.Advice = a.advice()
	return a.exp, nil
}

// inParallel runs independent jobs, each of which writes to a place of its own.
func inParallel(ctx context.Context, jobs []func() error) error {
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.NumCPU())
	for _, job := range jobs {
		if gctx.Err() != nil {
			break
		}
		g.Go(func() error {
			if err := gctx.Err(); err != nil {
				return err
			}
			return job()
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

// judge fills in the profiles, the values and what of them records keep.
func (a *assessment) judge() error {
	a.profiles = make([][]measure.Profile, len(a.stored))
	a.values = make([][][]measure.Value, len(a.stored))
	for i, s := range a.stored {
		a.profiles[i] = make([]measure.Profile, len(s.Records))
		a.values[i] = make([][]measure.Value, len(a.metrics))
		for m := range a.metrics {
			a.values[i][m] = make([]measure.Value, len(s.Records))
		}
		for q := range s.Records {
			r := &s.Records[q]
			p, err := measure.Judge(r.Ranking(a.depth))
			if err != nil {
				return fmt.Errorf("question %q of run %s: %w", r.QueryID, s.Name, err)
			}
			a.profiles[i][q] = p
			r.Metrics = make(map[string]*float64, len(a.metrics))
			for m, metric := range a.metrics {
				v := metric.value(*r, p)
				a.values[i][m][q] = v
				r.Metrics[metric.name] = pointer(v)
			}
			r.First, r.Cause = outcome(*r, p)
		}
	}
	return nil
}

// outcome returns the rank of the first relevant hit and, for a failed question,
// why it failed.
func outcome(r runs.Record, p measure.Profile) (first *int, cause *runs.Cause) {
	if r.Measured() && r.Error == nil {
		rr := p.Value(measure.Measure{Kind: measure.MRR}, measure.DialectEval)
		if !rr.OK() {
			return nil, nil
		}
		if rr.Score > 0 {
			rank := int(math.Round(1 / rr.Score))
			first = &rank
		}
	}
	if why := DiagnoseRecord(r, first); why != "" {
		cause = &why
	}
	return first, cause
}

// seedFor gives every computation its own seed, whatever else is computed.
func (a *assessment) seedFor(parts ...string) stats.Options {
	h := fnv.New64a()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return stats.Options{Resamples: a.resamples, Seed: a.seed ^ h.Sum64()}
}

func pointer(v measure.Value) *float64 {
	if !v.OK() {
		return nil
	}
	return &v.Score
}
