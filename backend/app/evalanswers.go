package app

import (
	"cmp"
	"context"
	"slices"

	"ragdesk/backend/answer"
	"ragdesk/backend/evaluate"
	"ragdesk/backend/fault"
	"ragdesk/backend/llm"
	"ragdesk/backend/rag"
	"ragdesk/backend/retrieve"
	"ragdesk/backend/runs"
	"ragdesk/backend/text"
)

// evalAnswerer answers an evaluation's questions as ask does, and has the answers
// judged.
type evalAnswerer struct {
	kb     string
	answer answerer
	model  string
	// detectors judge, the first for the metrics.
	detectors []detector
	embedder  rag.Embedder
	// rubric marks the answers; nil where no metric is of its marks.
	rubric *rubricJudge
}

// evalAnswerer is the one of a library, as a plan has it.
func (s *Service) evalAnswerer(ctx context.Context, lib rag.Library, plan evaluation) (evalAnswerer, error) {
	model, by := cmp.Or(plan.answers, answer.ExtractiveModel), plan.by
	answers, err := s.answerer(ctx, answering{model: model, fresh: by.fresh})
	if err != nil {
		return evalAnswerer{}, err
	}
	all, err := s.detectors(ctx, by)
	if err != nil {
		return evalAnswerer{}, err
	}
	embedder, err := s.model(lib).open(ctx)
	if err != nil {
		return evalAnswerer{}, err
	}
	out := evalAnswerer{kb: lib.Name, answer: answers, model: model, detectors: all, embedder: embedder}
	if evaluate.NeedsMarks(plan.metrics) {
		judge, err := s.rubric(ctx, by.model, by.fresh)
		if err != nil {
			return evalAnswerer{}, err
		}
		out.rubric = &judge
	}
	return out, nil
}

// answering says who answers and judges.
func (e evalAnswerer) answering() *runs.Answering {
	return &runs.Answering{Model: e.model, Detector: display(e.detectors[0]), DetectorFingerprint: e.detectors[0].Fingerprint()}
}

// Fingerprint implements evaluate.Answerer.
func (e evalAnswerer) Fingerprint() string {
	parts := []string{e.model, e.embedder.Fingerprint()}
	for _, d := range e.detectors {
		parts = append(parts, d.Name(), d.Fingerprint())
	}
	if e.rubric != nil {
		parts = append(parts, e.rubric.Fingerprint())
	}
	return joined(parts...)
}

// notices warn of models that judge.
func (e evalAnswerer) notices() []runs.Advice {
	var out []runs.Advice
	for _, d := range e.detectors {
		if d.model != "" {
			out = append(out, evaluate.JudgeWarnings(d.model, llm.FullName(e.model) == llm.FullName(d.model), d.small)...)
		}
	}
	if e.rubric != nil && !slices.ContainsFunc(e.detectors, func(d detector) bool { return d.model == e.rubric.Model() }) {
		out = append(out, evaluate.JudgeWarnings(e.rubric.Model(), llm.FullName(e.model) == llm.FullName(e.rubric.Model()), e.rubric.small)...)
	}
	return out
}

// Answer implements evaluate.Answerer.
func (e evalAnswerer) Answer(ctx context.Context, q evaluate.Question, hits []rag.Hit) (runs.Answer, error) {
	out, err := e.write(ctx, q, hits)
	if err != nil || out.Error != nil {
		return out, err
	}
	if err := e.judge(ctx, &out, q); err != nil {
		out.Error, err = failureOf(ctx, err)
		return out, err
	}
	return out, nil
}

// asksModels reports whether a language model answers or judges.
func (e evalAnswerer) asksModels() bool {
	return e.model != answer.ExtractiveModel || e.rubric != nil || slices.ContainsFunc(e.detectors, func(d detector) bool { return d.model != "" })
}

// write answers, and leaves the verdict open.
func (e evalAnswerer) write(ctx context.Context, q evaluate.Question, hits []rag.Hit) (runs.Answer, error) {
	out := runs.Answer{
		Context: []rag.ChunkID{}, Passages: []string{}, Citations: []runs.Citation{}, Claims: []runs.Claim{}, Calls: []runs.Call{}, Others: []runs.Verdict{},
		Detector: display(e.detectors[0]), DetectorFingerprint: e.detectors[0].Fingerprint(),
	}
	a, err := e.answer(ctx, inquiry{kb: e.kb, lang: promptLanguage("", q.Text), text: q.Text}, found{Result: retrieve.Result{Hits: hits}})
	if err != nil {
		out.Error, err = failureOf(ctx, err)
		return out, err
	}
	out.Text, out.Model, out.Abstained = a.Text, a.model, a.Abstained
	for _, h := range hits[:len(hits)-len(a.cut)] {
		out.Context = append(out.Context, h.Chunk.ID)
		out.Passages = append(out.Passages, passageText(h))
	}
	for _, c := range a.Citations {
		out.Citations = append(out.Citations, runs.Citation{
			Marker: c.Marker, ChunkID: c.ChunkID, State: c.State, Start: c.Claim.Start, End: c.Claim.End,
		})
	}
	return out, nil
}

// judge adds the verdict and the likeness to question and reference.
func (e evalAnswerer) judge(ctx context.Context, a *runs.Answer, q evaluate.Question) error {
	if a.Abstained {
		return nil
	}
	in := rag.Judged{Question: q.Text, Context: a.Passages, Answer: a.Text}
	for i, d := range e.detectors {
		found, err := d.Detect(ctx, in)
		if err != nil {
			return err
		}
		v := verdict(display(d), found)
		if i > 0 {
			a.Others = append(a.Others, v)
			continue
		}
		a.Label, a.Score, a.Reason, a.Claims, a.Calls = v.Label, v.Score, v.Reason, v.Claims, v.Calls
	}
	if e.rubric != nil {
		marks, err := e.rubric.Mark(ctx, in, detectedOf(*a))
		if err != nil {
			return err
		}
		a.Rubric = &marks
	}
	return e.liken(ctx, a, q)
}

// verdict is a detection as runs keep it.
func verdict(name string, d rag.Detection) runs.Verdict {
	out := runs.Verdict{Detector: name, Label: string(d.Label), Reason: d.Reason, Claims: []runs.Claim{}, Calls: []runs.Call{}}
	if d.Label != rag.Unscored {
		score := d.Score
		out.Score = &score
	}
	for _, c := range d.Claims {
		claim := runs.Claim{
			Text: c.Text, Start: c.Points.Start, End: c.Points.End, Verdict: string(c.Verdict), Score: c.Score, Reason: c.Reason, Detail: c.Detail,
		}
		if len(c.Evidence) > 0 {
			b := c.Evidence[0]
			claim.Evidence = &runs.ClaimEvidence{Context: b.Context, Start: b.Points.Start, End: b.Points.End, Text: b.Text, Score: b.Score}
		}
		out.Claims = append(out.Claims, claim)
	}
	for _, c := range d.Calls {
		out.Calls = append(out.Calls, runs.Call{Claims: list(c.Claims), Reply: c.Reply, Reason: c.Reason})
	}
	return out
}

// liken compares the answer's vector with those of the question and of the reference
// answers.
func (e evalAnswerer) liken(ctx context.Context, a *runs.Answer, q evaluate.Question) error {
	said := text.Uncited(a.Text)
	if text.IsBlank(said) {
		return nil
	}
	texts := append([]string{said}, q.Answers...)
	vectors, err := e.embedder.Documents(ctx, texts)
	if err != nil {
		return err
	}
	query, err := e.embedder.Query(ctx, q.Text)
	if err != nil {
		return err
	}
	relevancy := cosine(query, vectors[0])
	a.Relevancy = &relevancy
	for _, v := range vectors[1:] {
		if s := cosine(vectors[0], v); a.Similarity == nil || s > *a.Similarity {
			a.Similarity = &s
		}
	}
	return nil
}

// cosine of two unit vectors.
func cosine(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// passageText is what the prompt shows of a hit.
func passageText(h rag.Hit) string {
	if h.Passage.Text != "" {
		return h.Passage.Text
	}
	return h.Chunk.Text
}

// failureOf is a failure as runs keep it; a cancelled evaluation ends.
func failureOf(ctx context.Context, err error) (*runs.Failure, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	f := fault.Of(err)
	params := f.Params
	if params == nil {
		params = map[string]string{}
	}
	return &runs.Failure{Code: f.Code, Params: params}, nil
}
