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

func (e *env) docs() *cobra.Command {
	var kb string
	var only []string
	listing := &cobra.Command{
		Use: "list --kb K", Short: e.t("short.docs.list"), Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.ListDocuments(c.Context(), api.ListDocumentsRequest{KB: kb, Status: only})
			if err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(out) })
			}
			for _, d := range out.Documents {
				e.printDocument(d)
			}
			e.printSummary(out.Summary)
			return nil
		},
	}
	listing.Flags().StringSliceVar(&only, "status", nil, e.t("flag.status", fault.P("known", strings.Join(rag.Statuses(), ", "))))
	text := &cobra.Command{
		Use: "text --kb K SOURCE|ID", Short: e.t("short.docs.text"), Args: arguments(1, "SOURCE"),
		RunE: func(c *cobra.Command, args []string) error {
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.DocumentText(c.Context(), api.DocumentTextRequest{KB: kb, Ref: args[0]})
			if err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(out) })
			}
			_, err = fmt.Fprint(e.out, out.Text)
			return err
		},
	}
	var yes bool
	rm := &cobra.Command{
		Use: "rm --kb K SOURCE|ID…", Short: e.t("short.docs.rm"), Args: arguments(-1, "SOURCE"),
		RunE: func(c *cobra.Command, args []string) error {
			s, err := e.open()
			if err != nil {
				return err
			}
			r := api.RemoveDocumentsRequest{KB: kb, Refs: args, DryRun: true}
			out, err := s.RemoveDocuments(c.Context(), r)
			if err != nil {
				return err
			}
			if err := e.confirm(yes, e.t("confirm.docs", fault.P("docs", strings.Join(out.Removed, ", ")), fault.P("kb", kb))); err != nil {
				return err
			}
			r.DryRun = false
			out, err = s.RemoveDocuments(c.Context(), r)
			if err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(out) })
			}
			slices.Sort(out.Removed)
			for _, source := range out.Removed {
				e.line("%s  %s", e.t("status."+rag.StatusRemoved), source)
			}
			return nil
		},
	}
	rm.Flags().BoolVar(&yes, "yes", false, e.t("flag.yes"))
	g := e.group("docs", "short.docs-group", listing, text, rm)
	g.PersistentFlags().StringVar(&kb, "kb", "", e.t("flag.kb"))
	return g
}

func (e *env) kb() *cobra.Command {
	listing := &cobra.Command{
		Use: "list", Short: e.t("short.kb.list"), Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.ListKBs(c.Context(), api.ListKBsRequest{})
			if err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(out) })
			}
			if len(out.KBs) == 0 {
				e.line("%s", e.t("kb.none"))
			}
			for _, k := range out.KBs {
				e.line("%s  %s", e.bold(k.KB), e.t("kb.line", fault.P("documents", k.Documents), fault.P("chunks", k.Chunks),
					fault.P("embedder", k.Embedder), fault.P("chunker", k.Chunker), fault.P("size", k.ChunkSize), fault.P("overlap", k.ChunkOverlap)))
				e.printTuned(k.Tuned)
			}
			return nil
		},
	}
	var yes bool
	rm := &cobra.Command{
		Use: "rm NAME", Short: e.t("short.kb.rm"), Args: arguments(1, "NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			s, err := e.open()
			if err != nil {
				return err
			}
			known, err := s.ListKBs(c.Context(), api.ListKBsRequest{})
			if err != nil {
				return err
			}
			there := slices.ContainsFunc(known.KBs, func(k api.KB) bool { return k.KB == args[0] })
			if err := e.confirm(yes || !there, e.t("confirm.kb", fault.P("kb", args[0]))); err != nil {
				return err
			}
			out, err := s.RemoveKB(c.Context(), api.RemoveKBRequest{KB: args[0]})
			if err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(out) })
			}
			e.line("%s", e.t("kb.removed", fault.P("kb", out.Removed), fault.P("documents", out.Documents), fault.P("chunks", out.Chunks)))
			return nil
		},
	}
	rm.Flags().BoolVar(&yes, "yes", false, e.t("flag.yes"))
	return e.group("kb", "short.kb-group", listing, rm, e.reindex(), e.words())
}
