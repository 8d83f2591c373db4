package app

import (
	"cmp"
	"context"
	"time"

	"ragdesk/backend/answer"
	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
	"ragdesk/backend/retrieve"
)

// rewritten is a question as a model rewrote it; the zero value is none.
type rewritten struct {
	answer.Rewritten
	model string
	legs  []string
	took  time.Duration
}

// rewrite asks a language model to rewrite a question. An empty model means the default
// one. Replies are kept like answers, so that an evaluation does not pay twice. The fault
// "rewrite_no_model" {rewrite} means that there is none, "follow_up_no_model" the same for a
// conversation.
func (s *Service) rewrite(ctx context.Context, kind answer.Kind, model, query string, history []answer.Turn, fresh bool) (rewritten, error) {
	if model == "" {
		var err error
		if model, err = s.defaultModel(ctx); err != nil {
			return rewritten{}, err
		}
	}
	if model == answer.ExtractiveModel && kind == answer.KindCondense {
		return rewritten{}, fault.New("follow_up_no_model")
	}
	if model == answer.ExtractiveModel {
		return rewritten{}, fault.New("rewrite_no_model", fault.P("rewrite", string(kind)))
	}
	g, info, err := s.generator(ctx, model)
	if err != nil {
		return rewritten{}, err
	}
	prompt, err := s.promptOf(kind, promptLanguage("", query))
	if err != nil {
		return rewritten{}, err
	}
	start := time.Now()
	r, err := answer.RewriteBy(ctx, s.remembering(g, fresh), info.Chat, prompt, query, history)
	return rewritten{Rewritten: r, model: info.Model, took: time.Since(start)}, err
}

// rewriteFor rewrites a question as a pipeline wants it, if it does.
func (s *Service) rewriteFor(ctx context.Context, p rag.Pipeline, query string, fresh bool) (rewritten, error) {
	if p.Rewrite == "" {
		return rewritten{}, nil
	}
	out, err := s.rewrite(ctx, answer.Kind(p.Rewrite), p.RewriteModel, query, nil, fresh)
	if p.Vector {
		out.legs = append(out.legs, string(rag.StageVector))
	}
	if p.BM25 && p.Rewrite == rag.RewriteMultiQuery {
		out.legs = append(out.legs, string(rag.StageBM25))
	}
	return out, err
}

// queries are what is searched beside the question. The words of a made-up passage are
// no query for BM25: it would find what the passage got wrong.
func (r rewritten) queries() []retrieve.Query {
	out := make([]retrieve.Query, len(r.Texts))
	for i, t := range r.Texts {
		out[i] = retrieve.Query{Text: t, Vector: true, BM25: r.Template.Kind == answer.KindMultiQuery}
	}
	return out
}

// parts name the model and the wording, for a fingerprint.
func (r rewritten) parts() []string {
	if r.model == "" {
		return nil
	}
	return []string{r.Reply.Digest, r.Template.Fingerprint()}
}

// rewriteOf converts; nil for none.
func rewriteOf(r rewritten) *api.Rewrite {
	if r.model == "" {
		return nil
	}
	out := &api.Rewrite{Kind: string(r.Template.Kind), Model: r.model, Prompt: r.Prompt, Reply: r.Reply.Text, Queries: make([]api.RewrittenQuery, len(r.Texts))}
	for i, t := range r.Texts {
		out.Queries[i] = api.RewrittenQuery{Text: t, Legs: list(r.legs)}
	}
	return out
}

// condensed makes one question of a conversation and what goes on with it; without a
// conversation it is the question itself.
func (s *Service) condensed(ctx context.Context, r api.AskRequest, p rag.Pipeline) (string, rewritten, error) {
	if len(r.History) == 0 {
		return r.Query, rewritten{}, nil
	}
	history := make([]answer.Turn, len(r.History))
	for i, h := range r.History {
		history[i] = answer.Turn(h)
	}
	out, err := s.rewrite(ctx, answer.KindCondense, p.RewriteModel, r.Query, history, r.Fresh)
	if err != nil {
		return "", rewritten{}, err
	}
	out.legs = []string{}
	if p.Vector {
		out.legs = append(out.legs, string(rag.StageVector))
	}
	if p.BM25 {
		out.legs = append(out.legs, string(rag.StageBM25))
	}
	return out.Texts[0], out, nil
}

// rewritingModel is the model that rewrites: the one asked for, else the one that
// answers.
func rewritingModel(p rag.Pipeline, answers string) rag.Pipeline {
	if answers != answer.ExtractiveModel {
		p.RewriteModel = cmp.Or(p.RewriteModel, answers)
	}
	return p
}
