package evaluate

import (
	"ragdesk/backend/fault"
	"ragdesk/backend/measure"
	"ragdesk/backend/rag"
	"ragdesk/backend/runs"
)

// Below these values the hints point at a remedy.
const (
	// RecallFloor: while recall is lower, nothing else matters.
	RecallFloor = .7
	// OrderFloor is the lowest nDCG that needs no other order.
	OrderFloor = .7
	// NoiseFloor is the lowest share of relevant passages in a prompt that needs no
	// threshold.
	NoiseFloor = 1. / 3
	// HallucinationCeiling is the highest rate of hallucinated answers that needs no
	// remedy, RelevancyFloor the lowest answer relevancy.
	HallucinationCeiling = .1
	RelevancyFloor       = .5
)

// Depths at which the hints look.
const (
	recallDepth = 20
	orderDepth  = 10
)

// legHints: fusing and reranking that lower the primary metric.
func (a *assessment) legHints() []runs.Advice {
	var out []runs.Advice
	for j, s := range a.stored {
		if s.Pipeline.Fusion != rag.FusionNone {
			leg := a.best(func(t runs.Stored) bool {
				return t.Pipeline.Vector != t.Pipeline.BM25 && t.Pipeline.Reranker == s.Pipeline.Reranker
			})
			out = append(out, a.below(runs.HybridBelowLeg, leg, j)...)
		}
		if s.Pipeline.Reranker != rag.RerankNone {
			plain := a.best(func(t runs.Stored) bool {
				vars := runs.PipelineVariables(t.Pipeline, s.Pipeline)
				return t.Pipeline.Reranker == rag.RerankNone && len(vars) == 1 && vars[0].Name == "reranker"
			})
			out = append(out, a.below(runs.RerankBelow, plain, j)...)
		}
	}
	return out
}

// best returns the index of the fitting run with the highest primary metric, −1
// without one.
func (a *assessment) best(fits func(runs.Stored) bool) int {
	best := -1
	for i, s := range a.stored {
		if v := a.primaryOf(i); v != nil && fits(s) && (best < 0 || *v > *a.primaryOf(best)) {
			best = i
		}
	}
	return best
}

func (a *assessment) primaryOf(i int) *float64 {
	return a.exp.Runs[i].Metrics[a.metrics[a.primary].name].Value
}

// below compares run j with run i where both are there, and says so when j is lower.
func (a *assessment) below(code string, i, j int) []runs.Advice {
	if i < 0 || a.primaryOf(j) == nil || *a.primaryOf(j) >= *a.primaryOf(i) {
		return nil
	}
	c, err := a.comparison(a.primary, i, j)
	if err != nil || c.Diff == nil || *c.Diff >= 0 {
		return nil
	}
	c.Exploratory = true
	settle(&c)
	return []runs.Advice{hint(code, fault.P("run", c.B), fault.P("other", c.A), fault.P("metric", c.Metric),
		fault.P("diff", signed(*c.Diff)), fault.P("verdict", c.Verdict))}
}

// nextHints says what to mend next in the best run, in the order that matters:
// what does not come back at all, then the order, then the noise.
func (a *assessment) nextHints() []runs.Advice {
	i := a.best(func(runs.Stored) bool { return true })
	if i < 0 {
		return nil
	}
	s := a.stored[i]
	deep, near, k := min(recallDepth, a.depth), min(orderDepth, a.depth), min(s.Pipeline.TopK, a.depth)
	recall := a.meanOf(i, measure.Measure{Kind: measure.Recall, K: deep}, measure.DialectEval)
	order := a.meanOf(i, measure.Measure{Kind: measure.NDCG, K: near}, measure.DialectEval)
	clean := a.meanOf(i, measure.Measure{Kind: measure.Precision, K: k}, measure.DialectRAG)
	run := fault.P("run", s.Name)
	switch {
	case recall < RecallFloor:
		return []runs.Advice{hint(runs.RecallLow, run, fault.P("k", deep), fault.P("recall", decimal(recall)))}
	case order < OrderFloor && s.Pipeline.Reranker == rag.RerankNone:
		return []runs.Advice{hint(runs.OrderLow, run, fault.P("k", near), fault.P("recall", decimal(recall)), fault.P("ndcg", decimal(order)))}
	case order < OrderFloor:
		return []runs.Advice{hint(runs.OrderLowReranked, run, fault.P("k", near), fault.P("recall", decimal(recall)), fault.P("ndcg", decimal(order)))}
	case clean < NoiseFloor:
		return append([]runs.Advice{a.noiseHint(i, k, clean)}, a.answerHints(i)...)
	}
	return a.answerHints(i)
}

// answerHints say what to mend in the answers of a run whose retrieval is fine.
func (a *assessment) answerHints(i int) []runs.Advice {
	run := fault.P("run", a.stored[i].Name)
	var out []runs.Advice
	for _, h := range []struct {
		metric, code, param string
		bad                 func(float64) bool
	}{
		{"hallucination_rate", runs.HallucinationHigh, "rate", func(v float64) bool { return v > HallucinationCeiling }},
		{"answer_relevancy", runs.RelevancyLow, "relevancy", func(v float64) bool { return v < RelevancyFloor }},
	} {
		m, ok := findAnswerMetric(h.metric)
		if !ok {
			continue
		}
		var values []measure.Value
		for _, r := range a.stored[i].Records {
			if v := m.of(r); v.Reason != measure.NoRelevant {
				values = append(values, v)
			}
		}
		if mean := measure.Summarize(values).Value; mean.OK() && h.bad(mean.Score) {
			out = append(out, hint(h.code, run, fault.P(h.param, decimal(mean.Score))))
		}
	}
	return append(out, a.styleHints(i)...)
}

// noiseHint says how much of the first k is beside the question, and whether fewer
// would do.
func (a *assessment) noiseHint(i, k int, clean float64) runs.Advice {
	params := []fault.Param{
		fault.P("run", a.stored[i].Name), fault.P("k", k), fault.P("precision", decimal(clean)), fault.P("most", decimal(a.ceiling(i, k))),
	}
	if enough := a.enough(i, k); enough < k {
		return hint(runs.PrecisionLow, append(params, fault.P("enough", enough))...)
	}
	return hint(runs.PrecisionLowSpread, params...)
}

// meanOf is the mean of a measure over the questions of run i that were searched.
func (a *assessment) meanOf(i int, m measure.Measure, d measure.Dialect) float64 {
	var values []measure.Value
	for q, r := range a.stored[i].Records {
		if r.Measured() && r.Error == nil {
			values = append(values, a.profiles[i][q].Value(m, d))
		}
	}
	return measure.Summarize(values).Value.Score
}

// ceiling is the highest precision at k that the labels allow: the mean of
// min(R, n)/n over n passages, k or as many as came back.
func (a *assessment) ceiling(i, k int) float64 {
	sum, n := 0.0, 0
	for _, r := range a.stored[i].Records {
		if r.Measured() && r.Error == nil {
			back := min(k, len(r.Retrieved))
			sum += float64(min(len(r.Ideal), back)) / float64(max(back, 1))
			n++
		}
	}
	return sum / float64(max(n, 1))
}

// enough is the smallest cut that keeps 95 % of the recall at k.
func (a *assessment) enough(i, k int) int {
	whole := a.meanOf(i, measure.Measure{Kind: measure.Recall, K: k}, measure.DialectEval)
	for cut := 1; cut < k; cut++ {
		if a.meanOf(i, measure.Measure{Kind: measure.Recall, K: cut}, measure.DialectEval) >= .95*whole {
			return cut
		}
	}
	return k
}
