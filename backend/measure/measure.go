package measure

import (
	"strconv"
	"strings"
)

// Kind is the formula of a measure.
type Kind uint8

// The kinds. The zero Kind is none of them.
const (
	// Hit is 1 when a relevant item was retrieved, else 0.
	Hit Kind = iota + 1
	// Recall is relevant retrieved / all relevant.
	Recall
	// Precision is relevant retrieved / depth, or / retrieved when not cut.
	Precision
	// MRR is the reciprocal of the first relevant item's rank, averaged over queries.
	MRR
	// MAP is average precision over all relevant items, averaged over queries.
	MAP
	// NDCG is discounted cumulative gain over that of the ideal ranking.
	NDCG
)

// String returns the canonical name of k.
func (k Kind) String() string {
	switch k {
	case Hit:
		return "Hit"
	case Recall:
		return "Recall"
	case Precision:
		return "Precision"
	case MRR:
		return "MRR"
	case MAP:
		return "MAP"
	case NDCG:
		return "nDCG"
	}
	return "Kind(" + strconv.Itoa(int(k)) + ")"
}

// Gain says what an item of a grade is worth to nDCG.
type Gain uint8

// The gains.
const (
	// GainDefault is the dialect's own gain.
	GainDefault Gain = iota
	// GainLinear is the grade itself [JK02].
	GainLinear
	// GainExponential is 2^grade − 1 [B05].
	GainExponential
)

// String returns "linear", "exponential", or "" for the default.
func (g Gain) String() string {
	switch g {
	case GainLinear:
		return "linear"
	case GainExponential:
		return "exponential"
	}
	return ""
}

// MaxK is the deepest cut that a measure may name.
const MaxK = 1_000_000

// Measure is a ranking measure as a comparable value. Build it with Parse, or
// as a literal.
type Measure struct {
	Kind Kind
	// K is the cut, 1 to MaxK; 0 measures the whole ranking.
	K int
	// Gain is for nDCG alone.
	Gain Gain
	// Rel is the lowest grade that counts as relevant; 0 and 1 mean 1.
	// [trec_eval] gives its -l option no effect on nDCG, and so does DialectTREC;
	// elsewhere grades below Rel lose their gain.
	Rel int
}

// String returns the canonical form, which Parse reads back to an equal value
// when m is valid: "Hit@5", "MRR", "nDCG(gain=linear)@10", "Recall(rel=2)@20".
func (m Measure) String() string {
	var params []string
	if m.Gain != GainDefault {
		params = append(params, "gain="+m.Gain.String())
	}
	if m.Rel > 1 {
		params = append(params, "rel="+strconv.Itoa(m.Rel))
	}
	s := m.Kind.String()
	if len(params) > 0 {
		s += "(" + strings.Join(params, ",") + ")"
	}
	if m.K > 0 {
		s += "@" + strconv.Itoa(m.K)
	}
	return s
}

// MarshalText returns String.
func (m Measure) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads what Parse reads.
func (m *Measure) UnmarshalText(text []byte) error {
	parsed, err := Parse(string(text))
	if err != nil {
		return err
	}
	*m = parsed
	return nil
}

// Resolve returns m with the gain that d gives it where m leaves it open, so
// that a result can state it.
func (m Measure) Resolve(d Dialect) Measure {
	if m.Kind == NDCG && m.Gain == GainDefault {
		m.Gain = d.Gain()
	}
	return m
}

// level returns the lowest relevant grade.
func (m Measure) level() int { return max(m.Rel, 1) }

// cuts reports whether rank lies below m's cut.
func (m Measure) cuts(rank int) bool { return m.K > 0 && rank > m.K }

// Depth returns the largest K among ms, which is how deep a ranking must go for
// all of them; measures without a cut ask for none.
func Depth(ms []Measure) int {
	depth := 0
	for _, m := range ms {
		depth = max(depth, m.K)
	}
	return depth
}
