package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
)

// judgedRun are the answers of a run with what was said of them.
type judgedRun struct {
	Run     series
	Answers []judgedAnswer
}

// judgedAnswer is an answer with its verdict, opened.
type judgedAnswer struct {
	ID, Query, Text string
	Label           text
	// Tone is up for a good answer, down for a bad one.
	Tone  string
	Cause *text
	// Sum is the arithmetic of faithfulness and relevancy.
	Sum    []text
	By     string
	Claims []judgedClaim
	// Others are the verdicts of further detectors, Marks those of a rubric.
	Others []otherVerdict
	Marks  []text
	Calls  []judgedCall
	Error  string
}

// otherVerdict is what a further detector found.
type otherVerdict struct {
	By     string
	Label  text
	Reason text
	Claims []judgedClaim
}

// judgedCall is what a model that judges replied; Reason is why it is of no use.
type judgedCall struct {
	Reply  string
	Reason text
}

type judgedClaim struct {
	Verdict text
	Tone    string
	Text    string
	Reason  text
	Risk    string
	// Source and Evidence are the best part of a passage, empty without one.
	Source, Evidence string
}

// judgedOf are the answers of run i; nil where nothing was answered.
func judgedOf(exp runs.Experiment, i int, run series, say func(code, detail string) text) *judgedRun {
	out := &judgedRun{Run: run}
	for _, r := range exp.Runs[i].Stored.Records {
		if r.Answer != nil {
			out.Answers = append(out.Answers, answerOf(r, say))
		}
	}
	if len(out.Answers) == 0 {
		return nil
	}
	return out
}

func answerOf(r runs.Record, say func(code, detail string) text) judgedAnswer {
	a := r.Answer
	out := judgedAnswer{ID: r.QueryID, Query: r.Query, Text: a.Text, By: a.Model + " · " + a.Detector, Label: wordOr("label.", a.Label)}
	switch {
	case a.Error != nil:
		out.Error = a.Error.Code
	case a.Abstained:
		out.Label = word("claim.abstained")
	}
	if r.Cause != nil {
		cause := wordOr("cause.", string(*r.Cause))
		out.Cause, out.Tone = &cause, "down"
	}
	for _, c := range a.Claims {
		out.Claims = append(out.Claims, claimOf(r, c, say))
	}
	for _, v := range a.Others {
		other := otherVerdict{By: v.Detector, Label: wordOr("label.", v.Label)}
		if v.Reason != "" {
			other.Reason = say(v.Reason, "")
		}
		for _, c := range v.Claims {
			other.Claims = append(other.Claims, claimOf(r, c, say))
		}
		out.Others = append(out.Others, other)
	}
	out.Marks = marksOf(a.Rubric, say)
	for _, c := range callsOf(a) {
		out.Calls = append(out.Calls, judgedCall{c.Reply, plain("")})
		if c.Reason != "" {
			out.Calls[len(out.Calls)-1].Reason = say(c.Reason, "")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Metrics)) {
		if v := r.Metrics[name]; strings.HasPrefix(name, "llm_") && v != nil {
			out.Sum = append(out.Sum, plain(name+" = "+fixed(*v, 3)))
		}
	}
	if supported, claims := a.Support(); claims > 0 && a.Label != string(rag.Unscored) {
		value := float64(supported) / float64(claims)
		out.Sum = append(out.Sum, word("answer.faithfulness", fault.P("supported", supported), fault.P("claims", claims), fault.P("value", fixed(value, 3))))
	}
	if a.Relevancy != nil {
		out.Sum = append(out.Sum, word("answer.relevancy", fault.P("value", fixed(*a.Relevancy, 3))))
	}
	if a.Score != nil {
		out.Sum = append(out.Sum, word("answer.risk", fault.P("value", fixed(*a.Score, 3))))
	}
	return out
}

// marksOf are the marks of a rubric with their caps, or why there are none.
func marksOf(r *runs.Rubric, say func(code, detail string) text) []text {
	switch {
	case r == nil:
		return nil
	case !r.Scored():
		return []text{say(r.Reason, r.Detail)}
	}
	var out []text
	for _, name := range runs.Dimensions() {
		m := r.Marks[name]
		params := []fault.Param{
			fault.P("mark", m.Mark), fault.P("given", m.Given), fault.P("value", fixed(float64(m.Mark-1)/4, 3)), fault.P("reason", m.Reason),
		}
		key := "mark." + name
		if m.Cap != "" {
			key += "." + m.Cap
		}
		out = append(out, word(key, params...))
	}
	return out
}

// callsOf are all calls of models that judged an answer.
func callsOf(a *runs.Answer) []runs.Call {
	out := slices.Clone(a.Calls)
	for _, v := range a.Others {
		out = append(out, v.Calls...)
	}
	if a.Rubric != nil {
		for _, reply := range a.Rubric.Replies {
			out = append(out, runs.Call{Reply: reply})
		}
	}
	if j := a.Judgement; j != nil {
		for _, s := range []*runs.Statements{j.Correct, j.Recalled, j.Found, j.Points} {
			if s != nil {
				out = append(out, s.Calls...)
			}
		}
		for _, u := range []*runs.Usefulness{j.Useful, j.Used} {
			if u != nil {
				out = append(out, u.Calls...)
			}
		}
		if j.Cited != nil {
			out = append(out, j.Cited.Calls...)
		}
		if j.Asked != nil {
			out = append(out, j.Asked.Calls...)
		}
	}
	return out
}

func claimOf(r runs.Record, c runs.Claim, say func(code, detail string) text) judgedClaim {
	out := judgedClaim{Verdict: wordOr("claim.", c.Verdict), Text: c.Text, Tone: "even"}
	if c.Reason != "" {
		out.Reason = say(c.Reason, c.Detail)
	}
	switch rag.ClaimVerdict(c.Verdict) {
	case rag.Supported:
		out.Tone = "up"
	case rag.Contradicted, rag.Unverifiable:
		out.Tone = "down"
	case rag.Abstained:
		return out
	}
	out.Risk = fixed(c.Score, 3)
	if e := c.Evidence; e != nil && e.Context < len(r.Answer.Context) {
		out.Source, out.Evidence = "["+strconv.Itoa(e.Context+1)+"]", e.Text
		for _, h := range r.Retrieved {
			if h.ChunkID == r.Answer.Context[e.Context] {
				out.Source = fmt.Sprintf("[%d] %s", e.Context+1, h.Source)
			}
		}
	}
	return out
}
