package judge_test

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"ragdesk/backend/judge"
	"ragdesk/backend/models"
	"ragdesk/backend/models/modelstest"
	"ragdesk/backend/ort"
	"ragdesk/backend/rag"
	"ragdesk/backend/rerank"
	"ragdesk/build/standin"
)

// inference is a model of 30 characters a pair, with the labels in the order
// contradiction, entailment, neutral.
type inference struct{}

func (inference) Fingerprint() string { return "inference" }

func (inference) Fits(premise, hypothesis string) (bool, error) {
	return utf8.RuneCountInString(premise+hypothesis) <= 30, nil
}

func (inference) Classify(_ context.Context, premises []string, hypothesis string) ([][]float64, error) {
	var out [][]float64
	said := strings.Trim(hypothesis, "。")
	for _, p := range premises {
		switch {
		case strings.Contains(p, said):
			out = append(out, []float64{.1, .8, .1})
		case strings.Contains(p, strings.Replace(said, "十", "五", 1)):
			out = append(out, []float64{.7, .1, .2})
		default:
			out = append(out, []float64{.1, .2, .7})
		}
	}
	return out, nil
}

var nliOrder = []string{"contradiction", "entailment", "neutral"}

func TestInference(t *testing.T) {
	t.Parallel()
	context := []string{"前台在一楼。年假每年有十天。", "病假每年有五天。会议室在二楼。须提前预订。"}
	for name, c := range map[string]struct {
		answer    string
		languages []string
		label     rag.Label
		reason    string
		verdict   rag.ClaimVerdict
		evidence  string
	}{
		"entailed":      {"年假每年有十天。", []string{"zh"}, rag.Faithful, judge.ReasonEntailed, rag.Supported, "年假每年有十天。"},
		"refuted":       {"病假每年有十天。", []string{"multi"}, rag.Hallucinated, judge.ReasonRefuted, rag.Contradicted, "病假每年有五天。"},
		"neutral":       {"婚假一共有三天。", []string{"en", "zh"}, rag.Hallucinated, judge.ReasonNeutral, rag.Unverifiable, "前台在一楼。"},
		"a refusal":     {"资料中没有相关信息。", []string{"zh"}, rag.Unscored, judge.ReasonAbstained, rag.Abstained, ""},
		"too long":      {"年假每年有十天，这是公司从成立以来一直执行的规定之一。", []string{"zh"}, rag.Unscored, judge.ReasonPromptCut, rag.ClaimUnscored, ""},
		"another one":   {"年假每年有十天。", []string{"en"}, rag.Unscored, judge.ReasonLanguage, "", ""},
		"none is named": {"年假每年有十天。", nil, rag.Unscored, judge.ReasonLanguage, "", ""},
	} {
		d, err := judge.NewNLI(inference{}, nliOrder, c.languages)
		if err != nil {
			t.Fatal(err)
		}
		found, err := d.Detect(t.Context(), rag.Judged{Context: context, Answer: c.answer})
		if err != nil {
			t.Fatal(err)
		}
		if found.Label != c.label || found.Reason != c.reason {
			t.Errorf("%s: %s (%s), want %s (%s)", name, found.Label, found.Reason, c.label, c.reason)
		}
		if c.verdict == "" {
			continue
		}
		claim := found.Claims[0]
		if claim.Verdict != c.verdict || (c.evidence == "") != (len(claim.Evidence) == 0) || c.evidence != "" && claim.Evidence[0].Text != c.evidence {
			t.Errorf("%s: %+v", name, claim)
		}
	}
	if _, err := judge.NewNLI(inference{}, []string{"yes", "no"}, nil); err == nil {
		t.Error("labels of something else are taken")
	}
}

// A real graph in ONNX Runtime: probabilities sum to 1, follow the order that id2label
// gives, and are the same each time; languages are those of config.json.
func TestAnInstalledModelInfers(t *testing.T) {
	t.Parallel()
	library := modelstest.Runtime(t)
	folder, err := models.OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m, err := folder.Import(t.Context(), modelstest.StandIn(t, standin.BERTNLI), "nli", rag.NoProgress{})
	if err != nil {
		t.Fatal(err)
	}
	if m.Task != models.TaskNLI || strings.Join(m.Labels, " ") != strings.Join(nliOrder, " ") || strings.Join(m.Languages, " ") != "zh" {
		t.Fatalf("%+v", m.Description)
	}
	v, err := m.Variant("")
	if err != nil {
		t.Fatal(err)
	}
	c, err := rerank.OpenCrossEncoder(ort.New(library), rerank.CrossSpec{
		Name: "nli", Graph: ort.Graph{Path: v.Path, Inputs: v.Inputs, Output: v.Output, Half: v.Half}, Tokenizer: m.Tokenizer,
		ModelSHA256: m.VariantSHA256(v), TokenizerSHA256: m.SHA256(m.Tokenizer), Limit: m.Limit, Pad: m.Pad, Classes: len(m.Labels),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	all, err := c.Classify(t.Context(), []string{leaveZH, "病假凭医院证明。"}, "年假有十天。")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if sum := p[0] + p[1] + p[2]; len(p) != 3 || sum < .999 || sum > 1.001 {
			t.Errorf("probabilities %v", p)
		}
	}
	d, err := judge.NewNLI(c, m.Labels, m.Languages)
	if err != nil {
		t.Fatal(err)
	}
	in := rag.Judged{Context: []string{leaveZH}, Answer: "年假有十天。"}
	found, err := d.Detect(t.Context(), in)
	if err != nil || found.Label == rag.Unscored || len(found.Claims[0].Evidence) != 1 {
		t.Errorf("%+v, %v", found, err)
	}
	in = rag.Judged{Context: []string{leaveEN}, Answer: "The leave takes ten days a year."}
	if found, err = d.Detect(t.Context(), in); err != nil || found.Label != rag.Unscored || found.Reason != judge.ReasonLanguage {
		t.Errorf("English by a Chinese model: %+v, %v", found, err)
	}
}
