package api

// VerifyRequest judges answers against their contexts: those of File, or Items.
type VerifyRequest struct {
	// Detector names detectors, with commas between: "evidence", which needs no model,
	// "llm", "llm:MODEL". Empty means "evidence".
	Detector string `json:"detector"`
	// Model is the language model of an "llm" that names none; empty means the default
	// one. Fresh leaves its earlier replies aside.
	Model string `json:"model"`
	Fresh bool   `json:"fresh"`
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

// VerifyReport is the result of a verify job: the report of the first detector, and
// beside it those of the others.
type VerifyReport struct {
	DetectorReport `tstype:",extends,required"`
	Others         []DetectorReport `json:"others"`
	// Agreement compares the detectors, two at a time.
	Agreement []DetectorAgreement `json:"agreement"`
}

// DetectorReport is what one detector found.
type DetectorReport struct {
	Detector string `json:"detector"`
	// Model is the model that it asks, null without one.
	Model *string `json:"model"`
	// Warnings say what is to be known of the verdicts: judge_small.
	Warnings []Notice `json:"warnings"`
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
	// Calls are what a language model replied, in order.
	Calls []JudgeCall `json:"calls"`
	// Expected is the label that the item came with.
	Expected *string `json:"expected"`
}

// JudgeCall is a reply of a model that judges.
type JudgeCall struct {
	// Claims are the indexes of the claims that it was asked about.
	Claims []int  `json:"claims"`
	Reply  string `json:"reply"`
	// Reason is a code why the reply is of no use, empty for one that was used.
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// DetectorAgreement compares two detectors on the items that both scored.
type DetectorAgreement struct {
	// A and B name them, with their models.
	A string `json:"a"`
	B string `json:"b"`
	// N counts the items, Agreed is the share with the same label; null without items.
	N      int      `json:"n"`
	Agreed *float64 `json:"agreed"`
	Kappa  *float64 `json:"kappa"`
	// Differ are the ids of those with different labels.
	Differ []string `json:"differ"`
}

// VerifiedClaim is the verdict on one statement of an answer.
type VerifiedClaim struct {
	Text string `json:"text"`
	// Span is its place in the answer, in code points.
	Span    Span   `json:"span"`
	Verdict string `json:"verdict" tstype:"'supported' | 'contradicted' | 'unverifiable' | 'abstained' | 'unscored'"`
	// Score is how likely it is not supported; null for a refusal and for what is
	// unscored.
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
	// Failed counts the items that a failing judge left unscored.
	Failed int `json:"failed"`
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
