package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
)

func (e *env) chunks() *cobra.Command {
	var kb, doc string
	export := &cobra.Command{
		Use: "export --kb K [--doc D]", Short: e.t("short.chunks.export"), Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.ExportChunks(c.Context(), api.ExportChunksRequest{KB: kb, Ref: doc})
			if err != nil {
				return err
			}
			return e.writeLines(out.Chunks)
		},
	}
	export.Flags().StringVar(&doc, "doc", "", e.t("flag.doc"))
	var imp api.ImportChunksRequest
	load := &cobra.Command{
		Use: "import --kb K FILE", Short: e.t("short.chunks.import"), Args: arguments(1, "FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			imp.KB, imp.File = kb, args[0]
			s, err := e.open()
			if err != nil {
				return err
			}
			j, err := s.StartImportChunks(c.Context(), imp)
			if err != nil {
				return err
			}
			return e.follow(c.Context(), j)
		},
	}
	load.Flags().StringVar(&imp.Embedder, "embedder", "", e.t("flag.embedder"))
	g := e.group("chunks", "short.chunks-group", export, load, e.preview(&kb))
	g.PersistentFlags().StringVar(&kb, "kb", "", e.t("flag.kb"))
	return g
}

func (e *env) preview(kb *string) *cobra.Command {
	var r api.PreviewChunksRequest
	var size, overlap int
	c := &cobra.Command{
		Use: "preview [--kb K] FILE", Short: e.t("short.chunks.preview"),
		Args: func(c *cobra.Command, args []string) error {
			if r.Ref != "" {
				return noArguments(c, args)
			}
			return arguments(1, "FILE")(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			r.KB, r.File = *kb, strings.Join(args, "")
			r.ChunkSize, r.ChunkOverlap = optional(c, "chunk-size", size), optional(c, "chunk-overlap", overlap)
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.PreviewChunks(c.Context(), r)
			if err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(out) })
			}
			for _, ch := range out.Chunks {
				e.line("%s  %s", e.bold(fmt.Sprintf("#%d", ch.Ordinal+1)), e.dim(e.t("preview",
					fault.P("start", ch.Span.Start), fault.P("end", ch.Span.End), fault.P("tokens", ch.Tokens), fault.P("overlap", ch.Overlap),
					fault.P("headings", strings.Join(ch.Headings, " > ")))))
				e.line("%s\n", ch.Text)
			}
			return nil
		},
	}
	f := c.Flags()
	f.StringVar(&r.Ref, "doc", "", e.t("flag.doc"))
	f.StringVar(&r.Chunker, "chunker", "", e.t("flag.chunker"))
	f.IntVar(&size, "chunk-size", 0, e.t("flag.chunk-size"))
	f.IntVar(&overlap, "chunk-overlap", 0, e.t("flag.chunk-overlap"))
	return c
}
