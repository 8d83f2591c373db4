package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
)

func (e *env) engine() *cobra.Command {
	return e.group("engine", "short.engine-group", e.engineStatus())
}

func (e *env) engineStatus() *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: e.t("short.engine.status"), Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.EngineStatus(c.Context(), api.EngineStatusRequest{Wake: true})
			if err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(out) })
			}
			e.printEngine(out)
			return nil
		},
	}
}

// printEngine shows a host and its models. Without one it says what to do.
func (e *env) printEngine(s api.EngineStatus) {
	about := []string{e.t("engine.state." + s.State)}
	if s.Host != nil {
		about = append(about, *s.Host)
	}
	if s.Version != nil {
		about = append(about, *s.Version)
	}
	if s.Remote {
		about = append(about, e.t("engine.remote"))
	}
	e.line("%s  %s", e.bold(e.t("engine.source."+s.Source)), strings.Join(about, " · "))
	if s.Error != nil {
		e.line("%s", s.Error.Message)
		return
	}
	if len(s.Models) == 0 {
		e.line("%s", e.t("engine.no-models"))
	}
	wide := 0
	for _, m := range s.Models {
		wide = max(wide, len(m.Name))
	}
	for _, m := range s.Models {
		facts := []string{megabytes(m.Bytes)}
		if m.Quantization != "" {
			facts = append(facts, m.Quantization)
		}
		if m.Context != nil {
			facts = append(facts, e.t("engine.context", fault.P("tokens", *m.Context)))
		}
		if m.Loaded != nil {
			facts = append(facts, e.t("engine.loaded", fault.P("size", megabytes(*m.Loaded))))
		} else {
			facts = append(facts, e.t("engine.memory", fault.P("size", megabytes(m.Memory))))
		}
		if !m.Chat {
			facts = append(facts, e.t("engine.no-chat"))
		}
		if m.Demonstration {
			facts = append(facts, e.t("demonstration"))
		}
		e.line("  %s  %s", pad(m.Name, wide), strings.Join(facts, " · "))
	}
	if s.FreeMemory != nil {
		e.line("%s", e.dim(e.t("engine.free", fault.P("size", megabytes(*s.FreeMemory)))))
	}
	e.line("%s", e.dim(e.t("engine.default", fault.P("model", s.DefaultModel))))
}

// warnDemonstration warns of a model that is too small for its answers to be trusted.
func (e *env) warnDemonstration(is bool) {
	if is {
		e.line("%s", e.hot(e.t("demonstration-only")))
	}
}

// printAnsweredBy says what answered.
func (e *env) printAnsweredBy(model string, demonstration bool) {
	if model == "extractive" {
		e.line("%s", e.dim(e.t("answered-extractive")))
		return
	}
	e.line("%s", e.dim(e.t("answered-by", fault.P("model", model))))
	e.warnDemonstration(demonstration)
}

// printCitations shows what each sentence of an answer stands on.
func (e *env) printCitations(answer string, citations []api.Citation) {
	said := []rune(answer)
	for _, c := range citations {
		state := e.t("citation." + c.State)
		where := clip(oneLine(string(said[c.Claim.Start:c.Claim.End])), e.width/2)
		if c.Source != nil {
			where = *c.Source
		}
		if c.Span != nil {
			where += fmt.Sprintf(" %d–%d", c.Span.Start, c.Span.End)
		}
		if c.Marker > 0 {
			where = fmt.Sprintf("[%d] %s", c.Marker, where)
		}
		e.line("%s", e.dim(fmt.Sprintf("%s (%s)", where, state)))
	}
}

// printWarnings says what was not found or what a model did not see.
func (e *env) printWarnings(warnings []api.Notice) {
	for _, w := range warnings {
		e.line("%s", e.hot(e.warning(w)))
	}
}
