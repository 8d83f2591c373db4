package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"ragdesk/backend/runs"
)

// CSV writes a row for each question and run: what was asked, how it ended, and
// what a person wrote of the run, and every metric. Cells that are text and that a spreadsheet would take for a formula
// begin with an apostrophe. The file has no byte-order mark.
func CSV(w io.Writer, exp runs.Experiment) error {
	rows := [][]string{append([]string{
		"run_id", "run", "strategy", "query_id", "query", "type", "lang", "cluster", "answerable", "stale",
		"first_rank", "failed", "cause", "bucket", "error", "note",
	}, exp.Metrics...)}
	for _, r := range exp.Runs {
		for _, q := range r.Stored.Records {
			row := []string{
				r.RunID, cell(r.Name), cell(r.Strategy), cell(q.QueryID), cell(q.Query), cell(q.Type), cell(q.Lang), cell(q.Cluster),
				strconv.FormatBool(q.Answerable), strconv.FormatBool(q.Stale), "", strconv.FormatBool(q.Cause != nil), "", "", "", cell(r.Note),
			}
			if q.First != nil {
				row[10] = strconv.Itoa(*q.First)
			}
			if q.Cause != nil {
				row[12], row[13] = string(*q.Cause), q.Cause.Bucket()
			}
			if q.Error != nil {
				row[14] = cell(q.Error.Code)
			}
			for _, m := range exp.Metrics {
				row = append(row, number(q.Metrics[m]))
			}
			rows = append(rows, row)
		}
	}
	return writeCSV(w, rows)
}

// SummaryCSV writes a row for each metric and run: the mean, its interval, and the
// comparison with the baseline where there is one.
func SummaryCSV(w io.Writer, exp runs.Experiment) error {
	rows := [][]string{{
		"run_id", "run", "strategy", "metric", "gain", "value", "ci_low", "ci_high", "n", "of", "primary", "baseline",
		"diff", "diff_low", "diff_high", "p", "p_adj", "verdict", "exploratory", "note",
	}}
	for _, r := range exp.Runs {
		for _, name := range exp.Metrics {
			m := r.Metrics[name]
			gain := ""
			if m.Gain != nil {
				gain = *m.Gain
			}
			low, high := ends(m.CI)
			row := []string{
				r.RunID, cell(r.Name), cell(r.Strategy), cell(name), gain, number(m.Value), low, high,
				strconv.Itoa(m.N), strconv.Itoa(m.Of), strconv.FormatBool(name == exp.Primary), cell(exp.Baseline),
				"", "", "", "", "", "", "", cell(r.Note),
			}
			if c := comparison(exp, name, r.Name); c != nil {
				low, high := ends(c.CI)
				copy(row[12:], []string{
					number(c.Diff), low, high, number(c.P), number(c.PAdj), c.Verdict, strconv.FormatBool(c.Exploratory),
				})
			}
			rows = append(rows, row)
		}
	}
	return writeCSV(w, rows)
}

// comparison returns that of a run on a metric, nil for the baseline.
func comparison(exp runs.Experiment, metric, run string) *runs.Comparison {
	for i, c := range exp.Comparisons {
		if c.Metric == metric && c.B == run {
			return &exp.Comparisons[i]
		}
	}
	return nil
}

func writeCSV(w io.Writer, rows [][]string) error {
	out := csv.NewWriter(w)
	if err := out.WriteAll(rows); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}

// cell keeps a text from being read as a formula.
func cell(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}

// number prints every digit, and nothing for what is missing.
func number(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}

func ends(ci *runs.CI) (low, high string) {
	if ci == nil {
		return "", ""
	}
	return number(&ci[0]), number(&ci[1])
}
