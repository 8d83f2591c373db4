package api

// VerifyRequest judges answers against their contexts: those of File, or Items.
type VerifyRequest struct {
	// Detector is "evidence"; empty means that.
	Detector string `json:"detector"`
	// File is the path of a file of items, one a line.
	File  string       `json:"file"`
	Items []VerifyItem `json:"items"`
}

// VerifyItem is an answer to judge.
type VerifyItem struct {
	ID       string   `json:"id"`
	Question string   `json:"question"`
	Context  []string `json:"context"`
	Answer   string   `json:"answer"`
	// Label is what a person says of it, faithful or hallucinated; null when nobody
	// has.
	Label *string `json:"label" tstype:"'faithful' | 'hallucinated' | null"`
}

// VerifyReport is the result of a verify job.
type VerifyReport struct {
	Detector string `json:"detector"`
	// Fingerprint changes when the detector's verdicts may.
	Fingerprint string         `json:"fingerprint"`
	Items       []VerifiedItem `json:"items"`
	Summary     VerifySummary  `json:"summary"`
}

// VerifiedItem is the verdict on one answer.
type VerifiedItem struct {
	ID string `json:"id"`
	// Question, Context and Answer are what was judged.
	Question string   `json:"question"`
	Context  []string `json:"context"`
	Answer   string   `json:"answer"`
	// Label is faithful, hallucinated or unscored.
	Label string `json:"label" tstype:"'faithful' | 'hallucinated' | 'unscored'"`
	// Score is how likely the answer is hallucinated, 0 to 1; null if unscored.
	Score *float64 `json:"score"`
	// Reason is a code, and Message what it means.
	Reason  string          `json:"reason"`
	Message string          `json:"message"`
	Claims  []VerifiedClaim `json:"claims"`
	// Expected is the label that the item came with.
	Expected *string `json:"expected"`
}

// VerifiedClaim is the verdict on one statement of an answer.
type VerifiedClaim struct {
	Text string `json:"text"`
	// Span is its place in the answer, in code points.
	Span    Span   `json:"span"`
	Verdict string `json:"verdict" tstype:"'supported' | 'contradicted' | 'unverifiable' | 'abstained'"`
	// Score is how likely it is not supported; null for a refusal.
	Score    *float64       `json:"score"`
	Reason   string         `json:"reason"`
	Message  string         `json:"message"`
	Evidence []EvidencePart `json:"evidence"`
}

// EvidencePart is a part of a context that speaks to a claim, start and end in code
// points.
type EvidencePart struct {
	// Context is the index of the passage.
	Context int     `json:"context"`
	Start   int     `json:"start"`
	End     int     `json:"end"`
	Text    string  `json:"text"`
	Score   float64 `json:"score"`
}

// VerifySummary compares labels with verdicts, where there are both. The class
// of precision and recall is hallucinated; what has no denominator is null.
type VerifySummary struct {
	// N counts the items, Scored those with a verdict, Labelled those of them with a
	// label too.
	N        int `json:"n"`
	Scored   int `json:"scored"`
	Labelled int `json:"labelled"`
	// Coverage is Scored/N.
	Coverage         *float64 `json:"coverage"`
	Precision        *float64 `json:"precision"`
	Recall           *float64 `json:"recall"`
	F1               *float64 `json:"f1"`
	BalancedAccuracy *float64 `json:"balanced_accuracy"`
	Kappa            *float64 `json:"kappa"`
	// Hallucinated is the share of scored items that were judged so.
	Hallucinated *float64 `json:"hallucinated"`
	// Unscored counts the others by reason, Verdicts the claims by verdict.
	Unscored map[string]int `json:"unscored" tstype:"{ [key: string]: number }"`
	Verdicts map[string]int `json:"verdicts" tstype:"{ [key: string]: number }"`
}
