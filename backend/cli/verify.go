package cli

import (
	"strconv"

	"github.com/spf13/cobra"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
)

func (e *env) verify() *cobra.Command {
	var r api.VerifyRequest
	c := &cobra.Command{
		Use: "verify ITEMS.jsonl", Short: e.t("short.verify"), Args: arguments(1, "ITEMS.jsonl"),
		RunE: func(c *cobra.Command, args []string) error {
			r.File = args[0]
			s, err := e.open()
			if err != nil {
				return err
			}
			j, err := s.StartVerify(c.Context(), r)
			if err != nil {
				return err
			}
			if j, err = e.done(c.Context(), j); err != nil {
				return err
			}
			for _, one := range append([]api.DetectorReport{j.Judged.DetectorReport}, j.Judged.Others...) {
				if one.Summary.Failed > 0 {
					e.code = exitPartial
				}
			}
			if e.json {
				return e.writeJSON(j.Judged)
			}
			e.printVerdicts(*j.Judged)
			return nil
		},
	}
	c.Flags().StringVar(&r.Detector, "detector", "", e.t("flag.detector"))
	c.Flags().StringVar(&r.Model, "model", "", e.t("flag.judge-model"))
	c.Flags().BoolVar(&r.Fresh, "fresh", false, e.t("flag.judge-fresh"))
	return c
}

// printVerdicts prints each answer with the claims that are not supported, and the
// figures.
func (e *env) printVerdicts(r api.VerifyReport) {
	e.printDetector(r.DetectorReport, len(r.Others) > 0)
	for _, one := range r.Others {
		e.line("")
		e.printDetector(one, true)
	}
	for _, a := range r.Agreement {
		e.line("%s", e.t("verify.agreement", fault.P("a", a.A), fault.P("b", a.B), fault.P("n", a.N),
			fault.P("agreed", figure(a.Agreed)), fault.P("kappa", figure(a.Kappa)), fault.P("differ", len(a.Differ))))
	}
}

// printDetector prints what one detector found, with its name where there are several.
func (e *env) printDetector(r api.DetectorReport, several bool) {
	if several {
		e.line("%s", e.bold(detectorName(r)))
	}
	for _, w := range r.Warnings {
		e.line("%s", e.hot(e.warning(w)))
	}
	for _, item := range r.Items {
		label := e.t("verdict." + item.Label)
		switch item.Label {
		case "faithful":
			label = e.good(label)
		case "hallucinated":
			label = e.bad(label)
		}
		score := "—"
		if item.Score != nil {
			score = strconv.FormatFloat(*item.Score, 'f', 2, 64)
		}
		e.line("%s  %s  %s  %s", label, score, e.bold(item.ID), item.Message)
		for _, c := range item.Claims {
			if c.Verdict == "supported" && item.Label != "hallucinated" {
				continue
			}
			e.line("    %s  %s", e.t("verdict."+c.Verdict), clip(oneLine(c.Text), e.width-20))
			if len(c.Evidence) > 0 {
				e.line("      %s", e.dim(clip(oneLine(c.Evidence[0].Text), e.width-10)))
			}
		}
	}
	e.printVerifySummary(r)
}

// detectorName is a detector with its model.
func detectorName(r api.DetectorReport) string {
	if r.Model == nil {
		return r.Detector
	}
	return r.Detector + ":" + *r.Model
}

func figure(v *float64) string {
	if v == nil {
		return "—"
	}
	return strconv.FormatFloat(*v, 'f', 3, 64)
}

func (e *env) printVerifySummary(r api.DetectorReport) {
	s := r.Summary
	e.line("")
	e.line("%s", e.t("verify.summary", fault.P("detector", detectorName(r)), fault.P("n", s.N), fault.P("scored", s.Scored),
		fault.P("coverage", figure(s.Coverage)), fault.P("hallucinated", figure(s.Hallucinated))))
	if s.Labelled > 0 {
		e.line("%s", e.t("verify.quality", fault.P("labelled", s.Labelled), fault.P("precision", figure(s.Precision)),
			fault.P("recall", figure(s.Recall)), fault.P("f1", figure(s.F1)), fault.P("balanced", figure(s.BalancedAccuracy)), fault.P("kappa", figure(s.Kappa))))
	}
	for _, reason := range sorted(s.Unscored) {
		e.line("%s", e.t("verify.unscored", fault.P("n", s.Unscored[reason]), fault.P("reason", reason)))
	}
}
