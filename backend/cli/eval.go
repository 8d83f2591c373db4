package cli

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
)

func (e *env) eval() *cobra.Command {
	var r api.EvalRequest
	var flags retrieval
	c := &cobra.Command{
		Use: "eval -c FILE | --kb K --dataset FILE|NAME", Short: e.t("short.eval"), Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if r.Config != "" {
				if err := configAlone(c); err != nil {
					return err
				}
			}
			settings, err := flags.settings(c)
			if err != nil {
				return err
			}
			r.KB, r.Retrieval = flags.kb, settings
			s, err := e.open()
			if err != nil {
				return err
			}
			j, err := s.StartEval(c.Context(), r)
			if err != nil {
				return err
			}
			if j, err = e.wait(c.Context(), j); err != nil {
				return err
			}
			if j.Error != nil {
				return bodyError(*j.Error)
			}
			if e.json {
				return e.writeJSON(j.Eval)
			}
			return e.printEval(*j.Eval)
		},
	}
	flags.flags(e, c)
	f := c.Flags()
	f.StringVarP(&r.Config, "config", "c", "", e.t("flag.config"))
	f.StringVar(&r.Dataset, "dataset", "", e.t("flag.dataset"))
	f.StringSliceVar(&r.Strategies, "strategies", nil, e.t("flag.strategies"))
	f.Var((*metricNames)(&r.Metrics), "metrics", e.t("flag.metrics"))
	f.StringVar(&r.Gain, "gain", "", e.t("flag.gain"))
	f.StringVar(&r.Relevance, "relevance", "", e.t("flag.relevance"))
	f.StringVar(&r.Unit, "unit", "", e.t("flag.unit"))
	f.StringVar(&r.Baseline, "baseline", "", e.t("flag.baseline"))
	f.StringVar(&r.Primary, "primary", "", e.t("flag.primary"))
	f.Uint64Var(&r.Seed, "seed", 0, e.t("flag.seed"))
	f.StringVar(&r.Out, "out", "", e.t("flag.out"))
	return c
}

// configAlone refuses flags that say what the config file says, since only one of
// the two could hold: the fault "flag_with_config" {flag}.
func configAlone(c *cobra.Command) error {
	for _, name := range []string{"kb", "dataset", "strategies", "metrics", "gain", "relevance", "unit", "baseline", "primary", "seed",
		"top-k", "candidates", "fusion", "reranker", "rerank-depth", "threshold"} {
		if c.Flags().Changed(name) {
			return fault.New("flag_with_config", fault.P("flag", "--"+name))
		}
	}
	return nil
}

// printEval prints the before/after table, the verdicts, the advice and the
// files that were written.
func (e *env) printEval(r api.EvalReport) error {
	s, err := e.open()
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(e.out, s.EvalText(e.lang, r))
	for _, f := range r.Files {
		e.line("%s", e.dim(f))
	}
	return err
}

func (e *env) scoreCommand() *cobra.Command {
	var r api.ScoreRequest
	c := &cobra.Command{
		Use: "score --qrels Q --run R", Short: e.t("short.score"), Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			for flag, v := range map[string]string{"--qrels": r.Qrels, "--run": r.Run} {
				if v == "" {
					return fault.New("argument_missing", fault.P("argument", flag))
				}
			}
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.Score(c.Context(), r)
			if err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(out) })
			}
			for _, q := range sorted(out.PerQuery) {
				for _, m := range sorted(out.PerQuery[q]) {
					e.line("%s  %s  %s", pad(m, 16), pad(q, 16), number(out.PerQuery[q][m]))
				}
			}
			for _, m := range sorted(out.Metrics) {
				e.line("%s  %s  %s", pad(m, 16), pad("all", 16), number(out.Metrics[m]))
			}
			return nil
		},
	}
	f := c.Flags()
	f.StringVar(&r.Qrels, "qrels", "", e.t("flag.qrels"))
	f.StringVar(&r.Run, "run", "", e.t("flag.run"))
	f.Var((*metricNames)(&r.Metrics), "metrics", e.t("flag.metrics"))
	f.StringVar(&r.Dialect, "dialect", "", e.t("flag.dialect"))
	f.StringVar(&r.Gain, "gain", "", e.t("flag.gain"))
	f.BoolVar(&r.PerQuery, "per-query", false, e.t("flag.per-query"))
	return c
}

func number(v *float64) string {
	if v == nil {
		return "–"
	}
	return strconv.FormatFloat(*v, 'f', 4, 64)
}

func (e *env) selftest() *cobra.Command {
	return &cobra.Command{
		Use: "selftest", Short: e.t("short.selftest"), Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := e.open()
			if err != nil {
				return err
			}
			r, err := s.Selftest(c.Context(), api.SelftestRequest{})
			if err != nil {
				return err
			}
			if !r.OK {
				e.code = exitError
			}
			if e.json {
				return e.writeJSON(r)
			}
			for _, v := range r.Vectors {
				status := e.good(e.t("check.ok"))
				if !v.OK {
					status = e.bad(e.t("check.failed"))
				}
				e.line("%s  %.4f  %.4f  %s", status, v.Want, v.Got, v.Name)
			}
			return nil
		},
	}
}

func (e *env) runsCommand() *cobra.Command {
	listing := &cobra.Command{
		Use: "list", Short: e.t("short.runs.list"), Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.ListRuns(c.Context(), api.ListRunsRequest{})
			if err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(out) })
			}
			for _, r := range out.Runs {
				e.line("%s  %s  %s", e.bold(r.ID), r.Name, e.dim(fmt.Sprintf("%s, %s", r.Library.KB, r.Dataset.Name)))
			}
			return nil
		},
	}
	var metrics []string
	show := e.compareRuns("show RUN", e.t("short.runs.show"), 1, &metrics)
	compare := e.compareRuns("compare RUN RUN…", e.t("short.runs.compare"), -1, &metrics)
	var export api.ExportRunRequest
	exported := &cobra.Command{
		Use: "export RUN --format F", Short: e.t("short.runs.export"), Args: arguments(1, "RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			export.Run = args[0]
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.ExportRun(c.Context(), export)
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(e.out, out.Content)
			return err
		},
	}
	exported.Flags().StringVar(&export.Format, "format", "json", e.t("flag.format"))
	g := e.group("runs", "short.runs-group", listing, show, compare, exported)
	g.PersistentFlags().Var((*metricNames)(&metrics), "metrics", e.t("flag.metrics"))
	return g
}

func (e *env) compareRuns(use, short string, most int, metrics *[]string) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: arguments(most, "RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.CompareRuns(c.Context(), api.RunsRequest{Runs: args, Metrics: *metrics})
			if err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(out) })
			}
			return e.printEval(out)
		},
	}
}

func (e *env) dataset() *cobra.Command {
	var file api.DatasetFileRequest
	imported := &cobra.Command{
		Use: "import --name D FILE", Short: e.t("short.dataset.import"), Args: arguments(1, "FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			file.File = args[0]
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.ImportDataset(c.Context(), file)
			if err != nil && !e.json {
				e.printProblems(out)
			}
			if err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(out) })
			}
			e.printProblems(out)
			return nil
		},
	}
	imported.Flags().StringVar(&file.Name, "name", "", e.t("flag.name"))
	imported.Flags().StringVar(&file.KB, "kb", "", e.t("flag.kb"))
	var look api.DatasetFileRequest
	validate := &cobra.Command{
		Use: "validate FILE", Short: e.t("short.dataset.validate"), Args: arguments(1, "FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			look.File = args[0]
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.ValidateDataset(c.Context(), look)
			if err != nil {
				return err
			}
			if !out.Valid {
				e.code = exitUsage
			}
			if e.json {
				return e.writeJSON(out)
			}
			e.printProblems(out)
			return nil
		},
	}
	validate.Flags().StringVar(&look.KB, "kb", "", e.t("flag.kb"))
	return e.group("dataset", "short.dataset-group", imported, validate, e.datasetList(), e.datasetExport(),
		e.datasetSplit(), e.datasetSample(), e.datasetLeak())
}

func (e *env) printProblems(r api.DatasetReport) {
	for _, p := range r.Problems {
		e.line("%s", e.bad(e.problem(p)))
	}
	for _, p := range r.Notices {
		e.line("%s", e.hot(e.problem(p)))
	}
	var types []string
	for _, t := range sorted(r.Types) {
		types = append(types, fmt.Sprintf("%s %d", cmp.Or(t, "–"), r.Types[t]))
	}
	e.line("%s", e.bold(e.t("dataset.summary", fault.P("questions", r.Questions), fault.P("problems", len(r.Problems)),
		fault.P("types", strings.Join(types, e.t("comma"))))))
}

// problem words a problem or notice, with its line where it has one.
func (e *env) problem(p api.Problem) string {
	s := e.t("problem." + p.Code)
	if p.Detail != "" {
		s += " (" + p.Detail + ")"
	}
	if p.Line > 0 {
		s = e.t("line", fault.P("line", p.Line)) + "  " + s
	}
	return s
}

func (e *env) printDatasets(out api.DatasetList) error {
	if e.json {
		return e.writeJSON(out)
	}
	for _, d := range out.Datasets {
		e.line("%s  %s", e.bold(d.Name), e.dim(e.t("dataset.line", fault.P("questions", d.Questions), fault.P("version", d.Version))))
	}
	return nil
}

func (e *env) datasetList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: e.t("short.dataset.list"), Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.ListDatasets(c.Context(), api.ListDatasetsRequest{})
			return cmpErr(err, func() error { return e.printDatasets(out) })
		},
	}
}

func (e *env) datasetExport() *cobra.Command {
	return &cobra.Command{
		Use: "export D", Short: e.t("short.dataset.export"), Args: arguments(1, "D"),
		RunE: func(c *cobra.Command, args []string) error {
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.ExportDataset(c.Context(), api.DatasetRequest{Name: args[0]})
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(e.out, out.Content)
			return err
		},
	}
}

func (e *env) datasetSplit() *cobra.Command {
	var r api.SplitDatasetRequest
	var parts map[string]string
	c := &cobra.Command{
		Use: "split D", Short: e.t("short.dataset.split"), Args: arguments(1, "D"),
		RunE: func(c *cobra.Command, args []string) error {
			r.Name, r.Parts = args[0], map[string]float64{}
			for name, share := range parts {
				v, err := strconv.ParseFloat(share, 64)
				if err != nil {
					return fault.New("split_invalid", fault.P("part", name), fault.P("share", share))
				}
				r.Parts[name] = v
			}
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.SplitDataset(c.Context(), r)
			return cmpErr(err, func() error { return e.printDatasets(out) })
		},
	}
	c.Flags().StringToStringVar(&parts, "parts", map[string]string{"dev": "0.5", "test": "0.5"}, e.t("flag.parts"))
	c.Flags().Uint64Var(&r.Seed, "seed", 0, e.t("flag.seed"))
	c.Flags().BoolVar(&r.Documents, "documents", false, e.t("flag.documents"))
	return c
}

func (e *env) datasetSample() *cobra.Command {
	var r api.SampleDatasetRequest
	c := &cobra.Command{
		Use: "sample D", Short: e.t("short.dataset.sample"), Args: arguments(1, "D"),
		RunE: func(c *cobra.Command, args []string) error {
			r.Name = args[0]
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.SampleDataset(c.Context(), r)
			return cmpErr(err, func() error { return e.printDatasets(out) })
		},
	}
	c.Flags().IntVar(&r.N, "n", 0, e.t("flag.n"))
	c.Flags().Uint64Var(&r.Seed, "seed", 0, e.t("flag.seed"))
	return c
}

func (e *env) datasetLeak() *cobra.Command {
	var r api.LeakCheckRequest
	c := &cobra.Command{
		Use: "leakcheck D --kb K", Short: e.t("short.dataset.leakcheck"), Args: arguments(1, "D"),
		RunE: func(c *cobra.Command, args []string) error {
			r.Name = args[0]
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.LeakCheck(c.Context(), r)
			if err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(out) })
			}
			for _, q := range out.Questions {
				if q.Verbatim {
					e.line("%.2f  %s", q.Overlap, q.QueryID)
				}
			}
			e.line("%s", e.bold(e.t("leak", fault.P("verbatim", out.Verbatim), fault.P("paraphrased", out.Paraphrased))))
			return nil
		},
	}
	c.Flags().StringVar(&r.KB, "kb", "", e.t("flag.kb"))
	return c
}

// demoEval evaluates the sample questions and writes the report into dir.
func (e *env) demoEval(c *cobra.Command, dir string) (*api.EvalReport, error) {
	s, err := e.open()
	if err != nil {
		return nil, err
	}
	j, err := s.StartEval(c.Context(), api.EvalRequest{KB: "sample", Dataset: "sample",
		Strategies: []string{"vector", "bm25", "hybrid", "hybrid+rerank"}, Out: filepath.Clean(dir)})
	if err != nil {
		return nil, err
	}
	if j, err = e.wait(c.Context(), j); err != nil {
		return nil, err
	}
	if j.Error != nil {
		return nil, bodyError(*j.Error)
	}
	return j.Eval, nil
}
