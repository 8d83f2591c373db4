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

// take waits for the turn, which release ends.
func (t turn) take(ctx context.Context) (release func(), err error) {
	if t == nil {
		return func() {}, nil
	}
	select {
	case t <- struct{}{}:
		return func() { <-t }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// turnOf is the turn of a model.
func (s *Service) turnOf(info rag.GeneratorInfo) turn {
	if info.Remote {
		return nil
	}
	return s.judging
}

// inTurn is a detector that asks a model.
type inTurn struct {
	rag.Detector
	turn turn
}

// Detect implements rag.Detector.
func (d inTurn) Detect(ctx context.Context, in rag.Judged) (rag.Detection, error) {
	release, err := d.turn.take(ctx)
	if err != nil {
		return rag.Detection{}, err
	}
	defer release()
	return d.Detector.Detect(ctx, in)
}

// Mark has the rubric mark an answer in its turn.
func (r rubricJudge) Mark(ctx context.Context, in rag.Judged, detected []rag.Claim) (runs.Rubric, error) {
	release, err := r.turn.take(ctx)
	if err != nil {
		return runs.Rubric{}, err
	}
	defer release()
	return r.Rubric.Mark(ctx, in, detected)
}

// Assess makes the parts of a judgement in its turn.
func (a assessor) Assess(ctx context.Context, in judges.Assessed, parts []string) (runs.Judgement, error) {
	release, err := a.turn.take(ctx)
	if err != nil {
		return runs.Judgement{}, err
	}
	defer release()
	return a.Assessor.Assess(ctx, in, parts)
}
