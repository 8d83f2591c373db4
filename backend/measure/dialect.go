package measure

import (
	"strings"

	"ragdesk/backend/fault"
)

// Dialect is a set of conventions for the cases where programs that compute the
// same measure disagree.
//
//	                         trec             ranx           rag             eval
//	order of equal scores    id descending    as in the file id ascending    id ascending
//	scores compared as       float32          float64        float64         float64
//	gain of nDCG             linear           linear         exponential     exponential
//	Precision@K divides by   K                K              min(K, found)   K
//	nothing relevant exists  0                0              recall 1, precision 0, else absent
//	                                                                         absent
//	document twice           refused          best rank      best rank       best rank
//
// The same everywhere: rank columns are not read; recall and average precision
// divide by all relevant items; the ideal of nDCG is made of all judged items
// and cut at K; a grade below 1 is not relevant and has no gain; an uncut
// precision divides by what was retrieved; a query that was judged but not run
// retrieved nothing and counts; a query that was run but not judged is left out.
//
// The dialects from DialectMLflow on count as other evaluation programs do, to
// compare a figure with theirs. They order a run by its scores and equal ones as
// in the file, keep a document that stands twice, and their values can pass 1.
type Dialect uint8

// The dialects.
const (
	// DialectTREC follows trec_eval 10 with its option -c. Scores are compared in
	// single precision, as trec_eval did up to version 9 and pytrec_eval does;
	// Options.Double compares them as version 10 does.
	DialectTREC Dialect = iota + 1
	// DialectRanx follows ranx with make_comparable.
	DialectRanx
	// DialectRAG takes recall and precision as ratios of sets.
	DialectRAG
	// DialectEval is that of our own evaluations.
	DialectEval
	// DialectMLflow follows mlflow.metrics 3.
	DialectMLflow
	// DialectPhoenix follows Arize Phoenix' RetrievalMetrics.
	DialectPhoenix
	// DialectTruLens follows TruLens 2.
	DialectTruLens
	// DialectAutoRAG follows AutoRAG 0.3; the second field of the judgments groups
	// alternatives.
	DialectAutoRAG
	// DialectContinuousEval follows continuous-eval before 0.3.14.
	DialectContinuousEval
	// DialectBEIR follows BEIR: trec_eval's measures, with means over the queries
	// that were run, and its own MRR and accuracy.
	DialectBEIR
)

// String returns the dialect's name.
func (d Dialect) String() string {
	switch d {
	case DialectTREC:
		return "trec"
	case DialectRanx:
		return "ranx"
	case DialectRAG:
		return "rag"
	case DialectEval:
		return "eval"
	case DialectMLflow:
		return "mlflow"
	case DialectPhoenix:
		return "phoenix"
	case DialectTruLens:
		return "trulens"
	case DialectAutoRAG:
		return "autorag"
	case DialectContinuousEval:
		return "continuous-eval"
	case DialectBEIR:
		return "beir"
	}
	return "none"
}

// Dialects lists those for TREC files, trec first.
func Dialects() []Dialect {
	return []Dialect{DialectTREC, DialectRanx, DialectRAG, DialectMLflow, DialectPhoenix, DialectTruLens,
		DialectAutoRAG, DialectContinuousEval, DialectBEIR}
}

// ParseDialect reads the name of one of Dialects in any case. The code of its error
// is "dialect_unknown" {dialect, known}.
func ParseDialect(s string) (Dialect, error) {
	name := strings.ToLower(strings.TrimSpace(s))
	var known []string
	for _, d := range Dialects() {
		if d.String() == name {
			return d, nil
		}
		known = append(known, d.String())
	}
	return 0, fault.New("dialect_unknown", fault.P("dialect", s), fault.P("known", strings.Join(known, ", ")))
}

// Gain returns what the dialect's nDCG uses where a measure does not say.
func (d Dialect) Gain() Gain {
	if d == DialectRAG || d == DialectEval {
		return GainExponential
	}
	return GainLinear
}
