package app

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/job"
	judges "ragdesk/backend/judge"
	"ragdesk/backend/rag"
)

// stageVerify is the part of a verify job that is counted: one unit an item.
const stageVerify = "verify"

// verified is the result of a verify job.
type verified struct {
	items []api.VerifyItem
	by    []judgedBy
}

// judgedBy is what one detector found of all items.
type judgedBy struct {
	detector
	found []rag.Detection
}

// StartVerify judges answers against their contexts.
func (s *Service) StartVerify(ctx context.Context, r api.VerifyRequest) (api.Job, error) {
	items, err := withFile(ctx, r.Items, r.File)
	if err != nil {
		return api.Job{}, err
	}
	if err := asksModel(r); err != nil {
		return api.Job{}, err
	}
	all, err := s.detectors(ctx, detecting{r.Detector, r.Model, r.Fresh})
	if err != nil {
		return api.Job{}, err
	}
	snap := s.board.Start("detect", func(ctx context.Context, progress *job.Reporter) (any, error) {
		out := verified{items: items}
		progress.Stage(stageVerify, len(items)*len(all))
		for _, d := range all {
			found, err := detectAll(ctx, d, items, progress)
			if err != nil {
				return nil, err
			}
			out.by = append(out.by, judgedBy{d, found})
		}
		return out, nil
	})
	return jobSnapshot("", snap), nil
}

// asksModel refuses a model that no detector of the request asks.
func asksModel(r api.VerifyRequest) error {
	names := strings.FieldsFunc(r.Detector, func(c rune) bool { return c == ',' || c == ' ' })
	if r.Model == "" || slices.Contains(names, judges.DetectorLLM) {
		return nil
	}
	return fault.New("detector_no_model", fault.P("model", r.Model), fault.P("detectors", cmp.Or(r.Detector, judges.DetectorEvidence)))
}

// detectAll judges items side by side; the order of the results is that of the
// items.
func detectAll(ctx context.Context, d rag.Detector, items []api.VerifyItem, progress rag.Progress) ([]rag.Detection, error) {
	out := make([]rag.Detection, len(items))
	g, gctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	for range min(runtime.GOMAXPROCS(0), len(items)) {
		g.Go(func() error {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(items) {
					return nil
				}
				found, err := d.Detect(gctx, rag.Judged{Question: items[i].Question, Context: items[i].Context, Answer: items[i].Answer})
				if err != nil {
					return fmt.Errorf("item %s: %w", items[i].ID, err)
				}
				out[i] = found
				progress.Add(1)
			}
		})
	}
	err := g.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return out, err
}
