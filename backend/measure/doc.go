// Package measure computes ranking measures: Hit, Recall, Precision, MRR, MAP
// and nDCG, each cut at a depth or not, from a ranking of graded items or from a
// pair of TREC files.
//
// A Measure is a value that parses and prints: "hit_rate@5" and "Success@5" are
// both Hit@5. The same name has stood for different formulas in different
// programs, so every computation names its Dialect, and every result states the
// gain it used.
//
// Invariants:
//   - A value lies in [0, 1] or is absent with a Reason; it is never NaN, and
//     what could not be computed is never 0 or 1. The dialects of other programs
//     count as those do, beyond 1 and with a 1 for nothing.
//   - A mean carries how many values it has of how many there should be, and
//     what it would be if the absent ones were all worst or all best.
//   - Everything is pure: equal inputs give equal results, whatever the number
//     of processors. Only ScoreFiles, ReadQrels and ReadRun read anything.
//
// Our own rankings go through Judge:
//
//	m, err := measure.Parse("nDCG@10")
//	p, err := measure.Judge(measure.Ranking{
//		Items: []measure.Item{{ID: "c1", Grade: 2}, {ID: "c7"}, {ID: "c3", Grade: 1}},
//		Ideal: []int{2, 1, 1}, // three relevant chunks exist, one was not found
//	})
//	v := p.Value(m, measure.DialectEval)
//
// TREC files go through ScoreFiles:
//
//	report, err := measure.ScoreFiles(ctx, "qrels.txt", "run.txt", measure.Options{
//		Measures: []measure.Measure{m}, Dialect: measure.DialectTREC,
//	})
//
// Sources of the formulas, by the names used in comments:
//   - [JK02] Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR
//     techniques, ACM TOIS 20(4), 2002: nDCG, linear gain.
//   - [B05] Burges et al., Learning to rank using gradient descent, ICML 2005:
//     exponential gain.
//   - [MN08] McSherry and Najork, Computing information retrieval performance
//     measures efficiently in the presence of tied scores, ECIR 2008.
//   - [trec_eval] the program of NIST's Text REtrieval Conference, versions 9 and 10.
//   - [ranx] Bassani, ranx: a blazing-fast Python library for ranking evaluation
//     and comparison, ECIR 2022, and its source.
package measure
