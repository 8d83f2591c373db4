package evaluate

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"ragdesk/backend/fault"
	"ragdesk/backend/measure"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
)

// StageTune names the part of Tune that Progress counts: one unit a question of
// the dev half.
const StageTune = "tune"

// AllSearcher runs several pipelines on one query at little more than the cost of
// one. It is safe for concurrent use.
type AllSearcher interface {
	SearchAll(ctx context.Context, pipelines []rag.Pipeline, query string) ([]Result, error)
}

// Halves are the questions of a Setup, by index, that choose and those that
// confirm.
type Halves struct{ Dev, HeldOut []int }

// Tune chooses among the entries of s by the mean of the primary metric on the dev
// half, and holds the best of each kind — a fusion, with reranking or without —
// against the baseline on the held-out half. What chose never confirms. confirm
// runs that evaluation as Run does.
//
// A question that fails under one candidate is left out for all. The faults are
// those of Run, that of CheckTuning, and "tune_too_few" {dev, held_out} when a half
// has no question with gold that the metric counts.
func Tune(ctx context.Context, s Setup, all AllSearcher, h Halves,
	confirm func(context.Context, Setup) (runs.Experiment, error), progress rag.Progress,
) (runs.Tuning, error) {
	p, err := s.check()
	if err != nil {
		return runs.Tuning{}, err
	}
	if err := CheckTuning(p.metrics[p.primary].name); err != nil {
		return runs.Tuning{}, err
	}
	if dev, held := p.measured(h.Dev), p.measured(h.HeldOut); dev == 0 || held == 0 {
		return runs.Tuning{}, fault.New("tune_too_few", fault.P("dev", dev), fault.P("held_out", held))
	}
	d := &devHalf{plan: p, questions: h.Dev, values: make([][]float64, len(h.Dev))}
	if err := d.search(ctx, all, progress); err != nil {
		return runs.Tuning{}, err
	}
	out, err := d.choose(h)
	if err != nil {
		return runs.Tuning{}, err
	}
	if out.HeldOut, err = confirm(ctx, p.heldOut(h.HeldOut, out.Candidates)); err != nil {
		return runs.Tuning{}, err
	}
	for i, c := range out.HeldOut.Comparisons {
		if !c.Exploratory && c.B == out.Winner {
			out.Confirmed, out.Verdict = &out.HeldOut.Comparisons[i], &out.HeldOut.Comparisons[i].Verdict
		}
	}
	out.Advice = p.tuneAdvice(h, out)
	return out, nil
}

// measured counts the questions that have gold which fits.
func (p plan) measured(questions []int) int {
	n := 0
	for _, q := range questions {
		if p.Questions[q].Answerable && !p.Questions[q].Stale {
			n++
		}
	}
	return n
}

// devHalf is the half of the questions that chooses.
type devHalf struct {
	plan
	questions []int
	// values are by question of the half and entry; nil for a question that is not
	// measured or failed.
	values [][]float64

	mu      sync.Mutex
	prints  []string
	errored int
	first   error
}

// search measures every candidate on every question.
func (d *devHalf) search(ctx context.Context, all AllSearcher, progress rag.Progress) error {
	d.prints = make([]string, len(d.Entries))
	pipelines := make([]rag.Pipeline, len(d.Entries))
	for i, e := range d.Entries {
		pipelines[i] = e.Pipeline
		pipelines[i].TopK = max(e.Pipeline.TopK, d.depth)
	}
	progress.Stage(StageTune, len(d.questions))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(d.Workers)
	for at, q := range d.questions {
		if gctx.Err() != nil {
			break
		}
		g.Go(func() error {
			defer progress.Add(1)
			if !d.Questions[q].Answerable || d.Questions[q].Stale {
				return nil
			}
			results, err := all.SearchAll(gctx, pipelines, d.Questions[q].Text)
			if err != nil {
				return d.failed(gctx, err)
			}
			return d.measure(at, results)
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

// failed notes a question that could not be searched.
func (d *devHalf) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.errored++
	if d.first == nil {
		d.first = err
	}
	return nil
}

// measure judges the results of one question.
func (d *devHalf) measure(at int, results []Result) error {
	values := make([]float64, len(results))
	for i, res := range results {
		ids := make([]rag.ChunkID, min(len(res.Hits), d.depth))
		for k := range ids {
			ids[k] = res.Hits[k].Chunk.ID
		}
		ranking, err := d.Judge.Ranking(d.questions[at], ids)
		if err != nil {
			return fmt.Errorf("judge question %q: %w", d.Questions[d.questions[at]].ID, err)
		}
		// A question with gold counts, whatever the library holds of it.
		ranking.HasGold = true
		profile, err := measure.Judge(ranking)
		if err != nil {
			return fmt.Errorf("judge question %q: %w", d.Questions[d.questions[at]].ID, err)
		}
		v := profile.Value(d.metrics[d.primary].measure, measure.DialectEval)
		if !v.OK() {
			return nil
		}
		values[i] = v.Score
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, res := range results {
		if d.prints[i] == "" {
			d.prints[i] = res.Fingerprint
		}
		if res.Fingerprint != d.prints[i] {
			return fault.New("library_changed", fault.P("kb", d.Library.KB), fault.P("name", d.Entries[i].Name))
		}
	}
	d.values[at] = values
	return nil
}

// sameMean is how far apart equal means may lie for having been rounded.
const sameMean = 1e-12

// choose picks the winner and the candidates to confirm. The sums run over the
// questions in order, so that equal searches choose alike.
func (d *devHalf) choose(h Halves) (runs.Tuning, error) {
	out := runs.Tuning{
		Dataset: d.Dataset, Primary: d.metrics[d.primary].name, Baseline: d.Entries[d.baseline].Name, Seed: d.Seed,
		Dev: runs.Dev{Questions: len(d.questions), Errored: d.errored}, Candidates: make([]runs.Candidate, len(d.Entries)),
	}
	for i, e := range d.Entries {
		out.Candidates[i] = runs.Candidate{Name: e.Name, Pipeline: e.Pipeline}
	}
	for _, values := range d.values {
		if values == nil {
			continue
		}
		out.Dev.N++
		for i, v := range values {
			out.Candidates[i].Value += v
		}
	}
	switch {
	case out.Dev.N == 0 && d.first == nil: // rel=2 where no grade is so high
		return runs.Tuning{}, fault.New("tune_too_few", fault.P("dev", 0), fault.P("held_out", d.measured(h.HeldOut)))
	case out.Dev.N == 0:
		return runs.Tuning{}, fmt.Errorf("search %d questions: %w", len(d.questions), d.first)
	}
	for i := range out.Candidates {
		out.Candidates[i].Value /= float64(out.Dev.N)
	}
	winner := d.baseline
	best := map[kind]int{}
	for i, c := range out.Candidates {
		if c.Value > out.Candidates[winner].Value+sameMean {
			winner = i
		}
		k := kindOf(c.Pipeline)
		if b, known := best[k]; !known || c.Value > out.Candidates[b].Value+sameMean {
			best[k] = i
		}
	}
	for _, i := range best {
		out.Candidates[i].HeldOut = true
	}
	out.Candidates[d.baseline].HeldOut, out.Candidates[winner].HeldOut = true, true
	out.Winner = out.Candidates[winner].Name
	return out, nil
}

// kind is what of a pipeline is more than a number.
type kind struct {
	vector, bm25 bool
	fusion       rag.Fusion
	reranker     string
}

func kindOf(p rag.Pipeline) kind { return kind{p.Vector, p.BM25, p.Fusion, p.Reranker} }

// heldOut is the evaluation that confirms: the baseline first, then the others.
func (p plan) heldOut(questions []int, candidates []runs.Candidate) Setup {
	s := p.Setup
	s.Questions = make([]Question, len(questions))
	for i, q := range questions {
		s.Questions[i] = p.Questions[q]
	}
	s.Judge = someQuestions{p.Judge, questions}
	s.Entries = []Entry{p.Entries[p.baseline]}
	for i, c := range candidates {
		if c.HeldOut && i != p.baseline {
			s.Entries = append(s.Entries, p.Entries[i])
		}
	}
	s.Baseline = s.Entries[0].Name
	s.Dataset.Name += "-held-out"
	s.Purpose = runs.PurposeTune
	s.Dataset.Questions = len(questions)
	return s
}

// someQuestions is a Judge of some of another's questions.
type someQuestions struct {
	all   Judge
	index []int
}

// Ranking implements Judge.
func (s someQuestions) Ranking(question int, ids []rag.ChunkID) (measure.Ranking, error) {
	return s.all.Ranking(s.index[question], ids)
}

// Gold implements Judge.
func (s someQuestions) Gold(question int) (Gold, error) { return s.all.Gold(s.index[question]) }

// tuneAdvice says what the reader should know: too few questions, searches that
// failed, and what the held-out half gives rise to of either.
func (p plan) tuneAdvice(h Halves, t runs.Tuning) []runs.Advice {
	out := []runs.Advice{}
	if n := p.measured(h.Dev) + p.measured(h.HeldOut); n < FewQuestions {
		out = append(out, warning(runs.TuneQuestionsFew, fault.P("n", n), fault.P("few", FewQuestions)))
	}
	if t.Dev.Errored > 0 {
		out = append(out, warning(runs.TuneErrored, fault.P("n", t.Dev.Errored), fault.P("of", t.Dev.Questions)))
	}
	for _, a := range t.HeldOut.Advice {
		switch a.Code {
		case runs.QueriesErrored, runs.GoldNotIndexed, runs.GoldSplit, runs.GoldStale:
			out = append(out, a)
		case runs.PowerLow:
			if a.Params["b"] == t.Winner {
				out = append(out, a)
			}
		}
	}
	return out
}
