package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"ragdesk/backend/measure"
	"ragdesk/backend/rag"
)

// resamples of the bootstrap over documents.
const resamples = 2000

// outcome is the verdict on one item.
type outcome struct {
	document        string
	is, found, none bool
}

// table prints a row a set.
func table(ctx context.Context, d rag.Detector, o options) error {
	fmt.Println("| set | n | coverage | precision | recall | F1 | balanced accuracy |")
	fmt.Println("|---|---|---|---|---|---|---|")
	for _, set := range strings.Split(o.sets, ",") {
		items, err := readSet(o.data, set)
		if err != nil {
			return err
		}
		items = slices.DeleteFunc(items, item.fitting)
		outcomes, err := judgeAll(ctx, d, items)
		if err != nil {
			return err
		}
		fmt.Println(row(set, outcomes))
	}
	return nil
}

func judgeAll(ctx context.Context, d rag.Detector, items []item) ([]outcome, error) {
	return each(ctx, items, func(ctx context.Context, i item) (outcome, error) {
		v, err := d.Detect(ctx, i.judged())
		return outcome{strings.Join(i.Context, "\n"), i.hallucinated(), v.Label == rag.Hallucinated, v.Label == rag.Unscored}, err
	})
}

func confusion(outcomes []outcome) (c measure.Confusion, scored int) {
	for _, o := range outcomes {
		if !o.none {
			scored++
			c.Add(o.is, o.found)
		}
	}
	return c, scored
}

// row is a line of the table; intervals are 95 %, by drawing documents.
func row(set string, outcomes []outcome) string {
	c, scored := confusion(outcomes)
	columns := []func(measure.Confusion) measure.Value{
		measure.Confusion.Precision, measure.Confusion.Recall, measure.Confusion.F1, measure.Confusion.BalancedAccuracy,
	}
	byDocument := map[string][]outcome{}
	var documents []string
	for _, o := range outcomes {
		if byDocument[o.document] == nil {
			documents = append(documents, o.document)
		}
		byDocument[o.document] = append(byDocument[o.document], o)
	}
	slices.Sort(documents)
	drawn := make([][]float64, len(columns))
	source := rand.New(rand.NewPCG(1, 2))
	for range resamples {
		var sample []outcome
		for range documents {
			sample = append(sample, byDocument[documents[source.IntN(len(documents))]]...)
		}
		s, _ := confusion(sample)
		for k, column := range columns {
			if v := column(s); v.OK() {
				drawn[k] = append(drawn[k], v.Score)
			}
		}
	}
	cells := []string{set, fmt.Sprint(len(outcomes)), fmt.Sprintf("%.2f", float64(scored)/float64(len(outcomes)))}
	for k, column := range columns {
		slices.Sort(drawn[k])
		n := len(drawn[k])
		if v := column(c); !v.OK() || n == 0 {
			cells = append(cells, "–")
		} else {
			cells = append(cells, fmt.Sprintf("%.3f [%.3f, %.3f]", v.Score, drawn[k][n*25/1000], drawn[k][n*975/1000]))
		}
	}
	return "| " + strings.Join(cells, " | ") + " |"
}
