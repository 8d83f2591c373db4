package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ragdesk/backend/fault"
	"ragdesk/backend/measure"
	"ragdesk/backend/runs"
)

// extraRow is a row of the table of metrics that is no metric: nothing in it is better or
// worse, and no verdict is given.
type extraRow struct {
	Label, Note text
	// Cells are by run.
	Cells []string
}

// extraRows are what further detectors say of the answers, and how these read. Rows that no
// run has anything for are left out.
func extraRows(exp runs.Experiment) []extraRow {
	return append(detectorRows(exp), styleRows(exp)...)
}

// detectorRows have faithfulness and hallucination rate by further detectors, and how often
// they say the same as the first one.
func detectorRows(exp runs.Experiment) []extraRow {
	var names []string
	for _, r := range exp.Runs {
		for _, o := range r.Others {
			if !slices.Contains(names, o.Detector) {
				names = append(names, o.Detector)
			}
		}
	}
	var out []extraRow
	for _, name := range names {
		by := fault.P("detector", name)
		rows := []extraRow{
			{Label: word("others.faithfulness", by), Note: word("others.note")},
			{Label: word("others.hallucination", by), Note: word("others.note")},
			{Label: word("others.agree", by), Note: word("others.agree_note")},
		}
		for _, r := range exp.Runs {
			cells := []string{none, none, none}
			for _, o := range r.Others {
				if o.Detector == name {
					cells = []string{meanOf(o.Faithfulness), meanOf(o.HallucinationRate), fmt.Sprintf("%d / %d", o.Agree, o.Both)}
				}
			}
			for i := range rows {
				rows[i].Cells = append(rows[i].Cells, cells[i])
			}
		}
		out = append(out, rows...)
	}
	return out
}

// meanOf is a metric with its interval, and how many values it rests on where some are
// missing.
func meanOf(m runs.Metric) string {
	if m.Value == nil {
		return fmt.Sprintf("%s (n %d/%d)", none, m.N, m.Of)
	}
	out := score(m.Value)
	if m.CI != nil {
		out += " " + between(m.CI)
	}
	if m.N < m.Of {
		out += fmt.Sprintf(" (n %d/%d)", m.N, m.Of)
	}
	return out
}

// missingLines say for each run which metrics lack values, how many and why.
func missingLines(exp runs.Experiment) []text {
	type gap struct {
		n, of   int
		reasons text
	}
	var out []text
	for _, r := range exp.Runs {
		var gaps []gap
		metrics := map[gap][]string{}
		for _, name := range exp.Metrics {
			m := r.Metrics[name]
			if m.N == m.Of {
				continue
			}
			g := gap{m.Of - m.N, m.Of, reasonsOf(m.Missing)}
			if metrics[g] == nil {
				gaps = append(gaps, g)
			}
			metrics[g] = append(metrics[g], name)
		}
		for _, g := range gaps {
			out = append(out, word("table.missing").fill(map[string]text{
				"run": plain(r.Name), "metrics": plain(strings.Join(metrics[g], ", ")),
				"n": plain(strconv.Itoa(g.n)), "of": plain(strconv.Itoa(g.of)), "reasons": g.reasons,
			}))
		}
	}
	return out
}

// reasonsOf says why values are missing, and how many for each reason.
func reasonsOf(missing map[measure.Reason]int) text {
	var en, zh []string
	for _, reason := range slices.Sorted(maps.Keys(missing)) {
		said := wordOr("missing.", string(reason))
		en = append(en, fmt.Sprintf("%s: %d", said.en, missing[reason]))
		zh = append(zh, fmt.Sprintf("%s：%d", said.zh, missing[reason]))
	}
	return text{strings.Join(en, "; "), strings.Join(zh, "；")}
}

// styleRows have lengths, and of how many answers each hint holds.
func styleRows(exp runs.Experiment) []extraRow {
	type style = func(*runs.StyleSummary) (cell string, told bool)
	row := func(label, note string, of style) []extraRow {
		out, any := extraRow{Label: word(label), Note: word(note)}, false
		for _, r := range exp.Runs {
			cell := none
			if r.Style != nil {
				shown, told := of(r.Style)
				cell, any = shown, any || told
			}
			out.Cells = append(out.Cells, cell)
		}
		if !any {
			return nil
		}
		return []extraRow{out}
	}
	length := func(of func(*runs.StyleSummary) runs.Metric) style {
		return func(s *runs.StyleSummary) (string, bool) { return lengthOf(of(s)) }
	}
	out := row("style.length", "style.note", length(func(s *runs.StyleSummary) runs.Metric { return s.Length }))
	out = append(out, row("style.sentence", "style.note", length(func(s *runs.StyleSummary) runs.Metric { return s.Sentence }))...)
	out = append(out, row("style.ratio", "style.note", length(func(s *runs.StyleSummary) runs.Metric { return s.Ratio }))...)
	for _, hint := range runs.StyleHints() {
		out = append(out, row("style.of_"+hint, "style.hint_note", func(s *runs.StyleSummary) (string, bool) {
			return strconv.Itoa(s.Hints[hint]), s.Hints[hint] > 0
		})...)
	}
	return out
}

// lengthOf is a mean length with its interval.
func lengthOf(m runs.Metric) (cell string, told bool) {
	if m.Value == nil {
		return none, false
	}
	cell = fmt.Sprintf("%.1f", *m.Value)
	if m.CI != nil {
		cell += fmt.Sprintf(" [%.1f, %.1f]", m.CI[0], m.CI[1])
	}
	return cell, true
}

// libraryNames are the libraries that the runs searched, each once.
func libraryNames(exp runs.Experiment) string {
	return distinct(exp, func(r runs.Stored) string { return r.Library.KB })
}

// datasetNames are the datasets of the runs, each once.
func datasetNames(exp runs.Experiment) string {
	return distinct(exp, func(r runs.Stored) string { return r.Dataset.Name })
}

func distinct(exp runs.Experiment, of func(runs.Stored) string) string {
	var names []string
	for _, r := range exp.Runs {
		if name := of(r.Stored); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// cellVerdict is a verdict beside a value; one that p was not adjusted for says so.
func cellVerdict(c runs.Comparison) text {
	v := word("verdict." + c.Verdict)
	if !c.Exploratory || c.Verdict == runs.Inconclusive {
		return v
	}
	return text{word("table.exploratory", fault.P("verdict", v.en)).en, word("table.exploratory", fault.P("verdict", v.zh)).zh}
}

// exploratoryLine explains the exploratory verdicts of a table, nil where there is none.
func exploratoryLine(exp runs.Experiment) *text {
	if !slices.ContainsFunc(exp.Comparisons, func(c runs.Comparison) bool { return c.Exploratory && c.Verdict != runs.Inconclusive }) {
		return nil
	}
	line := word("table.exploratoryLegend", fault.P("primary", exp.Primary), fault.P("n", len(exp.Comparisons)))
	return &line
}
