package app

import (
	"context"
	"runtime"

	"ragdesk/backend/api"
	"ragdesk/backend/dataset"
	"ragdesk/backend/runs"
)

// estimateProbes is how many questions are searched to measure what one takes.
const estimateProbes = 3

// EstimateEval says what an evaluation would take, measured by searching a few of
// its questions with every strategy, after one that warms the caches.
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
	probes := min(estimateProbes, n)
	for _, e := range plan.entries {
		var took float64
		for i := range probes + 1 {
			q := ds.Questions[max(0, i-1)*n/probes]
			got, err := searcher{s, plan.library.Value}.Search(ctx, e.Pipeline, q.Text)
			if err != nil {
				return api.EvalEstimate{}, err
			}
			if i > 0 {
				took += got.Took[runs.Total].Seconds()
			}
		}
		out.Seconds += took / float64(probes) * float64(n) / float64(runtime.NumCPU())
	}
	return out, nil
}
