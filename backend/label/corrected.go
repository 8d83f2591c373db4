package label

import (
	"errors"
	"slices"

	"ragdesk/backend/runs"
	"ragdesk/backend/stats"
)

// metricOf is the value of an answer from the states of its claims; ok is false where it
// has none.
type metricOf func(states []string) (v float64, ok bool)

// faithfulnessOf is supported / judged claims, refusals left out; an answer with a claim that
// is unscored has none.
func faithfulnessOf(states []string) (float64, bool) {
	supported, judged := 0, 0
	for _, s := range states {
		if s == runs.StateAbstained {
			continue
		}
		if scored(s) == "" {
			return 0, false
		}
		judged++
		supported += supportedClass(s)
	}
	if judged == 0 {
		return 0, false
	}
	return float64(supported) / float64(judged), true
}

// hallucinatedOf is 1 for an answer with a claim that is not supported.
func hallucinatedOf(states []string) (float64, bool) {
	v, ok := faithfulnessOf(states)
	if !ok || v == 1 {
		return 0, ok
	}
	return 1, true
}

// strata are the ways to divide answers, the finest first. The first that has labels in
// every part is taken.
var strata = []struct {
	name string
	of   func(Answer) string
}{
	{"language_verdict", Answer.stratum},
	{"verdict", Answer.worst},
	{"label", func(a Answer) string { return string(a.Label) }},
	{"none", func(Answer) string { return "" }},
}

// corrected are the metrics of a source with the errors taken out that its labelled
// answers show.
func corrected(b *Book, src Source, o Options) []runs.CorrectedMetric {
	return []runs.CorrectedMetric{
		correct("faithfulness", faithfulnessOf, b, src, o),
		correct("hallucination_rate", hallucinatedOf, b, src, o),
	}
}

// measured is an answer's value by the detector, and by people where they labelled it whole.
type measured struct {
	answer   Answer
	judged   float64
	label    float64
	labelled bool
}

func correct(name string, value metricOf, b *Book, src Source, o Options) runs.CorrectedMetric {
	out := runs.CorrectedMetric{Metric: name, Strata: strata[len(strata)-1].name}
	var values []measured
	var judged []float64
	for _, a := range src.Answers {
		f, ok := value(a.states())
		if !ok {
			continue
		}
		m := measured{answer: a, judged: f}
		if states, all := b.answerStates(a, o.By); all {
			m.label, m.labelled = value(states)
		}
		if m.labelled {
			out.Labelled++
		}
		values, judged = append(values, m), append(judged, f)
	}
	out.N = len(values)
	raw(&out, judged, o)
	for _, by := range strata {
		e, err := stats.StratifiedPredictionPowered(divided(values, by.of), stats.DefaultLevel)
		if errors.Is(err, stats.ErrTooFew) {
			continue
		}
		if err != nil {
			break
		}
		ci := runs.CI{max(e.Interval().Low, 0), min(e.Interval().High, 1)}
		v := min(max(e.Value, 0), 1)
		out.Value, out.CI, out.Strata = &v, &ci, by.name
		return out
	}
	out.Reason = ReasonTooFew
	return out
}

// answerStates are what people say of each claim of an answer; all is false unless they
// decided on every one.
func (b *Book) answerStates(a Answer, by string) (states []string, all bool) {
	for _, item := range a.Items {
		s := b.said(item.Key, by)
		if s == "" || s == runs.StateUnclear || s == disputed {
			return nil, false
		}
		states = append(states, s)
	}
	return states, true
}

// divided are values by stratum, in order of the first of each.
func divided(values []measured, of func(Answer) string) []stats.Stratum {
	index := map[string]int{}
	var out []stats.Stratum
	for _, m := range values {
		name := of(m.answer)
		at, ok := index[name]
		if !ok {
			at = len(out)
			index[name] = at
			out = append(out, stats.Stratum{})
		}
		out[at].Judged = append(out[at].Judged, m.judged)
		if m.labelled {
			out[at].JudgedToo, out[at].Labels = append(out[at].JudgedToo, m.judged), append(out[at].Labels, m.label)
		}
	}
	return out
}

// raw fills in the mean of what the detector says.
func raw(out *runs.CorrectedMetric, judged []float64, o Options) {
	if len(judged) == 0 {
		return
	}
	mean := stats.Mean(judged)
	out.Raw = &mean
	if !slices.ContainsFunc(judged, func(v float64) bool { return v != 0 && v != 1 }) {
		r := rate(int(mean*float64(len(judged))+.5), len(judged))
		out.RawCI = r.CI
		return
	}
	if ci, err := stats.BootstrapMean(judged, stats.Options{Seed: o.Seed ^ seedOf(out.Metric), Resamples: o.Resamples}); err == nil {
		out.RawCI = &runs.CI{ci.Low, ci.High}
	}
}
