package runs

// Dimensions of the rubric judge, marked 1 to 5 in every round.
const (
	DimensionFaithfulness = "faithfulness"
	DimensionRelevance    = "relevance"
	DimensionCompleteness = "completeness"
)

// Dimensions lists them in the order of the prompt.
func Dimensions() []string {
	return []string{DimensionFaithfulness, DimensionRelevance, DimensionCompleteness}
}

// Caps that the program puts on a judge's marks.
const (
	// CapUnsupported: the answer says what its passages do not bear out, so that
	// faithfulness is 3 at most.
	CapUnsupported = "unsupported"
	// CapRepeats: the answer repeats itself, and is marked no higher than without the
	// repetition.
	CapRepeats = "repeats"
)

// Rubric are the marks of a language model on an answer: all three, or none with a
// reason.
type Rubric struct {
	// Model judged; Fingerprint changes with the model, the prompt and the rules. Marks
	// of different fingerprints are not comparable.
	Model       string `json:"model"`
	Fingerprint string `json:"fingerprint"`
	// Marks are by dimension; null when the answer is unscored.
	Marks map[string]RubricMark `json:"marks" tstype:"{ [key: string]: RubricMark } | null"`
	// Reason is a code why there are no marks, empty when there are; Detail says more.
	Reason string `json:"reason"`
	Detail string `json:"detail"`
	// Unsupported is what the judge or the detector finds without support, Missing what
	// the judge misses.
	Unsupported string `json:"unsupported"`
	Missing     string `json:"missing"`
	// Replies are the model's, as they were written: that on the answer, and before it
	// that on a repeating answer without its repetition.
	Replies []string `json:"replies"`
}

// RubricMark is one mark.
type RubricMark struct {
	// Mark counts, 1 to 5; Given is the judge's own, before Cap.
	Mark  int `json:"mark"`
	Given int `json:"given"`
	// Cap is unsupported or repeats, empty where Mark is Given.
	Cap string `json:"cap"`
	// Reason is the judge's, 50 characters at most.
	Reason string `json:"reason"`
}

// Scored reports an answer that has its marks.
func (r *Rubric) Scored() bool { return r != nil && r.Marks != nil }

// Probes of the rubric judge's known biases.
const (
	// ProbeLength: the same answer, padded.
	ProbeLength = "length"
	// ProbePosition: the same two answers in the other order.
	ProbePosition = "position"
	// ProbeSelf: answers of the judge's own model against those of another.
	ProbeSelf = "self_preference"
	// ProbeAnchoring: the same answer with and without an example in the prompt.
	ProbeAnchoring = "anchoring"
)

// Probes lists them.
func Probes() []string { return []string{ProbeLength, ProbePosition, ProbeSelf, ProbeAnchoring} }

// Verdicts of a probe.
const (
	// BiasFound: the judge has the bias.
	BiasFound = "found"
	// BiasNotFound: the bias, if any, is below the margin.
	BiasNotFound = "not_found"
	// BiasInconclusive: too few answers, or too much noise, to tell.
	BiasInconclusive = "inconclusive"
	// BiasNotRun: there is nothing to run it on.
	BiasNotRun = "not_run"
)

// ProbeResult is what a probe found.
type ProbeResult struct {
	Probe string `json:"probe" tstype:"'length' | 'position' | 'self_preference' | 'anchoring'"`
	// Effect is by how much, in marks, the bias raises the mean of the three dimensions
	// (of faithfulness for self_preference); null when nothing was measured.
	Effect *float64 `json:"effect"`
	CI     *CI      `json:"ci" tstype:"CI | null"`
	// P is one-sided, by sign flips.
	P *float64 `json:"p"`
	// N counts the answers with all marks, Of those that were tried, Missing the others
	// by reason.
	N       int            `json:"n"`
	Of      int            `json:"of"`
	Missing map[string]int `json:"missing" tstype:"{ [key: string]: number }"`
	// Margin is the effect, in marks, below which a bias does not matter.
	Margin  float64 `json:"margin"`
	Verdict string  `json:"verdict" tstype:"'found' | 'not_found' | 'inconclusive' | 'not_run'"`
	// Reason is why it was not run, or is inconclusive: needs_two_answers, needs_own,
	// too_few; else empty.
	Reason string `json:"reason"`
	// Items are the answers: marks without and with what might bias.
	Items []ProbeItem `json:"items"`
}

// ProbeItem is one answer of a probe.
type ProbeItem struct {
	ID string `json:"id"`
	// Without and With are mean marks, null where a call brought none.
	Without *float64 `json:"without"`
	With    *float64 `json:"with"`
	// Low and High are the marks under an example of low and one of high marks, of the
	// anchoring probe alone.
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
}
