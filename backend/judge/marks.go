package judge

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// ReasonMarked and ReasonUnmarked are the verdicts of a model that marks tokens: with the
// words that it marks as the detail, or its highest probability for one.
const (
	ReasonMarked   = "marked"
	ReasonUnmarked = "unmarked"
)

// Marker is a model that tells which tokens of a text do not follow from what is before it.
type Marker interface {
	// Mark returns for each token of after its place there, in bytes, and the
	// probabilities of the labels, in their order. Both texts must fit.
	Mark(ctx context.Context, before, after string) ([]rag.Span, [][]float64, error)
	// Fits reports that the model reads both texts whole.
	Fits(before, after string) (bool, error)
	Fingerprint() string
}

// Marks is the detector that asks an installed model of token classification which words
// of an answer its context does not bear out. It goes by the name of nli, beside NLI.
//
// The model reads question and passages, in the words that such models were trained with,
// and then the answer without its citations. A claim's risk is the highest probability of
// being unsupported among its tokens; from ½ on it is unverifiable: the model does not
// tell what is contradicted from what is not there. Where the passages do not fit, they are read in
// groups of as many as do, and the group that bears the claim out best counts.
type Marks struct {
	model       Marker
	unsupported int
	languages   []string
}

// NewMarks returns the detector; labels name the model's classes in their order, of which
// unsupported is one. Languages are as in NewNLI.
func NewMarks(model Marker, labels []string, unsupported string, languages []string) (*Marks, error) {
	m := &Marks{model, slices.Index(labels, unsupported), languages}
	if m.unsupported < 0 {
		return nil, fmt.Errorf("labels %v lack %s", labels, unsupported)
	}
	if slices.Contains(languages, "multi") {
		m.languages = []string{"zh", "en"}
	}
	return m, nil
}

var _ rag.Detector = (*Marks)(nil)

// Name returns "nli".
func (m *Marks) Name() string { return DetectorNLI }

// Fingerprint covers the rules and the model.
func (m *Marks) Fingerprint() string {
	return fmt.Sprintf("marks/1 %s %d %v", m.model.Fingerprint(), m.unsupported, m.languages)
}

// Detect judges one answer. It is safe for concurrent use when the model is.
func (m *Marks) Detect(ctx context.Context, in rag.Judged) (rag.Detection, error) {
	said := text.Uncited(in.Answer)
	if text.Letters(said) == "" {
		return unscored(ReasonEmpty, ""), ctx.Err()
	}
	lang, ok := cover(m.languages, in)
	if !ok {
		return unscored(ReasonLanguage, lang), ctx.Err()
	}
	claims := claimsOf(in)
	if len(claims) == 0 {
		return unscored(ReasonEmpty, ""), ctx.Err()
	}
	open := false
	for i := range claims {
		open = !settle(in, &claims[i]) || open
	}
	if !open {
		return detection(claims), ctx.Err()
	}
	groups, err := m.groups(in, said)
	if err != nil {
		return rag.Detection{}, err
	}
	for i := range claims {
		if claims[i].Verdict == "" {
			claims[i].Verdict, claims[i].Reason = rag.ClaimUnscored, ReasonPromptCut
		}
	}
	for _, group := range groups {
		spans, shares, err := m.model.Mark(ctx, markPrompt(in.Question, group), said)
		if err != nil {
			return rag.Detection{}, fmt.Errorf("mark the answer: %w", err)
		}
		m.judge(said, spans, shares, claims)
	}
	return detection(claims), ctx.Err()
}

// groups are the passages in as few groups as the model reads with the answer; none where
// one passage alone is too long, since what was not read might bear it out.
func (m *Marks) groups(in rag.Judged, said string) (groups [][]string, err error) {
	var group []string
	for _, passage := range in.Context {
		longer := append(slices.Clone(group), passage)
		fits, err := m.model.Fits(markPrompt(in.Question, longer), said)
		if err != nil {
			return nil, err
		}
		if fits {
			group = longer
			continue
		}
		if len(group) == 0 {
			return nil, nil
		}
		groups, group = append(groups, group), []string{passage}
		if fits, err = m.model.Fits(markPrompt(in.Question, group), said); err != nil || !fits {
			return nil, err
		}
	}
	return append(groups, group), nil
}

// judge gives claims the verdict of one group, where it is better than that of an earlier
// one.
func (m *Marks) judge(said string, spans []rag.Span, shares [][]float64, claims []rag.Claim) {
	at := 0
	for i := range claims {
		c := &claims[i]
		words := strings.TrimSpace(text.Uncited(c.Text))
		found := strings.Index(said[at:], words)
		if c.Verdict == rag.Abstained || found < 0 {
			continue // a claim whose words are not found stays without a verdict
		}
		place := rag.Span{Start: at + found, End: at + found + len(words)}
		at = place.End
		risk, marked := m.marked(said, place, spans, shares)
		if c.Verdict != rag.ClaimUnscored && risk >= c.Score {
			continue
		}
		c.Score = risk
		if marked == "" {
			c.Verdict, c.Reason, c.Detail = rag.Supported, ReasonUnmarked, decimals(risk)
		} else {
			c.Verdict, c.Reason, c.Detail = rag.Unverifiable, ReasonMarked, marked
		}
	}
}

// marked is the highest probability of being unsupported in a place, and the words of
// which it is half or more.
func (m *Marks) marked(said string, place rag.Span, spans []rag.Span, shares [][]float64) (risk float64, words string) {
	var parts []rag.Span
	for i, s := range spans {
		if !s.Overlaps(place) || strings.TrimSpace(said[s.Start:s.End]) == "" {
			continue
		}
		p := shares[i][m.unsupported]
		risk = max(risk, p)
		if p < .5 {
			continue
		}
		if n := len(parts); n > 0 && s.Start <= parts[n-1].End {
			parts[n-1].End = max(parts[n-1].End, s.End)
			continue
		}
		parts = append(parts, s)
	}
	var out []string
	for _, s := range parts {
		out = append(out, strings.TrimSpace(said[s.Start:s.End]))
	}
	return risk, strings.Join(out, " … ")
}

// markPrompt is what stands before the answer: the prompts of RAGTruth (Niu et al., 2024),
// with which models that mark tokens are trained, whatever the language.
func markPrompt(question string, passages []string) string {
	if strings.TrimSpace(question) == "" {
		return "Summarize the following text:\n" + strings.Join(passages, "\n") + "\noutput:"
	}
	numbered := make([]string, len(passages))
	for i, p := range passages {
		numbered[i] = "passage " + strconv.Itoa(i+1) + ": " + p
	}
	return "Briefly answer the following question:\n" + question + "\nBear in mind that your response should be strictly based on the following " +
		strconv.Itoa(len(passages)) + " passages:\n" + strings.Join(numbered, "\n") +
		"\nIn case the passages do not contain the necessary information to answer the question, please reply with: \"Unable to answer based on given passages.\"\noutput:"
}
