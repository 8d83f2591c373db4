package report

import (
	"fmt"
	"strings"

	"ragdesk/backend/runs"
)

// headline are the numbers of a run that are read first.
type headline struct {
	Run     series
	Numbers []headNumber
}

type headNumber struct {
	Label           text
	Value, Interval string
	// Note stands in the place of a number or explains it.
	Note text
}

// headlineOf is that of run i.
func headlineOf(exp runs.Experiment, i int, run series) headline {
	h := exp.Runs[i].Headline
	out := headline{Run: run, Numbers: []headNumber{
		{Label: plain("Hit@5"), Value: score(h.Hit5.Value), Interval: between(h.Hit5.CI)},
		{Label: word("headline.faithfulness"), Value: score(h.Faithfulness.Value), Interval: between(h.Faithfulness.CI)},
		{Label: word("headline.relevancy"), Value: score(h.AnswerRelevancy.Value), Interval: between(h.AnswerRelevancy.CI)},
	}}
	kappa := headNumber{Label: word("headline.kappa"), Value: none, Note: word("headline.answers")}
	if k := h.Kappa; k != nil {
		kappa = headNumber{Label: kappa.Label, Value: score(k.Kappa), Interval: between(k.CI), Note: word("band." + k.Band)}
	}
	out.Numbers = append(out.Numbers, kappa)
	return out
}

// textHeadlines writes a row of numbers for each run.
func textHeadlines(b *strings.Builder, exp runs.Experiment, lang string) {
	rows := [][]string{{word("headline.title").in(lang)}}
	for i, r := range exp.Runs {
		row := []string{r.Name}
		for _, n := range headlineOf(exp, i, series{}).Numbers {
			if i == 0 {
				rows[0] = append(rows[0], n.Label.in(lang))
			}
			cell := n.Value
			if n.Value == none && n.Note.en != "" {
				cell = n.Note.in(lang)
			} else if n.Note.en != "" {
				cell = fmt.Sprintf("%s %s (%s)", n.Value, n.Interval, n.Note.in(lang))
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	writeColumns(b, rows)
}
