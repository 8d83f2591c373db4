package app

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"ragdesk/backend/answer"
	"ragdesk/backend/api"
	"ragdesk/backend/evaluate"
	"ragdesk/backend/fault"
	"ragdesk/backend/job"
	judges "ragdesk/backend/judge"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
	"ragdesk/backend/runstore"
	"ragdesk/backend/stats"
)

// Stages of the judge's jobs.
const (
	stageMark  = "mark"
	stageProbe = "probe"
)

// probeLimit is how many answers are probed where a request names no number.
const probeLimit = 20

// rubricJudge is a language model that marks.
type rubricJudge struct {
	*judges.Rubric
	small bool
	turn  turn
}

// warnings say what is to be known of the marks.
func (r rubricJudge) warnings() []rag.Notice {
	if r.small {
		return []rag.Notice{{Code: runs.JudgeSmall, Detail: r.Model()}}
	}
	return nil
}

// rubric is the judge that asks a model; "" is the default one. The fault "judge_none" means that
// there is none.
func (s *Service) rubric(ctx context.Context, model string, fresh bool) (rubricJudge, error) {
	asker, info, err := s.asker(ctx, model, fresh)
	if err != nil {
		return rubricJudge{}, err
	}
	wordings := map[string]judges.RubricWording{}
	for _, lang := range promptLanguages {
		var p answer.RubricPrompts
		if p.Marks, err = s.promptOf(answer.KindRubric, lang); err != nil {
			return rubricJudge{}, err
		}
		if p.Two, err = s.promptOf(answer.KindRubricPair, lang); err != nil {
			return rubricJudge{}, err
		}
		wordings[lang] = p
	}
	return rubricJudge{judges.NewRubric(asker, languagesOf(info.Model), wordings, info.Model, info.Digest), info.Demonstration, s.turnOf(info)}, nil
}

// marked is the result of a mark job.
type marked struct {
	judge rubricJudge
	items []api.VerifyItem
	marks []runs.Rubric
}

// StartMark has a language model mark answers.
func (s *Service) StartMark(ctx context.Context, r api.MarkRequest) (api.Job, error) {
	items, err := withFile(ctx, r.Items, r.File)
	if err != nil {
		return api.Job{}, err
	}
	judge, err := s.rubric(ctx, r.Model, r.Fresh)
	if err != nil {
		return api.Job{}, err
	}
	snap := s.board.Start("mark", func(ctx context.Context, progress *job.Reporter) (any, error) {
		out := marked{judge: judge, items: items}
		progress.Stage(stageMark, len(items))
		for _, item := range items {
			m, err := judge.Mark(ctx, rag.Judged{Question: item.Question, Context: item.Context, Answer: item.Answer}, nil)
			if err != nil {
				return nil, err
			}
			out.marks = append(out.marks, m)
			progress.Add(1)
		}
		return out, nil
	})
	return jobSnapshot("", snap), nil
}

// markReport converts what a mark job found.
func markReport(lang string, m marked) *api.MarkReport {
	out := &api.MarkReport{
		Model: m.judge.Model(), Fingerprint: m.judge.Fingerprint(), Items: make([]api.MarkedItem, len(m.items)), N: len(m.items),
		Unscored: map[string]int{}, Means: map[string]float64{}, Warnings: notices(m.judge.warnings()),
	}
	sums := map[string]float64{}
	for i, item := range m.items {
		r := m.marks[i]
		out.Items[i] = api.MarkedItem{ID: item.ID, Question: item.Question, Answer: item.Answer, Rubric: r, Message: because(lang, r.Reason, r.Detail)}
		if !r.Scored() {
			out.Unscored[r.Reason]++
			continue
		}
		out.Scored++
		for name, mark := range r.Marks {
			sums[name] += float64(mark.Mark)
		}
	}
	for name, sum := range sums {
		out.Means[name] = sum / float64(out.Scored)
	}
	return out
}

// probes is the result of a probe job.
type probes struct {
	judge rubricJudge
	found []runs.ProbeResult
}

// StartProbe probes a judge for its known biases.
func (s *Service) StartProbe(ctx context.Context, r api.ProbeRequest) (api.Job, error) {
	wanted := r.Probes
	if len(wanted) == 0 {
		wanted = runs.Probes()
	}
	for _, p := range wanted {
		if !slices.Contains(runs.Probes(), p) {
			return api.Job{}, fault.New("probe_unknown", fault.P("probe", p), fault.P("known", strings.Join(runs.Probes(), ", ")))
		}
	}
	if r.Run == "" {
		return api.Job{}, fault.New("argument_missing", fault.P("argument", "RUN"))
	}
	run, err := s.runs().Load(r.Run)
	if err != nil {
		return api.Job{}, err
	}
	var other runs.Stored
	if r.Other != "" {
		if other, err = s.runs().Load(r.Other); err != nil {
			return api.Job{}, err
		}
	}
	judge, err := s.rubric(ctx, r.Model, r.Fresh)
	if err != nil {
		return api.Job{}, err
	}
	items := probed(run, other, judge.Model())
	if len(items) == 0 {
		return api.Job{}, fault.New("run_unanswered", fault.P("run", run.ID))
	}
	items = items[:min(len(items), cmp.Or(max(r.Limit, 0), probeLimit))]
	snap := s.board.Start("probe", func(ctx context.Context, progress *job.Reporter) (any, error) {
		out := probes{judge: judge}
		progress.Stage(stageProbe, len(items)*len(wanted))
		for _, p := range wanted {
			found, err := judge.Probe(ctx, p, items, r.Seed, progress)
			if err != nil {
				return nil, err
			}
			out.found = append(out.found, found)
		}
		return out, nil
	})
	return jobSnapshot("", snap), nil
}

// probed are the answers of a run that can be probed, each with the one of the other run. Where the
// judge's model wrote the other one, they change places.
func probed(run, other runs.Stored, model string) []judges.Probed {
	others := map[string]runs.Record{}
	for _, r := range other.Records {
		others[r.Query] = r
	}
	var out []judges.Probed
	for _, r := range run.Records {
		if !markable(r) {
			continue
		}
		second, ok := others[r.Query]
		ok = ok && markable(second)
		if ok && second.Answer.Model == model && r.Answer.Model != model {
			r, second = second, r
		}
		p := judges.Probed{ID: r.QueryID, In: judgedOf(r), Support: support(r), Own: ok && r.Answer.Model == model && second.Answer.Model != model}
		if ok {
			in := judgedOf(second)
			p.Other, p.OtherSupport = &in, support(second)
		}
		out = append(out, p)
	}
	return out
}

// markable reports a record with an answer that can be marked.
func markable(r runs.Record) bool {
	return r.Answer != nil && r.Answer.Error == nil && !r.Answer.Abstained && r.Answer.Text != "" && len(r.Answer.Passages) == len(r.Answer.Context)
}

func judgedOf(r runs.Record) rag.Judged {
	return rag.Judged{Question: r.Query, Context: r.Answer.Passages, Answer: r.Answer.Text}
}

// support is the share of an answer's claims that its detector finds supported; nil where it judged
// none.
func support(r runs.Record) *float64 {
	supported, judged := r.Answer.Support()
	if judged == 0 {
		return nil
	}
	share := float64(supported) / float64(judged)
	return &share
}

// detectedOf are the verdicts on an answer's claims.
func detectedOf(a runs.Answer) []rag.Claim {
	out := make([]rag.Claim, len(a.Claims))
	for i, c := range a.Claims {
		out[i] = rag.Claim{Text: c.Text, Verdict: rag.ClaimVerdict(c.Verdict)}
	}
	return out
}

// StartRescore marks a run's answers by the judge as it is now, and keeps the marks beside the
// run.
func (s *Service) StartRescore(ctx context.Context, r api.RescoreRequest) (api.Job, error) {
	if r.Run == "" {
		return api.Job{}, fault.New("argument_missing", fault.P("argument", "RUN"))
	}
	run, err := s.runs().Load(r.Run)
	if err != nil {
		return api.Job{}, err
	}
	if !slices.ContainsFunc(run.Records, markable) {
		return api.Job{}, fault.New("run_unanswered", fault.P("run", run.ID))
	}
	judge, err := s.rubric(ctx, r.Model, r.Fresh)
	if err != nil {
		return api.Job{}, err
	}
	snap := s.board.Start("rescore", func(ctx context.Context, progress *job.Reporter) (any, error) {
		return s.rescore(ctx, run, judge, progress)
	})
	return jobSnapshot("", snap), nil
}

func (s *Service) rescore(ctx context.Context, run runs.Stored, judge rubricJudge, progress rag.Progress) (api.RescoreReport, error) {
	now := runstore.Remarked{Run: run.ID, Model: judge.Model(), Fingerprint: judge.Fingerprint(), Marks: map[string]runs.Rubric{}}
	out := api.RescoreReport{
		Run: run.ID, Model: judge.Model(), From: evaluate.JudgeOf(run), To: judge.Fingerprint(), Unscored: map[string]int{}, Warnings: notices(judge.warnings()),
	}
	progress.Stage(stageMark, len(run.Records))
	for _, r := range run.Records {
		if markable(r) {
			m, err := judge.Mark(ctx, judgedOf(r), detectedOf(*r.Answer))
			if err != nil {
				return api.RescoreReport{}, err
			}
			now.Marks[r.QueryID] = m
			out.N++
			if m.Scored() {
				out.Scored++
			} else {
				out.Unscored[m.Reason]++
			}
		}
		progress.Add(1)
	}
	out.Dimensions = versions(run, now)
	return out, s.runs().SaveMarks(now)
}

// versions compares a run's marks with those of now, dimension by dimension.
func versions(run runs.Stored, now runstore.Remarked) []api.RescoredDimension {
	out := []api.RescoredDimension{}
	for _, name := range runs.Dimensions() {
		d := api.RescoredDimension{Dimension: name}
		var from, diff []float64
		for _, r := range run.Records {
			m := now.Marks[r.QueryID]
			if r.Answer == nil || !r.Answer.Rubric.Scored() || !m.Scored() {
				continue
			}
			was := float64(r.Answer.Rubric.Marks[name].Mark)
			from, diff = append(from, was), append(diff, float64(m.Marks[name].Mark)-was)
		}
		if d.N = len(from); d.N > 0 {
			before, change := stats.Mean(from), stats.Mean(diff)
			after := before + change
			d.From, d.To, d.Diff = &before, &after, &change
		}
		if ci, err := stats.BootstrapMean(diff, stats.Options{}); err == nil {
			d.CI = &runs.CI{ci.Low, ci.High}
		}
		out = append(out, d)
	}
	return out
}

// comparesMarks reports a comparison of runs in a judge's marks.
func comparesMarks(stored []runs.Stored, metrics []string) bool {
	if len(metrics) > 0 {
		return evaluate.NeedsMarks(metrics)
	}
	return slices.ContainsFunc(stored, func(r runs.Stored) bool { return evaluate.NeedsMarks(r.Metrics) })
}

// oneJudge makes runs comparable in a judge's marks: where their judges differ, the marks of the
// last run's judge, or of another's that all have, are put in place of each run's own. The fault
// "judges_differ" {run, judge} names a run that must be marked again first.
func (s *Service) oneJudge(stored []runs.Stored) error {
	var judges []string
	for i := range slices.Backward(stored) {
		if j := evaluate.JudgeOf(stored[i]); j != "" && !slices.Contains(judges, j) {
			judges = append(judges, j)
		}
	}
	if len(judges) < 2 {
		return nil
	}
	var missing error
	for _, judge := range judges {
		marks, err := s.marksBy(stored, judge)
		if fault.Is(err, "judges_differ") {
			missing = cmp.Or(missing, err)
			continue
		}
		if err != nil {
			return err
		}
		for i, m := range marks {
			remark(stored[i], m)
		}
		return nil
	}
	return missing
}

// marksBy are the marks of each run by one judge; nil for a run that this judge marked itself, and
// for one without marks.
func (s *Service) marksBy(stored []runs.Stored, judge string) ([]map[string]runs.Rubric, error) {
	out := make([]map[string]runs.Rubric, len(stored))
	for i, run := range stored {
		if own := evaluate.JudgeOf(run); own == judge || own == "" {
			continue
		}
		m, ok, err := s.runs().Marks(run.ID, judge)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, fault.New("judges_differ", fault.P("run", run.ID), fault.P("judge", judge))
		}
		out[i] = m.Marks
	}
	return out, nil
}

// remark puts other marks in the place of a run's own.
func remark(run runs.Stored, marks map[string]runs.Rubric) {
	if marks == nil {
		return
	}
	for i := range run.Records {
		r := &run.Records[i]
		if r.Answer == nil || r.Answer.Rubric == nil {
			continue
		}
		r.Answer.Rubric = nil
		if m, ok := marks[r.QueryID]; ok {
			r.Answer.Rubric = &m
		}
	}
}

// rubricResult puts the result of a judge's job into a snapshot.
func rubricResult(out *api.Job, lang string, result any) {
	switch r := result.(type) {
	case marked:
		out.Marked = markReport(lang, r)
	case probes:
		out.Probed = &api.ProbeReport{Model: r.judge.Model(), Fingerprint: r.judge.Fingerprint(), Probes: r.found, Warnings: notices(r.judge.warnings())}
	case api.RescoreReport:
		out.Rescored = &r
	}
}
