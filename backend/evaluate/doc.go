// Package evaluate runs retrieval pipelines over questions with gold, and turns
// what they returned into measures, comparisons and advice.
//
// It has two halves. Run searches, question by question, and keeps what it has
// in a Journal, so that an interrupted evaluation goes on where it stopped. Assess
// computes everything else from the records alone: Compare uses it on runs that
// were stored before.
//
// Invariants:
//   - Records, scores and comparisons depend on the pipelines, the library, the
//     questions and the seed; not on the number of workers, on interruptions or on
//     the clock. Latencies are kept apart in runs.Timing.
//   - A question that could not be searched is missing with a reason. It lowers n,
//     widens the bounds, and can make a verdict inconclusive; it is never a 0.
//   - One metric is primary and one run is the baseline. Holm's correction covers
//     its comparisons; all others are marked exploratory.
//
// An evaluation of two pipelines, without error handling:
//
//	exp, _ := evaluate.Run(ctx, evaluate.Setup{
//		Questions: questions, Entries: []evaluate.Entry{{Pipeline: vector}, {Pipeline: hybrid}},
//		Searcher: searcher, Judge: judge, Metrics: []string{"Recall@5", "nDCG@10"},
//	}, rag.NoProgress{})
//	exp.Comparisons[0].Verdict // "better", "worse" or "inconclusive"
package evaluate
