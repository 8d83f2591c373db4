package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

func (e *env) tune() *cobra.Command {
	var r api.TuneRequest
	var candidates, depth int
	var forget bool
	c := &cobra.Command{
		Use: "tune --kb K --dataset FILE|NAME", Short: e.t("short.tune"), Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if forget {
				for _, other := range []string{"dataset", "save"} {
					if c.Flags().Changed(other) {
						return fault.New("flags_conflict", fault.P("one", "--forget"), fault.P("other", "--"+other))
					}
				}
				return e.forgetTuning(c, r.KB)
			}
			if err := named(c, "strategies", r.Strategies); err != nil {
				return err
			}
			r.Candidates, r.RerankDepth = optional(c, "candidates", candidates), optional(c, "rerank-depth", depth)
			s, err := e.open()
			if err != nil {
				return err
			}
			j, err := s.StartTune(c.Context(), r)
			if err != nil {
				return err
			}
			if j, err = e.done(c.Context(), j); err != nil {
				return err
			}
			if e.json {
				return e.writeJSON(j.Tune)
			}
			return e.printTuning(r.Save, *j.Tune)
		},
	}
	f := c.Flags()
	f.StringVar(&r.KB, "kb", "", e.t("flag.kb"))
	f.StringVar(&r.Dataset, "dataset", "", e.t("flag.dataset"))
	f.StringSliceVar(&r.Strategies, "strategies", nil, e.t("flag.tune-strategies"))
	f.Float64SliceVar(&r.Alphas, "alphas", nil, e.t("flag.alphas"))
	f.StringVar(&r.Baseline, "baseline", "", e.t("flag.tune-baseline"))
	f.IntVar(&candidates, "candidates", 0, e.t("flag.candidates", fault.P("default", rag.DefaultCandidates)))
	f.StringVar(&r.Reranker, "reranker", "", e.t("flag.reranker"))
	f.IntVar(&depth, "rerank-depth", 0, e.t("flag.rerank-depth", fault.P("default", rag.DefaultRerankDepth)))
	f.StringVar(&r.Primary, "primary", "", e.t("flag.primary"))
	f.StringVar(&r.Gain, "gain", "", e.t("flag.gain"))
	f.StringVar(&r.Relevance, "relevance", "", e.t("flag.relevance"))
	f.StringVar(&r.Unit, "unit", "", e.t("flag.unit"))
	f.Uint64Var(&r.Seed, "seed", 0, e.t("flag.tune-seed"))
	f.BoolVar(&r.Save, "save", false, e.t("flag.save"))
	f.BoolVar(&r.Unconfirmed, "unconfirmed", false, e.t("flag.unconfirmed"))
	f.BoolVar(&forget, "forget", false, e.t("flag.forget"))
	return c
}

// printTuning prints the candidates, the verdict, and what became of the winner.
func (e *env) printTuning(asked bool, r api.TuneReport) error {
	s, err := e.open()
	if err != nil {
		return err
	}
	if _, err = fmt.Fprint(e.out, s.TuneText(e.lang, r)); err != nil {
		return err
	}
	e.line("%s", e.dim(e.t("tune.runs", fault.P("n", len(r.HeldOut.Runs)))))
	switch {
	case r.Saved:
		e.line("%s", e.t("tune.kept", fault.P("kb", r.KB), fault.P("choice", tunedName(*r.Tuned))))
	case !asked:
		e.line("%s", e.dim(e.t("tune.not-asked")))
	default: // a winner that is not the baseline has a verdict
		e.line("%s", e.t("tune."+*r.Verdict))
	}
	return nil
}

func (e *env) forgetTuning(c *cobra.Command, kb string) error {
	s, err := e.open()
	if err != nil {
		return err
	}
	out, err := s.ForgetTuning(c.Context(), api.ForgetTuningRequest{KB: kb})
	if err != nil || e.json {
		return cmpErr(err, func() error { return e.writeJSON(out) })
	}
	if out.Forgotten == nil {
		e.line("%s", e.t("tune.nothing", fault.P("kb", out.KB)))
		return nil
	}
	e.line("%s", e.t("tune.forgotten", fault.P("kb", out.KB), fault.P("choice", tunedName(*out.Forgotten))))
	return nil
}

// printAuto says what "auto" stood for, where it was asked for.
func (e *env) printAuto(kb string, a *api.AutoChoice) {
	if a != nil {
		e.line("%s", e.dim(e.t("auto."+a.State, fault.P("choice", choiceName(*a)), fault.P("kb", kb))))
	}
}

// printTuned says what a library's "auto" is, where something was tuned.
func (e *env) printTuned(t *api.Tuned) {
	switch {
	case t == nil:
	case t.Stale:
		e.line("  %s", e.dim(e.t("tune.line-stale", fault.P("choice", tunedName(*t)))))
	default:
		verdict := "–"
		if t.Diff != nil && t.PAdj != nil {
			verdict = fmt.Sprintf("%+.3f, p %.3f", *t.Diff, *t.PAdj)
		}
		e.line("  %s", e.dim(e.t("tune.line", fault.P("choice", tunedName(*t)), fault.P("metric", t.Primary), fault.P("dataset", t.Dataset), fault.P("verdict", verdict))))
	}
}

func tunedName(t api.Tuned) string {
	return choiceName(api.AutoChoice{Strategy: t.Strategy, Alpha: t.Alpha, Reranker: t.Reranker})
}

// choiceName is a strategy with what differs from its defaults:
// "weighted+rerank, alpha 0.3, late-interaction".
func choiceName(a api.AutoChoice) string {
	parts := []string{a.Strategy}
	if a.Alpha != nil {
		parts = append(parts, fmt.Sprintf("alpha %g", *a.Alpha))
	}
	if a.Reranker != rag.RerankNone {
		parts = append(parts, a.Reranker)
	}
	return strings.Join(parts, ", ")
}
