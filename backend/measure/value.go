package measure

import "encoding/json"

// Reason says why a value is absent.
type Reason string

// The reasons. The empty Reason belongs to a value that is there.
const (
	// NoRelevant: nothing relevant exists, so the measure has no denominator.
	NoRelevant Reason = "no_relevant"
	// NotRun: retrieval gave an error or was cancelled.
	NotRun Reason = "not_run"
	// NoValues: a mean over no values at all.
	NoValues Reason = "no_values"
)

// Value is a score in [0, 1], or absent. The dialects of other programs can give
// more than 1.
type Value struct {
	// Score is meaningful only when Reason is empty.
	Score  float64
	Reason Reason
}

// Of returns a value that is there.
func Of(score float64) Value { return Value{Score: score} }

// Absent returns a value that could not be computed.
func Absent(why Reason) Value { return Value{Reason: why} }

// OK reports whether the value is there.
func (v Value) OK() bool { return v.Reason == "" }

// MarshalJSON writes a number, or null for an absent value.
func (v Value) MarshalJSON() ([]byte, error) {
	if !v.OK() {
		return []byte("null"), nil
	}
	return json.Marshal(v.Score)
}

// Mean is the arithmetic mean of the values that are there.
type Mean struct {
	// Value is absent with NoValues when N is 0.
	Value Value
	// N counts the values that are there, Of all of them.
	N, Of int
	// Low and High are what the mean over all Of values would be if every absent
	// one were 0, or were 1; they equal the mean when none is absent.
	Low, High float64
	// Missing counts the absent values by reason; nil when there are none.
	Missing map[Reason]int
}

// Summarize returns the mean of values, with its bounds:
// Low = Σ/Of and High = (Σ + Of − N)/Of, where Σ sums the N values that are
// there. Without values the bounds are 0 and 1.
func Summarize(values []Value) Mean {
	m := Mean{Of: len(values)}
	sum := 0.0
	for _, v := range values {
		if v.OK() {
			sum += v.Score
			m.N++
			continue
		}
		if m.Missing == nil {
			m.Missing = map[Reason]int{}
		}
		m.Missing[v.Reason]++
	}
	if m.N == 0 {
		m.Value, m.Low, m.High = Absent(NoValues), 0, 1
		return m
	}
	m.Value = Of(sum / float64(m.N))
	m.Low = sum / float64(m.Of)
	m.High = (sum + float64(m.Of-m.N)) / float64(m.Of)
	return m
}
