package judge

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// DetectorNLI is the name of the detector that asks a model of natural language
// inference.
const DetectorNLI = "nli"

// Labels of such models.
const (
	entailment    = "entailment"
	contradiction = "contradiction"
)

// ReasonEntailed, ReasonRefuted and ReasonNeutral are an NLI model's verdicts, with its
// probability as the detail.
const (
	ReasonEntailed = "entailed"
	ReasonRefuted  = "refuted"
	ReasonNeutral  = "neutral"
)

// Classifier is a model that tells how a hypothesis stands to premises.
type Classifier interface {
	// Classify returns for each premise the probabilities of the labels, in their order.
	Classify(ctx context.Context, premises []string, hypothesis string) ([][]float64, error)
	// Fits reports that the model reads both texts whole.
	Fits(premise, hypothesis string) (bool, error)
	Fingerprint() string
}

// NLI is the detector that asks an installed model whether the context entails a claim.
//
// The context is read in windows of as many whole sentences as the model takes. A claim is
// supported when the highest probability of entailment over the windows is ½ or more and
// no less than that of contradiction, contradicted when that of contradiction is ½ or
// more, and else unverifiable; its risk is 1 − entailment. The evidence is the sentence of
// the deciding window for which the same probability is highest.
type NLI struct {
	model               Classifier
	entails, contradict int
	languages           []string
}

// NewNLI returns the detector; labels name the model's classes in their order, and
// languages are codes, "multi" for many. A model of no stated language judges none.
func NewNLI(model Classifier, labels, languages []string) (*NLI, error) {
	n := &NLI{model, slices.Index(labels, entailment), slices.Index(labels, contradiction), languages}
	if n.entails < 0 || n.contradict < 0 {
		return nil, fmt.Errorf("labels %v lack entailment or contradiction", labels)
	}
	if slices.Contains(languages, "multi") {
		n.languages = []string{"zh", "en"}
	}
	return n, nil
}

var _ rag.Detector = (*NLI)(nil)

// Name returns "nli".
func (n *NLI) Name() string { return DetectorNLI }

// Fingerprint covers the rules and the model.
func (n *NLI) Fingerprint() string {
	return fmt.Sprintf("nli/1 %s %d %d %v", n.model.Fingerprint(), n.entails, n.contradict, n.languages)
}

// Detect judges one answer. It is safe for concurrent use when the model is.
func (n *NLI) Detect(ctx context.Context, in rag.Judged) (rag.Detection, error) {
	if text.Letters(text.Uncited(in.Answer)) == "" {
		return unscored(ReasonEmpty, ""), ctx.Err()
	}
	lang, ok := cover(n.languages, in)
	if !ok {
		return unscored(ReasonLanguage, lang), ctx.Err()
	}
	claims := claimsOf(in)
	if len(claims) == 0 {
		return unscored(ReasonEmpty, ""), ctx.Err()
	}
	for i := range claims {
		if settle(in, &claims[i]) {
			continue
		}
		if err := n.judge(ctx, in, &claims[i]); err != nil {
			return rag.Detection{}, fmt.Errorf("judge claim %d of %d: %w", i+1, len(claims), err)
		}
	}
	return detection(claims), ctx.Err()
}

// judge fills in the verdict on one claim.
func (n *NLI) judge(ctx context.Context, in rag.Judged, c *rag.Claim) error {
	said := text.Uncited(c.Text)
	if short(in) {
		said, _ = Statement(in.Question, strings.TrimSpace(said))
	}
	windows, err := n.windows(in.Context, said)
	if err != nil {
		return err
	}
	if len(windows) == 0 {
		c.Verdict, c.Reason = rag.ClaimUnscored, ReasonPromptCut
		return nil
	}
	all, err := n.classify(ctx, in.Context, windows, said)
	if err != nil {
		return err
	}
	entailed, by := highest(all, n.entails)
	refuted, against := highest(all, n.contradict)
	c.Score = 1 - entailed
	label, decided := n.entails, by
	switch {
	case entailed >= .5 && entailed >= refuted:
		c.Verdict, c.Reason, c.Detail = rag.Supported, ReasonEntailed, decimals(entailed)
	case refuted >= .5:
		c.Verdict, c.Reason, c.Detail = rag.Contradicted, ReasonRefuted, decimals(refuted)
		c.Score, label, decided = max(c.Score, .5), n.contradict, against
	default:
		c.Verdict, c.Reason, c.Detail = rag.Unverifiable, ReasonNeutral, decimals(entailed)
		c.Score = max(c.Score, .5)
	}
	c.Evidence, err = n.evidence(ctx, in.Context, windows[decided], said, label)
	return err
}

func decimals(p float64) string { return fmt.Sprintf("%.2f", p) }

// nliWindow are sentences of a context that the model reads together.
type nliWindow struct {
	context   int
	sentences []rag.Span
}

func (w nliWindow) text(contexts []string) string {
	return contexts[w.context][w.sentences[0].Start:w.sentences[len(w.sentences)-1].End]
}

// windows cuts the contexts; none when a sentence with the claim is too long for the model,
// since what it did not read might decide.
func (n *NLI) windows(contexts []string, said string) ([]nliWindow, error) {
	var out []nliWindow
	for i, whole := range contexts {
		var w nliWindow
		for _, s := range text.Sentences(whole) {
			if text.IsBlank(whole[s.Start:s.End]) {
				continue
			}
			longer := nliWindow{i, append(slices.Clone(w.sentences), s)}
			fits, err := n.model.Fits(longer.text(contexts), said)
			switch {
			case err != nil:
				return nil, err
			case fits:
				w = longer
				continue
			case len(w.sentences) > 0:
				out = append(out, w)
			}
			w = nliWindow{i, []rag.Span{s}}
			if fits, err = n.model.Fits(w.text(contexts), said); err != nil || !fits {
				return nil, err
			}
		}
		if len(w.sentences) > 0 {
			out = append(out, w)
		}
	}
	return out, nil
}

// classify has the claim judged by each window.
func (n *NLI) classify(ctx context.Context, contexts []string, windows []nliWindow, said string) ([][]float64, error) {
	premises := make([]string, len(windows))
	for i, w := range windows {
		premises[i] = w.text(contexts)
	}
	return n.model.Classify(ctx, premises, said)
}

// highest is the highest probability of a label, and the first place that has it.
func highest(all [][]float64, label int) (p float64, at int) {
	for i := range all {
		if all[i][label] > all[at][label] {
			at = i
		}
	}
	return all[at][label], at
}

// evidence is the sentence of a window that bears most on the claim.
func (n *NLI) evidence(ctx context.Context, contexts []string, w nliWindow, said string, label int) ([]rag.Evidence, error) {
	alone := make([]nliWindow, len(w.sentences))
	for i, s := range w.sentences {
		alone[i] = nliWindow{w.context, []rag.Span{s}}
	}
	all, err := n.classify(ctx, contexts, alone, said)
	if err != nil {
		return nil, err
	}
	score, best := highest(all, label)
	s := source{contexts: contexts}
	return []rag.Evidence{s.part(w.context, w.sentences[best], score)}, nil
}
