package app

import (
	"cmp"
	"context"

	"ragdesk/backend/answer"
	"ragdesk/backend/evaluate"
	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
	"ragdesk/backend/retrieve"
	"ragdesk/backend/runs"
	"ragdesk/backend/text"
)

// evalAnswerer answers an evaluation's questions as ask does, and has the answers
// judged.
type evalAnswerer struct {
	kb       string
	answer   answerer
	model    string
	detector rag.Detector
	embedder rag.Embedder
}

// evalAnswerer is the one of a library, with the answers of model.
func (s *Service) evalAnswerer(ctx context.Context, lib rag.Library, model, detector string) (evalAnswerer, error) {
	answers, err := s.answerer(ctx, answering{model: cmp.Or(model, answer.ExtractiveModel)})
	if err != nil {
		return evalAnswerer{}, err
	}
	d, err := s.detector(detector)
	if err != nil {
		return evalAnswerer{}, err
	}
	embedder, err := s.model(lib).open(ctx)
	if err != nil {
		return evalAnswerer{}, err
	}
	return evalAnswerer{lib.Name, answers, model, d, embedder}, nil
}

// answering says who answers and judges.
func (e evalAnswerer) answering() *runs.Answering {
	return &runs.Answering{Model: cmp.Or(e.model, answer.ExtractiveModel), Detector: e.detector.Name(), DetectorFingerprint: e.detector.Fingerprint()}
}

// Fingerprint implements evaluate.Answerer.
func (e evalAnswerer) Fingerprint() string {
	return joined(e.model, e.detector.Name(), e.detector.Fingerprint(), e.embedder.Fingerprint())
}

// Answer implements evaluate.Answerer.
func (e evalAnswerer) Answer(ctx context.Context, q evaluate.Question, hits []rag.Hit) (runs.Answer, error) {
	out := runs.Answer{
		Context: []rag.ChunkID{}, Passages: []string{}, Citations: []runs.Citation{}, Claims: []runs.Claim{},
		Detector: e.detector.Name(), DetectorFingerprint: e.detector.Fingerprint(),
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
	if err := e.judge(ctx, &out, q); err != nil {
		out.Error, err = failureOf(ctx, err)
		return out, err
	}
	return out, nil
}

// judge adds the verdict and the likeness to question and reference.
func (e evalAnswerer) judge(ctx context.Context, a *runs.Answer, q evaluate.Question) error {
	if a.Abstained {
		return nil
	}
	d, err := e.detector.Detect(ctx, rag.Judged{Question: q.Text, Context: a.Passages, Answer: a.Text})
	if err != nil {
		return err
	}
	a.Label, a.Reason = string(d.Label), d.Reason
	if d.Label != rag.Unscored {
		score := d.Score
		a.Score = &score
	}
	for _, c := range d.Claims {
		claim := runs.Claim{Text: c.Text, Start: c.Points.Start, End: c.Points.End, Verdict: string(c.Verdict), Score: c.Score, Reason: c.Reason}
		if len(c.Evidence) > 0 {
			b := c.Evidence[0]
			claim.Evidence = &runs.ClaimEvidence{Context: b.Context, Start: b.Points.Start, End: b.Points.End, Text: b.Text, Score: b.Score}
		}
		a.Claims = append(a.Claims, claim)
	}
	return e.liken(ctx, a, q)
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
