package runs

import "slices"

// Cause says why a question failed.
type Cause string

// The causes, from the library to the ranking, the prompt and the answer.
const (
	// NotIndexed: the gold lies in a document that the library does not have.
	NotIndexed Cause = "not_indexed"
	// SplitByChunking: no chunk covers the gold as the relevance asks.
	SplitByChunking Cause = "split_by_chunking"
	// NotRetrieved: nothing relevant within the depth.
	NotRetrieved Cause = "not_retrieved"
	// RankedLow: relevant below FailedDepth.
	RankedLow Cause = "ranked_low"
	// DroppedByThreshold: what was relevant fell below a threshold.
	DroppedByThreshold Cause = "dropped_by_threshold"
	// CutFromPrompt: relevant passages were found and none was in the prompt.
	CutFromPrompt Cause = "cut_from_prompt"
	// Ignored: relevant passages were in the prompt, and the answer rests on others
	// or leaves out what was asked.
	Ignored Cause = "ignored"
	// NoiseFollowed: an unanswerable question was answered from passages that do not
	// answer it.
	NoiseFollowed Cause = "noise_followed"
	// Contradicted: the answer says otherwise than its passages.
	Contradicted Cause = "contradicted"
	// Fabricated: the answer says what its passages do not say.
	Fabricated Cause = "fabricated"
	// WrongCitation: a cited passage does not bear its sentence out.
	WrongCitation Cause = "wrong_citation"
	// WrongRefusal: the answer refuses although a relevant passage was in the prompt.
	WrongRefusal Cause = "wrong_refusal"
)

// Causes lists all causes in the order in which they are looked for.
func Causes() []Cause {
	return []Cause{
		NotIndexed, SplitByChunking, NotRetrieved, RankedLow, DroppedByThreshold, CutFromPrompt, Ignored, NoiseFollowed,
		Contradicted, Fabricated, WrongCitation, WrongRefusal,
	}
}

// Retrieval reports a cause that a search alone can show.
func (c Cause) Retrieval() bool {
	return slices.Index(Causes(), c) <= slices.Index(Causes(), DroppedByThreshold)
}

// Buckets that causes roll up to.
const (
	// BucketMissed: the right passage did not come into the prompt.
	BucketMissed = "missed"
	// BucketNoise: it did, and the answer was led astray by others.
	BucketNoise = "noise"
	// BucketUnfaithful: the answer says what its passages do not bear out.
	BucketUnfaithful = "unfaithful"
)

// Buckets lists the buckets.
func Buckets() []string { return []string{BucketMissed, BucketNoise, BucketUnfaithful} }

// Bucket is the bucket of a cause.
func (c Cause) Bucket() string {
	switch c {
	case Ignored, NoiseFollowed, WrongRefusal:
		return BucketNoise
	case Contradicted, Fabricated, WrongCitation:
		return BucketUnfaithful
	case NotIndexed, SplitByChunking, NotRetrieved, RankedLow, DroppedByThreshold, CutFromPrompt:
	}
	return BucketMissed
}

// Diagnosis says why questions of a run failed: each by the first cause that
// applies.
type Diagnosis struct {
	// Of counts the questions that were looked at, Failed those with a cause.
	Of     int `json:"of"`
	Failed int `json:"failed"`
	// Answers says whether there were answers to look at; without them the causes
	// from cut_from_prompt on are in NotLooked.
	Answers   bool    `json:"answers"`
	NotLooked []Cause `json:"not_looked"`
	// Unjudged counts answers without a verdict or a cause: they could be wrong.
	Unjudged int           `json:"unjudged"`
	Buckets  []BucketCount `json:"buckets"`
	// Causes are those that occur, in the order of package runs.
	Causes []CauseCount `json:"causes"`
}

// BucketCount is how many questions fell into a bucket.
type BucketCount struct {
	Bucket string  `json:"bucket" tstype:"'missed' | 'noise' | 'unfaithful'"`
	N      int     `json:"n"`
	Share  float64 `json:"share"`
	// CI is the 95 % interval of Share, null when it cannot be computed.
	CI *CI `json:"ci" tstype:"CI | null"`
}

// CauseCount is how many questions failed for a cause, and what may help.
type CauseCount struct {
	Cause  Cause   `json:"cause"`
	Bucket string  `json:"bucket" tstype:"'missed' | 'noise' | 'unfaithful'"`
	N      int     `json:"n"`
	Share  float64 `json:"share"`
	CI     *CI     `json:"ci" tstype:"CI | null"`
	// Questions are the ids behind it, in the order of the dataset.
	Questions []string `json:"questions"`
	// Parameters are settings likely to help, the likeliest first.
	Parameters []string `json:"parameters"`
	Sweep      Sweep    `json:"sweep"`
}

// Sweep is an experiment that would test a remedy: it changes one parameter.
type Sweep struct {
	Parameter string `json:"parameter"`
	// Commands are command lines to run one after the other.
	Commands []string `json:"commands"`
}

// Transition counts the questions that went from one cause to another; null is none.
type Transition struct {
	From      *Cause   `json:"from"`
	To        *Cause   `json:"to"`
	N         int      `json:"n"`
	Questions []string `json:"questions"`
}

// BucketTransition is the same by bucket.
type BucketTransition struct {
	From      *string  `json:"from" tstype:"'missed' | 'noise' | 'unfaithful' | null"`
	To        *string  `json:"to" tstype:"'missed' | 'noise' | 'unfaithful' | null"`
	N         int      `json:"n"`
	Questions []string `json:"questions"`
}
