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
	}
	return "none"
}

// ParseDialect reads the name of a dialect for TREC files: trec, ranx or rag, in
// any case. The code of its error is "dialect_unknown".
func ParseDialect(s string) (Dialect, error) {
	name := strings.ToLower(strings.TrimSpace(s))
	for _, d := range []Dialect{DialectTREC, DialectRanx, DialectRAG} {
		if d.String() == name {
			return d, nil
		}
	}
	return 0, fault.New("dialect_unknown", fault.P("dialect", s), fault.P("known", "trec, ranx, rag"))
}

// Gain returns what the dialect's nDCG uses where a measure does not say.
func (d Dialect) Gain() Gain {
	if d == DialectTREC || d == DialectRanx {
		return GainLinear
	}
	return GainExponential
}
