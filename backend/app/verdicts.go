package app

import (
	"cmp"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/i18n"
	judges "ragdesk/backend/judge"
	"ragdesk/backend/measure"
	"ragdesk/backend/rag"
	"ragdesk/backend/stats"
)

// verifyReport converts what a verify job found.
func verifyReport(lang string, v verified) *api.VerifyReport {
	out := &api.VerifyReport{DetectorReport: detectorReport(lang, v.items, v.by[0]), Others: []api.DetectorReport{}, Agreement: []api.DetectorAgreement{}}
	for _, by := range v.by[1:] {
		out.Others = append(out.Others, detectorReport(lang, v.items, by))
	}
	for i := range v.by {
		for j := range i {
			out.Agreement = append(out.Agreement, agreement(v.items, v.by[j], v.by[i]))
		}
	}
	return out
}

// detectorReport is what one detector found.
func detectorReport(lang string, items []api.VerifyItem, by judgedBy) api.DetectorReport {
	out := api.DetectorReport{Detector: by.Name(), Fingerprint: by.Fingerprint(), Items: make([]api.VerifiedItem, len(items)), Warnings: notices(by.warnings())}
	if by.model != "" {
		out.Model = &by.model
	}
	out.Summary = api.VerifySummary{N: len(items), Unscored: map[string]int{}, Verdicts: map[string]int{}}
	var table measure.Confusion
	flagged := 0
	for i, item := range items {
		d := by.found[i]
		out.Items[i] = api.VerifiedItem{
			ID: item.ID, Question: item.Question, Context: list(item.Context), Answer: item.Answer,
			Label: string(d.Label), Expected: item.Label, Claims: claims(lang, d.Claims), Calls: calls(lang, d.Calls),
			Reason: d.Reason, Message: because(lang, d.Reason, d.Detail),
		}
		for _, c := range d.Claims {
			out.Summary.Verdicts[string(c.Verdict)]++
		}
		if d.Label == rag.Unscored {
			out.Summary.Unscored[d.Reason]++
			if judges.CallFailure(d.Reason) {
				out.Summary.Failed++
			}
			continue
		}
		score := d.Score
		out.Items[i].Score = &score
		out.Summary.Scored++
		if d.Label == rag.Hallucinated {
			flagged++
		}
		if item.Label != nil {
			out.Summary.Labelled++
			table.Add(*item.Label == string(rag.Hallucinated), d.Label == rag.Hallucinated)
		}
	}
	summarize(&out.Summary, table, flagged)
	return out
}

// agreement compares two detectors on the items that both scored.
func agreement(items []api.VerifyItem, a, b judgedBy) api.DetectorAgreement {
	out := api.DetectorAgreement{A: display(a.detector), B: display(b.detector), Differ: []string{}}
	var table measure.Confusion
	for i := range items {
		x, y := a.found[i].Label, b.found[i].Label
		if x == rag.Unscored || y == rag.Unscored {
			continue
		}
		out.N++
		table.Add(x == rag.Hallucinated, y == rag.Hallucinated)
		if x != y {
			out.Differ = append(out.Differ, items[i].ID)
		}
	}
	if out.N == 0 {
		return out
	}
	agreed := float64(out.N-len(out.Differ)) / float64(out.N)
	out.Agreed = &agreed
	out.Kappa = kappa(table)
	return out
}

// display names a detector with its model.
func display(d detector) string {
	if d.model == "" {
		return d.Name()
	}
	return d.Name() + ":" + d.model
}

func kappa(table measure.Confusion) *float64 {
	k, err := stats.Kappa(table.Table(), stats.Unweighted, stats.DefaultLevel)
	if err != nil {
		return nil
	}
	return &k.Kappa
}

func summarize(s *api.VerifySummary, table measure.Confusion, flagged int) {
	value := func(v measure.Value) *float64 {
		if !v.OK() {
			return nil
		}
		return &v.Score
	}
	share := func(n, of int) *float64 {
		if of == 0 {
			return nil
		}
		x := float64(n) / float64(of)
		return &x
	}
	s.Coverage, s.Hallucinated = share(s.Scored, s.N), share(flagged, s.Scored)
	s.Precision, s.Recall, s.F1 = value(table.Precision()), value(table.Recall()), value(table.F1())
	s.BalancedAccuracy, s.Kappa = value(table.BalancedAccuracy()), kappa(table)
}

func claims(lang string, in []rag.Claim) []api.VerifiedClaim {
	out := make([]api.VerifiedClaim, len(in))
	for i, c := range in {
		out[i] = api.VerifiedClaim{
			Text: c.Text, Span: span(c.Points), Verdict: string(c.Verdict), Reason: c.Reason,
			Message: because(lang, c.Reason, c.Detail), Evidence: make([]api.EvidencePart, len(c.Evidence)),
		}
		if c.Verdict != rag.Abstained && c.Verdict != rag.ClaimUnscored {
			score := c.Score
			out[i].Score = &score
		}
		for j, e := range c.Evidence {
			out[i].Evidence[j] = api.EvidencePart{Context: e.Context, Start: e.Points.Start, End: e.Points.End, Text: e.Text, Score: e.Score}
		}
	}
	return out
}

func calls(lang string, in []rag.JudgeCall) []api.JudgeCall {
	out := make([]api.JudgeCall, len(in))
	for i, c := range in {
		out[i] = api.JudgeCall{Claims: list(c.Claims), Reply: c.Reply, Reason: c.Reason, Message: because(lang, c.Reason, c.Detail)}
	}
	return out
}

// because says in words why a verdict was given.
func because(lang, reason, detail string) string {
	if reason == "" {
		return ""
	}
	return i18n.Text(lang, "reason."+reason, fault.P("detail", cmp.Or(detail, "–")))
}
