package evaluate

import (
	"slices"
	"strings"

	"ragdesk/backend/fault"
	"ragdesk/backend/measure"
	"ragdesk/backend/runs"
)

// metric is a metric that was asked for.
type metric struct {
	// name is the key in reports: as typed.
	name string
	// measure has its gain; it is zero for a metric of answers.
	measure measure.Measure
	// answer is nil for a metric of retrieval.
	answer *answerMetric
}

// answers reports a metric of answers.
func (m metric) answers() bool { return m.answer != nil }

// rate reports a metric whose values are 0 and 1 alone.
func (m metric) rate() bool {
	return m.answers() && m.answer.rate || !m.answers() && m.measure.Kind == measure.Hit
}

// lower reports a metric that is better when lower.
func (m metric) lower() bool { return m.answers() && m.answer.lower }

// DefaultMetrics are measured when none are named.
func DefaultMetrics() []string {
	return []string{"Hit@5", "Recall@5", "Precision@5", "MRR@10", "nDCG@10"}
}

// CheckMetrics reports the first name that is no metric, with code
// "metric_unknown".
func CheckMetrics(names []string) error {
	_, err := parseMetrics(names, measure.GainDefault)
	return err
}

// Answered reports metrics of which one is of answers.
func Answered(names []string) bool {
	ms, err := parseMetrics(names, measure.GainDefault)
	return err == nil && slices.ContainsFunc(ms, metric.answers)
}

// CheckTuning reports a name by which Tune cannot choose: "metric_unknown", or
// "tune_metric_answers" {metric, known} for a metric of answers, which a search
// alone does not give.
func CheckTuning(name string) error {
	if _, answers := findAnswerMetric(strings.TrimSpace(name)); answers {
		return fault.New("tune_metric_answers", fault.P("metric", name), fault.P("known", strings.Join(measure.Known(), ", ")))
	}
	_, err := measure.Parse(name)
	return err
}

// Names of groups of metrics.
const (
	// MetricsRetrieval are DefaultMetrics, MetricsAnswers AnswerMetrics, MetricsAll both;
	// MetricsJudged are JudgedMetrics and MetricsRubric RubricMetrics.
	MetricsRetrieval = "retrieval"
	MetricsAnswers   = "answers"
	MetricsAll       = "all"
	MetricsJudged    = "llm"
	MetricsRubric    = "rubric"
)

// expanded puts the metrics of groups in the place of their names; none are the
// default ones.
func expanded(names []string) []string {
	if len(names) == 0 {
		return DefaultMetrics()
	}
	var out []string
	for _, name := range names {
		switch name = strings.TrimSpace(name); strings.ToLower(name) {
		case MetricsRetrieval:
			out = append(out, DefaultMetrics()...)
		case MetricsAnswers:
			out = append(out, AnswerMetrics()...)
		case MetricsAll:
			out = append(append(out, DefaultMetrics()...), AnswerMetrics()...)
		case MetricsJudged:
			out = append(out, JudgedMetrics()...)
		case MetricsRubric:
			out = append(out, RubricMetrics()...)
		default:
			out = append(out, name)
		}
	}
	return out
}

func parseMetrics(names []string, gain measure.Gain) ([]metric, error) {
	var out []metric
	for _, name := range expanded(names) {
		if slices.ContainsFunc(out, func(m metric) bool { return m.name == name }) {
			continue
		}
		if a, ok := findAnswerMetric(name); ok {
			out = append(out, metric{name: name, answer: &a})
			continue
		}
		m, err := measure.Parse(name)
		switch {
		case err != nil && !fault.Is(err, "metric_unknown"):
			return nil, err
		case err != nil:
			known := append(slices.Concat(measure.Known(), AnswerMetrics(), RubricMetrics(), JudgedMetrics()),
				MetricsRetrieval, MetricsAnswers, MetricsAll, MetricsRubric, MetricsJudged)
			return nil, fault.New("metric_unknown", fault.P("metric", name), fault.P("known", strings.Join(known, ", ")))
		}
		if m.Kind == measure.NDCG && m.Gain == measure.GainDefault {
			m.Gain = gain
		}
		out = append(out, metric{name: name, measure: m.Resolve(measure.DialectEval)})
	}
	return out, nil
}

// primaryOf returns the index of the metric that decides: the one named, else the
// first that finds: nDCG@10, another nDCG, another metric of retrieval; else the
// first of answers.
func primaryOf(ms []metric, name string) (int, error) {
	if name != "" {
		i := slices.IndexFunc(ms, func(m metric) bool { return m.name == name })
		if i < 0 {
			if asked, err := measure.Parse(name); err == nil {
				i = slices.IndexFunc(ms, func(m metric) bool { return !m.answers() && sameMeasure(m.measure, asked) })
			}
		}
		if i < 0 {
			return 0, fault.New("primary_unknown", fault.P("metric", name), fault.P("known", strings.Join(metricNames(ms), ", ")))
		}
		return i, nil
	}
	for _, fits := range []func(metric) bool{
		func(m metric) bool { return m.measure.Kind == measure.NDCG && m.measure.K == 10 },
		func(m metric) bool { return m.measure.Kind == measure.NDCG },
		func(m metric) bool { return !m.answers() },
	} {
		if i := slices.IndexFunc(ms, fits); i >= 0 {
			return i, nil
		}
	}
	return 0, nil
}

// sameMeasure compares a resolved measure with one that may leave its gain open.
func sameMeasure(resolved, asked measure.Measure) bool {
	if asked.Gain == measure.GainDefault {
		asked.Gain = resolved.Gain
	}
	return resolved == asked
}

func metricNames(ms []metric) []string {
	out := make([]string, len(ms))
	for i, m := range ms {
		out[i] = m.name
	}
	return out
}

func depthOf(ms []metric) int {
	depth := 0
	for _, m := range ms {
		depth = max(depth, m.measure.K)
	}
	return depth
}

// gain returns what the metric's JSON states.
func (m metric) gain() *string {
	if m.answers() || m.measure.Kind != measure.NDCG {
		return nil
	}
	name := m.measure.Gain.String()
	return &name
}

// value computes the metric of a judged record.
func (m metric) value(r runs.Record, p measure.Profile) measure.Value {
	if m.answers() {
		return m.answer.of(r)
	}
	if !r.Measured() {
		return measure.Absent(measure.NoRelevant)
	}
	v := p.Value(m.measure, measure.DialectEval)
	if r.Error != nil && v.Reason != measure.NoRelevant {
		return measure.Absent(measure.NotRun)
	}
	return v
}

func gainName(g measure.Gain) string {
	if g == measure.GainDefault {
		g = measure.DialectEval.Gain()
	}
	return g.String()
}
