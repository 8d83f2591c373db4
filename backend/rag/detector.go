package rag

import "context"

// Detector judges whether an answer says what its context says.
type Detector interface {
	// Detect judges one answer. What it cannot judge is Unscored with a reason, and
	// no error; an error means that the detector itself failed.
	Detect(ctx context.Context, in Judged) (Detection, error)
	// Name is the detector's name on the command line.
	Name() string
	// Fingerprint changes when verdicts may.
	Fingerprint() string
}

// Judged is an answer to be judged.
type Judged struct {
	Question string
	// Context are the passages that the answer had, in their order.
	Context []string
	Answer  string
}

// Label is the verdict on a whole answer.
type Label string

// The labels.
const (
	Faithful     Label = "faithful"
	Hallucinated Label = "hallucinated"
	// Unscored answers were not judged: they are neither.
	Unscored Label = "unscored"
)

// ClaimVerdict is what a context says of a claim.
type ClaimVerdict string

// The verdicts.
const (
	Supported ClaimVerdict = "supported"
	// Contradicted: the context says otherwise (intrinsic hallucination).
	Contradicted ClaimVerdict = "contradicted"
	// Unverifiable: the context does not say so (extrinsic hallucination).
	Unverifiable ClaimVerdict = "unverifiable"
	// Abstained: the claim says that there is no answer.
	Abstained ClaimVerdict = "abstained"
	// ClaimUnscored: there is no verdict, for the claim's Reason.
	ClaimUnscored ClaimVerdict = "unscored"
)

// Detection is a detector's verdict on an answer.
type Detection struct {
	Label Label
	// Score in [0, 1] is how likely the answer is hallucinated; meaningless when
	// unscored.
	Score float64
	// Reason is a code: why the answer is unscored, or what decided. Detail are the
	// words it is about.
	Reason, Detail string
	Claims         []Claim
	// Calls are what a language model was asked, in order; none without one.
	Calls []JudgeCall
}

// JudgeCall is one request to a model that judges.
type JudgeCall struct {
	// Claims are the indexes of the claims that it was asked about.
	Claims []int
	// Reply is what it wrote, as it stands.
	Reply string
	// Reason is a code why the reply is of no use, empty for one that was used;
	// Detail says more.
	Reason, Detail string
}

// Claim is a statement of an answer with the verdict on it.
type Claim struct {
	// Text is what is said; Points its place in the answer, in code points.
	Text    string
	Points  Span
	Verdict ClaimVerdict
	// Score in [0, 1] is how likely the claim is not supported; meaningless for
	// refusals and for what is unscored.
	Score          float64
	Reason, Detail string
	Evidence       []Evidence
}

// Evidence is a part of the context that speaks to a claim, the best first.
type Evidence struct {
	// Context is the passage's index, Points the place in it, in code points.
	Context int
	Points  Span
	Text    string
	// Score in [-1, 1] is how well it matches the claim.
	Score float64
}
