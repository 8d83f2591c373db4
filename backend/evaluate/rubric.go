package evaluate

import (
	"cmp"
	"slices"
	"strings"

	"ragdesk/backend/measure"
	"ragdesk/backend/runs"
)

// rubricPrefix begins the names of the metrics that are a judge's marks.
const rubricPrefix = "rubric_"

// marked is the metric of a dimension: its mark 1 to 5 as (mark − 1)/4.
func marked(dimension string) func(runs.Record) measure.Value {
	return func(r runs.Record) measure.Value {
		switch {
		case r.Answer.Abstained:
			return measure.Absent(measure.NoRelevant)
		case r.Answer.Rubric == nil:
			return measure.Absent(NotComputed)
		case !r.Answer.Rubric.Scored():
			return measure.Absent(cmp.Or(measure.Reason(r.Answer.Rubric.Reason), Unscored))
		}
		return measure.Of(float64(r.Answer.Rubric.Marks[dimension].Mark-1) / 4)
	}
}

// NeedsMarks reports metrics that are a judge's marks.
func NeedsMarks(metrics []string) bool {
	return slices.ContainsFunc(expanded(metrics), isMark)
}

// isMark reports a metric that is a judge's mark.
func isMark(metric string) bool {
	return slices.Contains(RubricMetrics(), strings.ToLower(strings.TrimSpace(metric)))
}

// JudgeOf is the fingerprint of the judge that marked a run's answers, empty where none did.
func JudgeOf(r runs.Stored) string {
	for _, record := range r.Records {
		if record.Answer != nil && record.Answer.Rubric != nil {
			return record.Answer.Rubric.Fingerprint
		}
	}
	return ""
}
