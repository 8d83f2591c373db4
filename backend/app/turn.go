package app

import (
	"context"

	judges "ragdesk/backend/judge"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
)

// turn lets all calls about one answer follow one another. A model of this machine
// works on one call at a time and keeps what the prompt before began with: a call
// about other passages in between has it read all of them anew. Nil lets everybody
// through, as is right for a host that works on many calls at once.
type turn chan struct{}

// turnOf is the turn of a model.
func (s *Service) turnOf(info rag.GeneratorInfo) turn {
	if info.Remote {
		return nil
	}
	return s.judging
}

// taking does work in its turn.
func taking[T any](ctx context.Context, t turn, work func() (T, error)) (out T, err error) {
	if t != nil {
		select {
		case t <- struct{}{}:
			defer func() { <-t }()
		case <-ctx.Done():
			return out, ctx.Err()
		}
	}
	return work()
}

// inTurn is a detector that asks a model.
type inTurn struct {
	rag.Detector
	turn turn
}

// Detect implements rag.Detector.
func (d inTurn) Detect(ctx context.Context, in rag.Judged) (rag.Detection, error) {
	return taking(ctx, d.turn, func() (rag.Detection, error) { return d.Detector.Detect(ctx, in) })
}

// Mark has the rubric mark an answer in its turn.
func (r rubricJudge) Mark(ctx context.Context, in rag.Judged, detected []rag.Claim) (runs.Rubric, error) {
	return taking(ctx, r.turn, func() (runs.Rubric, error) { return r.Rubric.Mark(ctx, in, detected) })
}

// Assess makes the parts of a judgement in its turn.
func (a assessor) Assess(ctx context.Context, in judges.Assessed, parts []string) (runs.Judgement, error) {
	return taking(ctx, a.turn, func() (runs.Judgement, error) { return a.Assessor.Assess(ctx, in, parts) })
}
