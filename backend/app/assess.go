package app

import (
	"context"
	"slices"

	"ragdesk/backend/answer"
	"ragdesk/backend/evaluate"
	"ragdesk/backend/fault"
	judges "ragdesk/backend/judge"
	"ragdesk/backend/runs"
)

// assessor is a language model behind the llm_… metrics.
type assessor struct {
	*judges.Assessor
	small bool
	turn  turn
}

// assessor asks a language model; "" is the default one. The fault "judge_none" means that
// there is none.
func (s *Service) assessor(ctx context.Context, model string, fresh bool) (assessor, error) {
	asker, info, err := s.asker(ctx, model, fresh)
	if err != nil {
		return assessor{}, err
	}
	verdicts, err := s.verdictsOf(asker, info)
	if err != nil {
		return assessor{}, err
	}
	wordings := map[string]judges.AssessWording{}
	for _, lang := range promptLanguages {
		var p answer.AssessPrompts
		if p.Use, err = s.promptOf(answer.KindUseful, lang); err != nil {
			return assessor{}, err
		}
		if p.Back, err = s.promptOf(answer.KindAskedBack, lang); err != nil {
			return assessor{}, err
		}
		wordings[lang] = p
	}
	return assessor{judges.NewAssessor(verdicts, wordings, info.Model), info.Demonstration, s.turnOf(info)}, nil
}

// oneAssessor refuses a comparison of runs in llm_… metrics that were judged by different models or
// prompts: the fault "judgements_differ" {run, other}.
func oneAssessor(stored []runs.Stored, metrics []string) error {
	if len(metrics) > 0 && !evaluate.NeedsJudgement(metrics) {
		return nil
	}
	first := ""
	for i, run := range stored {
		judge := evaluate.JudgementOf(run)
		if len(metrics) == 0 && !evaluate.NeedsJudgement(run.Metrics) || judge == "" {
			continue
		}
		if first == "" {
			first = judge
		}
		if judge != first {
			of := slices.IndexFunc(stored, func(r runs.Stored) bool { return evaluate.JudgementOf(r) == first })
			return fault.New("judgements_differ", fault.P("run", stored[i].ID), fault.P("other", stored[of].ID))
		}
	}
	return nil
}
