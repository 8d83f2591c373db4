package app

import (
	"context"
	"errors"

	"ragdesk/backend/fault"
	"ragdesk/backend/library"
	"ragdesk/backend/rag"
	"ragdesk/backend/retrieve"
)

// staleTries bounds how often a query follows a library that is being changed.
const staleTries = 8

// onLibrary calls use with a library opened to be searched, again when it moved on
// in the middle.
func (s *Service) onLibrary(ctx context.Context, kb, query string, use func(*library.Snapshot) error) error {
	if err := asked(kb, query); err != nil {
		return err
	}
	shelf, err := s.openShelf(ctx)
	if err != nil {
		return err
	}
	for range staleTries {
		snap, err := shelf.Open(ctx, kb)
		if err != nil {
			return err
		}
		err = use(snap)
		snap.Release()
		if errors.Is(err, rag.ErrStale) || fault.Is(err, "kb_unknown") {
			continue // it was changed, or replaced by a new index, in the middle
		}
		return err
	}
	return fault.New("library_busy", fault.P("kb", kb))
}

// fingerprint names a pipeline with the indexes, models and prompts that it runs
// on, and more.
func (s *Service) fingerprint(snap *library.Snapshot, corpus retrieve.Corpus, p rag.Pipeline, more ...string) (string, error) {
	prompts, err := s.promptsFingerprint()
	if err != nil {
		return "", err
	}
	parts := []string{snap.Library.Fingerprint(), prompts}
	if p.Reranker != rag.RerankNone {
		parts = append(parts, corpus.Reranker.Fingerprint())
	}
	return p.Fingerprint(append(parts, more...)...), nil
}

// findAll runs several pipelines without filters on one query and computes what
// they share once. Those that rerank with one reranker share its verdicts.
func (s *Service) findAll(ctx context.Context, kb string, pipelines []rag.Pipeline, query string) (out []found, err error) {
	err = s.onLibrary(ctx, kb, query, func(snap *library.Snapshot) error {
		terms, err := s.analyzers.of(ctx, s.store, snap.Library)
		if err != nil {
			return err
		}
		snap.Prefetch(ctx)
		out = make([]found, len(pipelines))
		for _, at := range byReranker(pipelines) {
			group := make([]rag.Pipeline, len(at))
			for n, i := range at {
				group[n] = pipelines[i]
			}
			corpus, err := s.corpus(ctx, snap, terms, group[len(group)-1])
			if err != nil {
				return err
			}
			results, err := retrieve.RunAll(ctx, corpus, group, query)
			if err != nil {
				return err
			}
			for n, i := range at {
				print, err := s.fingerprint(snap, corpus, pipelines[i])
				if err != nil {
					return err
				}
				out[i] = found{Result: results[n], terms: terms, fingerprint: print}
			}
		}
		return nil
	})
	return out, err
}

// byReranker groups pipelines, by index, that can share a reranker: those without
// one come first in the first group.
func byReranker(pipelines []rag.Pipeline) [][]int {
	var names []string
	var plain []int
	groups := map[string][]int{}
	for i, p := range pipelines {
		if p.Reranker == rag.RerankNone {
			plain = append(plain, i)
			continue
		}
		if groups[p.Reranker] == nil {
			names = append(names, p.Reranker)
		}
		groups[p.Reranker] = append(groups[p.Reranker], i)
	}
	if len(names) == 0 {
		return [][]int{plain}
	}
	out := make([][]int, len(names))
	for i, name := range names {
		out[i] = groups[name]
	}
	out[0] = append(plain, out[0]...)
	return out
}
