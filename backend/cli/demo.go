package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
)

// demoStrategies are the three columns of the classic demonstration.
var demoStrategies = []string{"vector", "bm25", "classic"}

// demoReport is the JSON of the demo.
type demoReport struct {
	Questions []api.CompareResponse `json:"questions"`
	// Eval is the evaluation of the sample questions.
	Eval *api.EvalReport `json:"eval"`
}

func (e *env) demo() *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use: "demo", Short: e.t("short.demo"), Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := e.open()
			if err != nil {
				return err
			}
			j, err := s.StartDemo(c.Context(), api.DemoRequest{})
			if err != nil {
				return err
			}
			if _, err = e.done(c.Context(), j); err != nil {
				return err
			}
			info, err := s.Info(c.Context(), api.InfoRequest{})
			if err != nil {
				return err
			}
			var report demoReport
			topK := 3
			for _, q := range info.Samples {
				if q.KB != "classic" {
					continue
				}
				out, err := s.Compare(c.Context(), api.CompareRequest{KB: q.KB, Query: q.Question, Strategies: demoStrategies,
					Retrieval: api.Retrieval{TopK: &topK}, Answer: true, Model: "extractive"})
				if err != nil {
					return fmt.Errorf("demonstrate %q: %w", q.Question, err)
				}
				report.Questions = append(report.Questions, out)
				if !e.json {
					e.printDemo(len(report.Questions), out)
				}
			}
			if report.Eval, err = e.demoEval(c, dir); err != nil {
				return err
			}
			if e.json {
				return e.writeJSON(report)
			}
			e.line("%s\n", e.bold(e.t("demo.eval")))
			if err := e.printEval(*report.Eval); err != nil {
				return err
			}
			e.line("%s", e.t("demo.next"))
			return nil
		},
	}
	c.Flags().StringVar(&dir, "out", "ragdesk-demo", e.t("flag.out"))
	return c
}

// printDemo shows one classic question: ① vectors, ② BM25, ③ hybrid + rerank
// with scores in brackets, and the prompt.
func (e *env) printDemo(n int, r api.CompareResponse) {
	e.line("%s", e.bold(e.t("demo.question", fault.P("n", n), fault.P("question", r.Query))))
	for i, mark := range []string{"①", "②", "③"} {
		col := r.Strategies[i]
		e.line("%s %s", mark, e.t("demo."+demoStrategies[i]))
		if len(col.Hits) == 0 {
			e.line("   %s", e.t("no-hits"))
		}
		for _, h := range col.Hits {
			e.line("   %d. [%.4f] %s", h.Rank, h.Score, e.snippet(h, 4*e.width))
		}
	}
	last := r.Strategies[len(r.Strategies)-1]
	if last.Answer != nil {
		e.line("%s\n   %s", e.t("demo.answer"), *last.Answer)
	}
	e.line("%s\n%s\n", e.dim(e.t("prompt-of", fault.P("strategy", last.Strategy))), e.dim(last.Prompt))
}
