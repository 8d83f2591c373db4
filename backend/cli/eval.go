package cli

import (
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
	var estimate bool
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
			if err := named(c, "strategies", r.Strategies); err != nil {
				return err
			}
			r.KB, r.Retrieval = flags.kb, settings
			s, err := e.open()
			if err != nil {
				return err
			}
			if estimate {
				return e.printEstimate(s.EstimateEval(c.Context(), r))
			}
			j, err := s.StartEval(c.Context(), r)
			if err != nil {
				return err
			}
			if j, err = e.done(c.Context(), j); err != nil {
				return err
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
	f.StringVar(&r.Model, "model", "", e.t("flag.answers-by"))
	f.StringVar(&r.Detector, "detector", "", e.t("flag.detector"))
	f.StringVar(&r.JudgeModel, "judge-model", "", e.t("flag.judge-model"))
	f.BoolVar(&r.Fresh, "fresh", false, e.t("flag.judge-fresh"))
	f.StringVar(&r.Out, "out", "", e.t("flag.out"))
	f.BoolVar(&estimate, "estimate", false, e.t("flag.estimate"))
	return c
}

// named refuses a list that was given and names nothing, so that no default stands in for it.
func named(c *cobra.Command, flag string, values []string) error {
	if c.Flags().Changed(flag) && strings.TrimSpace(strings.Join(values, "")) == "" {
		return fault.New("argument_missing", fault.P("argument", "--"+flag))
	}
	return nil
}

func (e *env) printEstimate(out api.EvalEstimate, err error) error {
	return cmpErr(err, func() error {
		if e.json {
			return e.writeJSON(out)
		}
		e.line("%s", e.t("estimate", fault.P("questions", out.Questions), fault.P("searches", out.Searches), fault.P("seconds", fmt.Sprintf("%.0f", out.Seconds))))
		if out.Finished > 0 {
			e.line("%s", e.t("estimate-part.finished", fault.P("n", out.Finished)))
		}
		if c := out.Answers; c != nil {
			e.line("%s", e.t("estimate-part.answers", costs(*c)...))
		}
		if c := out.Judging; c != nil {
			e.line("%s", e.t("estimate-part.judging", costs(*c)...))
		}
		return nil
	})
}

func costs(c api.CallEstimate) []fault.Param {
	return []fault.Param{fault.P("by", c.By), fault.P("calls", c.Calls), fault.P("kept", c.Kept),
		fault.P("minutes", fmt.Sprintf("%.1f", c.Seconds/60)), fault.P("speed", fmt.Sprintf("%.1f", c.SecondsPerCall))}
}

// configAlone refuses flags that say what the config file says, since only one of
// the two could hold: the fault "flag_with_config" {flag}.
func configAlone(c *cobra.Command) error {
	for _, name := range append([]string{"kb", "dataset", "strategies", "metrics", "gain", "relevance", "unit", "baseline", "primary", "seed", "model", "detector", "judge-model", "fresh",
		"top-k", "candidates", "fusion", "reranker", "rerank-depth", "threshold"}, optionFlags...) {
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
				about := fmt.Sprintf("%s, %s", r.Library.KB, r.Dataset.Name)
				if r.Purpose == "tune" {
					about += e.t("comma") + e.t("runs.tune")
				}
				e.line("%s  %s  %s", e.bold(r.ID), r.Name, e.dim(about))
				e.note(r.Note)
			}
			return nil
		},
	}
	var metrics []string
	show := e.compareRuns("show RUN", e.t("short.runs.show"), 1, &metrics)
	compare := e.compareRuns("compare RUN RUN…", e.t("short.runs.compare"), -1, &metrics)
	var export api.ExportRunRequest
	exported := &cobra.Command{
		Use: "export RUN… --format F", Short: e.t("short.runs.export"), Args: arguments(-1, "RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			export.Run, export.With = args[0], args[1:]
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
	for _, c := range []*cobra.Command{show, compare} {
		c.Flags().Var((*metricNames)(&metrics), "metrics", e.t("flag.metrics"))
	}
	return e.group("runs", "short.runs-group", listing, show, compare, e.runQuestions(), e.runNote(), exported)
}

// note prints what a person wrote of a run, indented.
func (e *env) note(text string) {
	for line := range strings.Lines(text) {
		e.line("    %s", strings.TrimRight(line, "\n"))
	}
}

func (e *env) runNote() *cobra.Command {
	return &cobra.Command{
		Use: "note RUN TEXT", Short: e.t("short.runs.note"), Args: arguments(2, "RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) < 2 { // an empty text takes a note away, none at all is a slip
				return fault.New("argument_missing", fault.P("argument", "TEXT"))
			}
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.NoteRun(c.Context(), api.NoteRunRequest{Run: args[0], Text: args[1]})
			if err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(out) })
			}
			e.line("%s", e.bold(out.RunID))
			e.note(out.Note)
			return nil
		},
	}
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
	if j, err = e.done(c.Context(), j); err != nil {
		return nil, err
	}
	return j.Eval, nil
}
