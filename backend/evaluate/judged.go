package evaluate

import (
	"cmp"
	"slices"

	"ragdesk/backend/measure"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
)

// judgedPrefix begins the names of the metrics that a language model's judgement makes.
const judgedPrefix = "llm_"

// judgedMetrics are the forms of metrics of answers that ask a language model.
func judgedMetrics() []answerMetric {
	return []answerMetric{
		{name: judgedPrefix + "answer_relevancy", parts: []string{runs.PartAsked}, value: judgedRelevancy},
		{name: judgedPrefix + "answer_correctness", parts: []string{runs.PartCorrect, runs.PartRecalled}, value: judgedCorrectness},
		{name: judgedPrefix + "key_points", parts: []string{runs.PartPoints}, value: judgedKeyPoints},
		{name: judgedPrefix + "citation_recall", everyone: true, parts: []string{runs.PartCited}, value: judgedCitations(func(s measure.CitationScores) measure.Value { return s.Recall })},
		{name: judgedPrefix + "citation_precision", everyone: true, parts: []string{runs.PartCited}, value: judgedCitations(func(s measure.CitationScores) measure.Value { return s.Precision })},
		{name: judgedPrefix + "context_precision", parts: []string{runs.PartUseful}, value: judgedContextPrecision},
		{name: judgedPrefix + "context_recall", parts: []string{runs.PartFound}, value: judgedContextRecall},
		{name: judgedPrefix + "context_utilization", parts: []string{runs.PartUsed}, value: judgedContextUtilization},
		{name: judgedPrefix + "noise_sensitivity", lower: true, parts: []string{runs.PartCorrect, runs.PartUseful}, value: judgedNoise},
	}
}

// JudgedMetrics are the names of the metrics that a language model's judgement makes.
func JudgedMetrics() []string {
	var out []string
	for _, m := range judgedMetrics() {
		out = append(out, m.name)
	}
	return out
}

// JudgedParts are the parts of a judgement that metrics need, none where they need none.
func JudgedParts(metrics []string) []string {
	var out []string
	for _, name := range expanded(metrics) {
		if m, ok := findAnswerMetric(name); ok {
			out = append(out, m.parts...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// JudgementOf is the fingerprint of the judge behind a run's llm_… metrics, empty where
// there is none.
func JudgementOf(r runs.Stored) string {
	for _, record := range r.Records {
		if record.Answer != nil && record.Answer.Judgement != nil {
			return record.Answer.Judgement.Fingerprint
		}
	}
	return ""
}

// judgement is that of an answer; an answer without one has an empty one, of which no part is
// there.
func judgement(r runs.Record) runs.Judgement {
	if r.Answer.Judgement == nil {
		return runs.Judgement{}
	}
	return *r.Answer.Judgement
}

// referred reports a question with a reference answer.
func referred(r runs.Record) bool {
	return r.Answer.Reference != nil && r.Answer.Reference.Contains != nil
}

// verdictsOf are the verdicts on statements; reason says why there are none, or why one of them
// is missing. Refusals are no statements.
func verdictsOf(s *runs.Statements) (out []rag.ClaimVerdict, reason measure.Reason) {
	switch {
	case s == nil:
		return nil, NotComputed
	case s.Reason != "":
		return nil, measure.Reason(s.Reason)
	}
	for _, c := range s.Claims {
		switch v := rag.ClaimVerdict(c.Verdict); v {
		case rag.Abstained:
		case rag.ClaimUnscored:
			return nil, cmp.Or(measure.Reason(c.Reason), Unscored)
		default:
			out = append(out, v)
		}
	}
	return out, ""
}

// countOf is how many verdicts are v.
func countOf(verdicts []rag.ClaimVerdict, v rag.ClaimVerdict) int {
	n := 0
	for _, x := range verdicts {
		if x == v {
			n++
		}
	}
	return n
}

// judgedRelevancy is the mean cosine of the question and those asked back, 0 for a refusal.
func judgedRelevancy(r runs.Record) measure.Value {
	asked := judgement(r).Asked
	switch {
	case r.Answer.Abstained:
		return measure.Of(0)
	case asked == nil:
		return measure.Absent(NotComputed)
	case asked.Reason != "":
		return measure.Absent(measure.Reason(asked.Reason))
	}
	var cosines []float64
	var noncommittal []bool
	for _, q := range asked.Questions {
		if q.Cosine == nil {
			return measure.Absent(NotComputed)
		}
		cosines, noncommittal = append(cosines, *q.Cosine), append(noncommittal, q.Noncommittal)
	}
	return measure.AnswerRelevancy(cosines, noncommittal).Value
}

// judgedCorrectness takes the answer's claims that the reference supports for right, the others
// for wrong, and the reference's claims that the answer does not support for left out. A refusal
// has nothing of the reference.
func judgedCorrectness(r runs.Record) measure.Value {
	switch {
	case !referred(r):
		return measure.Absent(measure.NoRelevant)
	case r.Answer.Abstained:
		return measure.Of(0)
	}
	correct, reason := verdictsOf(judgement(r).Correct)
	if reason != "" {
		return measure.Absent(reason)
	}
	recalled, reason := verdictsOf(judgement(r).Recalled)
	switch {
	case reason != "":
		return measure.Absent(reason)
	case r.Answer.Similarity == nil:
		return measure.Absent(NotComputed)
	}
	tp := countOf(correct, rag.Supported)
	return measure.AnswerCorrectness(tp, len(correct)-tp, len(recalled)-countOf(recalled, rag.Supported), *r.Answer.Similarity)
}

// judgedKeyPoints is the share of key points that the answer states.
func judgedKeyPoints(r runs.Record) measure.Value {
	switch {
	case r.Answer.Reference == nil || len(r.Answer.Reference.KeyPoints) == 0:
		return measure.Absent(measure.NoRelevant)
	case r.Answer.Abstained:
		return measure.Of(0)
	}
	verdicts, reason := verdictsOf(judgement(r).Points)
	if reason != "" {
		return measure.Absent(reason)
	}
	points := make([]measure.PointVerdict, len(verdicts))
	for i, v := range verdicts {
		switch v {
		case rag.Supported:
			points[i] = measure.PointStated
		case rag.Contradicted:
			points[i] = measure.PointWrong
		default:
			points[i] = measure.PointLeftOut
		}
	}
	return measure.KeyPoints(points).Complete
}

// judgedCitations is a measure of ALCE by a model's verdicts on the sentences that need a
// source; answers without any, such as refusals, do not count.
func judgedCitations(of func(measure.CitationScores) measure.Value) func(runs.Record) measure.Value {
	return func(r runs.Record) measure.Value {
		cited := judgement(r).Cited
		switch {
		case r.Answer.Abstained:
			return measure.Absent(measure.NoRelevant)
		case cited == nil:
			return measure.Absent(NotComputed)
		case len(cited.Sentences) == 0:
			return measure.Absent(measure.NoRelevant)
		}
		sentences := make([]measure.CitedSentence, len(cited.Sentences))
		for i, s := range cited.Sentences {
			if s.Reason != "" {
				return measure.Absent(measure.Reason(s.Reason))
			}
			sentences[i].Supported = s.Supported != nil && *s.Supported
			for _, c := range s.Citations {
				sentences[i].Citations = append(sentences[i].Citations, measure.CitationSupport{
					Valid: c.Valid, Alone: c.Alone != nil && *c.Alone, Needed: c.Needed != nil && *c.Needed,
				})
			}
		}
		return of(measure.Citations(sentences))
	}
}

// usesOf are the verdicts on passages; reason says why there are none, or why one is missing.
func usesOf(u *runs.Usefulness) (out []measure.Verdict, reason measure.Reason) {
	switch {
	case u == nil:
		return nil, NotComputed
	case u.Reason != "":
		return nil, measure.Reason(u.Reason)
	}
	for _, p := range u.Passages {
		switch {
		case p.Useful == nil:
			return nil, cmp.Or(measure.Reason(p.Reason), Unscored)
		case *p.Useful:
			out = append(out, measure.Yes)
		default:
			out = append(out, measure.No)
		}
	}
	return out, ""
}

// precisionOf is the rank-weighted precision of passages; without any it is 0.
func precisionOf(r runs.Record, u *runs.Usefulness) measure.Value {
	if len(r.Answer.Context) == 0 {
		return measure.Of(0)
	}
	verdicts, reason := usesOf(u)
	if reason != "" {
		return measure.Absent(reason)
	}
	return measure.ContextPrecision(verdicts)
}

func judgedContextPrecision(r runs.Record) measure.Value {
	if !referred(r) {
		return measure.Absent(measure.NoRelevant)
	}
	return precisionOf(r, judgement(r).Useful)
}

// judgedContextUtilization is the same by the answer in the reference's place; a refusal uses
// nothing.
func judgedContextUtilization(r runs.Record) measure.Value {
	if r.Answer.Abstained {
		return measure.Absent(measure.NoRelevant)
	}
	return precisionOf(r, judgement(r).Used)
}

// judgedContextRecall is the share of the reference's claims that the passages support.
func judgedContextRecall(r runs.Record) measure.Value {
	switch {
	case !referred(r):
		return measure.Absent(measure.NoRelevant)
	case len(r.Answer.Context) == 0:
		return measure.Of(0)
	}
	verdicts, reason := verdictsOf(judgement(r).Found)
	if reason != "" {
		return measure.Absent(reason)
	}
	found := make([]measure.Verdict, len(verdicts))
	for i, v := range verdicts {
		found[i] = measure.No
		if v == rag.Supported {
			found[i] = measure.Yes
		}
	}
	return measure.ContextRecall(found)
}

// judgedNoise is the share of the answer's claims that the reference does not support and that
// rest on a passage of no use.
func judgedNoise(r runs.Record) measure.Value {
	switch {
	case !referred(r), r.Answer.Abstained:
		return measure.Absent(measure.NoRelevant)
	case !scored(r):
		return notScored(r)
	}
	if _, reason := verdictsOf(judgement(r).Correct); reason != "" {
		return measure.Absent(reason)
	}
	useful, reason := usesOf(judgement(r).Useful)
	right := judgement(r).Correct.Claims
	switch {
	case reason != "":
		return measure.Absent(reason)
	case len(right) != len(r.Answer.Claims):
		return measure.Absent(NotComputed)
	}
	claims, led := 0, 0
	for i, c := range r.Answer.Claims {
		if c.Verdict == string(rag.Abstained) {
			continue
		}
		claims++
		rests := c.Verdict == string(rag.Supported) && c.Evidence != nil && c.Evidence.Context < len(useful)
		if rests && useful[c.Evidence.Context] == measure.No && right[i].Verdict != string(rag.Supported) {
			led++
		}
	}
	if claims == 0 {
		return measure.Absent(measure.NoClaims)
	}
	return measure.Of(float64(led) / float64(claims))
}

// NeedsJudgement reports metrics of which one is made by a language model's judgement.
func NeedsJudgement(metrics []string) bool { return len(JudgedParts(metrics)) > 0 }
