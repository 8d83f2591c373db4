package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/i18n"
)

// labelStates are what a person writes into an exported line.
const labelStates = "supported, contradicted, unverifiable, abstained, unclear"

func (e *env) labels() *cobra.Command {
	return e.group("labels", "short.labels-group", e.labelsExport(), e.labelsImport(), e.labelsAgreement(), e.labelsList())
}

// firstOf is the one argument of a command that can do without.
func firstOf(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

func (e *env) labelsExport() *cobra.Command {
	var r api.ExportLabelsRequest
	c := &cobra.Command{
		Use: "export [RUN|VERDICTS]", Short: e.t("short.labels.export"), Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			r.Source = firstOf(args)
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.ExportLabels(c.Context(), r)
			if err != nil {
				return err
			}
			fmt.Fprintln(e.err, e.t("labels.exported", fault.P("claims", out.Claims), fault.P("answers", out.Answers), fault.P("of", out.Of), fault.P("states", labelStates)))
			for _, reason := range sorted(out.Left) {
				fmt.Fprintln(e.err, e.t("labels.left", fault.P("n", out.Left[reason]), fault.P("reason", e.agreementText("left."+reason))))
			}
			_, err = fmt.Fprint(e.out, out.Content)
			return err
		},
	}
	f := c.Flags()
	f.StringVar(&r.Sample, "sample", "", e.t("flag.sample"))
	f.Uint64Var(&r.Seed, "seed", 0, e.t("flag.sample-seed"))
	return c
}

func (e *env) labelsImport() *cobra.Command {
	var r api.ImportLabelsRequest
	c := &cobra.Command{
		Use: "import FILE", Short: e.t("short.labels.import"), Args: arguments(1, "FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			r.File = args[0]
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.ImportLabels(c.Context(), r)
			if err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(out) })
			}
			e.line("%s", e.t("labels.imported", fault.P("lines", out.Lines), fault.P("added", out.Added),
				fault.P("changed", out.Changed), fault.P("unchanged", out.Unchanged), fault.P("blank", out.Blank)))
			return nil
		},
	}
	c.Flags().StringVar(&r.By, "by", "", e.t("flag.by"))
	return c
}

func (e *env) labelsList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: e.t("short.labels.list"), Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.Labels(c.Context(), api.LabelsRequest{})
			if err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(out) })
			}
			if out.Claims == 0 {
				e.line("%s", e.t("labels.none"))
			}
			for _, p := range out.People {
				e.line("%s", e.t("labels.person", fault.P("by", p.By), fault.P("n", p.Labels), fault.P("at", p.Last.Local().Format("2006-01-02 15:04"))))
			}
			for _, d := range out.Detectors {
				e.line("%s", e.t("labels.detector", fault.P("detector", d.Detector), fault.P("n", d.N),
					fault.P("kappa", figureCI(d.Kappa, d.CI)), fault.P("band", e.agreementText("band."+d.Band))))
			}
			return nil
		},
	}
}

func (e *env) labelsAgreement() *cobra.Command {
	var r api.AgreementRequest
	most := 0
	c := &cobra.Command{
		Use: "agreement [RUN|VERDICTS]", Short: e.t("short.labels.agreement"), Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			r.Source = firstOf(args)
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.Agreement(c.Context(), r)
			if err != nil {
				return err
			}
			differ := api.Disagreements{Items: []api.Disagreement{}}
			if most > 0 {
				if differ, err = s.Disagreements(c.Context(), api.DisagreementsRequest{AgreementRequest: r, Limit: most}); err != nil {
					return err
				}
			}
			if e.json {
				return e.writeJSON(struct {
					api.AgreementReport
					Items []api.Disagreement `json:"items"`
				}{out, differ.Items})
			}
			e.printAgreement(out)
			for _, d := range differ.Items {
				e.printDisagreement(d)
			}
			return nil
		},
	}
	f := c.Flags()
	f.StringVar(&r.Detector, "detector", "", e.t("flag.agreement-detector"))
	f.StringVar(&r.By, "by", "", e.t("flag.by"))
	f.StringVar(&r.Against, "against", "", e.t("flag.against"))
	f.Uint64Var(&r.Seed, "seed", 0, e.t("flag.seed"))
	naturalVar(f, &most, "disagreements", 0, e.t("flag.disagreements"))
	return c
}

// agreementText words a code of an agreement, such as "band.reliable".
func (e *env) agreementText(code string) string { return i18n.Text(e.lang, "agreement."+code) }

// figureCI prints a value with its interval.
func figureCI[I ~[2]float64](v *float64, ci *I) string {
	if v == nil {
		return "—"
	}
	s := strconv.FormatFloat(*v, 'f', 3, 64)
	if ci != nil {
		s += fmt.Sprintf(" [%.3f, %.3f]", (*ci)[0], (*ci)[1])
	}
	return s
}

func share(v *float64) string { return figureCI[[2]float64](v, nil) }

func (e *env) printAgreement(r api.AgreementReport) {
	a := r.A.Name
	if a == "" {
		a = e.t("labels.everyone", fault.P("n", r.A.People))
	}
	e.line("%s", e.bold(e.t("labels.compared", fault.P("a", a), fault.P("b", r.B.Name), fault.P("n", r.N))))
	band := e.agreementText("band." + r.Band)
	switch r.Band {
	case "reliable":
		band = e.good(band)
	case "mend_prompt":
		band = e.bad(band)
	}
	if r.Reason != "" {
		band += " (" + e.agreementText("reason."+r.Reason) + ")"
	}
	e.line("%s", e.t("labels.band", fault.P("kappa", figureCI(r.Kappa, r.CI)), fault.P("band", band)))
	for _, w := range r.Warnings {
		e.line("  %s", e.hot(e.agreementText("warning."+w)))
	}
	for _, reason := range sorted(r.Left) {
		e.line("  %s", e.t("labels.left-out", fault.P("n", r.Left[reason]), fault.P("reason", e.agreementText("left."+reason))))
	}
	if r.N == 0 {
		return
	}
	for _, k := range r.Kappas[1:] {
		e.line("  %s", e.t("labels.kappa", fault.P("name", e.agreementText("kappa."+k.Name)), fault.P("weights", e.agreementText("weights."+k.Weights)),
			fault.P("kappa", figureCI(k.Kappa, k.CI)), fault.P("n", k.N), fault.P("observed", share(k.Observed)), fault.P("expected", share(k.Expected))))
	}
	e.line("%s", e.t("labels.prevalence", fault.P("a", a), fault.P("value", figureCI(r.Prevalence.Value, r.Prevalence.CI))))
	for _, c := range r.Classes {
		e.line("  %s", e.t("labels.rates", fault.P("class", e.agreementText("class."+c.Class)), fault.P("tpr", figureCI(c.Sensitivity.Value, c.Sensitivity.CI)),
			fault.P("tnr", figureCI(c.Specificity.Value, c.Specificity.CI)), fault.P("precision", figureCI(c.Precision.Value, c.Precision.CI))))
	}
	for _, l := range r.Languages {
		if len(r.Languages) > 1 {
			e.line("  %s", e.t("labels.language", fault.P("lang", strings.ToUpper(l.Lang)), fault.P("n", l.N), fault.P("kappa", figureCI(l.Kappa, l.CI)), fault.P("band", e.agreementText("band."+l.Band))))
		}
	}
	for _, m := range r.Corrected {
		value := figureCI(m.Value, m.CI)
		if m.Reason != "" {
			value += " (" + e.agreementText("reason."+m.Reason) + ")"
		}
		e.line("%s", e.t("labels.corrected", fault.P("metric", m.Metric), fault.P("raw", figureCI(m.Raw, m.RawCI)), fault.P("value", value), fault.P("labelled", m.Labelled), fault.P("n", m.N)))
	}
	if r.Ceiling != nil {
		e.line("%s", e.t("labels.ceiling", fault.P("kappa", figureCI(r.Ceiling.Kappa, r.Ceiling.CI)), fault.P("n", r.Ceiling.N)))
	}
	e.line("%s", e.t("labels.disagreements", fault.P("n", r.Disagreements)))
}

func (e *env) printDisagreement(d api.Disagreement) {
	e.line("  %s ≠ %s  %s", e.agreementText("class."+d.A), e.agreementText("class."+d.B), clip(oneLine(d.Item.Claim), e.width-30))
	if d.Verdict != nil && d.Verdict.Message != "" {
		e.line("    %s", e.dim(d.Verdict.Message))
	}
}
