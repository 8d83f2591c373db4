package app

import (
	"context"
	"fmt"
	"slices"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/i18n"
	"ragdesk/backend/job"
	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// Ask answers from the hits of one strategy.
func (s *Service) Ask(ctx context.Context, r api.AskRequest) (api.AskResponse, error) {
	p, err := pipeline(s.resolver(ctx, r.KB), r.Strategy, r.Retrieval)
	if err != nil {
		return api.AskResponse{}, err
	}
	return s.ask(ctx, r, p, silent{})
}

// StartAsk is Ask as a job.
func (s *Service) StartAsk(ctx context.Context, r api.AskRequest) (api.Job, error) {
	p, err := pipeline(s.resolver(ctx, r.KB), r.Strategy, r.Retrieval)
	if err != nil {
		return api.Job{}, err
	}
	if err := asked(r.KB, r.Query); err != nil {
		return api.Job{}, err
	}
	return s.writing(ctx, "ask", func(ctx context.Context, progress *job.Reporter) (any, error) {
		out, err := s.ask(ctx, r, p, progress)
		return result(out, err)
	}), nil
}

// StartCompare is Compare as a job.
func (s *Service) StartCompare(ctx context.Context, r api.CompareRequest) (api.Job, error) {
	pipelines, err := s.columns(ctx, r)
	if err != nil {
		return api.Job{}, err
	}
	if err := asked(r.KB, r.Query); err != nil {
		return api.Job{}, err
	}
	return s.writing(ctx, "compare", func(ctx context.Context, progress *job.Reporter) (any, error) {
		out, err := s.compare(ctx, r, pipelines, progress)
		return result(out, err)
	}), nil
}

// writing starts a job that goes on in the caller's language.
func (s *Service) writing(ctx context.Context, kind string, work job.Work) api.Job {
	lang := i18n.Language(ctx)
	return jobSnapshot(lang, s.board.Start(kind, func(ctx context.Context, progress *job.Reporter) (any, error) {
		return work(i18n.WithLanguage(ctx, lang), progress)
	}))
}

// result is a job's result; a failed one has none.
func result(out any, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return out, nil
}

// listener follows an answer while it is made.
type listener interface {
	Stage(name string, total int)
	Add(n int)
	// Say gets what a model writes; Show gets the response so far, with all that was
	// said until then.
	Say(text string)
	Show(response any)
}

// silent listens to nothing.
type silent struct{ rag.NoProgress }

func (silent) Say(string) {}
func (silent) Show(any)   {}

// Stages of an answer.
const (
	stageRetrieve = "retrieve"
	stageAnswer   = "answer"
)

func (s *Service) ask(ctx context.Context, r api.AskRequest, p rag.Pipeline, l listener) (api.AskResponse, error) {
	answer, err := s.answerer(ctx, answering{r.Model, r.Fresh, r.NumCtx})
	if err != nil {
		return api.AskResponse{}, err
	}
	l.Stage(stageRetrieve, 0)
	p = rewritingModel(p, r.Model)
	question, followUp, err := s.condensed(ctx, r, p)
	if err != nil {
		return api.AskResponse{}, err
	}
	f, err := s.find(ctx, r.KB, p, question, r.Fresh)
	if err != nil {
		return api.AskResponse{}, err
	}
	auto, err := s.resolver(ctx, r.KB).auto(p, r.Retrieval)
	if err != nil {
		return api.AskResponse{}, err
	}
	out := api.AskResponse{
		Query: r.Query, History: list(r.History), FollowUp: rewriteOf(followUp), Rewrite: rewriteOf(f.rewrite), KB: r.KB, Strategy: p.Strategy, Auto: auto,
		Hits: hits(f.Hits, matcher(f.terms, question)), Dropped: dropped(f.Dropped),
	}
	q := inquiry{kb: r.KB, lang: promptLanguage(r.Language, r.Query), text: question, reranker: crossEncoderOf(p), say: saying(l)}
	before, err := s.unanswered(ctx, q, f)
	if err != nil {
		return api.AskResponse{}, err
	}
	l.Show(answeredBy(out, before, f))
	l.Stage(stageAnswer, 0)
	a, err := answer(ctx, q, f)
	if err != nil {
		return api.AskResponse{}, err
	}
	if followUp.model != "" {
		a.fingerprint = joined(append([]string{a.fingerprint}, followUp.parts()...)...)
	}
	return answeredBy(out, a, f), nil
}

// answeredBy adds an answer to what it was made from.
func answeredBy(out api.AskResponse, a answered, f found) api.AskResponse {
	out.Answer, out.Citations, out.Check, out.Abstained = a.Text, citations(a.Citations), checked(a, f.Hits), a.Abstained
	out.Prompt, out.Context, out.Model, out.Demonstration, out.Usage = a.prompt, promptContext(a, f.Hits), a.model, a.demonstration, a.usage
	out.Cut, out.Truncated, out.Warnings = a.cut, a.context.Truncated, notices(slices.Concat(f.warnings, a.warnings))
	out.Fingerprint, out.TimingsMS = a.fingerprint, timingsOf(f, a)
	return out
}

func saying(l listener) func(string) error {
	return func(delta string) error {
		l.Say(delta)
		return nil
	}
}

// columns are the pipelines of a comparison.
func (s *Service) columns(ctx context.Context, r api.CompareRequest) ([]rag.Pipeline, error) {
	names := r.Strategies
	if len(names) == 0 {
		names = []string{"vector", "bm25", "hybrid", defaultStrategy}
	}
	return sidePipelines(s.resolver(ctx, r.KB), names, r.Retrieval)
}

// Compare runs several strategies on one query.
func (s *Service) Compare(ctx context.Context, r api.CompareRequest) (api.CompareResponse, error) {
	pipelines, err := s.columns(ctx, r)
	if err != nil {
		return api.CompareResponse{}, err
	}
	return s.compare(ctx, r, pipelines, silent{})
}

func (s *Service) compare(ctx context.Context, r api.CompareRequest, pipelines []rag.Pipeline, l listener) (api.CompareResponse, error) {
	q := inquiry{kb: r.KB, lang: promptLanguage(r.Language, r.Query), text: r.Query, reranker: crossEncoderOf(pipelines...), say: saying(l)}
	out := api.CompareResponse{Query: r.Query, KB: r.KB, AnswerDiffs: []api.AnswerDiff{}}
	results := make([]found, len(pipelines))
	names := s.resolver(ctx, r.KB)
	l.Stage(stageRetrieve, len(pipelines))
	for i, p := range pipelines {
		f, err := s.find(ctx, r.KB, rewritingModel(p, r.Model), r.Query, r.Fresh)
		if err != nil {
			return api.CompareResponse{}, fmt.Errorf("strategy %s: %w", p.Strategy, err)
		}
		results[i] = f
		out.QueryTerms = list(f.terms.QueryTerms(r.Query))
		a, err := s.unanswered(ctx, q, f)
		if err != nil {
			return api.CompareResponse{}, err
		}
		auto, err := names.auto(p, r.Retrieval)
		if err != nil {
			return api.CompareResponse{}, err
		}
		ofRun, err := s.columnRun(ctx, names, r.KB, p)
		if err != nil {
			return api.CompareResponse{}, err
		}
		out.Strategies = append(out.Strategies, api.Column{
			Strategy: p.Strategy, Auto: auto, Run: ofRun, Hits: hits(f.Hits, matcher(f.terms, r.Query)), Dropped: dropped(f.Dropped), Rewrite: rewriteOf(f.rewrite),
			Prompt: a.prompt, Context: promptContext(a, f.Hits), Citations: []api.Citation{}, Cut: []string{}, Warnings: notices(f.warnings),
			Fingerprint: f.fingerprint, TimingsMS: timingsOf(f, answered{}),
		})
		l.Add(1)
	}
	out.Movement = movement(out.Strategies)
	if r.Answer || r.Model != "" {
		l.Show(shown(out))
		if err := s.answerColumns(ctx, r, q, results, &out, l); err != nil {
			return api.CompareResponse{}, err
		}
	}
	return out, nil
}

// shown is a comparison that stays as it is while its columns are answered.
func shown(out api.CompareResponse) api.CompareResponse {
	out.Strategies = slices.Clone(out.Strategies)
	return out
}

// answerColumns answers under each strategy, by one model.
func (s *Service) answerColumns(ctx context.Context, r api.CompareRequest, q inquiry, results []found, out *api.CompareResponse, l listener) error {
	answer, err := s.answerer(ctx, answering{r.Model, r.Fresh, r.NumCtx})
	if err != nil {
		return err
	}
	l.Stage(stageAnswer, len(results))
	names, all := make([]string, len(results)), make([]answered, len(results))
	for i, f := range results {
		col := &out.Strategies[i]
		a, err := answer(ctx, q, f)
		if err != nil {
			return fmt.Errorf("strategy %s: %w", col.Strategy, err)
		}
		names[i], all[i] = col.Strategy, a
		check := checked(a, f.Hits)
		out.Model, out.Demonstration, col.Check = &a.model, a.demonstration, &check
		col.Answer, col.Citations, col.Prompt, col.Usage = &a.Text, citations(a.Citations), a.prompt, a.usage
		col.Abstained, col.Cut, col.Truncated, col.Warnings = a.Abstained, a.cut, a.context.Truncated, notices(slices.Concat(f.warnings, a.warnings))
		col.Context = promptContext(a, f.Hits)
		col.Fingerprint, col.TimingsMS = a.fingerprint, timingsOf(f, a)
		out.AnswerDiffs = answerDiffs(names[:i+1], all[:i+1])
		l.Show(shown(*out))
		l.Add(1)
	}
	return nil
}

// asked reports what is missing of a question.
func asked(kb, query string) error {
	switch {
	case text.IsBlank(query):
		return fault.New("query_blank")
	case kb == "":
		return fault.New("argument_missing", fault.P("argument", "--kb"))
	}
	return nil
}
