package runs

// Judgement is what a language model says of an answer and its passages for the llm_…
// metrics. A part that no metric needs, or that the question or the answer gives nothing
// for, is null.
type Judgement struct {
	// Model judged; Fingerprint changes with the model, the prompts and the rules.
	// Judgements of different fingerprints are not comparable.
	Model       string `json:"model"`
	Fingerprint string `json:"fingerprint"`
	// Correct are the answer's claims, judged by the reference answer; Recalled the
	// reference's claims, judged by the answer; Found the reference's claims, judged by
	// the passages; Points the key points, judged by the answer.
	Correct  *Statements `json:"correct" tstype:"Statements | null"`
	Recalled *Statements `json:"recalled" tstype:"Statements | null"`
	Found    *Statements `json:"found" tstype:"Statements | null"`
	Points   *Statements `json:"points" tstype:"Statements | null"`
	// Useful says which passages are of use for the reference answer, Used for the answer
	// itself.
	Useful *Usefulness `json:"useful" tstype:"Usefulness | null"`
	Used   *Usefulness `json:"used" tstype:"Usefulness | null"`
	// Asked are the questions that the answer would answer.
	Asked *AskedBack `json:"asked" tstype:"AskedBack | null"`
	// Cited says what the citations of the answer's sentences do for them.
	Cited *Cited `json:"cited" tstype:"Cited | null"`
}

// Parts of a Judgement, by the names of their keys.
const (
	PartCorrect  = "correct"
	PartRecalled = "recalled"
	PartFound    = "found"
	PartPoints   = "points"
	PartUseful   = "useful"
	PartUsed     = "used"
	PartAsked    = "asked"
	PartCited    = "cited"
)

// Statements are statements with the verdicts on them.
type Statements struct {
	// Claims have the verdict unscored where the judge gave none.
	Claims []Claim `json:"claims"`
	// Reason is a code why nothing was judged, empty when it was.
	Reason string `json:"reason"`
	Calls  []Call `json:"calls"`
}

// Usefulness says of each passage of the prompt, in its order, whether it is of use.
type Usefulness struct {
	Passages []PassageUse `json:"passages"`
	// Reason is a code why nothing was judged, empty when it was.
	Reason string `json:"reason"`
	// Calls name passages where those on claims name claims.
	Calls []Call `json:"calls"`
}

// PassageUse is the verdict on one passage.
type PassageUse struct {
	// Useful is null when the judge gave no verdict, for the code in Reason.
	Useful *bool  `json:"useful"`
	Reason string `json:"reason"`
	// Detail are the judge's own words.
	Detail string `json:"detail"`
}

// AskedBack are questions that a judge wrote for an answer.
type AskedBack struct {
	Questions []BackQuestion `json:"questions"`
	// Reason is a code why there are none, empty when there are.
	Reason string `json:"reason"`
	Calls  []Call `json:"calls"`
}

// BackQuestion is one of them.
type BackQuestion struct {
	Text string `json:"text"`
	// Noncommittal says that the answer evades it.
	Noncommittal bool `json:"noncommittal"`
	// Cosine is its likeness to the question that was asked, null when it was not
	// computed.
	Cosine *float64 `json:"cosine"`
}

// Cited are the sentences of an answer that need a source, judged by the passages that they
// cite.
type Cited struct {
	Sentences []CitedSentence `json:"sentences"`
	// Calls name passages where those on claims name claims.
	Calls []Call `json:"calls"`
}

// CitedSentence is one of them.
type CitedSentence struct {
	Text  string `json:"text"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	// Supported says that the cited passages together bear it out; null when the judge gave
	// no verdict, for the code in Reason.
	Supported *bool            `json:"supported"`
	Reason    string           `json:"reason"`
	Citations []CitedByPassage `json:"citations"`
}

// CitedByPassage is what one citation does for a sentence that is supported.
type CitedByPassage struct {
	Marker int `json:"marker"`
	// Valid says that it names a passage of the prompt.
	Valid bool `json:"valid"`
	// Alone says that its passage bears the sentence out by itself, Needed that the others do
	// not without it; null where that was not asked.
	Alone  *bool `json:"alone"`
	Needed *bool `json:"needed"`
}
