package measure

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ragdesk/backend/fault"
)

// Named is a measure with the name it goes by in a report.
type Named struct {
	// Name is what was typed, without outer blanks.
	Name    string
	Measure Measure
}

// Parse reads a measure: a name in any case, parameters in parentheses if any,
// and a cut.
//
//	Hit@5 = hit_rate@5 = success@5    MRR = RR = recip_rank, also MRR@10
//	Recall@5 = R@5                    MAP = AP, also MAP@10 = map_cut_10
//	Precision@5 = P@5 = P_5           nDCG@10 = ndcg_cut_10 = ndcg_cut.10
//	nDCG(gain=linear)@10              nDCG(gain=exponential)@10 = ndcg_burges@10
//	Recall(rel=2)@20
//
// Parameters are gain (nDCG alone: linear or exponential, also exp) and rel, the
// lowest relevant grade. The codes of its errors are "cutoff_invalid" {metric, takes} for
// a known name with a cut that is none, and "metric_unknown" {metric, known}.
func Parse(s string) (Measure, error) {
	m, ok := parse(s)
	switch {
	case ok:
		return m, nil
	case badCut(s):
		return Measure{}, fault.New("cutoff_invalid", fault.P("metric", s), fault.P("takes", fmt.Sprintf("1 – %d", MaxK)))
	}
	return Measure{}, fault.New("metric_unknown", fault.P("metric", s), fault.P("known", strings.Join(Known(), ", ")))
}

// badCut reports that s is the name of a measure with a number after it that is no cut.
func badCut(s string) bool {
	name, _, cut, ok := cutParts(strings.ToLower(strings.TrimSpace(s)))
	if kind, _ := kindOf(name); !ok || kind == 0 || cut == "" || strings.Trim(cut, "+-.0123456789") != "" {
		return false
	}
	_, fits := parseCount(cut, MaxK)
	return !fits
}

// ParseList reads measures separated by commas; commas inside parentheses
// belong to the measure. A name given twice is kept once, and an empty list is
// an error with code "metric_unknown", as the other errors are those of Parse.
func ParseList(s string) ([]Named, error) {
	var out []Named
	for _, name := range splitList(s) {
		m, err := Parse(name)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(out, func(n Named) bool { return n.Name == name }) {
			out = append(out, Named{Name: name, Measure: m})
		}
	}
	return out, nil
}

// Known lists the canonical names, K standing for a cut.
func Known() []string {
	return []string{
		"Hit@K", "Recall@K", "Precision@K", "MRR", "MRR@K", "MAP", "MAP@K",
		"nDCG", "nDCG@K", "nDCG(gain=linear)@K", "nDCG(gain=exponential)@K",
	}
}

// ParseGain reads "linear" or "exponential", also "exp", in any case. The code
// of its error is "gain_unknown".
func ParseGain(s string) (Gain, error) {
	if g, ok := gainOf(strings.ToLower(strings.TrimSpace(s))); ok {
		return g, nil
	}
	return GainDefault, fault.New("gain_unknown", fault.P("gain", s),
		fault.P("known", "linear, exponential"))
}

func gainOf(s string) (Gain, bool) {
	switch s {
	case "linear":
		return GainLinear, true
	case "exponential", "exp":
		return GainExponential, true
	}
	return GainDefault, false
}

func parse(s string) (Measure, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	name, params, cut, ok := cutParts(s)
	if !ok {
		return Measure{}, false
	}
	var m Measure
	if m.Kind, m.Gain = kindOf(name); m.Kind == 0 {
		return Measure{}, false
	}
	if cut != "" {
		if m.K, ok = parseCount(cut, MaxK); !ok {
			return Measure{}, false
		}
	}
	if !m.setParams(params) {
		return Measure{}, false
	}
	return m, true
}

// cutParts splits "name(params)@cut". Without parentheses the cut may also
// follow '_' or '.', as trec_eval and its Python binding write it.
func cutParts(s string) (name, params, cut string, ok bool) {
	if open := strings.IndexByte(s, '('); open >= 0 {
		end := strings.IndexByte(s, ')')
		if end <= open+1 {
			return "", "", "", false
		}
		name, params = s[:open], s[open+1:end]
		rest := s[end+1:]
		if rest == "" {
			return name, params, "", true
		}
		cut, ok = strings.CutPrefix(rest, "@")
		return name, params, cut, ok && cut != ""
	}
	if name, cut, ok = strings.Cut(s, "@"); ok {
		return name, "", cut, cut != ""
	}
	name = strings.TrimRight(s, "0123456789")
	if len(name) == len(s) || name == "" {
		return s, "", "", true
	}
	if last := name[len(name)-1]; last != '_' && last != '.' {
		return "", "", "", false
	}
	return name[:len(name)-1], "", s[len(name):], true
}

// kindOf names the kind, and the gain where the name itself fixes it.
func kindOf(name string) (Kind, Gain) {
	switch strings.ReplaceAll(name, "-", "_") {
	case "hit", "hit_rate", "hitrate", "success":
		return Hit, GainDefault
	case "recall", "r":
		return Recall, GainDefault
	case "precision", "prec", "p":
		return Precision, GainDefault
	case "mrr", "rr", "recip_rank":
		return MRR, GainDefault
	case "map", "ap", "map_cut":
		return MAP, GainDefault
	case "ndcg", "ndcg_cut":
		return NDCG, GainDefault
	case "ndcg_burges":
		return NDCG, GainExponential
	}
	return 0, GainDefault
}

// setParams reads "gain=linear,rel=2" into m.
func (m *Measure) setParams(params string) bool {
	if params == "" {
		return true
	}
	seen := map[string]bool{}
	for p := range strings.SplitSeq(params, ",") {
		key, value, _ := strings.Cut(p, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if seen[key] {
			return false
		}
		seen[key] = true
		switch key {
		case "gain":
			gain, ok := gainOf(value)
			if !ok || m.Kind != NDCG || m.Gain != GainDefault {
				return false
			}
			m.Gain = gain
		case "rel":
			rel, ok := parseCount(value, MaxGrade)
			if !ok {
				return false
			}
			if rel > 1 {
				m.Rel = rel
			}
		default:
			return false
		}
	}
	return true
}

// parseCount reads a decimal number from 1 to limit without sign or leading zero.
func parseCount(s string, limit int) (int, bool) {
	if s == "" || s[0] < '1' || s[0] > '9' {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil && n <= limit
}

// splitList splits at commas outside parentheses and trims the pieces.
func splitList(s string) []string {
	var out []string
	depth, start := 0, 0
	for i, r := range s {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, strings.TrimSpace(s[start:i]))
				start = i + 1
			}
		}
	}
	return append(out, strings.TrimSpace(s[start:]))
}
