package evaluate

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"ragdesk/backend/measure"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
	"ragdesk/backend/text"
)

// Answerer answers questions from what was retrieved and has the answers judged. It
// is safe for concurrent use.
type Answerer interface {
	// Answer answers q from hits, the whole of a pipeline's list. An answer that
	// could not be had, or judged, has an Error and is no error here; an error ends
	// the evaluation.
	Answer(ctx context.Context, q Question, hits []rag.Hit) (runs.Answer, error)
	// Fingerprint names who answers and who judges.
	Fingerprint() string
}

// Reasons why a metric of answers has no value.
const (
	// NeedsAnswers: nothing was answered.
	NeedsAnswers measure.Reason = "needs_answers"
	// Unscored: the detector did not judge the answer, and gave no reason of its own.
	Unscored measure.Reason = "unscored"
	// NotComputed: a part of the value is not there.
	NotComputed measure.Reason = "not_computed"
)

// answerMetric is a metric of answers.
type answerMetric struct {
	name string
	// lower is better; rate has values 0 and 1 alone.
	lower, rate bool
	// everyone says that it counts unanswerable questions too.
	everyone bool
	// judge says that it needs the marks of a language model, parts which parts of its
	// judgement.
	judge bool
	parts []string
	value func(runs.Record) measure.Value
}

// answerMetrics lists them; docs/evaluation.md has the formulas.
func answerMetrics() []answerMetric {
	return append([]answerMetric{
		{name: "faithfulness", everyone: true, value: faithfulness},
		{name: "hallucination_rate", lower: true, rate: true, everyone: true, value: hallucinated},
		{name: "answer_relevancy", value: relevancy},
		{name: "answer_correctness", value: correctness},
		{name: "answer_contains", rate: true, value: contains},
		{name: "key_points", value: keyPoints},
		{name: "citation_coverage", everyone: true, value: citationCoverage},
		{name: "citation_accuracy", everyone: true, value: citationAccuracy},
		{name: "abstention", rate: true, everyone: true, value: abstention},
		{name: "context_precision", value: contextPrecision},
		{name: "context_recall", value: contextRecall},
		{name: "context_relevancy", value: contextRelevancy},
		{name: "context_utilization", value: contextUtilization},
		{name: "noise_sensitivity", lower: true, value: noiseSensitivity},
		{name: rubricPrefix + runs.DimensionFaithfulness, everyone: true, judge: true, value: marked(runs.DimensionFaithfulness)},
		{name: rubricPrefix + runs.DimensionRelevance, judge: true, value: marked(runs.DimensionRelevance)},
		{name: rubricPrefix + runs.DimensionCompleteness, judge: true, value: marked(runs.DimensionCompleteness)},
	}, judgedMetrics()...)
}

// AnswerMetrics are the names of the metrics of answers that need no language model to judge.
func AnswerMetrics() []string { return metricsBy(false) }

// RubricMetrics are the names of the metrics that are a judge's marks.
func RubricMetrics() []string { return metricsBy(true) }

func metricsBy(judge bool) []string {
	var out []string
	for _, m := range answerMetrics() {
		if m.judge == judge && m.parts == nil {
			out = append(out, m.name)
		}
	}
	return out
}

func findAnswerMetric(name string) (answerMetric, bool) {
	all := answerMetrics()
	i := slices.IndexFunc(all, func(m answerMetric) bool { return m.name == strings.ToLower(name) })
	if i < 0 {
		return answerMetric{}, false
	}
	return all[i], true
}

// of is the metric's value of a record.
func (m answerMetric) of(r runs.Record) measure.Value {
	switch {
	case r.Stale, !m.everyone && !r.Measured():
		return measure.Absent(measure.NoRelevant)
	case r.Error != nil:
		return measure.Absent(measure.NotRun)
	case r.Answer == nil:
		return measure.Absent(NeedsAnswers)
	case r.Answer.Error != nil && r.Answer.Text == "":
		return measure.Absent(measure.NotRun)
	}
	return m.value(r)
}

// faithfulness is supported claims / claims; refusals are no claims.
func faithfulness(r runs.Record) measure.Value {
	var verdicts []measure.Verdict
	for _, c := range r.Answer.Claims {
		switch rag.ClaimVerdict(c.Verdict) {
		case rag.Supported:
			verdicts = append(verdicts, measure.Yes)
		case rag.Contradicted, rag.Unverifiable:
			verdicts = append(verdicts, measure.No)
		case rag.Abstained:
		}
	}
	switch {
	case r.Answer.Abstained:
		return measure.Absent(measure.NoRelevant)
	case !scored(r):
		return notScored(r)
	}
	return measure.Faithfulness(verdicts)
}

// hallucinated is 1 for an answer with a claim that is not supported.
func hallucinated(r runs.Record) measure.Value {
	switch {
	case r.Answer.Abstained:
		return measure.Absent(measure.NoRelevant)
	case r.Answer.Label == string(rag.Hallucinated):
		return measure.Of(1)
	case r.Answer.Label == string(rag.Faithful):
		return measure.Of(0)
	}
	return notScored(r)
}

// scored reports an answer with a verdict.
func scored(r runs.Record) bool {
	return r.Answer.Label == string(rag.Faithful) || r.Answer.Label == string(rag.Hallucinated)
}

// notScored is the value of an answer without a verdict: none, for the detector's
// reason.
func notScored(r runs.Record) measure.Value {
	return measure.Absent(cmp.Or(measure.Reason(r.Answer.Reason), Unscored))
}

// relevancy is the cosine of question and answer, 0 for a refusal.
func relevancy(r runs.Record) measure.Value {
	switch {
	case r.Answer.Abstained:
		return measure.Of(0)
	case r.Answer.Relevancy == nil:
		return measure.Absent(NotComputed)
	}
	return measure.AnswerRelevancy([]float64{*r.Answer.Relevancy}, nil).Value
}

// correctness compares the words of answer and reference; a refusal has none of them.
func correctness(r runs.Record) measure.Value {
	ref := r.Answer.Reference
	switch {
	case !referred(r):
		return measure.Absent(measure.NoRelevant)
	case r.Answer.Abstained:
		return measure.Of(0)
	case r.Answer.Similarity == nil:
		return measure.Absent(NotComputed)
	}
	return measure.AnswerCorrectness(ref.TP, ref.FP, ref.FN, *r.Answer.Similarity)
}

func contains(r runs.Record) measure.Value {
	if !referred(r) {
		return measure.Absent(measure.NoRelevant)
	}
	return bit(*r.Answer.Reference.Contains)
}

func bit(b bool) measure.Value {
	if b {
		return measure.Of(1)
	}
	return measure.Of(0)
}

func keyPoints(r runs.Record) measure.Value {
	if r.Answer.Reference == nil || len(r.Answer.Reference.KeyPoints) == 0 {
		return measure.Absent(measure.NoRelevant)
	}
	var points []measure.PointVerdict
	for _, p := range r.Answer.Reference.KeyPoints {
		v := measure.PointLeftOut
		if p.Stated {
			v = measure.PointStated
		}
		points = append(points, v)
	}
	return measure.KeyPoints(points).Complete
}

// States of citations, as package answer gives them.
const (
	citationVerified = "verified"
	citationMissing  = "missing"
	citationWrong    = "wrong"
)

// citationCoverage is the share of sentences that need a source and name one that
// the prompt had.
func citationCoverage(r runs.Record) measure.Value {
	sentences := map[[2]int]bool{}
	for _, c := range r.Answer.Citations {
		at := [2]int{c.Start, c.End}
		sentences[at] = sentences[at] || c.State != citationMissing && c.ChunkID != ""
	}
	covered := 0
	for _, ok := range sentences {
		if ok {
			covered++
		}
	}
	if r.Answer.Abstained || len(sentences) == 0 {
		return measure.Absent(measure.NoRelevant)
	}
	return measure.Of(float64(covered) / float64(len(sentences)))
}

// citationAccuracy is the share of citations whose passage bears the sentence out.
func citationAccuracy(r runs.Record) measure.Value {
	cited, right := 0, 0
	for _, c := range r.Answer.Citations {
		if c.State == citationMissing {
			continue
		}
		cited++
		if c.State == citationVerified {
			right++
		}
	}
	switch {
	case r.Answer.Abstained:
		return measure.Absent(measure.NoRelevant)
	case cited == 0 && len(r.Answer.Citations) > 0:
		return measure.Of(0)
	case cited == 0:
		return measure.Absent(measure.NoRelevant)
	}
	return measure.Of(float64(right) / float64(cited))
}

// abstention is 1 for an answerable question that was answered and an unanswerable
// one that was refused.
func abstention(r runs.Record) measure.Value { return bit(r.Answerable != r.Answer.Abstained) }

// useful are the passages of the prompt by whether they are relevant.
func useful(r runs.Record) []measure.Verdict {
	var out []measure.Verdict
	for _, h := range r.Passages() {
		v := measure.No
		if h.Relevant() {
			v = measure.Yes
		}
		out = append(out, v)
	}
	return out
}

func contextPrecision(r runs.Record) measure.Value {
	v := measure.ContextPrecision(useful(r))
	if v.Reason == measure.NoContext {
		return measure.Of(0)
	}
	return v
}

// contextRecall is the share of what is relevant that was in the prompt.
func contextRecall(r runs.Record) measure.Value {
	ranking := r.Ranking(0)
	ranking.Items = ranking.Items[:0]
	for _, h := range r.Passages() {
		item := measure.Item{ID: string(h.ChunkID), Grade: h.Grade, Units: h.Units}
		if h.Item != nil {
			item.ID = *h.Item
		}
		ranking.Items = append(ranking.Items, item)
	}
	p, err := measure.Judge(ranking)
	if err != nil {
		return measure.Absent(NotComputed)
	}
	return p.Value(measure.Measure{Kind: measure.Recall}, measure.DialectEval)
}

func contextRelevancy(r runs.Record) measure.Value {
	verdicts := useful(r)
	yes := 0
	for _, v := range verdicts {
		if v == measure.Yes {
			yes++
		}
	}
	if len(verdicts) == 0 {
		return measure.Of(0)
	}
	return measure.Of(float64(yes) / float64(len(verdicts)))
}

// used are the passages that a claim rests on or that a good citation names.
func used(r runs.Record) map[rag.ChunkID]bool {
	out := map[rag.ChunkID]bool{}
	for _, c := range r.Answer.Claims {
		if c.Verdict == string(rag.Supported) && c.Evidence != nil && c.Evidence.Context < len(r.Answer.Context) {
			out[r.Answer.Context[c.Evidence.Context]] = true
		}
	}
	for _, c := range r.Answer.Citations {
		if c.State == citationVerified {
			out[c.ChunkID] = true
		}
	}
	return out
}

// contextUtilization is the share of the relevant passages in the prompt that the
// answer rests on.
func contextUtilization(r runs.Record) measure.Value {
	if !r.Answer.Abstained && !scored(r) {
		return notScored(r)
	}
	rests := used(r)
	relevant, n := 0, 0
	for _, h := range r.Passages() {
		if !h.Relevant() {
			continue
		}
		relevant++
		if rests[h.ChunkID] {
			n++
		}
	}
	if relevant == 0 {
		return measure.Absent(measure.NoRelevant)
	}
	return measure.Of(float64(n) / float64(relevant))
}

// noiseSensitivity is the share of claims of an answer without the reference that
// rest on passages that are not relevant.
func noiseSensitivity(r runs.Record) measure.Value {
	ref := r.Answer.Reference
	if !referred(r) || r.Answer.Abstained {
		return measure.Absent(measure.NoRelevant)
	}
	if !scored(r) {
		return notScored(r)
	}
	relevant := map[rag.ChunkID]bool{}
	for _, h := range r.Passages() {
		relevant[h.ChunkID] = h.Relevant()
	}
	claims, led := 0, 0
	for _, c := range r.Answer.Claims {
		if c.Verdict == string(rag.Abstained) {
			continue
		}
		claims++
		if c.Verdict == string(rag.Supported) && c.Evidence != nil && c.Evidence.Context < len(r.Answer.Context) &&
			!relevant[r.Answer.Context[c.Evidence.Context]] && !*ref.Contains {
			led++
		}
	}
	if claims == 0 {
		return measure.Absent(Unscored)
	}
	return measure.Of(float64(led) / float64(claims))
}

// reference compares an answer with a question's reference; nil without one.
func reference(q Question, answer string) *runs.Reference {
	if len(q.Answers) == 0 && len(q.KeyPoints) == 0 {
		return nil
	}
	out := &runs.Reference{KeyPoints: []runs.KeyPoint{}}
	said := text.Letters(text.Uncited(answer))
	best := -1.0
	for _, a := range q.Answers {
		holds := text.Letters(a) != "" && strings.Contains(said, text.Letters(a))
		if out.Contains == nil || holds {
			out.Contains = &holds
		}
		tp, fp, fn := overlap(words(answer), words(a))
		if f := float64(tp) / (float64(tp) + float64(fp+fn)/2 + 1e-9); f > best {
			best, out.TP, out.FP, out.FN = f, tp, fp, fn
		}
	}
	for _, k := range q.KeyPoints {
		tp, _, fn := overlap(words(answer), words(k))
		stated := strings.Contains(said, text.Letters(k)) || tp+fn > 0 && float64(tp)/float64(tp+fn) >= statedShare
		out.KeyPoints = append(out.KeyPoints, runs.KeyPoint{Text: k, Stated: stated})
	}
	return out
}

// statedShare is the share of a key point's words that an answer must hold.
const statedShare = .8

// words counts the words that tell.
func words(s string) map[string]int {
	out := map[string]int{}
	for _, w := range text.Analyze(text.Uncited(s)).Words {
		if !w.Stop {
			out[w.Term]++
		}
	}
	return out
}

func overlap(a, b map[string]int) (both, onlyA, onlyB int) {
	for w, n := range a {
		both += min(n, b[w])
		onlyA += max(n-b[w], 0)
	}
	for w, n := range b {
		onlyB += max(n-a[w], 0)
	}
	return both, onlyA, onlyB
}
