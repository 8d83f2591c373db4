package measure

import (
	"context"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"ragdesk/backend/fault"
)

// Options say what Score computes.
type Options struct {
	Measures []Measure
	// Dialect defaults to DialectEval.
	Dialect Dialect
	// Double compares scores in double precision under DialectTREC, as trec_eval
	// 10 does, where two scores closer than single precision tells apart are not
	// a tie.
	Double bool
	// AverageTies takes the expected value over all orders of equal scores in
	// place of the dialect's rule for them; the dialects of other programs keep
	// their rule.
	AverageTies bool
}

// Report is what a run is worth.
type Report struct {
	Dialect Dialect
	// Measures are those asked for, each with the gain it was computed with.
	Measures []Measure
	// Means belong to Measures by index.
	Means []Mean
	// Queries are the judged queries in the order of the judgments.
	Queries []QueryScores
	// NotRun counts judged queries without results; they count as having
	// retrieved nothing.
	NotRun int
	// NotJudged counts queries with results but without judgments, left out.
	NotJudged int
	// Duplicates counts results and judgments left out because the document
	// stood higher in the same query, or was judged higher.
	Duplicates int
}

// QueryScores holds one query's values, by index of Report.Measures.
type QueryScores struct {
	Query  string
	Values []Value
}

// ScoreFiles reads the two TREC files, at the same time, and scores the run. The
// faults are those of ReadQrels, ReadRun and Score; a file without a single row
// is "trec_invalid" with detail "empty".
func ScoreFiles(ctx context.Context, qrelsPath, runPath string, opts Options) (Report, error) {
	var qrels Qrels
	var run Run
	qrelsRead := make(chan error, 1)
	go func() {
		qrelsRead <- qrels.t.readFile(qrelsPath, func(r io.Reader) error {
			q, err := ReadQrels(ctx, r, qrelsPath)
			qrels = *q
			return err
		})
	}()
	runErr := run.t.readFile(runPath, func(r io.Reader) error {
		read, err := ReadRun(ctx, r, runPath)
		run = *read
		return err
	})
	if err := <-qrelsRead; err != nil {
		return Report{}, err
	}
	if runErr != nil {
		return Report{}, runErr
	}
	return Score(ctx, &qrels, &run, opts)
}

// Score computes the measures of opts for each judged query, and their means,
// under the conventions of opts.Dialect. A document that stands twice in a query
// is the fault "trec_duplicate" under DialectTREC, with line 0 when it was not
// read from a file; a measure that the dialect of another program does not have is
// "dialect_measure". The result does not depend on the number of processors.
func Score(ctx context.Context, qrels *Qrels, run *Run, opts Options) (Report, error) {
	if opts.Dialect == 0 {
		opts.Dialect = DialectEval
	}
	if err := checkMeasures(opts.Dialect, opts.Measures); err != nil {
		return Report{}, err
	}
	report := Report{
		Dialect:  opts.Dialect,
		Measures: make([]Measure, len(opts.Measures)),
		Queries:  make([]QueryScores, len(qrels.t.groups)),
	}
	for i, m := range opts.Measures {
		report.Measures[i] = m.Resolve(opts.Dialect)
	}
	duplicates, err := scoreQueries(ctx, qrels, run, opts, &report)
	if err != nil {
		return Report{}, err
	}
	report.Duplicates = duplicates
	for i := range qrels.t.groups {
		if run.t.find(qrels.t.groups[i].query) == nil {
			report.NotRun++
		}
	}
	report.NotJudged = len(run.t.groups) - (len(qrels.t.groups) - report.NotRun)
	column := make([]Value, len(report.Queries))
	for i := range report.Measures {
		for j, q := range report.Queries {
			column[j] = q.Values[i]
		}
		report.Means = append(report.Means, Summarize(column))
	}
	return report, nil
}

// scoreQueries fills report.Queries with one worker a processor and returns the
// number of duplicates. Of several errors that of the earliest query is returned.
func scoreQueries(ctx context.Context, qrels *Qrels, run *Run, opts Options, report *Report) (int, error) {
	var next, duplicates atomic.Int64
	errs := make([]error, len(report.Queries))
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(report.Queries)) {
		workers.Go(func() {
			w := worker{opts: opts, qrelsFile: qrels.t.file, runFile: run.t.file}
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(report.Queries) {
					return
				}
				judged := &qrels.t.groups[i]
				values, dropped, err := w.values(judged, run.t.find(judged.query))
				errs[i] = err
				duplicates.Add(int64(dropped))
				report.Queries[i] = QueryScores{judged.query, values}
			}
		})
	}
	workers.Wait()
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	for _, err := range errs {
		if err != nil {
			return 0, err
		}
	}
	return int(duplicates.Load()), nil
}

// values judges one query and counts the duplicates left out.
func (w *worker) values(judged, results *group) ([]Value, int, error) {
	if p, ok := programOf(w.opts.Dialect); ok {
		values, err := w.programValues(p, judged, results)
		return values, 0, err
	}
	p, err := w.profile(judged, results)
	return p.Values(w.opts.Measures, w.opts.Dialect), p.Duplicates, err
}

func duplicate(file string, g *group, r row) error {
	return fault.New("trec_duplicate", fault.P("file", file), fault.P("query", g.query),
		fault.P("doc", string(g.id(r))), fault.P("line", r.line))
}
