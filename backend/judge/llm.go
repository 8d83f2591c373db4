package judge

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// DetectorLLM is the name of the detector that asks a language model.
const DetectorLLM = "llm"

// ClaimsPerCall is how many claims a call is about at most.
const ClaimsPerCall = 4

// What a reply may take, in tokens: for each claim, and for the rest.
const (
	claimTokens = 192
	frameTokens = 64
)

// Wording is the text of the prompt that asks for verdicts, in one language.
type Wording interface {
	Verdicts(question string, passages, claims []string) string
	// Fingerprint changes with the words.
	Fingerprint() string
}

// LLM is the detector that asks a language model: for every claim a quote from the
// context, a reason and one of three verdicts, in JSON by a schema, a few claims a
// call, at temperature 0.
//
// A reply that is cut, is no such JSON, or has not as many verdicts as there are
// claims is thrown away, and each of its claims is asked about alone. A quote that
// the context does not have is no evidence: such a claim is asked about alone too.
// What then is still without a verdict, or supported or contradicted without
// evidence, is unscored with a reason: never supported, never a hallucination.
//
// It is safe for concurrent use.
type LLM struct {
	asker       Asker
	wordings    map[string]Wording
	languages   []string
	fingerprint string
}

// NewLLM returns the detector that asks a model of the given languages with the
// wordings for "zh" and "en"; model is the model's digest.
func NewLLM(asker Asker, languages []string, wordings map[string]Wording, model string) *LLM {
	name := fmt.Sprintf("llm/2 %s %s %s %d", model, wordings["zh"].Fingerprint(), wordings["en"].Fingerprint(), ClaimsPerCall)
	return &LLM{asker, wordings, languages, name}
}

var _ rag.Detector = (*LLM)(nil)

// Name returns "llm".
func (l *LLM) Name() string { return DetectorLLM }

// Fingerprint covers the rules, the model and the wordings.
func (l *LLM) Fingerprint() string { return l.fingerprint }

// Detect judges one answer.
func (l *LLM) Detect(ctx context.Context, in rag.Judged) (rag.Detection, error) {
	if text.Letters(text.Uncited(in.Answer)) == "" {
		return unscored(ReasonEmpty, ""), ctx.Err()
	}
	lang, ok := cover(l.languages, in)
	if !ok {
		return unscored(ReasonLanguage, lang), ctx.Err()
	}
	q := questioning{LLM: l, in: in, wording: l.wordings[lang], language: lang, claims: claimsOf(in), calls: []rag.JudgeCall{}}
	return q.all(ctx)
}

// Statements judges statements that stand by themselves, such as key points, as Detect
// judges an answer's claims.
func (l *LLM) Statements(ctx context.Context, question string, context, statements []string) (rag.Detection, error) {
	in := rag.Judged{Question: question, Context: context, Answer: strings.Join(statements, "\n")}
	lang, ok := cover(l.languages, in)
	if !ok {
		return unscored(ReasonLanguage, lang), ctx.Err()
	}
	q := questioning{LLM: l, in: in, wording: l.wordings[lang], language: lang, alone: true, calls: []rag.JudgeCall{}}
	for _, s := range statements {
		q.claims = append(q.claims, rag.Claim{Text: s, Evidence: []rag.Evidence{}})
	}
	return q.all(ctx)
}

// all judges all claims that are not settled without a look at the context.
func (q *questioning) all(ctx context.Context) (rag.Detection, error) {
	if len(q.claims) == 0 {
		return unscored(ReasonEmpty, ""), ctx.Err()
	}
	var open []int
	for i := range q.claims {
		if !settle(q.in, &q.claims[i]) {
			open = append(open, i)
		}
	}
	for len(open) > 0 {
		n := min(len(open), ClaimsPerCall)
		if err := q.judge(ctx, open[:n]); err != nil {
			return rag.Detection{}, err
		}
		open = open[n:]
	}
	out := detection(q.claims)
	out.Calls = q.calls
	return out, ctx.Err()
}

// questioning is the work on one answer.
type questioning struct {
	*LLM
	in       rag.Judged
	wording  Wording
	language string
	// alone says that the claims need no question to say anything.
	alone  bool
	claims []rag.Claim
	calls  []rag.JudgeCall
}

// judge fills in the verdicts on some claims, and asks again about each that has
// none where the model might do better with it alone.
func (q *questioning) judge(ctx context.Context, some []int) error {
	if err := q.ask(ctx, some); err != nil || len(some) == 1 {
		return err
	}
	for _, i := range some {
		if c := q.claims[i]; c.Verdict == rag.ClaimUnscored && c.Reason != ReasonEngine && c.Reason != ReasonTimeout {
			if err := q.ask(ctx, []int{i}); err != nil {
				return err
			}
		}
	}
	return nil
}

// verdicts is what a reply holds.
type verdicts struct {
	Verdicts []struct {
		Quote   *string `json:"quote"`
		Reason  *string `json:"reason"`
		Verdict string  `json:"verdict"`
	} `json:"verdicts"`
}

// schema asks for n verdicts.
func schema(n int) json.RawMessage {
	return fmt.Appendf(nil, `{"type":"object","properties":{"verdicts":{"type":"array","minItems":%d,"maxItems":%d,"items":{"type":"object",`+
		`"properties":{"quote":{"type":"string"},"reason":{"type":"string"},"verdict":{"type":"string","enum":["%s","%s","%s"]}},`+
		`"required":["quote","reason","verdict"]}}},"required":["verdicts"]}`, n, n, rag.Supported, rag.Contradicted, rag.Unverifiable)
}

// ask makes one call about some claims.
func (q *questioning) ask(ctx context.Context, some []int) error {
	said := make([]string, len(some))
	for n, i := range some {
		said[n] = q.statement(q.claims[i])
	}
	var got verdicts
	reply, err := q.asker.Ask(ctx, q.wording.Verdicts(q.in.Question, q.in.Context, said), schema(len(some)), frameTokens+claimTokens*len(some), &got)
	if err != nil {
		return err
	}
	if reply.OK() {
		reply.Reason, reply.Detail = got.check(len(some))
	}
	for n, i := range some {
		c := &q.claims[i]
		c.Verdict, c.Score, c.Evidence = rag.ClaimUnscored, 0, []rag.Evidence{}
		c.Reason, c.Detail = reply.Reason, reply.Detail
		if reply.OK() {
			v := got.Verdicts[n]
			q.take(c, rag.ClaimVerdict(v.Verdict), *v.Quote, *v.Reason)
		}
	}
	q.calls = append(q.calls, rag.JudgeCall{Claims: some, Reply: reply.Text, Reason: reply.Reason, Detail: reply.Detail})
	return nil
}

// statement is what the model reads of a claim: a short answer with its question.
func (q *questioning) statement(c rag.Claim) string {
	said := strings.Join(strings.Fields(text.Uncited(c.Text)), " ")
	switch {
	case q.alone || !short(q.in):
		return said
	case q.language == "zh":
		return "问：" + q.in.Question + " 答：" + said
	}
	return "Q: " + q.in.Question + " A: " + said
}

// check reports what is wrong with a reply about n claims.
func (v verdicts) check(n int) (reason, detail string) {
	if len(v.Verdicts) != n {
		return ReasonCount, fmt.Sprintf("%d / %d", len(v.Verdicts), n)
	}
	for i, one := range v.Verdicts {
		switch rag.ClaimVerdict(one.Verdict) {
		case rag.Supported, rag.Contradicted, rag.Unverifiable:
		default:
			return ReasonMalformed, fmt.Sprintf("verdict %d: %q", i+1, one.Verdict)
		}
		if one.Quote == nil || one.Reason == nil {
			return ReasonMalformed, fmt.Sprintf("verdict %d lacks a key", i+1)
		}
	}
	return "", ""
}

// take gives a claim the model's verdict. One that speaks of the context needs a
// quote that is there.
func (q *questioning) take(c *rag.Claim, verdict rag.ClaimVerdict, quote, reason string) {
	c.Detail = reason
	evidence, ok := quoted(q.in.Context, quote)
	if ok {
		c.Evidence = evidence
	}
	switch {
	case verdict == rag.Unverifiable:
		c.Verdict, c.Score, c.Reason = verdict, 1, ReasonJudgedUnverifiable
	case !ok:
		c.Reason, c.Detail = ReasonQuote, quote
	case verdict == rag.Contradicted:
		c.Verdict, c.Score, c.Reason = verdict, 1, ReasonJudgedContradicted
	default:
		c.Verdict, c.Score, c.Reason = verdict, 0, ReasonJudgedSupported
	}
}

// Reasons for a verdict of a model, which gives its own words for it.
const (
	ReasonJudgedSupported    = "judged_supported"
	ReasonJudgedContradicted = "judged_contradicted"
	ReasonJudgedUnverifiable = "judged_unverifiable"
)

// leastQuote is how much of a quote must be there for it to show anything, in
// letters; a Chinese character counts twice. A quote of all that a passage has may be
// shorter.
const leastQuote = 4

// quoted finds a quote in the passages: its letters and digits, folded, in one of
// them. What a model leaves out it writes as dots, and then each part must be there,
// in order.
func quoted(contexts []string, quote string) ([]rag.Evidence, bool) {
	for i, whole := range contexts {
		if parts, ok := inOrder(whole, quote); ok {
			out := make([]rag.Evidence, len(parts))
			s := source{contexts: contexts}
			for n, span := range parts {
				out[n] = s.part(i, span, 1)
			}
			return out, true
		}
	}
	return nil, false
}

// inOrder finds the parts of a quote in a text.
func inOrder(whole, quote string) ([]rag.Span, bool) {
	letters, at := lettersAt(whole)
	var out []rag.Span
	from := 0
	for part := range strings.SplitSeq(strings.ReplaceAll(quote, "...", "…"), "…") {
		said := text.Letters(part)
		if said == "" {
			continue
		}
		k := strings.Index(letters[from:], said)
		if k < 0 || text.Weight(said) < leastQuote && said != letters {
			return nil, false
		}
		k += from
		from = k + len(said)
		out = append(out, rag.Span{Start: at[k], End: at[from-1] + 1})
	}
	return out, len(out) > 0
}
