package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"ragdesk/backend/fault"
	"ragdesk/backend/runs"
)

// TuneText writes a choice of fusion for a terminal, in one language: the
// candidates on both halves, the verdict on the winner and the advice.
func TuneText(w io.Writer, t runs.Tuning, lang string) error {
	var b strings.Builder
	held := t.HeldOut.Runs[0]
	fmt.Fprintf(&b, "%s: %s · %s: %s · %s\n\n", word("meta.kb").in(lang), held.Stored.Library.KB, word("meta.dataset").in(lang), t.Dataset.Name,
		word("tune.size", fault.P("dev", t.Dev.Questions), fault.P("held", held.TotalQueries)).in(lang))
	writeColumns(&b, tuneRows(t, lang))
	b.WriteByte('\n')
	if c := t.Confirmed; c != nil {
		fmt.Fprintf(&b, "%s %s: %s → %s (%s %s, p %s, n %d/%d)\n", verdictSentence(*c).in(lang), c.Metric,
			score(c.ValueA), score(c.ValueB), difference(c.Diff), signedBetween(c.CI), chance(c.PAdj), c.N, c.Of)
	} else {
		fmt.Fprintln(&b, word("tune.baseline", fault.P("baseline", t.Baseline)).in(lang))
	}
	for _, a := range t.Advice {
		fmt.Fprintf(&b, "%s: %s\n", word("advice."+a.Level).in(lang), advice(a).in(lang))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// tuneRows has a row a candidate, the best on the dev half first.
func tuneRows(t runs.Tuning, lang string) [][]string {
	rows := [][]string{{
		word("tune.candidate").in(lang), word("tune.dev", fault.P("metric", t.Primary)).in(lang), word("tune.held-out").in(lang),
	}}
	sorted := slices.Clone(t.Candidates)
	slices.SortStableFunc(sorted, func(a, b runs.Candidate) int { return cmp.Compare(b.Value, a.Value) })
	for _, c := range sorted {
		row := []string{c.Name, score(&c.Value), ""}
		for _, r := range t.HeldOut.Runs {
			if r.Name == c.Name {
				row[2] = textCell(t.HeldOut, t.Primary, r, lang)
			}
		}
		if c.Name == t.Baseline {
			row[2] += " " + word("verdict.baseline").in(lang)
		}
		if c.Name == t.Winner {
			row = append(row, "← "+word("tune.winner").in(lang))
		}
		rows = append(rows, row)
	}
	return rows
}
