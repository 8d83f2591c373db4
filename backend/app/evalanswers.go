package app

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"ragdesk/backend/answer"
	"ragdesk/backend/evaluate"
	"ragdesk/backend/fault"
	judges "ragdesk/backend/judge"
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
	// assessor makes the parts of a judgement that metrics need; nil where none does.
	assessor *assessor
	parts    []string
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
	if out.parts = evaluate.JudgedParts(plan.metrics); len(out.parts) > 0 {
		a, err := s.assessor(ctx, by.model, by.fresh)
		if err != nil {
			return evalAnswerer{}, err
		}
		out.assessor = &a
	}
	return out, nil
}

// answering says who answers and judges.
func (e evalAnswerer) answering() *runs.Answering {
	out := &runs.Answering{
		Model: e.model, Detector: display(e.detectors[0]), DetectorFingerprint: e.detectors[0].Fingerprint(), Judges: e.judges(),
	}
	switch {
	case e.rubric != nil:
		out.JudgeModel = e.rubric.Model()
	case e.assessor != nil:
		out.JudgeModel = e.assessor.Model()
	}
	return out
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
	if e.assessor != nil {
		parts = append(append(parts, e.assessor.Fingerprint()), e.parts...)
	}
	return joined(parts...)
}

// judgesBy names everybody who judges: the detectors, and the model of the rubric and of llm_…
// metrics.
func (e evalAnswerer) judgesBy() []string {
	var out []string
	for _, d := range e.detectors {
		out = append(out, display(d))
	}
	if e.rubric != nil {
		out = append(out, "rubric:"+e.rubric.Model())
	}
	if e.assessor != nil {
		out = append(out, "llm_…:"+e.assessor.Model())
	}
	return out
}

// judges are the models that judge, each once.
func (e evalAnswerer) judges() []runs.JudgeModel {
	out := []runs.JudgeModel{}
	add := func(model string, small bool) {
		m := runs.JudgeModel{Model: model, Own: llm.FullName(e.model) == llm.FullName(model), Small: small}
		if model != "" && !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	for _, d := range e.detectors {
		add(d.model, d.small)
	}
	if e.rubric != nil {
		add(e.rubric.Model(), e.rubric.small)
	}
	if e.assessor != nil {
		add(e.assessor.Model(), e.assessor.small)
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
	return e.model != answer.ExtractiveModel || e.rubric != nil || e.assessor != nil || slices.ContainsFunc(e.detectors, func(d detector) bool { return d.model != "" })
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
	in := rag.Judged{Question: q.Text, Context: a.Passages, Answer: a.Text}
	if e.assessor != nil {
		found, err := e.assess(ctx, in, a.Abstained, a.Citations, q)
		if err != nil {
			return err
		}
		a.Judgement = &found
	}
	if a.Abstained {
		return nil
	}
	for i, d := range e.detectors {
		found, err := d.Detect(ctx, in)
		if err != nil {
			return err
		}
		v := judges.Verdict(display(d), found)
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

// assess asks the assessor, and compares the questions that it asks back with the question.
func (e evalAnswerer) assess(ctx context.Context, in rag.Judged, refused bool, citations []runs.Citation, q evaluate.Question) (runs.Judgement, error) {
	asked := judges.Assessed{Judged: in, Refused: refused, Points: q.KeyPoints, Sentences: sourcesOf(in.Answer, citations)}
	if len(q.Answers) > 0 {
		asked.Reference = q.Answers[0]
	}
	out, err := e.assessor.Assess(ctx, asked, e.parts)
	if err != nil || out.Asked == nil || len(out.Asked.Questions) == 0 {
		return out, err
	}
	question, err := e.embedder.Query(ctx, q.Text)
	if err != nil {
		return runs.Judgement{}, err
	}
	for i := range out.Asked.Questions {
		back, err := e.embedder.Query(ctx, out.Asked.Questions[i].Text)
		if err != nil {
			return runs.Judgement{}, err
		}
		likeness := cosine(question, back)
		out.Asked.Questions[i].Cosine = &likeness
	}
	return out, nil
}

// sourcesOf are the sentences of an answer that need a source, with what they cite.
func sourcesOf(said string, citations []runs.Citation) []judges.Sourced {
	points := []rune(said)
	var out []judges.Sourced
	for _, c := range citations {
		at := slices.IndexFunc(out, func(s judges.Sourced) bool { return s.Start == c.Start && s.End == c.End })
		if at < 0 {
			sentence := text.Uncited(string(points[max(0, c.Start):min(c.End, len(points))]))
			at, out = len(out), append(out, judges.Sourced{Text: strings.TrimSpace(sentence), Start: c.Start, End: c.End})
		}
		if c.Marker > 0 {
			out[at].Markers = append(out[at].Markers, c.Marker)
		}
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
