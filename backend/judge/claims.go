package judge

import (
	"strings"
	"unicode/utf8"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// Longest short answers, in Chinese characters and in words.
const (
	shortHan   = 40
	shortWords = 8
)

// claimsOf are the answer's statements, without verdicts.
func claimsOf(in rag.Judged) []rag.Claim {
	spans := text.Claims(in.Answer)
	if short(in) {
		spans = []rag.Span{trimmed(in.Answer)}
	}
	points := rag.Points(in.Answer, spans)
	out := make([]rag.Claim, len(spans))
	for i, s := range spans {
		out[i] = rag.Claim{Text: in.Answer[s.Start:s.End], Points: points[i], Evidence: []rag.Evidence{}}
	}
	return out
}

func trimmed(s string) rag.Span {
	t := strings.TrimSpace(s)
	start := strings.Index(s, t)
	return rag.Span{Start: start, End: start + len(t)}
}

// short reports an answer that needs its question to say anything: a phrase in
// reply to a question with a question word. A whole sentence of the context, which
// may be as short, says something by itself; judge sees to that.
func short(in rag.Judged) bool {
	if w, _ := wanted(in.Question); w.End == 0 {
		return false
	}
	answer := strings.TrimSpace(text.Uncited(in.Answer))
	if text.Language(answer) == "zh" || text.Language(answer) == "" && text.Language(in.Question) == "zh" {
		body := strings.TrimRight(answer, "。！.!")
		return utf8.RuneCountInString(answer) <= shortHan && !strings.ContainsAny(body, "。！？；\n")
	}
	return len(strings.Fields(answer)) <= shortWords
}

// settle gives the verdicts that need no look at the context: refusals, and claims
// without any context. It reports whether the claim has its verdict.
func settle(in rag.Judged, c *rag.Claim) bool {
	switch {
	case text.Refuses(c.Text):
		c.Verdict, c.Reason = rag.Abstained, ReasonAbstained
	case text.Letters(strings.Join(in.Context, "")) == "":
		c.Verdict, c.Score, c.Reason = rag.Unverifiable, 1, ReasonNoContext
	default:
		return false
	}
	return true
}

func unscored(reason, detail string) rag.Detection {
	return rag.Detection{Label: rag.Unscored, Reason: reason, Detail: detail, Claims: []rag.Claim{}, Calls: []rag.JudgeCall{}}
}

// detection sums the verdicts on claims up: an answer is hallucinated when one of
// its claims is not supported. Refusals are no claims. Where a claim has no verdict
// the answer is unscored, even if another one is not supported: else the answers that
// are scored would be those where something was found.
func detection(claims []rag.Claim) rag.Detection {
	out := rag.Detection{Label: rag.Faithful, Claims: claims, Calls: []rag.JudgeCall{}}
	judged := 0
	for _, c := range claims {
		switch c.Verdict {
		case rag.Abstained:
			continue
		case rag.ClaimUnscored:
			return rag.Detection{Label: rag.Unscored, Reason: c.Reason, Detail: c.Detail, Claims: claims, Calls: out.Calls}
		case rag.Contradicted, rag.Unverifiable:
			out.Label = rag.Hallucinated
		case rag.Supported:
		}
		if judged == 0 || c.Score > out.Score {
			out.Score, out.Reason, out.Detail = c.Score, c.Reason, c.Detail
		}
		judged++
	}
	if judged == 0 {
		out.Label, out.Reason = rag.Unscored, ReasonAbstained
	}
	return out
}
