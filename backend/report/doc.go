// Package report shows what an evaluation found: as one HTML page, as JSON, CSV
// and Markdown, as TREC files and as JUnit XML.
//
// It renders and never decides: every number, verdict and piece of advice comes
// from the runs.Experiment it is given. What it does itself is count records and
// put them in order.
//
// Invariants:
//   - Equal experiments give equal bytes, in every form.
//   - The page is one file. It has no script, and its content security policy allows
//     no request: it opens from a disk, offline, as it does anywhere else.
//   - Texts are in Chinese and English, both in the page, and switched there.
//
// Usage:
//
//	err := report.HTML(w, experiment, report.Options{Language: report.Chinese})
package report
