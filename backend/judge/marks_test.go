package judge_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"ragdesk/backend/judge"
	"ragdesk/backend/models"
	"ragdesk/backend/models/modelstest"
	"ragdesk/backend/ort"
	"ragdesk/backend/rag"
	"ragdesk/backend/rerank"
	"ragdesk/build/standin"
)

// markWords is a model whose tokens are words: one that is not before the text is
// unsupported. It reads so many words before it.
type markWords struct{ limit int }

func (markWords) Fingerprint() string { return "words" }

func (m markWords) Fits(before, _ string) (bool, error) {
	return len(strings.Fields(before)) <= m.limit, nil
}

func (m markWords) Mark(_ context.Context, before, after string) (spans []rag.Span, shares [][]float64, err error) {
	if fits, _ := m.Fits(before, after); !fits {
		return nil, nil, errors.New("too long")
	}
	at := 0
	for _, w := range strings.SplitAfter(after, " ") {
		p := .1
		if !strings.Contains(before, strings.Trim(w, " .,")) {
			p = .9
		}
		spans, shares = append(spans, rag.Span{Start: at, End: at + len(w)}), append(shares, []float64{1 - p, p})
		at += len(w)
	}
	return spans, shares, nil
}

var tokenLabels = []string{models.LabelSupported, models.LabelUnsupported}

func TestMarks(t *testing.T) {
	t.Parallel()
	context := []string{"Leave is ten days a year.", "Lunch is served at noon."}
	for name, c := range map[string]struct {
		answer string
		limit  int
		label  rag.Label
		reason string
		claims string // verdicts with their details
	}{
		"borne out":     {"Leave is ten days [1]. Lunch is served at noon [2].", 99, rag.Faithful, judge.ReasonUnmarked, "supported 0.10 | supported 0.10"},
		"one is not":    {"Leave is twelve long days. Lunch is served at noon.", 99, rag.Hallucinated, judge.ReasonMarked, "unverifiable twelve long | supported 0.10"},
		"in two places": {"Leave was ten days here.", 99, rag.Hallucinated, judge.ReasonMarked, "unverifiable was … here."},
		"passages apart": {"Lunch is served at noon. Leave is ten weeks.", 58, rag.Hallucinated, judge.ReasonMarked,
			"supported 0.10 | unverifiable weeks."},
		"too long":  {"Leave is ten days.", 5, rag.Unscored, judge.ReasonPromptCut, "unscored "},
		"a refusal": {"The provided documents do not contain this information.", 99, rag.Unscored, judge.ReasonAbstained, "abstained "},
		"Chinese":   {"年假每年有十天。", 99, rag.Unscored, judge.ReasonLanguage, ""},
	} {
		d, err := judge.NewMarks(markWords{c.limit}, tokenLabels, models.LabelUnsupported, []string{"en"})
		if err != nil {
			t.Fatal(err)
		}
		found, err := d.Detect(t.Context(), rag.Judged{Question: "Tell of leave and lunch.", Context: context, Answer: c.answer})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var claims []string
		for _, one := range found.Claims {
			claims = append(claims, string(one.Verdict)+" "+one.Detail)
		}
		if got := strings.Join(claims, " | "); found.Label != c.label || found.Reason != c.reason || got != c.claims {
			t.Errorf("%s: %s (%s): %q, want %s (%s): %q", name, found.Label, found.Reason, got, c.label, c.reason, c.claims)
		}
	}
	if _, err := judge.NewMarks(markWords{}, []string{"a", "b"}, models.LabelUnsupported, nil); err == nil {
		t.Error("labels of something else are taken")
	}
}

// A real graph in ONNX Runtime.
func TestAnInstalledModelMarks(t *testing.T) {
	t.Parallel()
	library := modelstest.Runtime(t)
	folder, err := models.OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m, err := folder.Import(t.Context(), modelstest.StandIn(t, standin.TokenClassifier), "marks", rag.NoProgress{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := m.Variant("")
	if err != nil {
		t.Fatal(err)
	}
	c, err := rerank.OpenCrossEncoder(ort.New(library), rerank.CrossSpec{
		Name: "marks", Graph: ort.Graph{Path: v.Path, Inputs: v.Inputs, Output: v.Output, Half: v.Half}, Tokenizer: m.Tokenizer,
		ModelSHA256: m.VariantSHA256(v), TokenizerSHA256: m.SHA256(m.Tokenizer), Limit: m.Limit, Pad: m.Pad, Classes: len(m.Labels), Tokens: m.Tokens,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	d, err := judge.NewMarks(c, m.Labels, models.LabelUnsupported, m.Languages)
	if err != nil {
		t.Fatal(err)
	}
	in := rag.Judged{Question: "How long is leave?", Context: []string{leaveEN}, Answer: "The leave takes ten days a year [1]. It must be requested by fax."}
	first, err := d.Detect(t.Context(), in)
	if err != nil || first.Label == rag.Unscored || len(first.Claims) != 2 {
		t.Fatalf("%+v, %v", first, err)
	}
	again, err := d.Detect(t.Context(), in)
	if err != nil || again.Score != first.Score {
		t.Errorf("%v, then %v, %v", first.Score, again.Score, err)
	}
	in.Context = []string{strings.Repeat(leaveEN+" ", 100)}
	if long, err := d.Detect(t.Context(), in); err != nil || long.Reason != judge.ReasonPromptCut {
		t.Errorf("%+v, %v", long, err)
	}
}
