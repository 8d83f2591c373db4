package app

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ragdesk/backend/api"
	"ragdesk/backend/evaluate"
	"ragdesk/backend/fault"
	"ragdesk/backend/i18n"
	"ragdesk/backend/ingest"
	"ragdesk/backend/measure"
	"ragdesk/backend/rag"
	"ragdesk/backend/report"
	"ragdesk/backend/runs"
	"ragdesk/backend/stats"
)

// pathIngestion ingests a folder, in step with its files, or a chunk list.
func pathIngestion(path string) (ingestion, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fault.Wrap(err, "not_found", fault.P("path", path))
	}
	if info.IsDir() {
		return func(ctx context.Context, p ingest.Ports, lib rag.Library, progress rag.Progress) (ingest.Report, error) {
			return ingest.Run(ctx, p, lib, ingest.Options{Paths: []string{path}, Sync: true}, progress)
		}, nil
	}
	return func(ctx context.Context, p ingest.Ports, lib rag.Library, progress rag.Progress) (ingest.Report, error) {
		return ingest.ImportChunks(ctx, p, lib, path, progress)
	}, nil
}

// reembedded returns a library with the documents of lib under another
// embedder, named after both; lib itself stays as it is.
func (s *Service) reembedded(ctx context.Context, lib rag.Library, model string, progress rag.Progress) (rag.Library, error) {
	from, err := s.stored(ctx, lib)
	if err != nil {
		return rag.Library{}, err
	}
	name := lib.Name + " @" + model
	want := cut{chunker: lib.Chunker, size: &lib.ChunkSize, overlap: &lib.ChunkOverlap, embedder: model}
	r, err := s.write(ctx, "reindex", name, want, progress, func(ctx context.Context, p ingest.Ports, to rag.Library, progress rag.Progress) (ingest.Report, error) {
		return ingest.RunStored(ctx, p, to, from, progress)
	})
	return r.Library, err
}

// writeFile writes a file that write makes, making its folder.
func writeFile(path string, write func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fault.Wrap(err, "unwritable", fault.P("path", path))
	}
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return fmt.Errorf("make %s: %w", filepath.Base(path), err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		return fault.Wrap(err, "unwritable", fault.P("path", path))
	}
	return nil
}

// writeReports writes the flat report of a config file to output, and the
// report in every format into the folder out, in lang where a person reads it;
// either may be empty.
func writeReports(exp runs.Experiment, output, out, lang string) ([]string, error) {
	files := []string{}
	add := func(path string, write func(io.Writer) error) error {
		files = append(files, path)
		return writeFile(path, write)
	}
	if output != "" {
		if err := add(output, func(w io.Writer) error { return report.Flat(w, exp) }); err != nil {
			return nil, err
		}
	}
	if out == "" {
		return files, nil
	}
	formats := []struct {
		name  string
		write func(io.Writer) error
	}{
		{"report.html", func(w io.Writer) error { return report.HTML(w, exp, report.Options{Language: lang, Reason: because}) }},
		{"report.json", func(w io.Writer) error { return report.JSON(w, exp) }},
		{"report.md", func(w io.Writer) error { return report.Markdown(w, exp, lang) }},
		{"questions.csv", func(w io.Writer) error { return report.CSV(w, exp) }},
		{"summary.csv", func(w io.Writer) error { return report.SummaryCSV(w, exp) }},
		{"junit.xml", func(w io.Writer) error { return report.JUnit(w, exp, lang) }},
	}
	for _, f := range formats {
		if err := add(filepath.Join(out, f.name), f.write); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// ListRuns lists the stored runs, the newest first.
func (s *Service) ListRuns(context.Context, api.ListRunsRequest) (api.RunList, error) {
	l, err := s.runs().List()
	if err != nil {
		return api.RunList{}, err
	}
	out := api.RunList{Runs: make([]api.RunInfo, len(l.Runs)), Broken: list(l.Broken)}
	for i, r := range l.Runs {
		out.Runs[i] = api.RunInfo{Run: r.Run, Scores: r.Scores, Note: r.Note}
	}
	return out, nil
}

// CompareRuns scores stored runs over their common questions; one run alone is
// shown.
func (s *Service) CompareRuns(ctx context.Context, r api.RunsRequest) (api.EvalReport, error) {
	stored, err := s.loadRuns(r.Runs)
	if err != nil {
		return api.EvalReport{}, err
	}
	if comparesMarks(stored, r.Metrics) {
		if err := s.oneJudge(stored); err != nil {
			return api.EvalReport{}, err
		}
	}
	if err := oneAssessor(stored, r.Metrics); err != nil {
		return api.EvalReport{}, err
	}
	exp, err := evaluate.Compare(ctx, stored, evaluate.Choices{Metrics: r.Metrics})
	if err != nil {
		return api.EvalReport{}, err
	}
	if err := s.calibrate(ctx, &exp); err != nil {
		return api.EvalReport{}, err
	}
	return api.EvalReport{Experiment: exp, KB: stored[0].Library.KB, Files: []string{}}, nil
}

func (s *Service) loadRuns(refs []string) ([]runs.Stored, error) {
	var stored []runs.Stored
	for _, ref := range refs {
		run, err := s.runs().Load(ref)
		if err != nil {
			return nil, err
		}
		stored = append(stored, run)
	}
	return stored, nil
}

// RunQuestions returns a stored run with what it found for each question.
func (s *Service) RunQuestions(_ context.Context, r api.RunRequest) (api.RunQuestions, error) {
	run, err := s.runs().Load(r.Run)
	if err != nil {
		return api.RunQuestions{}, err
	}
	return api.RunQuestions{Run: run.Run, Records: list(run.Records)}, nil
}

// NoteRun writes a note on a stored run.
func (s *Service) NoteRun(_ context.Context, r api.NoteRunRequest) (api.RunNote, error) {
	id, err := s.runs().SetNote(r.Run, r.Text)
	if err != nil {
		return api.RunNote{}, err
	}
	return api.RunNote{RunID: id, Note: strings.TrimSpace(r.Text)}, nil
}

// ExportRun renders a stored run in another format.
func (s *Service) ExportRun(ctx context.Context, r api.ExportRunRequest) (api.RunExport, error) {
	stored, err := s.loadRuns(append([]string{r.Run}, r.With...))
	if err != nil {
		return api.RunExport{}, err
	}
	trec := r.Format == "trec" || r.Format == "qrels"
	if trec && len(r.With) > 0 {
		return api.RunExport{}, fault.New("export_one_run", fault.P("format", r.Format))
	}
	var b bytes.Buffer
	switch r.Format {
	case "trec":
		err = report.TRECRun(&b, stored[0])
	case "qrels":
		err = report.TRECQrels(&b, stored[0])
	default:
		var exp runs.Experiment
		if exp, err = evaluate.Compare(ctx, stored, evaluate.Choices{}); err == nil {
			err = s.calibrate(ctx, &exp)
		}
		if err == nil {
			err = exportExperiment(&b, exp, r.Format, i18n.Language(ctx))
		}
	}
	return api.RunExport{Content: b.String()}, err
}

func exportExperiment(w io.Writer, exp runs.Experiment, format, lang string) error {
	switch format {
	case "json":
		return report.JSON(w, exp)
	case "csv":
		return report.CSV(w, exp)
	case "summary":
		return report.SummaryCSV(w, exp)
	case "html":
		return report.HTML(w, exp, report.Options{Language: lang, Reason: because})
	case "markdown":
		return report.Markdown(w, exp, lang)
	case "junit":
		return report.JUnit(w, exp, lang)
	}
	return fault.New("export_unknown", fault.P("format", format),
		fault.P("known", "trec, qrels, json, csv, summary, html, markdown, junit"))
}

// Score scores a TREC run by a dialect's own rules.
func (s *Service) Score(ctx context.Context, r api.ScoreRequest) (api.ScoreResponse, error) {
	dialect, err := measure.ParseDialect(cmp.Or(r.Dialect, "trec"))
	if err != nil {
		return api.ScoreResponse{}, err
	}
	named, err := namedMeasures(r, dialect)
	if err != nil {
		return api.ScoreResponse{}, err
	}
	opts := measure.Options{Dialect: dialect}
	for _, n := range named {
		opts.Measures = append(opts.Measures, n.Measure)
	}
	result, err := measure.ScoreFiles(ctx, r.Qrels, r.Run, opts)
	if err != nil {
		return api.ScoreResponse{}, err
	}
	out := api.ScoreResponse{Metrics: map[string]*float64{}}
	for i, n := range named {
		out.Metrics[n.Name] = value(result.Means[i].Value)
	}
	if !r.PerQuery {
		return out, nil
	}
	out.PerQuery = make(map[string]map[string]*float64, len(result.Queries))
	for _, q := range result.Queries {
		row := make(map[string]*float64, len(named))
		for i, n := range named {
			row[n.Name] = value(q.Values[i])
		}
		out.PerQuery[q.Query] = row
	}
	return out, nil
}

func value(v measure.Value) *float64 {
	if !v.OK() {
		return nil
	}
	return &v.Score
}

// scoreDefaults are measured when none are named.
const scoreDefaults = "nDCG@10,MAP,MRR,P@10,Recall@100"

// ragDefaults are what the dialect rag defines.
const ragDefaults = "recall,precision"

// uncutDefaults are for a dialect without cuts.
const uncutDefaults = "nDCG,MAP,MRR,P,Recall"

// defaults are the usual measures that the dialect has.
func defaults(d measure.Dialect) string {
	switch d {
	case measure.DialectRAG:
		return ragDefaults
	case measure.DialectContinuousEval:
		return uncutDefaults
	}
	names := strings.Split(scoreDefaults, ",")
	return strings.Join(slices.DeleteFunc(names, func(name string) bool {
		m, err := measure.Parse(name)
		return err != nil || !d.Has(m)
	}), ",")
}

func namedMeasures(r api.ScoreRequest, d measure.Dialect) ([]measure.Named, error) {
	names := r.Metrics
	if len(names) == 0 {
		return measureList(defaults(d), r.Gain)
	}
	var out []measure.Named
	for _, name := range names {
		n, err := measureList(name, r.Gain)
		if err != nil {
			return nil, err
		}
		out = append(out, n...)
	}
	return out, nil
}

func measureList(names, gain string) ([]measure.Named, error) {
	named, err := measure.ParseList(names)
	if err != nil || gain == "" {
		return named, err
	}
	g, err := measure.ParseGain(gain)
	if err != nil {
		return nil, err
	}
	for i := range named {
		if named[i].Measure.Gain == measure.GainDefault && named[i].Measure.Kind == measure.NDCG {
			named[i].Measure.Gain = g
		}
	}
	return named, nil
}

// Selftest computes the golden metric and statistics vectors again.
func (s *Service) Selftest(context.Context, api.SelftestRequest) (api.SelftestReport, error) {
	out := api.SelftestReport{OK: true}
	add := func(name string, want, got float64) {
		ok := want-got <= measure.VectorTolerance && got-want <= measure.VectorTolerance
		out.OK = out.OK && ok
		out.Vectors = append(out.Vectors, api.SelftestVector{Name: name, Want: want, Got: got, OK: ok})
	}
	measures, err := measure.Vectors()
	if err != nil {
		return api.SelftestReport{}, err
	}
	for _, v := range measures {
		add(v.Name, v.Want, v.Got)
	}
	statistics, err := stats.Vectors()
	if err != nil {
		return api.SelftestReport{}, err
	}
	for _, v := range statistics {
		add(v.Name, v.Want, v.Got)
	}
	return out, nil
}

// TuneText is a choice of fusion as text for a terminal, in lang.
func (s *Service) TuneText(lang string, r api.TuneReport) string {
	var b strings.Builder
	if err := report.TuneText(&b, r.Tuning, lang); err != nil {
		return err.Error() // as below
	}
	return b.String()
}

// EvalText is an evaluation as text for a terminal, in lang: the before/after
// table, the verdicts and the advice.
func (s *Service) EvalText(lang string, r api.EvalReport) string {
	var b strings.Builder
	if err := report.Text(&b, r.Experiment, lang); err != nil {
		return err.Error() // a strings.Builder never fails; kept visible all the same
	}
	return b.String()
}
