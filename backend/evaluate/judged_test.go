package evaluate_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/evaluate"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
)

func statements(verdicts ...rag.ClaimVerdict) *runs.Statements {
	out := &runs.Statements{Calls: []runs.Call{}}
	for _, v := range verdicts {
		c := runs.Claim{Text: "x", Verdict: string(v)}
		if v == rag.ClaimUnscored {
			c.Reason = "quote_missing"
		}
		out.Claims = append(out.Claims, c)
	}
	return out
}

func useful(verdicts ...bool) *runs.Usefulness {
	out := &runs.Usefulness{}
	for _, v := range verdicts {
		out.Passages = append(out.Passages, runs.PassageUse{Useful: &v})
	}
	return out
}

func askedBack(noncommittal bool, cosines ...float64) *runs.AskedBack {
	out := &runs.AskedBack{}
	for _, c := range cosines {
		out.Questions = append(out.Questions, runs.BackQuestion{Text: "q?", Noncommittal: noncommittal, Cosine: &c})
	}
	return out
}

// value is a metric's value, or why there is none.
type value struct {
	score  float64
	reason string
}

// judgedValues evaluates one answer by metrics that a model is asked for.
func judgedValues(t *testing.T, metrics string, a runs.Answer, q evaluate.Question) map[string]value {
	t.Helper()
	q.ID, q.Text = "q", "q"
	exp, err := evaluate.Run(t.Context(), evaluate.Setup{
		Questions: []evaluate.Question{q}, Entries: []evaluate.Entry{{Pipeline: strategy(t, "vector")}},
		Searcher: &script{lists: map[string]map[string][]rag.ChunkID{"vector": {"q": {"c1", "c2", "c3"}}}}, Judge: nothingRelevant{},
		Answerer: scripted{"q": a}, Metrics: []string{metrics},
	}, rag.NoProgress{})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]value{}
	for name, m := range exp.Runs[0].Metrics {
		switch {
		case m.Value != nil:
			out[name] = value{score: math.Round(*m.Value*1e4) / 1e4}
		case m.Of == 0:
			out[name] = value{reason: "not counted"}
		}
		for reason := range m.Missing {
			out[name] = value{reason: string(reason)}
		}
	}
	return out
}

// TestJudgedMetrics has the worked examples of docs/evaluation.md.
func TestJudgedMetrics(t *testing.T) {
	t.Parallel()
	yes, no, unscored := rag.Supported, rag.Unverifiable, rag.ClaimUnscored
	similarity, good := .8, true
	question := evaluate.Question{Answerable: true, Answers: []string{"three facts"}, KeyPoints: []string{"a", "b", "c", "d"}}
	whole := runs.Answer{
		Text: "an answer", Label: "faithful", Similarity: &similarity, Claims: claims(yes, yes, yes),
		Judgement: &runs.Judgement{
			Correct: statements(yes, yes, no), Recalled: statements(yes, yes, no), Found: statements(yes, yes, yes, no),
			Points: statements(yes, yes, no, rag.Contradicted), Useful: useful(false, true, true), Used: useful(true, false, true),
			Asked: askedBack(false, .9, .8, .7),
			Cited: &runs.Cited{Sentences: []runs.CitedSentence{
				{Supported: &good, Citations: []runs.CitedByPassage{{Marker: 1, Valid: true, Alone: &good}}},
				{Supported: &good, Citations: []runs.CitedByPassage{{Marker: 1, Valid: true, Alone: &good}, {Marker: 2, Valid: true, Alone: new(bool), Needed: new(bool)}}},
				{Supported: new(bool)},
			}},
		},
	}
	worked := map[string]value{
		"llm_answer_relevancy": {score: .8}, "llm_answer_correctness": {score: .7}, "llm_key_points": {score: .5},
		"llm_context_precision": {score: .5833}, "llm_context_recall": {score: .75}, "llm_context_utilization": {score: .8333},
		"llm_noise_sensitivity": {score: .3333}, "llm_citation_recall": {score: .6667}, "llm_citation_precision": {score: .6667},
	}
	all := func(v value) map[string]value {
		out := map[string]value{}
		for name := range worked {
			out[name] = v
		}
		return out
	}
	with := func(base map[string]value, name string, v value) map[string]value {
		out := map[string]value{}
		for k, x := range base {
			out[k] = x
		}
		out[name] = v
		return out
	}
	changed := func(change func(*runs.Answer)) runs.Answer {
		a, j := whole, *whole.Judgement
		a.Judgement = &j
		change(&a)
		return a
	}
	refused := with(with(worked, "llm_answer_relevancy", value{}), "llm_answer_correctness", value{})
	cited := func(base map[string]value, v value) map[string]value {
		return with(with(base, "llm_citation_recall", v), "llm_citation_precision", v)
	}
	refused = cited(refused, value{reason: "not counted"})
	refused = with(with(with(refused, "llm_key_points", value{}), "llm_context_utilization", value{reason: "not counted"}), "llm_noise_sensitivity", value{reason: "not counted"})
	for name, c := range map[string]struct {
		answer   runs.Answer
		question evaluate.Question
		want     map[string]value
	}{
		"the worked examples": {whole, question, worked},
		"a refusal":           {changed(func(a *runs.Answer) { a.Abstained = true }), question, refused},
		"noncommittal": {changed(func(a *runs.Answer) { a.Judgement.Asked = askedBack(true, .9, .9, .9) }), question,
			with(worked, "llm_answer_relevancy", value{})},
		"no judgement":         {changed(func(a *runs.Answer) { a.Judgement = nil }), question, all(value{reason: "not_computed"})},
		"no question answered": {whole, evaluate.Question{Answers: question.Answers}, cited(all(value{reason: "not counted"}), value{score: .6667})},
		"no reference": {whole, evaluate.Question{Answerable: true}, with(with(cited(all(value{reason: "not counted"}), value{score: .6667}),
			"llm_answer_relevancy", value{score: .8}), "llm_context_utilization", value{score: .8333})},
		"nothing cited": {changed(func(a *runs.Answer) { a.Judgement.Cited = &runs.Cited{} }), question, cited(worked, value{reason: "not counted"})},
		"a sentence without a verdict": {changed(func(a *runs.Answer) {
			a.Judgement.Cited = &runs.Cited{Sentences: []runs.CitedSentence{{Supported: &good}, {Reason: "reply_truncated"}}}
		}), question, cited(worked, value{reason: "reply_truncated"})},
		"garbage": {changed(func(a *runs.Answer) {
			a.Judgement.Correct, a.Judgement.Asked = statements(yes, unscored, yes), &runs.AskedBack{Reason: "reply_malformed"}
			a.Judgement.Useful = &runs.Usefulness{Passages: []runs.PassageUse{{Useful: new(bool)}, {Reason: "verdict_count"}, {Useful: new(bool)}}}
			a.Judgement.Points = &runs.Statements{Reason: "unsupported_language"}
		}), question, with(with(with(with(with(worked, "llm_answer_correctness", value{reason: "quote_missing"}), "llm_noise_sensitivity", value{reason: "quote_missing"}),
			"llm_answer_relevancy", value{reason: "reply_malformed"}), "llm_context_precision", value{reason: "verdict_count"}), "llm_key_points", value{reason: "unsupported_language"})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, judgedValues(t, "llm", c.answer, c.question), cmp.AllowUnexported(value{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestMarksAreMeasured: a mark of 1 to 5 is a value from 0 to 1, and without one there is the judge's reason.
func TestMarksAreMeasured(t *testing.T) {
	t.Parallel()
	marks := map[string]runs.RubricMark{"faithfulness": {Mark: 3, Given: 5, Cap: runs.CapUnsupported}, "relevance": {Mark: 5, Given: 5}, "completeness": {Mark: 1, Given: 1}}
	all := func(v value) map[string]value {
		return map[string]value{"rubric_faithfulness": v, "rubric_relevance": v, "rubric_completeness": v}
	}
	for name, c := range map[string]struct {
		answer runs.Answer
		want   map[string]value
	}{
		"marks":      {runs.Answer{Text: "a", Rubric: &runs.Rubric{Marks: marks}}, map[string]value{"rubric_faithfulness": {score: .5}, "rubric_relevance": {score: 1}, "rubric_completeness": {}}},
		"garbage":    {runs.Answer{Text: "a", Rubric: &runs.Rubric{Reason: "reply_malformed"}}, all(value{reason: "reply_malformed"})},
		"a refusal":  {runs.Answer{Text: "a", Abstained: true}, all(value{reason: "not counted"})},
		"not marked": {runs.Answer{Text: "a"}, all(value{reason: "not_computed"})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, judgedValues(t, "rubric", c.answer, evaluate.Question{Answerable: true}), cmp.AllowUnexported(value{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestJudgesAreWarnedOf: a judge that is small, or that wrote the answers, comes first in the advice, when the
// run is made and when it is shown again.
func TestJudgesAreWarnedOf(t *testing.T) {
	t.Parallel()
	exp, err := evaluate.Run(t.Context(), evaluate.Setup{
		Questions: []evaluate.Question{{ID: "q", Text: "q", Answerable: true}}, Entries: []evaluate.Entry{{Pipeline: strategy(t, "vector")}},
		Searcher: &script{lists: map[string]map[string][]rag.ChunkID{"vector": {"q": {"c1"}}}}, Judge: nothingRelevant{},
		Answerer: scripted{"q": {Text: "yes", Label: "faithful"}}, Metrics: []string{"Hit@5", "faithfulness"},
		Answering: &runs.Answering{Model: "m", Judges: []runs.JudgeModel{{Model: "m", Own: true, Small: true}, {Model: "big"}}},
	}, rag.NoProgress{})
	if err != nil {
		t.Fatal(err)
	}
	warned := func(all []runs.Advice, n int) []string {
		var out []string
		for _, a := range all[:n] {
			out = append(out, a.Code+" "+a.Params["model"])
		}
		return out
	}
	want := []string{"judge_is_generator m", "judge_small m"}
	if diff := cmp.Diff(want, warned(exp.Advice, 2)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	stored := []runs.Stored{exp.Runs[0].Stored}
	again, err := evaluate.Compare(t.Context(), stored, evaluate.Choices{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, warned(again.Advice, 2)); diff != "" {
		t.Errorf("shown again (-want +got):\n%s", diff)
	}
	if again, err = evaluate.Compare(t.Context(), stored, evaluate.Choices{Metrics: []string{"Hit@5"}}); err != nil || again.Advice[0].Code == "judge_is_generator" {
		t.Errorf("%v: nothing judged is warned of: %+v", err, again.Advice)
	}
}
