// Package runs holds what an evaluation is made of and what it found: the run,
// its records, the scores, the comparisons and the advice, as plain values with
// a stable JSON form.
//
// A Run names one pipeline over one dataset and one library; a Record is what it
// returned for one question, judged. Everything else follows from the records
// without a model or an index: package evaluate computes it, a store keeps it,
// package report shows it.
//
// Invariants:
//   - A key that a comment names is always in the JSON, null where it does not
//     apply; maps are written with their keys in order, so that equal values give
//     equal bytes.
//   - What could not be computed is nil with a reason, never 0 or 1.
//   - A record keeps the ranking, its grades and all that was relevant, so that any
//     measure can be computed from it again.
//
// A ranking and its measures:
//
//	p, err := measure.Judge(record.Ranking(0))
//	v := p.Value(m, measure.DialectEval)
package runs
