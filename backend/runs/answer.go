package runs

import "ragdesk/backend/rag"

// Answer is what was answered to a question, and the verdict on it. Claims open to
// their evidence, and all measures of answers follow from what is here.
type Answer struct {
	// Text is the answer; Model who wrote it; Abstained that it says there is none.
	Text      string `json:"text"`
	Model     string `json:"model"`
	Abstained bool   `json:"abstained"`
	// Context are the passages that the answer had, in the prompt's order.
	Context []rag.ChunkID `json:"context"`
	// Passages are their texts, as the prompt showed them: a claim can be judged again
	// when the library has changed.
	Passages  []string   `json:"passages"`
	Citations []Citation `json:"citations"`
	// Detector is who judged, and DetectorFingerprint changes when its verdicts may.
	// Label is faithful, hallucinated or unscored, Score how likely it is hallucinated,
	// null if unscored, Reason a code.
	Detector            string   `json:"detector"`
	DetectorFingerprint string   `json:"detector_fingerprint"`
	Label               string   `json:"label" tstype:"'faithful' | 'hallucinated' | 'unscored'"`
	Score               *float64 `json:"score"`
	Reason              string   `json:"reason"`
	Claims              []Claim  `json:"claims"`
	// Calls are what a model that judges replied, in order; none where no model did.
	Calls []Call `json:"calls"`
	// Others are the verdicts of further detectors.
	Others []Verdict `json:"others"`
	// Relevancy is the cosine of question and answer, and Similarity that of answer
	// and reference; null when they were not computed.
	Relevancy  *float64 `json:"relevancy"`
	Similarity *float64 `json:"similarity"`
	// Rubric are the marks of a language model, null where none was asked for any.
	Rubric *Rubric `json:"rubric"`
	// Judgement is what a language model says for the llm_… metrics, null where none of
	// them was asked for.
	Judgement *Judgement `json:"judgement"`
	// Style is how the answer reads, null for a refusal.
	Style *Style `json:"style"`
	// Reference compares the answer with the reference, null without one.
	Reference *Reference `json:"reference"`
	// Error is why there is no answer or no verdict, null when there are both.
	Error *Failure `json:"error"`
}

// Verdict is what one detector found; see Answer.
type Verdict struct {
	Detector string   `json:"detector"`
	Label    string   `json:"label" tstype:"'faithful' | 'hallucinated' | 'unscored'"`
	Score    *float64 `json:"score"`
	Reason   string   `json:"reason"`
	Claims   []Claim  `json:"claims"`
	Calls    []Call   `json:"calls"`
}

// Call is a reply of a model that judges.
type Call struct {
	// Claims are the indexes of the claims that it was asked about.
	Claims []int  `json:"claims"`
	Reply  string `json:"reply"`
	// Reason is a code why the reply is of no use, empty for one that was used.
	Reason string `json:"reason"`
}

// Citation is a citation in an answer.
type Citation struct {
	// Marker is n of "[n]", 0 for a sentence that needs a source and names none.
	Marker  int         `json:"marker"`
	ChunkID rag.ChunkID `json:"chunk_id"`
	// State is verified, weak, wrong or missing.
	State string `json:"state" tstype:"'verified' | 'weak' | 'wrong' | 'missing'"`
	// Start and End are the sentence in the answer, in code points.
	Start int `json:"start"`
	End   int `json:"end"`
}

// Claim is a statement of an answer with the verdict on it.
type Claim struct {
	Text  string `json:"text"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	// Verdict is supported, contradicted, unverifiable or abstained; unscored where a
	// judge gave none.
	Verdict string  `json:"verdict" tstype:"'supported' | 'contradicted' | 'unverifiable' | 'abstained' | 'unscored'"`
	Score   float64 `json:"score"`
	Reason  string  `json:"reason"`
	// Detail are words about the reason, or the judge's own.
	Detail string `json:"detail"`
	// Evidence is the best part of the context, null without one.
	Evidence *ClaimEvidence `json:"evidence"`
}

// ClaimEvidence is the part of a passage that speaks to a claim.
type ClaimEvidence struct {
	// Context is an index in Answer.Context; Start and End lie in that passage.
	Context int     `json:"context"`
	Start   int     `json:"start"`
	End     int     `json:"end"`
	Text    string  `json:"text"`
	Score   float64 `json:"score"`
}

// Reference compares an answer with the reference answers and key points.
type Reference struct {
	// Contains is whether the answer holds one of the reference answers, null
	// without such. TP, FP and FN are words of the best one: in both, in the answer
	// alone, in the reference alone.
	Contains *bool `json:"contains"`
	TP       int   `json:"tp"`
	FP       int   `json:"fp"`
	FN       int   `json:"fn"`
	// KeyPoints says which points the answer states.
	KeyPoints []KeyPoint `json:"key_points"`
}

// KeyPoint is a fact that a good answer states.
type KeyPoint struct {
	Text   string `json:"text"`
	Stated bool   `json:"stated"`
}

// Passages are the retrieved that were in the answer's prompt, in their ranking; nil
// without an answer.
func (r Record) Passages() []Retrieved {
	if r.Answer == nil {
		return nil
	}
	in := map[rag.ChunkID]bool{}
	for _, id := range r.Answer.Context {
		in[id] = true
	}
	var out []Retrieved
	for _, h := range r.Retrieved {
		if in[h.ChunkID] {
			out = append(out, h)
		}
	}
	return out
}

// Support counts the answer's claims that were found supported, and those that were judged:
// refusals and claims without a verdict are none of them.
func (a Answer) Support() (supported, judged int) {
	for _, c := range a.Claims {
		switch rag.ClaimVerdict(c.Verdict) {
		case rag.Supported:
			supported, judged = supported+1, judged+1
		case rag.Contradicted, rag.Unverifiable:
			judged++
		case rag.Abstained, rag.ClaimUnscored:
		}
	}
	return supported, judged
}
