package cli

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
)

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
			if err != nil && !e.json && len(out.Problems) > 0 {
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
	imported.Flags().StringToStringVar(&file.Columns, "column", nil, e.t("flag.column"))
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
	validate.Flags().StringToStringVar(&look.Columns, "column", nil, e.t("flag.column"))
	return e.group("dataset", "short.dataset-group", imported, e.datasetPreview(), validate, e.datasetList(), e.datasetExport(),
		e.datasetQuestions(), e.datasetLabel(), e.datasetSplit(), e.datasetSample(), e.datasetLeak())
}

func (e *env) datasetPreview() *cobra.Command {
	var r api.DatasetFileRequest
	c := &cobra.Command{
		Use: "preview FILE", Short: e.t("short.dataset.preview"), Args: arguments(1, "FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			r.File = args[0]
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.PreviewDataset(c.Context(), r)
			if len(out.Rows) == 0 && len(out.Sample) == 0 {
				e.code = exitUsage
			}
			if err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(out) })
			}
			for i, name := range out.Columns {
				field := ""
				for _, f := range sorted(out.Suggested) {
					if out.Suggested[f] == name {
						field = "--column " + f + "=" + name
					}
				}
				e.line("%s  %s", e.bold(name), e.hot(field))
				for _, row := range out.Rows[:min(len(out.Rows), 2)] {
					e.line("    %s", e.dim(row[i]))
				}
			}
			for _, q := range out.Sample {
				e.line("%s  %s", e.bold(q.QueryID), q.Question)
			}
			for _, p := range out.Problems {
				e.line("%s", e.bad(e.problem(p)))
			}
			for _, p := range out.Notices {
				e.line("%s", e.hot(e.problem(p)))
			}
			return nil
		},
	}
	c.Flags().StringToStringVar(&r.Columns, "column", nil, e.t("flag.column"))
	return c
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
