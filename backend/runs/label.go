package runs

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"
)

// What a person says of a claim: one of the four verdicts of a detector, or that it
// cannot be told.
const (
	StateSupported    = "supported"
	StateContradicted = "contradicted"
	StateUnverifiable = "unverifiable"
	StateAbstained    = "abstained"
	// StateUnclear claims were read and not decided: they count in no agreement.
	StateUnclear = "unclear"
)

// LabelStates lists what a label can say.
func LabelStates() []string {
	return []string{StateSupported, StateUnverifiable, StateContradicted, StateAbstained, StateUnclear}
}

// LabelItem is a claim as a person sees it who labels it: without any verdict.
type LabelItem struct {
	// Key names the content: question, claim and passages. The same claim of the same
	// passages keeps its labels, whatever run it stands in.
	Key string `json:"key"`
	// AnswerKey names the answer that the claim stands in.
	AnswerKey string `json:"answer_key"`
	Question  string `json:"question"`
	Answer    string `json:"answer"`
	Claim     string `json:"claim"`
	// Start and End are the claim's place in the answer, in code points.
	Start   int      `json:"start"`
	End     int      `json:"end"`
	Context []string `json:"context"`
	// Lang is the answer's language, empty when unknown.
	Lang string `json:"lang"`
}

// Label is what one person said of a claim.
type Label struct {
	Key string `json:"key"`
	By  string `json:"by"`
	// State is one of LabelStates, empty for a label that was taken back.
	State string    `json:"state"`
	Note  string    `json:"note"`
	At    time.Time `json:"at"`
}

// LabelVerdict is what a detector said of a claim that was given out to be labelled.
type LabelVerdict struct {
	Key string `json:"key"`
	// Detector is its name, Fingerprint changes when its verdicts may.
	Detector    string `json:"detector"`
	Fingerprint string `json:"fingerprint"`
	Verdict     string `json:"verdict"`
}

// LabelEvent is a line of the file that keeps labels; one field is set.
type LabelEvent struct {
	Item    *LabelItem    `json:"item,omitempty"`
	Label   *Label        `json:"label,omitempty"`
	Verdict *LabelVerdict `json:"verdict,omitempty"`
}

// ClaimKey is the key of a claim: a hash of question, claim and passages, in whatever
// order these stand.
func ClaimKey(question, claim string, passages []string) string {
	return contentKey("claim", question, claim, passages)
}

// AnswerKey is the key of an answer, by the same rule.
func AnswerKey(question, answer string, passages []string) string {
	return contentKey("answer", question, answer, passages)
}

func contentKey(kind, question, said string, passages []string) string {
	sorted := slices.Sorted(slices.Values(passages))
	h := sha256.New()
	for _, part := range append([]string{kind, question, said}, sorted...) {
		sum := sha256.Sum256([]byte(strings.TrimSpace(part)))
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// Bands of Cohen's kappa, by which a judge is trusted.
const (
	// BandReliable: 0.6 or more.
	BandReliable = "reliable"
	// BandDiscuss: 0.4 to 0.6; people should agree on the rules first.
	BandDiscuss = "discuss"
	// BandMend: below 0.4; mend the judge or its prompt, not the data.
	BandMend = "mend_prompt"
	// BandFew: fewer than FewLabels claims, of which no kappa tells the band.
	BandFew = "too_few"
	// BandNone: there is no kappa.
	BandNone = "not_calibrated"
)

// FewLabels is how many claims an agreement should rest on.
const FewLabels = 30

// Least kappas of the bands; a rounding error below is on the bound.
const (
	reliableKappa = .6 - 1e-9
	discussKappa  = .4 - 1e-9
)

// Band is the band of a kappa of n claims; nil is BandNone.
func Band(kappa *float64, n int) string {
	switch {
	case kappa == nil:
		return BandNone
	case n < FewLabels:
		return BandFew
	case *kappa >= reliableKappa:
		return BandReliable
	case *kappa >= discussKappa:
		return BandDiscuss
	}
	return BandMend
}

// Calibration is how far people agree with a detector on whether a claim is supported,
// over all labels of a workspace.
type Calibration struct {
	Detector    string `json:"detector"`
	Fingerprint string `json:"fingerprint"`
	// N counts the claims that a person labelled and the detector judged, People who.
	N      int `json:"n"`
	People int `json:"people"`
	// Kappa is null when it cannot be computed, with CI.
	Kappa *float64 `json:"kappa"`
	CI    *CI      `json:"ci" tstype:"CI | null"`
	// Band is reliable, discuss, mend_prompt, too_few or not_calibrated.
	Band string `json:"band" tstype:"'reliable' | 'discuss' | 'mend_prompt' | 'too_few' | 'not_calibrated'"`
}
