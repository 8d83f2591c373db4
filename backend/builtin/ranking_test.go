package builtin_test

import (
	"fmt"
	"path"
	"strings"
	"testing"

	"ragdesk/backend/api"
	"ragdesk/backend/app"
	"ragdesk/backend/builtin"
	"ragdesk/backend/dataset"
	"ragdesk/backend/measure"
	"ragdesk/backend/rag"
)

// rankedStrategies are those whose lists are kept.
var rankedStrategies = []string{"vector", "bm25", "union", "hybrid", "weighted", "hybrid+rerank"}

// ranked is a strategy's list for one question.
func ranked(t *testing.T, svc *app.Service, kb, query, strategy string) []api.Hit {
	t.Helper()
	depth := 10
	res, err := svc.Search(t.Context(), api.SearchRequest{KB: kb, Query: query, Strategy: strategy, Retrieval: api.Retrieval{TopK: &depth}})
	if err != nil {
		t.Fatal(err)
	}
	return res.Hits
}

// listed prints the first five hits as file:offset, a star at what is relevant.
func listed(hits []api.Hit, relevant func(api.Hit) bool) string {
	places := make([]string, min(len(hits), 5))
	for i := range places {
		mark := ""
		if relevant(hits[i]) {
			mark = "*"
		}
		places[i] = fmt.Sprintf("%s%s:%d", mark, strings.TrimSuffix(path.Base(hits[i].Source), path.Ext(hits[i].Source)), hits[i].Span.Start)
	}
	return strings.Join(places, "  ")
}

// classicLists are the ranked lists of the library "classic", whose questions have
// no gold.
func classicLists(t *testing.T, svc *app.Service) string {
	t.Helper()
	var b strings.Builder
	for _, q := range builtin.Classic().Questions {
		fmt.Fprintf(&b, "%s %s\n", q.ID, q.Text)
		for _, strategy := range rankedStrategies {
			fmt.Fprintf(&b, "  %-14s %s\n", strategy, listed(ranked(t, svc, builtin.NameClassic, q.Text, strategy), func(api.Hit) bool { return false }))
		}
	}
	return b.String()
}

// sampleLists are the ranked lists of the library "sample", under the means of
// each strategy over the questions with gold.
func sampleLists(t *testing.T, svc *app.Service, ds dataset.Dataset, judge func(i int) dataset.Judgment) string {
	t.Helper()
	kinds := []measure.Measure{{Kind: measure.Recall, K: 5}, {Kind: measure.MRR, K: 10}}
	sums := map[string][2]float64{}
	asked := 0
	var b strings.Builder
	for i, q := range ds.Questions {
		if !q.HasGold() {
			continue
		}
		asked++
		j := judge(i)
		fmt.Fprintf(&b, "%s %s\n", q.ID, q.Text)
		for _, strategy := range rankedStrategies {
			hits := ranked(t, svc, builtin.NameSample, q.Text, strategy)
			ids := make([]rag.ChunkID, len(hits))
			for k, h := range hits {
				ids[k] = rag.ChunkID(h.ChunkID)
			}
			profile, err := measure.Judge(j.Ranking(ids))
			if err != nil {
				t.Fatal(err)
			}
			s := sums[strategy]
			for k, m := range kinds {
				s[k] += profile.Value(m, measure.DialectEval).Score
			}
			sums[strategy] = s
			fmt.Fprintf(&b, "  %-14s %s\n", strategy, listed(hits, func(h api.Hit) bool { return j.Grade(rag.ChunkID(h.ChunkID)) > 0 }))
		}
	}
	head := fmt.Sprintf("%d questions with gold; * is relevant\n", asked)
	for _, strategy := range rankedStrategies {
		s := sums[strategy]
		head += fmt.Sprintf("%-14s Recall@5 %.4f  MRR@10 %.4f\n", strategy, s[0]/float64(asked), s[1]/float64(asked))
	}
	return head + "\n" + b.String()
}
