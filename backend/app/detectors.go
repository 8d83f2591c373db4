package app

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"ragdesk/backend/answer"
	"ragdesk/backend/fault"
	judges "ragdesk/backend/judge"
	"ragdesk/backend/llm"
	"ragdesk/backend/models"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
	"ragdesk/backend/tokenvec"
)

// detecting is who judges answers.
type detecting struct {
	// names are detectors, with commas between, each perhaps with its model behind a
	// colon: "evidence,llm:qwen3:8b". Empty means evidence.
	names string
	// model is that of an "llm" that names none.
	model string
	// fresh leaves the model's earlier replies aside.
	fresh bool
}

// detector is one that judges, with the model it asks, if any.
type detector struct {
	rag.Detector
	model string
	// small says that the model is too small for its verdicts to be trusted.
	small bool
	// unnamed says that nobody names the model's languages.
	unnamed bool
}

// warnings say what is to be known of the verdicts.
func (d detector) warnings() []rag.Notice {
	var out []rag.Notice
	if d.small {
		out = append(out, rag.Notice{Code: runs.JudgeSmall, Detail: d.model})
	}
	if d.unnamed {
		out = append(out, rag.Notice{Code: "languages_unnamed", Detail: d.model})
	}
	return out
}

// detectors are those that a request names, in its order. The fault "detector_unknown"
// lists the known ones.
func (s *Service) detectors(ctx context.Context, d detecting) ([]detector, error) {
	var out []detector
	for name := range strings.SplitSeq(cmp.Or(d.names, judges.DetectorEvidence), ",") {
		one, err := s.detector(ctx, strings.TrimSpace(name), d)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(o detector) bool { return o.Name() == one.Name() && o.model == one.model }) {
			return nil, fault.New("detector_twice", fault.P("detector", name))
		}
		out = append(out, one)
	}
	return out, nil
}

func (s *Service) detector(ctx context.Context, name string, d detecting) (detector, error) {
	kind, model, _ := strings.Cut(name, ":")
	switch {
	case name == judges.DetectorEvidence:
		found, err := s.evidenceDetector()
		return detector{Detector: found}, err
	case kind == judges.DetectorLLM:
		return s.llmDetector(ctx, cmp.Or(model, d.model), d.fresh)
	case kind == judges.DetectorNLI:
		return s.nliDetector(model)
	}
	return detector{}, fault.New("detector_unknown", fault.P("detector", name),
		fault.P("known", strings.Join([]string{judges.DetectorEvidence, judges.DetectorLLM, judges.DetectorNLI}, ", ")))
}

// evidenceDetector is the detector without a language model, over the program's own
// embedders.
func (s *Service) evidenceDetector() (*judges.Evidence, error) {
	languages := map[string]judges.Language{}
	var prints []string
	for _, e := range models.Embedders() {
		m, err := s.bundled(e.Name)
		if err != nil {
			return nil, err
		}
		tokenizer, err := m.Tokenizer()
		if err != nil {
			return nil, err
		}
		languages[e.Language] = judges.Language{
			Tokenizer: tokenizer, Codes: tokenvec.New(m, m.Fingerprint(), s.tokens.memory, nil),
		}
		prints = append(prints, m.Fingerprint())
	}
	return judges.NewEvidence(languages, joined(prints...)), nil
}

// llmDetector asks a language model; "" is the default one. The fault "judge_none" means
// that there is none.
func (s *Service) llmDetector(ctx context.Context, model string, fresh bool) (detector, error) {
	asker, info, err := s.asker(ctx, model, fresh)
	if err != nil {
		return detector{}, err
	}
	found, err := s.verdictsOf(asker, info)
	return detector{Detector: inTurn{found, s.turnOf(info)}, model: info.Model, small: info.Demonstration}, err
}

// verdictsOf has a model give verdicts on claims.
func (s *Service) verdictsOf(asker judges.Asker, info rag.GeneratorInfo) (*judges.LLM, error) {
	wordings := map[string]judges.Wording{}
	for _, lang := range promptLanguages {
		t, err := s.promptOf(answer.KindVerdicts, lang)
		if err != nil {
			return nil, err
		}
		wordings[lang] = t
	}
	return judges.NewLLM(asker, languagesOf(info.Model), wordings, info.Digest), nil
}

// promptLanguages are those that there are prompts for.
var promptLanguages = []string{"zh", "en"}

// nliDetector asks an installed NLI model; "" is the first one. Faults: "nli_none",
// "model_not_installed", "nli_other_model" {model}, "model_precision_missing".
func (s *Service) nliDetector(name string) (detector, error) {
	if name == "" {
		list, err := s.installed.list(models.TaskNLI)
		if err != nil {
			return detector{}, err
		}
		if len(list) == 0 {
			return detector{}, fault.New("nli_none")
		}
		name = list[0].Name
	}
	m, p, err := s.installed.named(name, models.TaskNLI)
	if errors.Is(err, errOtherTask) {
		return detector{}, fault.New("nli_other_model", fault.P("model", name))
	}
	if err != nil {
		return detector{}, err
	}
	model, err := s.pairModel(m, p)
	if err != nil {
		return detector{}, err
	}
	var d rag.Detector
	if m.Tokens {
		d, err = judges.NewMarks(model, m.Labels, models.LabelUnsupported, m.Languages)
	} else {
		d, err = judges.NewNLI(model, m.Labels, m.Languages)
	}
	return detector{Detector: d, model: withPrecision(m.Manifest.Name, p), unnamed: len(m.Languages) == 0}, err
}

// asker is a language model that judges; "" is the default one.
func (s *Service) asker(ctx context.Context, model string, fresh bool) (judges.Asker, rag.GeneratorInfo, error) {
	if model == "" {
		var err error
		if model, err = s.defaultModel(ctx); err != nil {
			return judges.Asker{}, rag.GeneratorInfo{}, err
		}
	}
	if model == answer.ExtractiveModel {
		return judges.Asker{}, rag.GeneratorInfo{}, fault.New("judge_none")
	}
	g, info, err := s.generator(ctx, model)
	if err != nil {
		return judges.Asker{}, rag.GeneratorInfo{}, err
	}
	return judges.NewAsker(s.remembering(g, fresh), info.Chat), info, nil
}

// languagesOf are those that a model can judge: the catalogue's, and all that there are
// prompts for where it is not in it.
func languagesOf(model string) []string {
	if o, ok := llm.FindOffer(model); ok {
		return o.Languages
	}
	return []string{"zh", "en"}
}
