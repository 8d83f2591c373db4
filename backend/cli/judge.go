package cli

import (
	"strconv"

	"github.com/spf13/cobra"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/i18n"
)

func (e *env) judge() *cobra.Command {
	return e.group("judge", "short.judge-group", e.judgeMark(), e.judgeProbe(), e.judgeRescore())
}

func (e *env) judgeMark() *cobra.Command {
	var r api.MarkRequest
	c := &cobra.Command{
		Use: "mark ITEMS.jsonl", Short: e.t("short.judge.mark"), Args: arguments(1, "ITEMS.jsonl"),
		RunE: func(c *cobra.Command, args []string) error {
			r.File = args[0]
			s, err := e.open()
			if err != nil {
				return err
			}
			j, err := s.StartMark(c.Context(), r)
			if err != nil {
				return err
			}
			if j, err = e.done(c.Context(), j); err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(j.Marked) })
			}
			e.printMarks(*j.Marked)
			return nil
		},
	}
	e.judgeFlags(c, &r.Model, &r.Fresh)
	return c
}

// judgeFlags are those of every command of a judge.
func (e *env) judgeFlags(c *cobra.Command, model *string, fresh *bool) {
	c.Flags().StringVar(model, "model", "", e.t("flag.rubric-model"))
	c.Flags().BoolVar(fresh, "fresh", false, e.t("flag.fresh"))
}

// judgeText words a code of a judge's report, such as "verdict.found".
func (e *env) judgeText(code string) string { return i18n.Text(e.lang, "judge."+code) }

func (e *env) printMarks(r api.MarkReport) {
	for _, item := range r.Items {
		if item.Rubric.Marks == nil {
			e.line("—  —  —  %s  %s", e.bold(item.ID), item.Message)
			continue
		}
		m := item.Rubric.Marks
		e.line("%d  %d  %d  %s  %s", m["faithfulness"].Mark, m["relevance"].Mark, m["completeness"].Mark, e.bold(item.ID), clip(oneLine(item.Answer), e.width-20))
		for _, name := range []string{"faithfulness", "relevance", "completeness"} {
			one := m[name]
			note := one.Reason
			if one.Cap != "" {
				note += "  " + e.hot(e.t("judge.capped", fault.P("given", one.Given), fault.P("mark", one.Mark), fault.P("cap", e.judgeText("cap."+one.Cap))))
			}
			e.line("    %s  %s", e.judgeText("dimension."+name), note)
		}
	}
	mean := func(name string) string {
		if r.Scored == 0 {
			return "—"
		}
		return strconv.FormatFloat(r.Means[name], 'f', 2, 64)
	}
	e.line("%s", e.t("judge.summary", fault.P("model", r.Model), fault.P("scored", r.Scored), fault.P("n", r.N),
		fault.P("faithfulness", mean("faithfulness")), fault.P("relevance", mean("relevance")), fault.P("completeness", mean("completeness"))))
	e.printUnscored(r.Unscored)
	e.judgeWarnings(r.Warnings)
}

func (e *env) printUnscored(unscored map[string]int) {
	for _, reason := range sorted(unscored) {
		e.line("%s", e.t("judge.unscored", fault.P("n", unscored[reason]), fault.P("reason", reason)))
	}
}

func (e *env) judgeWarnings(warnings []api.Notice) {
	for _, w := range warnings {
		e.line("%s", e.hot(e.t("judge.small", fault.P("model", w.Detail))))
	}
}

func (e *env) judgeProbe() *cobra.Command {
	var r api.ProbeRequest
	c := &cobra.Command{
		Use: "probe RUN [OTHER-RUN]", Short: e.t("short.judge.probe"), Args: arguments(2, "RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			r.Run = args[0]
			if len(args) > 1 {
				r.Other = args[1]
			}
			s, err := e.open()
			if err != nil {
				return err
			}
			j, err := s.StartProbe(c.Context(), r)
			if err != nil {
				return err
			}
			if j, err = e.done(c.Context(), j); err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(j.Probed) })
			}
			e.printProbes(*j.Probed)
			return nil
		},
	}
	e.judgeFlags(c, &r.Model, &r.Fresh)
	c.Flags().StringSliceVar(&r.Probes, "probes", nil, e.t("flag.probes"))
	naturalVar(c.Flags(), &r.Limit, "limit", 0, e.t("flag.probe-limit"))
	c.Flags().Uint64Var(&r.Seed, "seed", 0, e.t("flag.seed"))
	return c
}

func (e *env) printProbes(r api.ProbeReport) {
	for _, p := range r.Probes {
		verdict := e.judgeText("verdict." + p.Verdict)
		switch p.Verdict {
		case "found":
			verdict = e.bad(verdict)
		case "not_found":
			verdict = e.good(verdict)
		}
		if p.Reason != "" {
			verdict += " (" + e.judgeText("reason."+p.Reason) + ")"
		}
		e.line("%s", e.t("judge.probe", fault.P("probe", e.judgeText("probe."+p.Probe)), fault.P("verdict", verdict),
			fault.P("effect", figureCI(p.Effect, p.CI)), fault.P("n", p.N), fault.P("of", p.Of)))
		e.printUnscored(p.Missing)
	}
	e.judgeWarnings(r.Warnings)
}

func (e *env) judgeRescore() *cobra.Command {
	var r api.RescoreRequest
	c := &cobra.Command{
		Use: "rescore RUN", Short: e.t("short.judge.rescore"), Args: arguments(1, "RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			r.Run = args[0]
			s, err := e.open()
			if err != nil {
				return err
			}
			j, err := s.StartRescore(c.Context(), r)
			if err != nil {
				return err
			}
			if j, err = e.done(c.Context(), j); err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(j.Rescored) })
			}
			out := *j.Rescored
			e.line("%s", e.t("judge.rescored", fault.P("run", out.Run), fault.P("scored", out.Scored), fault.P("n", out.N), fault.P("model", out.Model)))
			for _, d := range out.Dimensions {
				e.line("  %s", e.t("judge.version", fault.P("dimension", e.judgeText("dimension."+d.Dimension)), fault.P("from", share(d.From)),
					fault.P("to", share(d.To)), fault.P("diff", figureCI(d.Diff, d.CI)), fault.P("n", d.N)))
			}
			e.printUnscored(out.Unscored)
			e.judgeWarnings(out.Warnings)
			return nil
		},
	}
	e.judgeFlags(c, &r.Model, &r.Fresh)
	return c
}
