package app

import (
	"fmt"
	"slices"
	"strings"

	"ragdesk/backend/embed"
	"ragdesk/backend/fault"
	"ragdesk/backend/models"
	"ragdesk/backend/ort"
	"ragdesk/backend/rag"
)

// defaultEmbedder takes each text to the model of its language.
const defaultEmbedder = "bge-small-zh-v1.5+all-MiniLM-L6-v2"

// memberName is the name, as libraries keep it, of one model of an embedder: one
// of the program's own or an installed one.
func (s *Service) memberName(asked string) (string, error) {
	e, unknown := models.Lookup(asked)
	if unknown == nil {
		return e.Name, nil
	}
	m, p, err := s.installed.named(asked, models.TaskEmbed)
	if err == nil {
		return withPrecision(m.Manifest.Name, p), nil
	}
	if !unheardOf(err, asked, models.TaskEmbed) {
		return "", err
	}
	known, err := s.embedderNames()
	if err != nil {
		return "", err
	}
	return "", fault.New("embedder_unknown", fault.P("embedder", asked), fault.P("known", strings.Join(known, ", ")))
}

// embedderNames are the names that memberName knows.
func (s *Service) embedderNames() ([]string, error) {
	var names []string
	for _, e := range models.Embedders() {
		names = append(names, e.Name)
	}
	list, err := s.installed.list(models.TaskEmbed)
	for _, m := range list {
		names = append(names, m.Name)
	}
	return names, err
}

// members opens the models that a name of libraries can mean: one of the
// program's own, or each precision of an installed one, the default first.
func (s *Service) members(name string) ([]embed.Member, error) {
	if e, err := models.Lookup(name); err == nil {
		m, err := s.bundled(e.Name)
		return []embed.Member{{Language: e.Language, Model: m}}, err
	}
	m, p, err := s.installed.named(name, models.TaskEmbed)
	if err != nil {
		return nil, err
	}
	var out []embed.Member
	for _, v := range m.Variants {
		if p != "" && v.Precision != p {
			continue
		}
		model, err := s.installedEmbedder(m, v)
		if err != nil {
			return nil, err
		}
		out = append(out, embed.Member{Language: language(m.Manifest.Name), Model: model})
	}
	return out, nil
}

// language is the one an installed embedder is for: "" for one that serves
// several, or of which nothing is known.
func language(name string) string {
	e, err := models.FindEntry(name)
	if err != nil || len(e.Languages) != 1 || e.Languages[0] == "multi" {
		return ""
	}
	return e.Languages[0]
}

// bundled opens one of the program's own embedders.
func (s *Service) bundled(name string) (*embed.Model, error) {
	return s.embedders.at(name).model(func() (*embed.Model, error) {
		runtime, assets, err := s.runtime()
		if err != nil {
			return nil, err
		}
		f, err := assets.Embedder(name)
		if err != nil {
			return nil, err
		}
		return embed.Open(runtime, embed.Spec{
			Graph:     ort.Graph{Path: f.ModelPath, Inputs: f.Inputs, Output: f.Output, Optimised: f.OptimisedPath},
			Tokenizer: f.TokenizerPath, Lowercase: f.Lowercase, Simplify: f.Simplify, ModelSHA256: f.ModelSHA256, TokenizerSHA256: f.TokenizerSHA256,
			Dim: f.Dim, Pooling: embed.Pooling(f.Pooling), Limit: f.Limit,
			QueryPrefix: f.QueryPrefix, DocumentPrefix: f.DocumentPrefix,
		})
	})
}

// installedEmbedder opens one graph of an installed embedder.
func (s *Service) installedEmbedder(m models.Installed, v models.Variant) (*embed.Model, error) {
	return s.embedders.at(graphKey(m, v)).model(func() (*embed.Model, error) {
		runtime, _, err := s.runtime()
		if err != nil {
			return nil, err
		}
		return embed.Open(runtime, embed.Spec{
			Graph: graph(v), Tokenizer: m.Tokenizer, Lowercase: m.Lowercase, Simplify: m.Simplify,
			ModelSHA256: m.VariantSHA256(v), TokenizerSHA256: m.SHA256(m.Tokenizer),
			Dim: m.Dim, Pooling: embed.Pooling(m.Pooling), Limit: m.Limit,
			QueryPrefix: m.QueryPrefix, DocumentPrefix: m.DocumentPrefix,
		})
	})
}

// embedder opens an embedder by the name that libraries keep: models joined by
// "+". Where an installed model has several precisions, those with the fingerprint
// like are meant, or the default ones. Faults: "model_not_installed",
// "model_precision_missing".
func (s *Service) embedder(name, like string) (*embed.Mixed, error) {
	combinations := [][]embed.Member{nil}
	for part := range strings.SplitSeq(name, "+") {
		choices, err := s.members(part)
		if err != nil {
			return nil, err
		}
		var longer [][]embed.Member
		for _, c := range choices {
			for _, begun := range combinations {
				longer = append(longer, append(slices.Clone(begun), c))
			}
		}
		combinations = longer
	}
	var first *embed.Mixed
	for _, members := range combinations {
		mixed, err := embed.NewMixed(members...)
		if err != nil {
			return nil, err
		}
		if like == "" || mixed.Fingerprint() == like {
			return mixed, nil
		}
		if first == nil {
			first = mixed
		}
	}
	return first, nil
}

// embedderName writes an asked-for embedder as libraries keep it: "auto" and ""
// are the default, models are joined by "+", and "ollama:" begins one of a host.
func (s *Service) embedderName(asked string) (string, error) {
	if asked == "" || strings.EqualFold(asked, "auto") {
		return defaultEmbedder, nil
	}
	if model, ok := hostedModel(asked); ok && !strings.Contains(model, "+") {
		return hostedPrefix + model, nil
	}
	var names []string
	for part := range strings.SplitSeq(asked, "+") {
		name, err := s.memberName(strings.TrimSpace(part))
		if err != nil {
			return "", err
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, "+"), nil
}

// embedderLabel names an embedder with its dimension.
func embedderLabel(s rag.Settings) string { return fmt.Sprintf("%s (%d)", s.Embedder, s.Dim) }
