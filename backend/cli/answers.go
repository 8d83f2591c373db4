package cli

import (
	"fmt"
	"strings"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
)

// printAnswers shows each column's answer, and what changed against the first, sentence
// by sentence, with the letter of the chunk that supports it best and its score.
func (e *env) printAnswers(r api.CompareResponse, names map[string]string) {
	for _, col := range r.Strategies {
		if col.Answer == nil {
			continue
		}
		e.line("%s", e.bold(e.t("answer-of", fault.P("strategy", col.Strategy))))
		e.line("%s", *col.Answer)
		e.line("%s", e.dim(e.standing(*col.Check, names)))
		e.printWarnings(col.Warnings)
		e.line("")
	}
	checks := map[string]api.AnswerCheck{}
	for _, col := range r.Strategies {
		if col.Check != nil {
			checks[col.Strategy] = *col.Check
		}
	}
	for _, d := range r.AnswerDiffs {
		e.line("%s", e.bold(e.t("answer-diff", fault.P("strategy", d.Strategy), fault.P("against", d.Against),
			fault.P("same", d.Same), fault.P("changed", d.Changed), fault.P("here", d.OnlyHere), fault.P("there", d.OnlyThere))))
		for _, row := range d.Rows {
			e.printDiffRow(row, checks[d.Strategy].Sentences, checks[d.Against].Sentences, names)
		}
		e.line("")
	}
}

// standing sums up what an answer stands on.
func (e *env) standing(c api.AnswerCheck, names map[string]string) string {
	var parts []string
	if c.CitationCoverage != nil {
		parts = append(parts, e.t("citation-coverage", fault.P("share", percent(*c.CitationCoverage))))
	}
	if c.CitationAccuracy != nil {
		parts = append(parts, e.t("citation-accuracy", fault.P("share", percent(*c.CitationAccuracy))))
	}
	used := make([]string, len(c.Used))
	for i, u := range c.Used {
		used[i] = fmt.Sprintf("[%d]", u.Rank)
		if names[u.ChunkID] != "" {
			used[i] += " " + names[u.ChunkID]
		}
	}
	if len(used) == 0 {
		used = []string{"–"}
	}
	return strings.Join(append(parts, e.t("used-chunks", fault.P("chunks", strings.Join(used, ", ")))), " · ")
}

func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

// printDiffRow shows a row: "=" same, "~" changed, "+" only here, "-" only there.
func (e *env) printDiffRow(row api.AnswerDiffRow, here, there []api.AnswerSentence, names map[string]string) {
	switch row.State {
	case "only_there":
		e.line("  %s", e.bad("- "+e.supported(there[*row.There], names)))
	case "only_here":
		e.line("  %s", e.good("+ "+e.supported(here[*row.Here], names)))
	case "changed":
		e.line("  %s", e.hot("~ "+e.supported(here[*row.Here], names)))
		e.line("    %s", e.dim(e.t("answer-was", fault.P("text", e.supported(there[*row.There], names)))))
	default:
		e.line("  = %s", e.supported(here[*row.Here], names))
	}
}

// supported is a sentence with the chunk that supports it best.
func (e *env) supported(s api.AnswerSentence, names map[string]string) string {
	if s.Support == nil {
		return oneLine(s.Text)
	}
	state := e.t("supported")
	if !s.Support.Supported {
		state = e.t("unsupported")
	}
	return fmt.Sprintf("%s  (%s %s %.2f)", oneLine(s.Text), state, names[s.Support.ChunkID], s.Support.Score)
}
