package runs

import (
	"time"

	"ragdesk/backend/measure"
)

// Experiment is one or more runs over the same questions, scored and compared.
type Experiment struct {
	Runs        []Result     `json:"runs"`
	Comparisons []Comparison `json:"comparisons"`
	// Pairs has one entry for each run but the baseline, against the baseline.
	Pairs  []Pair   `json:"pairs"`
	Advice []Advice `json:"advice"`
	// Metrics are names in the order asked; Primary is one of them.
	Metrics  []string  `json:"metrics"`
	Primary  string    `json:"primary"`
	Baseline string    `json:"baseline"`
	Seed     uint64    `json:"seed"`
	Created  time.Time `json:"created"`
}

// Result is a run with its scores.
type Result struct {
	RunID  string `json:"run_id"`
	Scores `tstype:",extends,required"`
	// Note is what a person wrote of the run; empty without.
	Note string `json:"note"`
	// LatencyMS has the quantiles of each stage and of "total"; null without
	// timings.
	LatencyMS map[string]Quantiles `json:"latency_ms"`
	// Headline are the numbers that are read first.
	Headline Headline `json:"headline"`
	// Diagnosis says why questions failed.
	Diagnosis Diagnosis `json:"diagnosis"`
	// Stored is the run itself, from which exports are made.
	Stored Stored `json:"-"`
}

// Headline are the numbers of a run that are read first, whatever was asked for.
type Headline struct {
	Hit5            Metric `json:"hit@5"`
	Faithfulness    Metric `json:"faithfulness"`
	AnswerRelevancy Metric `json:"answer_relevancy"`
	// Kappa is how far people agree with the run's detector, null where nothing was
	// judged.
	Kappa *Calibration `json:"kappa"`
}

// Scores are what a run is worth: metrics.json, the same bytes for the same
// records.
type Scores struct {
	Strategy string            `json:"strategy"`
	Name     string            `json:"name"`
	Metrics  map[string]Metric `json:"metrics"`
	// Groups are by "type" and "lang", then by value, "" for questions without one.
	Groups map[string]map[string]Group `json:"groups"`
	Depth  int                         `json:"depth"`
	// TotalQueries counts every question, Unanswerable those without gold, and
	// StaleQueries those whose gold no longer fits.
	TotalQueries int `json:"total_queries"`
	Unanswerable int `json:"unanswerable"`
	StaleQueries int `json:"stale_queries"`
	// FailedQueries counts questions with gold and no relevant hit in the first
	// FailedDepth; those with an error are counted apart.
	FailedQueries  int            `json:"failed_queries"`
	ErroredQueries int            `json:"errored_queries"`
	Errors         map[string]int `json:"errors"`
	// Causes counts the questions with a cause, those of answers too; Buckets rolls
	// them up, and has noise and unfaithful where questions were answered.
	Causes  map[Cause]int  `json:"causes"`
	Buckets map[string]int `json:"buckets"`
	// DuplicateHits counts chunks left out because they stood higher in a list.
	DuplicateHits int `json:"duplicate_hits"`
	// Style is how the answers read, null where nothing was answered.
	Style *StyleSummary `json:"style"`
	// Others are the verdicts of further detectors, beside the one that the metrics go by.
	Others   []DetectorScores `json:"others"`
	Failures []FailedOutcome  `json:"failures"`
}

// DetectorScores sum up the verdicts of a further detector.
type DetectorScores struct {
	Detector string `json:"detector"`
	// Faithfulness and HallucinationRate are the metrics of these names by its verdicts.
	Faithfulness      Metric `json:"faithfulness"`
	HallucinationRate Metric `json:"hallucination_rate"`
	// Agree counts the answers of which it says the same as the first detector, hallucinated
	// or not; Both those that both scored.
	Agree int `json:"agree"`
	Both  int `json:"both"`
}

// Metric is a mean with what it rests on.
type Metric struct {
	// Value is null when there are no values.
	Value *float64 `json:"value"`
	// CI is the 95 % interval, null when it cannot be computed.
	CI *CI `json:"ci" tstype:"CI | null"`
	// CIMethod is wilson, bootstrap, cluster_bootstrap, or empty without CI.
	CIMethod string `json:"ci_method"`
	// N counts the values that are there, Of the questions that should have one.
	N  int `json:"n"`
	Of int `json:"of"`
	// Gain is that of nDCG, null for other metrics.
	Gain *string `json:"gain"`
	// Bounds are the mean if all missing values were worst, or best; null when
	// none is missing.
	Bounds *CI `json:"bounds" tstype:"CI | null"`
	// Missing counts missing values by reason.
	Missing map[measure.Reason]int `json:"missing"`
}

// CI is an interval, low end first.
type CI [2]float64

// Group is a part of the questions.
type Group struct {
	// N counts the group's questions, with gold or without.
	N       int               `json:"n"`
	Metrics map[string]Metric `json:"metrics"`
}

// FailedOutcome is a question that failed, with what came in place of what was expected.
type FailedOutcome struct {
	QueryID   string     `json:"query_id"`
	Query     string     `json:"query"`
	Type      string     `json:"type"`
	Lang      string     `json:"lang"`
	Retrieved []Shown    `json:"retrieved"`
	Expected  []Expected `json:"expected"`
	Cause     Cause      `json:"cause"`
	// First is the rank of the first relevant hit, null when there is none.
	First *int `json:"first"`
}

// Shown is a retrieved chunk in a list of failures.
type Shown struct {
	ChunkID  string `json:"chunk_id"`
	Source   string `json:"source"`
	Rank     int    `json:"rank"`
	Relevant bool   `json:"relevant"`
	Excerpt  string `json:"excerpt"`
}

// Verdicts.
const (
	Better       = "better"
	Worse        = "worse"
	Inconclusive = "inconclusive"
)

// Notes on a comparison.
const (
	// NoteFewPairs: fewer than two questions have both values.
	NoteFewPairs = "few_pairs"
	// NoteErrors: the questions that could not be searched might turn the verdict.
	NoteErrors = "errors"
)

// Comparison is run B against run A on one metric, over the questions that have
// both values.
type Comparison struct {
	Metric string `json:"metric"`
	A      string `json:"a"`
	B      string `json:"b"`
	// ValueA and ValueB are the means over the pairs.
	ValueA *float64 `json:"value_a"`
	ValueB *float64 `json:"value_b"`
	// Diff is b − a.
	Diff *float64 `json:"diff"`
	// CI is the 95 % interval of Diff.
	CI *CI      `json:"ci" tstype:"CI | null"`
	P  *float64 `json:"p"`
	// PAdj is P adjusted for all comparisons of the primary metric; null for
	// exploratory ones.
	PAdj *float64 `json:"p_adj"`
	// Verdict is better when B is, worse, or inconclusive.
	Verdict string `json:"verdict" tstype:"'better' | 'worse' | 'inconclusive'"`
	// N counts pairs of Of questions; Clusters counts groups of variants among them.
	N        int `json:"n"`
	Of       int `json:"of"`
	Clusters int `json:"clusters"`
	// Test is sign_flip, cluster_sign_flip, mcnemar, or empty without P.
	Test string `json:"test"`
	// LowerIsBetter metrics are better where the difference is negative.
	LowerIsBetter bool `json:"lower_is_better"`
	// Exploratory comparisons are not of the primary metric; their verdict rests on P.
	Exploratory bool `json:"exploratory"`
	// Wins, Losses and Ties count questions by the sign of their difference.
	Wins   int `json:"wins"`
	Losses int `json:"losses"`
	Ties   int `json:"ties"`
	// Bounds are Diff if all missing values were against B, or for it; null when
	// none is missing.
	Bounds *CI `json:"bounds" tstype:"CI | null"`
	// Note is why the verdict is inconclusive where numbers alone do not say it.
	Note *string `json:"note" tstype:"'few_pairs' | 'errors' | null"`
}

// Pair is what else differs between the baseline A and run B.
type Pair struct {
	A string `json:"a"`
	B string `json:"b"`
	// Variables are the settings in which the runs differ.
	Variables []Variable `json:"variables"`
	// Mended are the questions whose retrieval failed under A and not under B; Broken
	// the reverse.
	Mended []Moved `json:"mended"`
	Broken []Moved `json:"broken"`
	// Raised, Lowered and Kept count the questions with gold by where their first
	// relevant hit went.
	Raised  int `json:"raised"`
	Lowered int `json:"lowered"`
	Kept    int `json:"kept"`
	// Causes and Buckets say what became of each question that both runs looked at,
	// cells without questions left out.
	Causes  []Transition       `json:"causes"`
	Buckets []BucketTransition `json:"buckets"`
	// LatencyMS is null without timings.
	LatencyMS *LatencyDifference `json:"latency_ms"`
}

// Moved is a question whose first relevant hit changed its rank; null means none
// within the depth.
type Moved struct {
	QueryID string `json:"query_id"`
	Query   string `json:"query"`
	Type    string `json:"type"`
	From    *int   `json:"from"`
	To      *int   `json:"to"`
}

// Verdicts on latency.
const (
	Faster = "faster"
	Slower = "slower"
)

// LatencyDifference compares the mean time of a whole search, question by
// question.
type LatencyDifference struct {
	// Diff is b − a in milliseconds.
	Diff float64 `json:"diff"`
	CI   *CI     `json:"ci" tstype:"CI | null"`
	// Verdict is faster or slower when CI excludes 0, else inconclusive.
	Verdict string `json:"verdict" tstype:"'faster' | 'slower' | 'inconclusive'"`
	N       int    `json:"n"`
}
