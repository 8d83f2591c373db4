package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

func (e *env) models() *cobra.Command {
	return e.group("models", "short.models-group", e.modelsList(), e.modelsPull(), e.modelsImport(), e.modelsRemove(), e.modelsVerify(), e.modelsMeasure())
}

func (e *env) modelsList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: e.t("short.models.list"), Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.ListModels(c.Context(), api.ListModelsRequest{})
			if err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(out) })
			}
			e.printModels(out)
			return nil
		},
	}
}

// printModels shows what is there first, then what can be had.
func (e *env) printModels(out api.ModelList) {
	wide := 0
	for _, m := range out.Models {
		wide = max(wide, len(m.Name))
	}
	for _, there := range []bool{true, false} {
		heading := "models.offered"
		if there {
			heading = "models.here"
		}
		e.line("%s", e.bold(e.t(heading)))
		for _, m := range out.Models {
			if m.Installed == there {
				e.printModel(m, wide)
			}
		}
		e.line("")
	}
	if out.ChatError != nil {
		e.line("%s", e.bad(out.ChatError.Message))
	}
	e.line("%s", e.dim(e.t("models.defaults", fault.P("embedder", out.DefaultEmbedder), fault.P("reranker", out.DefaultReranker),
		fault.P("model", out.DefaultModel))))
	e.line("%s", e.dim(e.t("models.where", fault.P("folder", out.Folder), fault.P("hub", out.Hub))))
}

func (e *env) printModel(m api.Model, wide int) {
	facts := []string{megabytes(m.Bytes), strings.Join(m.Precisions, "/")}
	if len(m.Languages) > 0 {
		facts = append(facts, strings.Join(m.Languages, "/"))
	}
	if m.Licence != "" {
		facts = append(facts, m.Licence)
	}
	if m.Bundled {
		facts = append(facts, e.t("models.bundled"))
	}
	if m.Kind == kindChat {
		facts = append(facts, e.chatFacts(m)...)
	}
	e.line("  %s  %s  %s", pad(m.Name, wide), pad(e.t("models.kind."+m.Kind), kindWidth), strings.Join(facts, " · "))
	e.line("  %s  %s", pad("", wide), e.dim(m.About))
	if m.Error != nil {
		e.line("  %s  %s", pad("", wide), e.bad(m.Error.Message))
	}
}

// kindChat is the kind of a language model.
const kindChat = "chat"

// chatFacts are what only a language model has: its window, the memory that it takes
// and whether this machine has that, where it is, and whether it is to be trusted.
func (e *env) chatFacts(m api.Model) []string {
	var facts []string
	if m.Limit != nil {
		facts = append(facts, e.t("engine.context", fault.P("tokens", *m.Limit)))
	}
	if m.Memory != nil {
		memory := e.t("engine.memory", fault.P("size", megabytes(*m.Memory)))
		if m.Fit != nil && (*m.Fit == "tight" || *m.Fit == "none") {
			memory += " (" + e.t("models.fit."+*m.Fit) + ")"
		}
		facts = append(facts, memory)
	}
	if m.Host != nil {
		facts = append(facts, e.t("engine.source."+*m.Host))
	}
	if m.Demonstration {
		facts = append(facts, e.t("demonstration"))
	}
	return facts
}

// kindWidth is the columns of the longest kind.
const kindWidth = 8

// megabytes is a size for a person; below one, in kilobytes.
func megabytes(n int64) string {
	if n < 1e6 {
		return fmt.Sprintf("%.0f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.0f MB", float64(n)/1e6)
}

func (e *env) modelsPull() *cobra.Command {
	var r api.PullModelRequest
	c := &cobra.Command{
		Use: "pull NAME", Short: e.t("short.models.pull"), Args: arguments(1, "NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			r.Name = args[0]
			s, err := e.open()
			if err != nil {
				return err
			}
			j, err := s.StartPullModel(c.Context(), r)
			if err != nil {
				return err
			}
			return e.modelDone(c, j)
		},
	}
	c.Flags().StringVar(&r.Mirror, "mirror", "", e.t("flag.mirror"))
	c.Flags().StringVar(&r.Precision, "precision", "", e.t("flag.precision"))
	return c
}

func (e *env) modelsImport() *cobra.Command {
	var r api.ImportModelRequest
	c := &cobra.Command{
		Use: "import FOLDER|BUNDLE|FILE.gguf", Short: e.t("short.models.import"), Args: arguments(1, "PATH"),
		RunE: func(c *cobra.Command, args []string) error {
			r.Path = args[0]
			s, err := e.open()
			if err != nil {
				return err
			}
			j, err := s.StartImportModel(c.Context(), r)
			if err != nil {
				return err
			}
			return e.modelDone(c, j)
		},
	}
	c.Flags().StringVar(&r.Name, "name", "", e.t("flag.model-name"))
	return c
}

// modelDone waits for a job that installs a model and prints the model.
func (e *env) modelDone(c *cobra.Command, j api.Job) error {
	j, err := e.done(c.Context(), j)
	if err != nil {
		return err
	}
	if e.json {
		return e.writeJSON(j.Model)
	}
	if j.Model.Kind == kindChat {
		e.line("%s", e.good(e.t("models.chat-installed", fault.P("model", j.Model.Name), fault.P("size", megabytes(j.Model.Bytes)),
			fault.P("host", e.t("engine.source."+*j.Model.Host)))))
		e.line("%s", e.dim(e.t("models.use-chat", fault.P("model", j.Model.Name))))
		e.warnDemonstration(j.Model.Demonstration)
		return nil
	}
	e.line("%s", e.good(e.t("models.installed", fault.P("model", j.Model.Name), fault.P("size", megabytes(j.Model.Bytes)),
		fault.P("precisions", strings.Join(j.Model.Precisions, "/")), fault.P("folder", *j.Model.Path))))
	e.line("%s", e.dim(e.t("models.use-"+j.Model.Kind, fault.P("model", j.Model.Name))))
	return nil
}

func (e *env) modelsRemove() *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use: "rm NAME", Short: e.t("short.models.rm"), Args: arguments(1, "NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			s, err := e.open()
			if err != nil {
				return err
			}
			known, err := s.ListModels(c.Context(), api.ListModelsRequest{})
			if err != nil {
				return err
			}
			there := slices.ContainsFunc(known.Models, func(m api.Model) bool { return strings.EqualFold(m.Name, args[0]) })
			if err := e.confirm(yes || !there, e.t("confirm.model", fault.P("model", args[0]))); err != nil {
				return err
			}
			out, err := s.RemoveModel(c.Context(), api.ModelRequest{Name: args[0]})
			if err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(out) })
			}
			e.line("%s", e.t("models.removed", fault.P("model", out.Removed), fault.P("size", megabytes(out.Bytes))))
			if len(out.KBs) > 0 {
				e.line("%s", e.hot(e.t("models.orphans", fault.P("kbs", strings.Join(out.KBs, ", ")))))
			}
			return nil
		},
	}
	c.Flags().BoolVar(&yes, "yes", false, e.t("flag.yes"))
	return c
}

func (e *env) modelsVerify() *cobra.Command {
	return &cobra.Command{
		Use: "verify [NAME]", Short: e.t("short.models.verify"), Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			s, err := e.open()
			if err != nil {
				return err
			}
			j, err := s.StartVerifyModels(c.Context(), api.ModelRequest{Name: strings.Join(args, "")})
			if err != nil {
				return err
			}
			if j, err = e.done(c.Context(), j); err != nil {
				return err
			}
			if !j.Verified.OK {
				e.code = exitError
			}
			if e.json {
				return e.writeJSON(j.Verified)
			}
			if len(j.Verified.Models) == 0 {
				e.line("%s", e.t("models.none"))
			}
			for _, m := range j.Verified.Models {
				status := e.good(e.t("check.ok"))
				if m.Error != nil {
					status = e.bad(e.t("check.failed"))
				}
				e.line("%s  %s  %s", status, m.Name, e.dim(e.t("models.files", fault.P("files", m.Files), fault.P("size", megabytes(m.Bytes)))))
				if m.Error != nil {
					e.line("    %s", m.Error.Message)
				}
			}
			return nil
		},
	}
}

func (e *env) modelsMeasure() *cobra.Command {
	var r api.MeasureRerankerRequest
	c := &cobra.Command{
		Use: "measure [RERANKER]", Short: e.t("short.models.measure"), Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			r.Reranker = strings.Join(args, "")
			s, err := e.open()
			if err != nil {
				return err
			}
			j, err := s.StartMeasureReranker(c.Context(), r)
			if err != nil {
				return err
			}
			if j, err = e.done(c.Context(), j); err != nil {
				return err
			}
			if e.json {
				return e.writeJSON(j.Speed)
			}
			e.line("%s", e.t("models.speed", fault.P("model", j.Speed.Reranker), fault.P("depth", j.Speed.Depth),
				fault.P("seconds", fmt.Sprintf("%.2f", j.Speed.SecondsPerQuery)), fault.P("ms", fmt.Sprintf("%.1f", j.Speed.MSPerPair)),
				fault.P("tokens", j.Speed.Tokens)))
			return nil
		},
	}
	naturalVar(c.Flags(), &r.Depth, "depth", rag.DefaultRerankDepth, e.t("flag.depth"))
	return c
}

// reindex is kb reindex.
func (e *env) reindex() *cobra.Command {
	var r api.ReindexRequest
	var size, overlap int
	c := &cobra.Command{
		Use: "reindex --kb K", Short: e.t("short.kb.reindex"), Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			r.ChunkSize, r.ChunkOverlap = optional(c, "chunk-size", size), optional(c, "chunk-overlap", overlap)
			s, err := e.open()
			if err != nil {
				return err
			}
			j, err := s.StartReindex(c.Context(), r)
			if err != nil {
				return err
			}
			return e.follow(c.Context(), j)
		},
	}
	f := c.Flags()
	f.StringVar(&r.KB, "kb", "", e.t("flag.kb"))
	f.StringVar(&r.Embedder, "embedder", "", e.t("flag.reindex-embedder"))
	f.StringVar(&r.Chunker, "chunker", "", e.t("flag.chunker"))
	f.IntVar(&size, "chunk-size", 0, e.t("flag.chunk-size"))
	f.IntVar(&overlap, "chunk-overlap", 0, e.t("flag.chunk-overlap"))
	return c
}
