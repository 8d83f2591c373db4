package app

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"time"

	"ragdesk/backend/api"
	"ragdesk/backend/dataset"
	"ragdesk/backend/evaluate"
	"ragdesk/backend/fault"
	"ragdesk/backend/llm"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
)

const (
	// estimateProbes is how many questions are searched, and answered, to measure what
	// one takes.
	estimateProbes = 3
	// keptProbes is how many are looked for among kept replies.
	keptProbes = 20
	// estimateTime bounds what answering and judging are measured for: when it is over, what was
	// measured stands for the strategies that were not.
	estimateTime = 30 * time.Second
)

// EstimateEval says what an evaluation would take, measured by searching a few of
// its questions with every strategy, after one that warms the caches, and by answering
// them where the metrics ask for answers, for half a minute or one answer at least; their
// replies are kept for the evaluation.
func (s *Service) EstimateEval(ctx context.Context, r api.EvalRequest) (api.EvalEstimate, error) {
	plan, err := s.plan(ctx, r)
	if err != nil {
		return api.EvalEstimate{}, err
	}
	ds, found, err := s.readDataset(ctx, plan.dataset.Value)
	if err != nil {
		return api.EvalEstimate{}, err
	}
	if err := dataset.Refuse(plan.dataset.Value, dataset.Blocking(found)); err != nil {
		return api.EvalEstimate{}, err
	}
	n := len(ds.Questions)
	out := api.EvalEstimate{Questions: n, Searches: n * len(plan.entries)}
	lib, err := s.library(ctx, plan.library.Value)
	if err != nil {
		return api.EvalEstimate{}, err
	}
	est := estimation{n: n, strategies: len(plan.entries)}
	if evaluate.Answered(plan.metrics) {
		answers, err := s.evalAnswerer(ctx, lib, plan)
		if err != nil {
			return api.EvalEstimate{}, err
		}
		est.answerer = &answers
	}
	if out.Finished, err = s.finishedOf(ctx, plan, ds, found, lib); err != nil {
		return api.EvalEstimate{}, err
	}
	for _, e := range plan.entries {
		if err := est.search(ctx, searcher{s, lib.Name}, e.Pipeline, ds.Questions); err != nil {
			return api.EvalEstimate{}, err
		}
	}
	if err := est.answer(ctx); err != nil {
		return api.EvalEstimate{}, err
	}
	est.into(&out)
	return out, nil
}

// finishedOf counts the searches that an interrupted evaluation has done.
func (s *Service) finishedOf(ctx context.Context, plan evaluation, ds dataset.Dataset, found []dataset.Problem, lib rag.Library) (int, error) {
	b, err := s.bind(ctx, plan.dataset.Value, ds, found, lib)
	if err != nil {
		return 0, err
	}
	setup, err := s.setup(ctx, plan, b, lib)
	if err != nil {
		return 0, err
	}
	key, err := setup.Key()
	if err != nil {
		return 0, err
	}
	return s.runs().FinishedOf(ctx, key)
}

// estimation adds up what probes took.
type estimation struct {
	n, strategies int
	answerer      *evalAnswerer
	// probes are to be answered, the first of every strategy first.
	probes []probe
	// answered and judged are the sums over strategies of the shares that are kept.
	answered, judged float64
	// seconds are of searches over all questions.
	seconds          float64
	answers, judging callCosts
}

// probe is a question with what a strategy found.
type probe struct {
	place    int
	question evaluate.Question
	hits     []rag.Hit
}

// asQuestion is a question as answering and judging need it.
func asQuestion(q dataset.Question) evaluate.Question {
	return evaluate.Question{ID: q.ID, Text: q.Text, Answers: q.Answers, KeyPoints: q.KeyPoints}
}

// callCosts are those of one kind over all questions and strategies.
type callCosts struct {
	calls, kept float64
	// model is the time of the calls that are to be paid, rest that of all else, in
	// seconds; one is the time of a call.
	model, rest, one float64
}

// add scales what probes cost to all answers, share of whose calls are kept.
func (c *callCosts) add(m *llm.Meter, wall time.Duration, probes, all int, share float64) {
	made, kept, took := m.Counts()
	scale := float64(all) / float64(probes)
	total := float64(made) * scale
	c.calls += total
	c.kept += total * share
	if made > 0 {
		c.one = took.Seconds() / float64(made)
		c.model += c.one * total * (1 - share)
	}
	paid := took.Seconds() * float64(made-kept) / float64(max(made, 1))
	c.rest += max(0, wall.Seconds()-paid) * scale / float64(runtime.NumCPU())
}

// search measures the searches of one strategy, and looks for kept replies.
func (e *estimation) search(ctx context.Context, search searcher, p rag.Pipeline, all []dataset.Question) error {
	probes := min(estimateProbes, e.n)
	var took float64
	for i := range probes + 1 {
		q := all[max(0, i-1)*e.n/probes]
		got, err := search.Search(ctx, p, q.Text)
		if err != nil {
			return err
		}
		if i > 0 {
			took += got.Took[runs.Total].Seconds()
			e.probes = append(e.probes, probe{i, asQuestion(q), got.Hits[:min(len(got.Hits), p.TopK)]})
		}
	}
	e.seconds += took / float64(probes) * float64(e.n) / float64(runtime.NumCPU())
	if e.answerer == nil {
		return nil
	}
	answered, judged, err := e.keptShares(ctx, search, p, all)
	e.answered, e.judged = e.answered+answered, e.judged+judged
	return err
}

// answer has probes answered and judged, until the time is over.
func (e *estimation) answer(ctx context.Context) error {
	if e.answerer == nil {
		return nil
	}
	slices.SortStableFunc(e.probes, func(a, b probe) int { return a.place - b.place })
	var write, judge llm.Meter
	var writing, judging time.Duration
	done := 0
	for _, p := range e.probes {
		if done > 0 && writing+judging > estimateTime {
			break
		}
		start := time.Now()
		a, err := e.answerer.write(llm.WithMeter(ctx, &write), p.question, p.hits)
		writing += time.Since(start)
		if err != nil || a.Error != nil {
			return errors.Join(err, failed(a.Error))
		}
		start = time.Now()
		if err := e.answerer.judge(llm.WithMeter(ctx, &judge), &a, p.question); err != nil {
			return err
		}
		judging += time.Since(start)
		done++
	}
	all, share := e.n*e.strategies, 1/float64(e.strategies)
	e.answers.add(&write, writing, done, all, e.answered*share)
	e.judging.add(&judge, judging, done, all, e.judged*share)
	return nil
}

// keptShares are the shares of answers and of judgements whose replies are kept, by a
// sample of the questions; no model is asked.
func (e *estimation) keptShares(ctx context.Context, search searcher, p rag.Pipeline, all []dataset.Question) (answered, judged float64, err error) {
	write, judge := llm.Meter{Dry: true}, llm.Meter{Dry: true}
	if !e.answerer.asksModels() {
		return 0, 0, nil
	}
	sample, unanswered := min(keptProbes, e.n), 0
	for i := range sample {
		q := all[i*e.n/sample]
		got, err := search.Search(ctx, p, q.Text)
		if err != nil {
			return 0, 0, err
		}
		asked := asQuestion(q)
		a, err := e.answerer.write(llm.WithMeter(ctx, &write), asked, got.Hits[:min(len(got.Hits), p.TopK)])
		if err != nil {
			return 0, 0, err
		}
		if a.Error != nil {
			unanswered++
			continue
		}
		if err := e.answerer.judge(llm.WithMeter(ctx, &judge), &a, asked); err != nil && !errors.Is(err, llm.ErrNotKept) {
			return 0, 0, err
		}
	}
	share := func(m *llm.Meter) float64 {
		made, kept, _ := m.Counts()
		return float64(kept) / float64(max(made, 1))
	}
	return share(&write), share(&judge) * float64(sample-unanswered) / float64(sample), nil
}

func failed(f *runs.Failure) error {
	if f == nil {
		return nil
	}
	return &fault.Error{Code: f.Code, Params: f.Params}
}

// into fills in the estimate; what an interrupted evaluation has done is left out.
func (e *estimation) into(out *api.EvalEstimate) {
	left := 1.
	if out.Searches > 0 {
		left = float64(max(0, out.Searches-out.Finished)) / float64(out.Searches)
	}
	out.Seconds = e.seconds * left
	if e.answerer == nil {
		return
	}
	fill := func(by string, c callCosts) *api.CallEstimate {
		f := &api.CallEstimate{By: by, Calls: int(c.calls*left + .5), Kept: int(c.kept*left + .5), Seconds: (c.model + c.rest) * left, SecondsPerCall: c.one}
		out.Seconds += f.Seconds
		return f
	}
	out.Answers, out.Judging = fill(e.answerer.model, e.answers), fill(strings.Join(e.answerer.judgesBy(), ", "), e.judging)
}
