package app

import (
	"strings"

	"ragdesk/backend/fault"
	"ragdesk/backend/models"
	"ragdesk/backend/rag"
	"ragdesk/backend/rerank"
	"ragdesk/backend/tokenvec"
)

// rerankerName resolves "none", "late-interaction", an installed cross-encoder's
// name, which ":fp32" and the like may follow, "cross-encoder", the first
// installed one, and "default", which is that or late interaction where none is.
// Faults: "reranker_unknown", "model_not_installed", "model_precision_missing".
func (s *Service) rerankerName(asked string) (string, error) {
	switch name := strings.ToLower(asked); name {
	case rag.RerankNone, rag.RerankLateInteraction:
		return name, nil
	case rag.RerankDefault, rag.RerankCrossEncoder:
		list, err := s.installed.list(models.TaskRerank)
		switch {
		case err != nil:
			return "", err
		case len(list) > 0:
			return list[0].Name, nil
		case name == rag.RerankDefault:
			return rag.RerankLateInteraction, nil
		}
		return "", fault.New("model_not_installed", fault.P("model", name), fault.P("known", ""),
			fault.P("command", models.Catalogue()[0].Command()))
	}
	m, p, err := s.installed.named(asked, models.TaskRerank)
	if err == nil {
		return withPrecision(m.Manifest.Name, p), nil
	}
	if !unheardOf(err, asked, models.TaskRerank) {
		return "", err
	}
	known, err := s.rerankerNames()
	if err != nil {
		return "", err
	}
	return "", fault.New("reranker_unknown", fault.P("reranker", asked), fault.P("known", strings.Join(known, ", ")))
}

// rerankerNames are what --reranker accepts.
func (s *Service) rerankerNames() ([]string, error) {
	names := []string{rag.RerankNone, rag.RerankLateInteraction}
	list, err := s.installed.list(models.TaskRerank)
	if len(list) > 0 {
		names = append(names, rag.RerankCrossEncoder)
	}
	for _, m := range list {
		names = append(names, m.Name)
	}
	return names, err
}

// reranker opens a reranker by the name that rerankerName gave, for a library.
func (s *Service) reranker(name string, m libraryModel) (rag.Reranker, error) {
	if name == rag.RerankLateInteraction {
		return s.lateInteraction(m)
	}
	c, err := s.crossEncoder(name)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// lateInteraction is the reranker that needs no model but a library's own, or the
// program's where a host embeds.
func (s *Service) lateInteraction(m libraryModel) (rag.Reranker, error) {
	mixed, _, err := m.local()
	if err != nil {
		return nil, err
	}
	var spaces rerank.Spaces
	for _, member := range mixed.Members() {
		spaces.Codes = append(spaces.Codes, tokenvec.New(member.Model, member.Model.Fingerprint(), s.tokens.memory, s.tokens.file(s.store, m.lib)))
	}
	spaces.Of = mixed.Space
	return rerank.NewLateInteraction(spaces, mixed.Fingerprint()), nil
}

// crossEncoder opens an installed reranker.
func (s *Service) crossEncoder(name string) (*rerank.CrossEncoder, error) {
	m, p, err := s.installed.named(name, models.TaskRerank)
	if err != nil {
		return nil, err
	}
	return s.pairModel(m, p)
}

// pairModel opens an installed model of pairs once and keeps it. Passages run one at
// a time in parallel sessions, so that no score depends on those beside it.
func (s *Service) pairModel(m models.Installed, p models.Precision) (*rerank.CrossEncoder, error) {
	v, err := m.Variant(p)
	if err != nil {
		return nil, err
	}
	return s.crossEncoders.at(graphKey(m, v)).model(func() (*rerank.CrossEncoder, error) {
		runtime, _, err := s.runtime()
		if err != nil {
			return nil, err
		}
		return rerank.OpenCrossEncoder(runtime, rerank.CrossSpec{
			Name: m.Manifest.Name, Graph: graph(v), Tokenizer: m.Tokenizer, Lowercase: m.Lowercase, Simplify: m.Simplify,
			ModelSHA256: m.VariantSHA256(v), TokenizerSHA256: m.SHA256(m.Tokenizer), Limit: m.Limit, Pad: m.Pad, Classes: len(m.Labels), Tokens: m.Tokens,
		})
	})
}
