package report

import (
	"math"
	"strconv"
	"strings"

	"ragdesk/backend/measure"
	"ragdesk/backend/runs"
)

// none stands where there is no number.
const none = "–"

// minus is the sign that is as wide as a plus.
const minus = "−"

// score prints a value between 0 and 1.
func score(v *float64) string {
	if v == nil {
		return none
	}
	return fixed(*v, 3)
}

// fixed prints v with a number of decimals and a true minus; what rounds to 0 has
// no sign.
func fixed(v float64, decimals int) string {
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if rest, negative := strings.CutPrefix(s, "-"); negative {
		if strings.Trim(rest, "0.") == "" {
			return rest
		}
		return minus + rest
	}
	return s
}

// difference prints v with its sign.
func difference(v *float64) string {
	if v == nil {
		return none
	}
	s := fixed(*v, 3)
	if *v > 0 && strings.Trim(s, "0.") != "" {
		return "+" + s
	}
	return s
}

// between prints an interval, empty without one.
func between(ci *runs.CI) string {
	if ci == nil {
		return ""
	}
	return "[" + fixed(ci[0], 3) + ", " + fixed(ci[1], 3) + "]"
}

// signedBetween prints the interval of a difference.
func signedBetween(ci *runs.CI) string {
	if ci == nil {
		return ""
	}
	return "[" + difference(&ci[0]) + ", " + difference(&ci[1]) + "]"
}

// chance prints a p-value; below a thousandth only that it is.
func chance(p *float64) string {
	switch {
	case p == nil:
		return none
	case *p < .001:
		return "< 0.001"
	}
	return fixed(*p, 3)
}

// duration prints milliseconds with about three digits.
func duration(ms float64) string {
	switch size := math.Abs(ms); {
	case size >= 1000:
		return fixed(ms/1000, 2) + " s"
	case size >= 100:
		return fixed(ms, 0) + " ms"
	case size >= 10:
		return fixed(ms, 1) + " ms"
	}
	return fixed(ms, 2) + " ms"
}

// rank prints where something stands.
func rank(r *int) string {
	if r == nil {
		return none
	}
	return strconv.Itoa(*r)
}

// kind says in words what a metric is.
func kind(name string) text {
	m, err := measure.Parse(name)
	if err != nil {
		return word("kind.answers")
	}
	switch m.Kind {
	case measure.Hit:
		return word("kind.hit")
	case measure.Recall:
		return word("kind.recall")
	case measure.Precision:
		return word("kind.precision")
	case measure.MRR:
		return word("kind.mrr")
	case measure.MAP:
		return word("kind.map")
	}
	return word("kind.ndcg")
}
