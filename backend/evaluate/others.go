package evaluate

import (
	"slices"

	"ragdesk/backend/measure"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
)

// others sums up what further detectors say of the answers of run i, in the order in which
// they were asked.
func (a *assessment) others(i int) ([]runs.DetectorScores, error) {
	out := []runs.DetectorScores{}
	records := a.stored[i].Records
	for _, name := range detectorsBeside(records) {
		sum := runs.DetectorScores{Detector: name}
		seen := make([]runs.Record, len(records))
		for q, r := range records {
			seen[q] = judgedBy(r, name)
			if r.Answer == nil || !scored(r) || !scored(seen[q]) {
				continue
			}
			sum.Both++
			if r.Answer.Label == seen[q].Answer.Label {
				sum.Agree++
			}
		}
		for _, m := range []struct {
			name string
			into *runs.Metric
		}{{"faithfulness", &sum.Faithfulness}, {"hallucination_rate", &sum.HallucinationRate}} {
			of, _ := findAnswerMetric(m.name)
			values, clusters := make([]measure.Value, len(seen)), make([]string, len(seen))
			for q, r := range seen {
				values[q], clusters[q] = of.of(r), r.Cluster
			}
			var err error
			if *m.into, err = a.summary(metric{name: m.name, answer: &of}, "detector="+name, values, clusters); err != nil {
				return nil, err
			}
		}
		out = append(out, sum)
	}
	return out, nil
}

// detectorsBeside are the further detectors of a run's answers.
func detectorsBeside(records []runs.Record) []string {
	var out []string
	for _, r := range records {
		if r.Answer == nil {
			continue
		}
		for _, v := range r.Answer.Others {
			if !slices.Contains(out, v.Detector) {
				out = append(out, v.Detector)
			}
		}
	}
	return out
}

// judgedBy is a record with the verdict of a further detector in the place of the first
// one's.
func judgedBy(r runs.Record, detector string) runs.Record {
	if r.Answer == nil {
		return r
	}
	answer := *r.Answer
	answer.Label, answer.Reason, answer.Claims = string(rag.Unscored), "", nil
	for _, v := range r.Answer.Others {
		if v.Detector == detector {
			answer.Label, answer.Reason, answer.Claims = v.Label, v.Reason, v.Claims
		}
	}
	r.Answer = &answer
	return r
}
