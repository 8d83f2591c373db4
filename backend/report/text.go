package report

import (
	"fmt"
	"io"
	"strings"

	"ragdesk/backend/runs"
)

// Text writes the before/after table, the verdicts, why questions of the last run
// failed, what became of them, and the advice for a terminal, in one language.
func Text(w io.Writer, exp runs.Experiment, lang string) error {
	var b strings.Builder
	if len(exp.Runs) > 0 {
		fmt.Fprintf(&b, "%s: %s · %s: %s · %s\n", word("meta.kb").in(lang), libraryNames(exp),
			word("meta.dataset").in(lang), datasetNames(exp), size(exp).in(lang))
	}
	b.WriteByte('\n')
	textHeadlines(&b, exp, lang)
	textNotes(&b, exp, lang)
	b.WriteByte('\n')
	writeColumns(&b, tableRows(exp, lang))
	if line := exploratoryLine(exp); line != nil {
		fmt.Fprintln(&b, line.in(lang))
	}
	for _, line := range missingLines(exp) {
		fmt.Fprintln(&b, line.in(lang))
	}
	b.WriteByte('\n')
	for _, c := range exp.Comparisons {
		if !c.Exploratory {
			fmt.Fprintf(&b, "%s %s: %s → %s (%s %s, p %s, n %d/%d)\n", verdictSentence(c).in(lang),
				c.Metric, score(c.ValueA), score(c.ValueB), difference(c.Diff), signedBetween(c.CI), chance(c.PAdj), c.N, c.Of)
		}
	}
	if len(exp.Runs) > 0 {
		textDiagnosis(&b, diagnosisOf(exp, lastIndex(exp), series{}), lang)
	}
	if m := lastMoves(exp); m != nil {
		textMoves(&b, m, lang)
	}
	if len(exp.Advice) > 0 {
		b.WriteByte('\n')
	}
	for _, a := range exp.Advice {
		fmt.Fprintf(&b, "%s: %s\n", word("advice."+a.Level).in(lang), advice(a).in(lang))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// textNotes are what a person wrote of each run.
func textNotes(b *strings.Builder, exp runs.Experiment, lang string) {
	for _, r := range exp.Runs {
		for i, line := range strings.Split(r.Note, "\n") {
			switch {
			case r.Note == "":
			case i == 0:
				fmt.Fprintf(b, "%s (%s): %s\n", word("settings.note").in(lang), r.Name, line)
			default:
				fmt.Fprintf(b, "    %s\n", line)
			}
		}
	}
}

// tableRows has a row of names, one for each metric, and those of failures and
// latency.
func tableRows(exp runs.Experiment, lang string) [][]string {
	head := []string{word("table.metric").in(lang)}
	failed, median := []string{missesWord().in(lang)}, []string{word("table.latency50").in(lang)}
	timed := false
	for _, r := range exp.Runs {
		head = append(head, r.Name)
		failed = append(failed, fmt.Sprint(r.FailedQueries))
		q, ok := r.LatencyMS[runs.Total]
		timed = timed || ok
		median = append(median, duration(q.P50))
	}
	rows := [][]string{head}
	for _, metric := range exp.Metrics {
		row := []string{metric}
		for _, r := range exp.Runs {
			row = append(row, textCell(exp, metric, r, lang))
		}
		rows = append(rows, row)
	}
	rows = append(rows, failed)
	for _, extra := range extraRows(exp) {
		rows = append(rows, append([]string{extra.Label.in(lang)}, extra.Cells...))
	}
	if timed {
		rows = append(rows, median)
	}
	return rows
}

// textCell is a value with its difference from the baseline and the verdict on
// it.
func textCell(exp runs.Experiment, metric string, r runs.Result, lang string) string {
	m := r.Metrics[metric]
	cell := score(m.Value)
	if c := comparison(exp, metric, r.Name); c != nil && c.Diff != nil {
		cell += fmt.Sprintf(" %s %s", difference(c.Diff), cellVerdict(*c).in(lang))
	}
	return cell
}

// writeColumns pads cells to the width of their column; a Han character takes
// two places of a terminal.
func writeColumns(b *strings.Builder, rows [][]string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], places(cell))
		}
	}
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			line += cell + strings.Repeat(" ", widths[i]-places(cell)+2)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

func places(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r >= 0x2e80 && r < 0xfff0 {
			n++
		}
	}
	return n
}
