package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
)

func (e *env) ask() *cobra.Command {
	var flags retrieval
	var r api.AskRequest
	var before string
	c := &cobra.Command{
		Use: "ask --kb K QUERY", Short: e.t("short.ask"), Args: arguments(-1, "QUERY"),
		RunE: func(c *cobra.Command, args []string) error {
			settings, err := flags.settings(c)
			if err != nil {
				return err
			}
			if before != "" {
				if r.History, err = e.history(before); err != nil {
					return err
				}
			}
			r.KB, r.Query, r.Retrieval, r.Language = flags.kb, query(args), settings, e.langFlag
			if r.Model != "" && !e.json {
				return e.askAloud(c.Context(), r)
			}
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.Ask(c.Context(), r)
			if err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(out) })
			}
			e.line("%s", out.Answer)
			e.printSources(out)
			return nil
		},
	}
	flags.flags(e, c)
	f := c.Flags()
	f.StringVar(&r.Strategy, "strategy", "", e.t("flag.strategy"))
	f.StringVar(&r.Model, "model", "", e.t("flag.model"))
	f.BoolVar(&r.Fresh, "fresh", false, e.t("flag.fresh"))
	f.IntVar(&r.NumCtx, "num-ctx", 0, e.t("flag.num-ctx"))
	f.StringVar(&before, "follow-up", "", e.t("flag.follow-up"))
	return c
}

// history reads the conversation so far from what "ask --json" printed; "-" is the
// input.
func (e *env) history(file string) ([]api.ConversationTurn, error) {
	raw, err := e.readText(file)
	if err != nil {
		return nil, err
	}
	var last api.AskResponse
	if err := json.Unmarshal([]byte(raw), &last); err != nil || last.Query == "" {
		return nil, fault.Wrap(err, "history_invalid", fault.P("file", file))
	}
	return append(last.History, api.ConversationTurn{Question: last.Query, Answer: last.Answer}), nil
}

// askAloud prints what a model writes while it writes it.
func (e *env) askAloud(ctx context.Context, r api.AskRequest) error {
	s, err := e.open()
	if err != nil {
		return err
	}
	j, err := s.StartAsk(ctx, r)
	if err != nil {
		return err
	}
	said := 0
	bar := progressBar{env: e}
	j, err = e.observe(ctx, j, func(j api.Job) {
		text := strings.TrimSpace(j.Text)
		if text == "" {
			bar.show(j)
			return
		}
		bar.clear()
		fmt.Fprint(e.out, text[said:])
		said = len(text)
	})
	bar.clear()
	if said > 0 {
		e.line("")
	}
	switch {
	case err != nil:
		return err
	case j.Error != nil:
		return bodyError(*j.Error)
	}
	if said == 0 { // nothing was retrieved, and no model asked
		e.line("%s", j.Answer.Answer)
	}
	e.printSources(*j.Answer)
	return nil
}

// printSources shows what an answer stands on.
func (e *env) printSources(out api.AskResponse) {
	e.printAuto(out.KB, out.Auto)
	e.printRewrite(out.FollowUp)
	e.printRewrite(out.Rewrite)
	e.printCitations(out.Answer, out.Citations)
	if out.Check.CitationCoverage != nil {
		e.line("%s", e.dim(e.standing(out.Check, nil)))
	}
	e.printWarnings(out.Warnings)
	e.printAnsweredBy(out.Model, out.Demonstration)
}

// printRewrite shows what a model made of the question.
func (e *env) printRewrite(r *api.Rewrite) {
	if r == nil {
		return
	}
	for _, q := range r.Queries {
		e.line("%s", e.dim(e.t("rewritten", fault.P("kind", r.Kind), fault.P("model", r.Model), fault.P("text", clip(oneLine(q.Text), 2*e.width)))))
	}
}
