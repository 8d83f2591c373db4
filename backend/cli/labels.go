package cli

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
)

func (e *env) datasetQuestions() *cobra.Command {
	var r api.QuestionsRequest
	c := &cobra.Command{
		Use: "questions D [--kb K]", Short: e.t("short.dataset.questions"), Args: arguments(1, "D"),
		RunE: func(c *cobra.Command, args []string) error {
			r.Name = args[0]
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.ListQuestions(c.Context(), r)
			if err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(out) })
			}
			for _, q := range out.Questions {
				e.line("%s  %s  %s", e.bold(q.QueryID), q.Question, e.dim(cmp.Or(q.Type, "–")))
				for _, g := range q.Gold {
					e.line("    %d  %s", g.Grade, e.dim(g.Doc))
				}
			}
			e.printProblems(api.DatasetReport{Questions: len(out.Questions), Problems: out.Problems, Notices: out.Notices, Types: out.Types})
			return nil
		},
	}
	c.Flags().StringVar(&r.KB, "kb", "", e.t("flag.kb"))
	return c
}

func (e *env) datasetLabel() *cobra.Command {
	var r api.LabelRequest
	var grade string
	var replace int
	c := &cobra.Command{
		Use: "label D --kb K --question Q --doc SOURCE --start N --end N --grade G", Short: e.t("short.dataset.label"), Args: arguments(1, "D"),
		RunE: func(c *cobra.Command, args []string) error {
			r.Dataset = args[0]
			if grade != "none" {
				n, err := strconv.Atoi(grade)
				if err != nil {
					return fault.New("grade_invalid", fault.P("grade", grade))
				}
				r.Grade = &n
			}
			if c.Flags().Changed("replace") {
				at := replace - 1
				r.Replace = &at
			}
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.LabelPassage(c.Context(), r)
			if err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(out) })
			}
			e.line("%s  %s", e.bold(out.Dataset), e.dim(e.t("dataset.line", fault.P("questions", out.Questions), fault.P("version", out.Version))))
			return nil
		},
	}
	f := c.Flags()
	f.StringVar(&r.KB, "kb", "", e.t("flag.kb"))
	f.StringVar(&r.QueryID, "id", "", e.t("flag.query-id"))
	f.StringVar(&r.Question, "question", "", e.t("flag.question"))
	f.StringVar(&r.Doc, "doc", "", e.t("flag.doc"))
	naturalVar(f, &r.Span.Start, "start", 0, e.t("flag.span-start"))
	naturalVar(f, &r.Span.End, "end", 0, e.t("flag.span-end"))
	f.StringVar(&grade, "grade", "2", e.t("flag.grade"))
	f.StringVar(&r.Type, "type", "", e.t("flag.question-type"))
	naturalVar(f, &replace, "replace", 0, e.t("flag.replace"))
	return c
}

func (e *env) runQuestions() *cobra.Command {
	return &cobra.Command{
		Use: "questions RUN", Short: e.t("short.runs.questions"), Args: arguments(1, "RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.RunQuestions(c.Context(), api.RunRequest{Run: args[0]})
			if err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(out) })
			}
			for _, r := range out.Records {
				first := "–"
				if r.First != nil {
					first = strconv.Itoa(*r.First)
				}
				e.line("%s  %s  %s", e.bold(fmt.Sprintf("%3s", first)), r.QueryID, r.Query)
			}
			return nil
		},
	}
}
