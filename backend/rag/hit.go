package rag

import (
	"cmp"
	"slices"
)

// Stage names a step of retrieval whose scores are shown and may be thresholded.
type Stage string

// The stages, in the order they run.
const (
	StageVector Stage = "vector"
	StageBM25   Stage = "bm25"
	StageFusion Stage = "fusion"
	StageRerank Stage = "rerank"
)

// Stages lists all stages in running order.
func Stages() []Stage { return []Stage{StageVector, StageBM25, StageFusion, StageRerank} }

// What retrieval spends time on beside the stages.
const (
	// StepOpen opens the library and its text index, and what reranking needs.
	StepOpen Stage = "open"
	// StepEmbed embeds the question, and opens the model before the first one.
	StepEmbed Stage = "embed"
	// StepLoad waits for vectors that are being loaded.
	StepLoad Stage = "load"
	// StepRead reads the hits' texts, folds repeats and marks the question's words.
	StepRead Stage = "read"
)

// Steps lists all that a retrieval spends time on in running order. One follows
// the other, except that bm25 runs beside embed, load and vector.
func Steps() []Stage {
	return []Stage{StepOpen, StepEmbed, StepLoad, StageVector, StageBM25, StageFusion, StageRerank, StepRead}
}

// StageScore is what one stage said of a hit.
//
// Scores by stage: vector = cosine in [-1, 1]; bm25 ≥ 0, unbounded; fusion = RRF
// sum, weighted value, or 1/rank for union; rerank = sigmoid(logit) of a
// cross-encoder in (0, 1), or late interaction's combined score ≤ 1.
type StageScore struct {
	Stage Stage
	// Rank is 1-based; 0 means that the stage did not list the hit.
	Rank  int
	Score float64
	// Parts are the named values that Score was made from, if any, such as "li"
	// and "bm25" of late interaction or "logit" of a cross-encoder.
	Parts []Part
}

// Part is one named addend or native value behind a score.
type Part struct {
	Name  string
	Value float64
}

// Scored is a chunk with the score one index or model gave it.
type Scored struct {
	ID    ChunkID
	Score float64
}

// CompareScored is the ordering rule of all our rankings: score descending, then
// chunk ID ascending. Scores must not be NaN.
func CompareScored(a, b Scored) int {
	if c := cmp.Compare(b.Score, a.Score); c != 0 {
		return c
	}
	return cmp.Compare(a.ID, b.ID)
}

// SortScored orders s by CompareScored.
func SortScored(s []Scored) { slices.SortFunc(s, CompareScored) }

// Hit is a chunk in a ranking with every stage's native score and rank.
type Hit struct {
	Chunk Chunk
	// Source is the document's source.
	Source string
	// Rank is 1-based.
	Rank int
	// Score is that of the last stage that touched the hit, named in ScoreStage.
	Score      float64
	ScoreStage Stage
	// Trace has one entry for each stage of the pipeline, in running order.
	Trace []StageScore
	// Page is the 1-based page on which the chunk begins; 0 without pages.
	Page int
	// Passage is what the prompt shows instead of the chunk; without text it is the
	// chunk itself.
	Passage Passed
	// Repeats are the chunks dropped because their text is nearly this one's.
	Repeats []ChunkID
}

// Passed is a passage of a document that goes into a prompt.
type Passed struct {
	Span, Points Span
	Text         string
}

// Dropped is a candidate that a threshold or a rank limit removed.
type Dropped struct {
	Chunk  Chunk
	Source string
	Stage  Stage
	// Scored is false for a chunk that the stage never came to; its Score is 0.
	Scored bool
	Score  float64
	// Rank is its place in the stage's order, from 1; 0 for a chunk that the stage never
	// came to.
	Rank int
	// Threshold is the lowest score the stage passes on, nil without such a limit.
	Threshold *float64
	// MaxRank is the last rank the stage passes on, 0 without such a limit.
	MaxRank int
}

// SaturateBM25 maps a BM25 score b ≥ 0 to b/(b+BM25Saturation) in [0, 1), the
// same for a score whatever the other candidates score.
func SaturateBM25(b float64) float64 { return b / (b + BM25Saturation) }
