package report

import (
	"fmt"
	"io"
	"strings"

	"ragdesk/backend/fault"
	"ragdesk/backend/runs"
)

// Markdown writes the before/after table, the comparisons of the primary metric,
// the advice, the causes and the failed questions of the last run, in one language.
func Markdown(w io.Writer, exp runs.Experiment, lang string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", word("title").in(lang))
	if len(exp.Runs) > 0 {
		fmt.Fprintf(&b, "%s: %s · %s: %s · %s\n\n", word("meta.kb").in(lang), markdownText(libraryNames(exp)),
			word("meta.dataset").in(lang), markdownText(datasetNames(exp)), size(exp).in(lang))
	}
	markdownHeadlines(&b, exp, lang)
	for _, c := range exp.Comparisons {
		if !c.Exploratory {
			fmt.Fprintf(&b, "- %s %s: %s → %s (%s %s, p %s, n %d/%d)\n", markdownText(verdictSentence(c).in(lang)),
				markdownText(c.Metric), score(c.ValueA), score(c.ValueB), difference(c.Diff), markdownText(signedBetween(c.CI)),
				markdownText(chance(c.PAdj)), c.N, c.Of)
		}
	}
	markdownTable(&b, exp, lang)
	if line := exploratoryLine(exp); line != nil {
		fmt.Fprintf(&b, "\n%s\n", markdownText(line.in(lang)))
	}
	for _, line := range missingLines(exp) {
		fmt.Fprintf(&b, "\n%s\n", markdownText(line.in(lang)))
	}
	if len(exp.Advice) > 0 {
		fmt.Fprintf(&b, "\n## %s\n\n", word("nav.advice").in(lang))
		for _, a := range exp.Advice {
			fmt.Fprintf(&b, "- **%s** %s\n", word("advice."+a.Level).in(lang), markdownText(advice(a).in(lang)))
		}
	}
	markdownCauses(&b, exp, lang)
	markdownFailures(&b, exp, lang)
	_, err := io.WriteString(w, b.String())
	return err
}

// markdownHeadlines has a row of numbers for each run.
func markdownHeadlines(b *strings.Builder, exp runs.Experiment, lang string) {
	for i, r := range exp.Runs {
		h := headlineOf(exp, i, series{})
		if i == 0 {
			fmt.Fprintf(b, "| %s |", word("headline.title").in(lang))
			for _, n := range h.Numbers {
				fmt.Fprintf(b, " %s |", n.Label.in(lang))
			}
			b.WriteString("\n|---|" + strings.Repeat("---:|", len(h.Numbers)) + "\n")
		}
		fmt.Fprintf(b, "| %s |", markdownText(r.Name))
		for _, n := range h.Numbers {
			cell := strings.Join(strings.Fields(n.Value+" "+n.Interval+" "+n.Note.in(lang)), " ")
			fmt.Fprintf(b, " %s |", markdownText(cell))
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	noted := false
	for _, r := range exp.Runs {
		if r.Note != "" {
			fmt.Fprintf(b, "- %s (%s): %s\n", word("settings.note").in(lang), markdownText(r.Name), markdownText(r.Note))
			noted = true
		}
	}
	if noted {
		b.WriteString("\n")
	}
}

// size says how many questions there are.
func size(exp runs.Experiment) text {
	r := exp.Runs[0]
	return word("meta.size", fault.P("n", r.TotalQueries), fault.P("unanswerable", r.Unanswerable))
}

// verdictSentence says what a comparison found.
func verdictSentence(c runs.Comparison) text {
	return word("hero."+c.Verdict, fault.P("a", c.A), fault.P("b", c.B))
}

func markdownTable(b *strings.Builder, exp runs.Experiment, lang string) {
	fmt.Fprintf(b, "\n## %s\n\n| %s |", word("nav.table").in(lang), word("table.metric").in(lang))
	line := "\n|---|"
	for _, r := range exp.Runs {
		name := markdownText(r.Name)
		if r.Name == exp.Baseline && len(exp.Runs) > 1 {
			name += " (" + word("verdict.baseline").in(lang) + ")"
		}
		fmt.Fprintf(b, " %s |", name)
		line += "---:|"
	}
	b.WriteString(line + "\n")
	for _, name := range exp.Metrics {
		fmt.Fprintf(b, "| %s |", markdownText(name))
		for _, r := range exp.Runs {
			fmt.Fprintf(b, " %s |", markdownCell(exp, name, r, lang))
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(b, "| %s |", missesWord().in(lang))
	for _, r := range exp.Runs {
		fmt.Fprintf(b, " %d |", r.FailedQueries)
	}
	b.WriteString("\n")
	for _, extra := range extraRows(exp) {
		fmt.Fprintf(b, "| %s |", markdownText(extra.Label.in(lang)))
		for _, cell := range extra.Cells {
			fmt.Fprintf(b, " %s |", markdownText(cell))
		}
		b.WriteString("\n")
	}
	for _, q := range []struct {
		key string
		of  func(runs.Quantiles) float64
	}{
		{"table.latency50", func(q runs.Quantiles) float64 { return q.P50 }},
		{"table.latency95", func(q runs.Quantiles) float64 { return q.P95 }},
	} {
		row, any := "| "+word(q.key).in(lang)+" |", false
		for _, r := range exp.Runs {
			shown := none
			if l, ok := r.LatencyMS[runs.Total]; ok {
				shown, any = duration(q.of(l)), true
			}
			row += " " + shown + " |"
		}
		if any {
			b.WriteString(row + "\n")
		}
	}
}

func markdownCell(exp runs.Experiment, metric string, r runs.Result, lang string) string {
	m := r.Metrics[metric]
	if m.Value == nil {
		return none
	}
	out := strings.TrimSpace(score(m.Value) + " " + markdownText(between(m.CI)))
	c := comparison(exp, metric, r.Name)
	if c == nil || c.Diff == nil {
		return out
	}
	verdict := cellVerdict(*c).in(lang)
	if c.Exploratory {
		verdict = "*" + verdict + "*"
	} else {
		verdict = "**" + verdict + "**"
	}
	return out + " " + difference(c.Diff) + " " + verdict
}

// markdownCauses says why questions of the last run failed, and what became of those
// of the baseline.
func markdownCauses(b *strings.Builder, exp runs.Experiment, lang string) {
	if len(exp.Runs) == 0 {
		return
	}
	d := diagnosisOf(exp, lastIndex(exp), series{})
	fmt.Fprintf(b, "\n## %s\n\n%s\n", word("nav.causes").in(lang), markdownText(d.Lead.in(lang)))
	for _, n := range d.Notes {
		fmt.Fprintf(b, "\n%s\n", n.in(lang))
	}
	if len(d.Causes) > 0 {
		fmt.Fprintf(b, "\n| %s | %s | n | %s | %s | %s |\n|---|---|---:|---|---|---|\n", word("causes.cause").in(lang), word("causes.bucket").in(lang),
			word("hero.share").in(lang), word("causes.helps").in(lang), word("causes.questions").in(lang))
	}
	for _, c := range d.Causes {
		fmt.Fprintf(b, "| %s | %s | %d | %s %s | %s | %s |\n", c.Cause.in(lang), c.Bucket.in(lang), c.N, c.Share, markdownText(c.Interval),
			c.Parameters.in(lang), markdownText(idList(c.Questions, lang)))
	}
	for _, c := range d.Causes {
		fmt.Fprintf(b, "\n%s: %s\n\n", c.Cause.in(lang), c.Changes.in(lang))
		for _, line := range c.Commands {
			if strings.Contains(line, "<") { // a name could be markup
				line = markdownText(line)
			} else {
				line = "    " + line
			}
			fmt.Fprintf(b, "%s\n", line)
		}
	}
	if m := lastMoves(exp); m != nil {
		markdownMoves(b, m, lang)
	}
}

// markdownMoves is the matrix of buckets of a pair.
func markdownMoves(b *strings.Builder, m *bucketMoves, lang string) {
	fmt.Fprintf(b, "\n| %s → %s |", markdownText(m.A), markdownText(m.B))
	for _, n := range m.Names {
		fmt.Fprintf(b, " %s |", n.in(lang))
	}
	b.WriteString("\n|---|" + strings.Repeat("---:|", len(m.Names)) + "\n")
	for _, r := range m.Rows {
		fmt.Fprintf(b, "| %s |", r.Bucket.in(lang))
		for _, c := range r.Cells {
			fmt.Fprintf(b, " %d |", c.N)
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	for _, l := range m.Lines {
		fmt.Fprintf(b, "- %s → %s: %d (%s)\n", l.From.in(lang), l.To.in(lang), l.N, markdownText(idList(l.Questions, lang)))
	}
}

// markdownFailures lists the failed questions of the last run.
func markdownFailures(b *strings.Builder, exp runs.Experiment, lang string) {
	if len(exp.Runs) == 0 {
		return
	}
	last := exp.Runs[len(exp.Runs)-1]
	if len(last.Failures) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s: %s\n\n| %s | %s | %s | %s |\n|---|---|---|---|\n", word("failures.title").in(lang), markdownText(last.Name),
		word("worst.question").in(lang), word("worst.cause").in(lang), word("worst.expected").in(lang), word("worst.open").in(lang))
	for _, f := range last.Failures {
		var expected, came []string
		for _, e := range f.Expected {
			expected = append(expected, markdownText(strings.TrimSpace(e.Doc+" "+e.Quote)))
		}
		for _, h := range f.Retrieved[:min(len(f.Retrieved), 3)] {
			came = append(came, markdownText(h.Source))
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", markdownText(f.Query), wordOr("cause.", string(f.Cause)).in(lang),
			strings.Join(expected, "; "), strings.Join(came, "; "))
	}
}

// markdownText keeps a text one cell of plain words: what Markdown or HTML would
// read is escaped.
func markdownText(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	return strings.NewReplacer(
		`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "#", `\#`, "~", `\~`,
	).Replace(s)
}
