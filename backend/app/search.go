package app

import (
	"context"
	"time"

	"ragdesk/backend/api"
	"ragdesk/backend/lexical"
	"ragdesk/backend/library"
	"ragdesk/backend/rag"
	"ragdesk/backend/retrieve"
	"ragdesk/backend/text"
)

// found is one pipeline's result with what names it.
type found struct {
	retrieve.Result
	fingerprint string
	start, last time.Time
	// rewrite is what a model made of the question for the search.
	rewrite rewritten
	// warnings say why less was found than might be.
	warnings []rag.Notice
	// order is that of the passages in a prompt.
	order rag.ContextOrder
	// terms takes the terms of the library's texts and queries.
	terms lexical.Analyzer
}

// lap gives a step the time since the last one ended.
func (f *found) lap(step rag.Stage) {
	now := time.Now()
	f.Took[step] += now.Sub(f.last)
	f.last = now
}

// took is the time until the last step ended.
func (f *found) took() time.Duration { return f.last.Sub(f.start) }

// Search runs one strategy.
func (s *Service) Search(ctx context.Context, r api.SearchRequest) (api.SearchResponse, error) {
	names := s.resolver(ctx, r.KB)
	p, err := pipeline(names, r.Strategy, r.Retrieval)
	if err != nil {
		return api.SearchResponse{}, err
	}
	auto, err := names.auto(p, r.Retrieval)
	if err != nil {
		return api.SearchResponse{}, err
	}
	f, err := s.find(ctx, r.KB, p, r.Query, false)
	if err != nil {
		return api.SearchResponse{}, err
	}
	out := api.SearchResponse{
		Query: r.Query, KB: r.KB, Strategy: p.Strategy, Auto: auto, Hits: hits(f.Hits, matcher(f.terms, r.Query)),
		Dropped: dropped(f.Dropped), QueryTerms: list(f.terms.QueryTerms(r.Query)), Rewrite: rewriteOf(f.rewrite), Warnings: notices(f.warnings), Fingerprint: f.fingerprint,
	}
	f.lap(rag.StepRead)
	out.TimingsMS = timingsOf(f, answered{})
	return out, nil
}

// find opens the library and runs the pipeline, again when the library moved on
// in the middle. A fresh search leaves earlier rewritings of the question aside.
func (s *Service) find(ctx context.Context, kb string, p rag.Pipeline, query string, fresh bool) (f found, err error) {
	if err := asked(kb, query); err != nil {
		return found{}, err
	}
	other, err := s.rewriteFor(ctx, p, query, fresh)
	if err != nil {
		return found{}, err
	}
	start := time.Now()
	err = s.onLibrary(ctx, kb, query, func(snap *library.Snapshot) error {
		f, err = s.findIn(ctx, snap, p, query, other, start)
		return err
	})
	return f, err
}

func (s *Service) findIn(ctx context.Context, snap *library.Snapshot, p rag.Pipeline, query string, other rewritten, start time.Time) (found, error) {
	terms, err := s.analyzers.of(ctx, s.store, snap.Library)
	if err != nil {
		return found{}, err
	}
	corpus, err := s.corpus(ctx, snap, terms, p)
	if err != nil {
		return found{}, err
	}
	print, err := s.fingerprint(snap, corpus, p, other.parts()...)
	if err != nil {
		return found{}, err
	}
	if p.Vector {
		snap.Prefetch(ctx)
	}
	opened := time.Now()
	res, err := retrieve.Run(ctx, corpus, p, query, other.queries()...)
	if err != nil {
		return found{}, err
	}
	res.Took[rag.StepOpen] = opened.Sub(start)
	warnings, err := s.filtered(ctx, snap.Library, p.Filter)
	if err != nil {
		return found{}, err
	}
	f := found{Result: res, warnings: warnings, terms: terms, rewrite: other, fingerprint: print, order: p.ContextOrder, start: start, last: time.Now()}
	if err := s.number(ctx, snap.Library, res.Hits); err != nil {
		return found{}, err
	}
	f.lap(rag.StepRead)
	return f, nil
}

// libraryScorer is the reranker that a library's own model makes.
func (s *Service) libraryScorer(ctx context.Context, kb string) (rag.Reranker, error) {
	st, err := s.openStore(ctx)
	if err != nil {
		return nil, err
	}
	lib, err := st.Library(ctx, kb)
	if err != nil {
		return nil, err
	}
	return s.lateInteraction(s.model(lib))
}

func promptLanguage(asked, query string) string {
	if asked != "" {
		return asked
	}
	if lang := text.Language(query); lang != "" {
		return lang
	}
	return "en"
}

// matcher finds the query's terms in a text, in code points.
func matcher(z lexical.Analyzer, query string) func(string) []api.Match {
	return func(s string) []api.Match {
		found := z.Matches(query, s)
		spans := make([]rag.Span, len(found))
		for i, m := range found {
			spans[i] = m.Span
		}
		out := make([]api.Match, len(found))
		for i, p := range rag.Points(s, spans) {
			out[i] = api.Match{Start: p.Start, End: p.End, Term: found[i].Term}
		}
		return out
	}
}
