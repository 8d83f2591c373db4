package judge

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
	"ragdesk/backend/text"
)

// BackQuestions is how many questions are asked back for an answer.
const BackQuestions = 3

// What replies may take, in tokens: for each passage, and for each question.
const (
	useTokens  = 96
	backTokens = 96
)

// AssessWording is the text of the prompts about passages and for questions, in one
// language.
type AssessWording interface {
	Useful(question, reference string, passages []string) string
	AskedBack(answer string, n int) string
	// Fingerprint changes with the words.
	Fingerprint() string
}

// Assessor asks a language model for what the llm_… metrics are computed from: verdicts on
// the answer's claims by the reference, on the reference's claims by the answer and by the
// passages, on key points, on the use of passages, and questions that the answer would
// answer. All replies are JSON by a schema, at temperature 0; what is of no use is a reason
// and never a verdict.
//
// It is safe for concurrent use.
type Assessor struct {
	llm         *LLM
	wordings    map[string]AssessWording
	model       string
	fingerprint string
}

// NewAssessor returns the assessor that has statements judged by llm, whose model it asks,
// with wordings for "zh" and "en".
func NewAssessor(llm *LLM, wordings map[string]AssessWording, model string) *Assessor {
	name := fmt.Sprintf("assess/1 %s %s %s %d", llm.Fingerprint(), wordings["zh"].Fingerprint(), wordings["en"].Fingerprint(), BackQuestions)
	return &Assessor{llm, wordings, model, name}
}

// Model is the judge's.
func (a *Assessor) Model() string { return a.model }

// Fingerprint covers the rules, the model and the wordings.
func (a *Assessor) Fingerprint() string { return a.fingerprint }

// Assessed is an answer to be assessed.
type Assessed struct {
	rag.Judged
	// Refused says that the answer says that there is none.
	Refused bool
	// Reference is the reference answer, empty without one; Points are the key points.
	Reference string
	Points    []string
	// Sentences are those of the answer that need a source.
	Sentences []Sourced
}

// Assess makes the named parts of a judgement, runs.PartCorrect and so on. Parts that the
// question or the answer gives nothing for stay null.
func (a *Assessor) Assess(ctx context.Context, in Assessed, parts []string) (runs.Judgement, error) {
	out := runs.Judgement{Model: a.model, Fingerprint: a.fingerprint}
	answered := !in.Refused && text.Letters(text.Uncited(in.Answer)) != ""
	referred := in.Reference != ""
	for _, p := range []struct {
		name string
		can  bool
		make func() error
	}{
		{runs.PartCorrect, answered && referred, func() error {
			return a.statements(ctx, &out.Correct, rag.Judged{Question: in.Question, Context: []string{in.Reference}, Answer: in.Answer})
		}},
		{runs.PartRecalled, answered && referred, func() error {
			return a.statements(ctx, &out.Recalled, rag.Judged{Question: in.Question, Context: []string{text.Uncited(in.Answer)}, Answer: in.Reference})
		}},
		{runs.PartFound, referred && len(in.Context) > 0, func() error {
			return a.statements(ctx, &out.Found, rag.Judged{Question: in.Question, Context: in.Context, Answer: in.Reference})
		}},
		{runs.PartPoints, answered && len(in.Points) > 0, func() error {
			found, err := a.llm.Statements(ctx, in.Question, []string{text.Uncited(in.Answer)}, in.Points)
			out.Points = statementsOf(found)
			return err
		}},
		{runs.PartUseful, referred && len(in.Context) > 0, func() (err error) {
			out.Useful, err = a.useful(ctx, in.Judged, in.Reference)
			return err
		}},
		{runs.PartUsed, answered && len(in.Context) > 0, func() (err error) {
			out.Used, err = a.useful(ctx, in.Judged, text.Uncited(in.Answer))
			return err
		}},
		{runs.PartCited, answered, func() (err error) {
			out.Cited, err = a.cited(ctx, in)
			return err
		}},
		{runs.PartAsked, answered, func() (err error) {
			out.Asked, err = a.askedBack(ctx, text.Uncited(in.Answer))
			return err
		}},
	} {
		if !p.can || !slices.Contains(parts, p.name) {
			continue
		}
		if err := p.make(); err != nil {
			return runs.Judgement{}, err
		}
	}
	return out, ctx.Err()
}

// statements judges the claims of a text by another one.
func (a *Assessor) statements(ctx context.Context, out **runs.Statements, in rag.Judged) error {
	found, err := a.llm.Detect(ctx, in)
	*out = statementsOf(found)
	return err
}

// statementsOf are verdicts as runs keep them. A reason is given only where there are no
// claims: else each claim has its own.
func statementsOf(d rag.Detection) *runs.Statements {
	v := Verdict("", d)
	out := &runs.Statements{Claims: v.Claims, Calls: v.Calls}
	if len(out.Claims) == 0 {
		out.Reason = v.Reason
	}
	return out
}

// Verdict is a detection as runs keep it.
func Verdict(name string, d rag.Detection) runs.Verdict {
	out := runs.Verdict{Detector: name, Label: string(d.Label), Reason: d.Reason, Claims: []runs.Claim{}, Calls: []runs.Call{}}
	if d.Label != rag.Unscored {
		score := d.Score
		out.Score = &score
	}
	for _, c := range d.Claims {
		claim := runs.Claim{
			Text: c.Text, Start: c.Points.Start, End: c.Points.End, Verdict: string(c.Verdict), Score: c.Score, Reason: c.Reason, Detail: c.Detail,
		}
		if len(c.Evidence) > 0 {
			b := c.Evidence[0]
			claim.Evidence = &runs.ClaimEvidence{Context: b.Context, Start: b.Points.Start, End: b.Points.End, Text: b.Text, Score: b.Score}
		}
		out.Claims = append(out.Claims, claim)
	}
	for _, c := range d.Calls {
		out.Calls = append(out.Calls, callOf(c.Claims, Reply{Text: c.Reply, Reason: c.Reason}))
	}
	return out
}

// callOf is a reply as runs keep it.
func callOf(about []int, r Reply) runs.Call {
	return runs.Call{Claims: append([]int{}, about...), Reply: r.Text, Reason: r.Reason}
}

// uses is a reply about passages.
type uses struct {
	Verdicts []struct {
		Reason *string `json:"reason"`
		Useful *bool   `json:"useful"`
	} `json:"verdicts"`
}

// check reports what is wrong with a reply about n passages.
func (u uses) check(n int) (reason, detail string) {
	if len(u.Verdicts) != n {
		return ReasonCount, fmt.Sprintf("%d / %d", len(u.Verdicts), n)
	}
	for i, v := range u.Verdicts {
		if v.Reason == nil || v.Useful == nil {
			return ReasonMalformed, fmt.Sprintf("verdict %d lacks a key", i+1)
		}
	}
	return "", ""
}

// useSchema asks for n verdicts on passages.
func useSchema(n int) json.RawMessage {
	return fmt.Appendf(nil, `{"type":"object","properties":{"verdicts":{"type":"array","minItems":%d,"maxItems":%d,"items":{"type":"object",`+
		`"properties":{"reason":{"type":"string"},"useful":{"type":"boolean"}},"required":["reason","useful"]}}},"required":["verdicts"]}`, n, n)
}

// useful asks which passages are of use for an answer, all in one call. After a reply of no
// use it asks about each alone, once.
func (a *Assessor) useful(ctx context.Context, in rag.Judged, reference string) (*runs.Usefulness, error) {
	out := &runs.Usefulness{Passages: make([]runs.PassageUse, len(in.Context)), Calls: []runs.Call{}}
	in.Answer = reference
	lang, ok := cover(a.llm.languages, in)
	if !ok {
		out.Passages, out.Reason = []runs.PassageUse{}, ReasonLanguage
		return out, ctx.Err()
	}
	all := make([]int, len(in.Context))
	for i := range all {
		all[i] = i
	}
	reason, err := a.use(ctx, lang, in, all, out)
	if err != nil || reason == "" || len(all) == 1 || reason == ReasonEngine || reason == ReasonTimeout {
		return out, err
	}
	for _, i := range all {
		if _, err := a.use(ctx, lang, in, []int{i}, out); err != nil {
			return out, err
		}
	}
	return out, nil
}

// use makes one call about some passages, and returns why it brought nothing.
func (a *Assessor) use(ctx context.Context, lang string, in rag.Judged, some []int, out *runs.Usefulness) (string, error) {
	passages := make([]string, len(some))
	for n, i := range some {
		passages[n] = in.Context[i]
	}
	var got uses
	reply, err := a.llm.asker.Ask(ctx, a.wordings[lang].Useful(in.Question, in.Answer, passages), useSchema(len(some)), frameTokens+useTokens*len(some), &got)
	if err != nil {
		return "", err
	}
	if reply.OK() {
		reply.Reason, reply.Detail = got.check(len(some))
	}
	for n, i := range some {
		out.Passages[i] = runs.PassageUse{Reason: reply.Reason, Detail: reply.Detail}
		if reply.OK() {
			out.Passages[i] = runs.PassageUse{Useful: got.Verdicts[n].Useful, Detail: *got.Verdicts[n].Reason}
		}
	}
	out.Calls = append(out.Calls, callOf(some, reply))
	return reply.Reason, nil
}

// backReply is a reply with questions.
type backReply struct {
	Questions []struct {
		Question     string `json:"question"`
		Noncommittal *bool  `json:"noncommittal"`
	} `json:"questions"`
}

// check reports what is wrong with it.
func (b backReply) check() (reason, detail string) {
	if len(b.Questions) != BackQuestions {
		return ReasonCount, fmt.Sprintf("%d / %d", len(b.Questions), BackQuestions)
	}
	for i, q := range b.Questions {
		if text.Letters(q.Question) == "" || q.Noncommittal == nil {
			return ReasonMalformed, fmt.Sprintf("question %d", i+1)
		}
	}
	return "", ""
}

func backSchema() json.RawMessage {
	return fmt.Appendf(nil, `{"type":"object","properties":{"questions":{"type":"array","minItems":%[1]d,"maxItems":%[1]d,"items":{"type":"object",`+
		`"properties":{"question":{"type":"string","minLength":1},"noncommittal":{"type":"boolean"}},"required":["question","noncommittal"]}}},"required":["questions"]}`, BackQuestions)
}

// askedBack has questions written for an answer. A reply of no use leaves none.
func (a *Assessor) askedBack(ctx context.Context, answer string) (*runs.AskedBack, error) {
	out := &runs.AskedBack{Questions: []runs.BackQuestion{}, Calls: []runs.Call{}}
	lang, ok := cover(a.llm.languages, rag.Judged{Answer: answer})
	if !ok {
		out.Reason = ReasonLanguage
		return out, ctx.Err()
	}
	var got backReply
	reply, err := a.llm.asker.Ask(ctx, a.wordings[lang].AskedBack(answer, BackQuestions), backSchema(), frameTokens+backTokens*BackQuestions, &got)
	if err != nil {
		return nil, err
	}
	if reply.OK() {
		reply.Reason, _ = got.check()
	}
	out.Calls = append(out.Calls, callOf(nil, reply))
	if out.Reason = reply.Reason; !reply.OK() {
		return out, nil
	}
	for _, q := range got.Questions {
		out.Questions = append(out.Questions, runs.BackQuestion{Text: strings.TrimSpace(q.Question), Noncommittal: *q.Noncommittal})
	}
	return out, nil
}
