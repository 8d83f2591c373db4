package cli

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
)

func (e *env) bundle() *cobra.Command {
	return e.group("bundle", "short.bundle-group", e.bundleExport(), e.bundleImport(), e.bundleShow(), e.bundleList(), e.bundleRemove())
}

func (e *env) bundleExport() *cobra.Command {
	var r api.ExportBundleRequest
	c := &cobra.Command{
		Use: "export [FILE]", Short: e.t("short.bundle.export"), Long: e.t("long.bundle-export"), Args: atMost(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				r.File = args[0]
			}
			s, err := e.open()
			if err != nil {
				return err
			}
			j, err := s.StartExportBundle(c.Context(), r)
			if err != nil {
				return err
			}
			if j, err = e.done(c.Context(), j); err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(j.Exported) })
			}
			e.line("%s", e.bold(e.t("bundle.exported", fault.P("file", j.Exported.Bundle.File), fault.P("size", megabytes(j.Exported.Bundle.Bytes)))))
			e.printBundle(j.Exported.Bundle)
			e.printNotices(j.Exported.Warnings)
			return nil
		},
	}
	f := c.Flags()
	f.StringSliceVar(&r.Models, "models", nil, e.t("flag.bundle-models"))
	f.BoolVar(&r.NoPaths, "no-paths", false, e.t("flag.no-paths"))
	f.BoolVar(&r.Overwrite, "overwrite", false, e.t("flag.overwrite"))
	return c
}

// atMost accepts up to n arguments.
func atMost(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) <= n {
			return nil
		}
		return arguments(n, "")(c, args)
	}
}

func (e *env) bundleImport() *cobra.Command {
	var replace, add, yes bool
	c := &cobra.Command{
		Use: "import FILE [--replace|--add]", Short: e.t("short.bundle.import"), Long: e.t("long.bundle-import"), Args: arguments(1, "FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			r := api.ImportBundleRequest{File: args[0]}
			switch {
			case replace && add:
				return fault.New("flags_conflict", fault.P("one", "--replace"), fault.P("other", "--add"))
			case replace:
				r.Mode = "replace"
			case add:
				r.Mode = "add"
			}
			s, err := e.open()
			if err != nil {
				return err
			}
			if replace {
				if err := e.confirmReplace(c, s, r.File, yes); err != nil {
					return err
				}
			}
			j, err := s.StartImportBundle(c.Context(), r)
			if err != nil {
				return err
			}
			if j, err = e.done(c.Context(), j); err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(j.Restored) })
			}
			e.printRestored(*j.Restored)
			return nil
		},
	}
	f := c.Flags()
	f.BoolVar(&replace, "replace", false, e.t("flag.bundle-replace"))
	f.BoolVar(&add, "add", false, e.t("flag.bundle-add"))
	f.BoolVar(&yes, "yes", false, e.t("flag.yes"))
	return c
}

// confirmReplace names what would be replaced, and asks, unless nothing would.
func (e *env) confirmReplace(c *cobra.Command, s api.Service, file string, yes bool) error {
	in, err := s.InspectBundle(c.Context(), api.BundleRequest{File: file})
	if err != nil || in.Empty {
		return err
	}
	return e.confirm(yes, e.t("confirm.bundle", fault.P("kbs", len(in.Here.KBs)), fault.P("datasets", len(in.Here.Datasets)),
		fault.P("runs", in.Here.Counts.Runs), fault.P("labels", in.Here.Counts.Labels), fault.P("file", file)))
}

func (e *env) printRestored(r api.BundleImport) {
	e.line("%s", e.bold(e.t("bundle.restored."+r.Mode, fault.P("file", r.File))))
	e.printKBs(r.KBs)
	for _, d := range r.Datasets {
		switch {
		case d.As == nil:
			e.line("  %s", e.dim(e.t("bundle.dataset-kept", fault.P("dataset", d.Dataset))))
		case *d.As != d.Dataset:
			e.line("  %s → %s", d.Dataset, e.bold(*d.As))
		}
	}
	for _, m := range r.Models {
		e.line("  %s  %s", m.Model, e.dim(e.t("bundle.model."+m.State)))
	}
	e.line("  %s", e.dim(e.counts(r.Counts, len(r.Datasets))))
	e.printNotices(r.Warnings)
	if r.Undo != nil {
		e.line("%s", e.t("bundle.undo", fault.P("file", *r.Backup)))
		e.line("  %s", e.bold(*r.Undo))
	}
}

func (e *env) printKBs(kbs []api.BundleKB) {
	for _, kb := range kbs {
		name := kb.KB
		if kb.As != nil && *kb.As != kb.KB {
			name += " → " + *kb.As
		}
		state := ""
		if kb.State != "ready" {
			state = e.t("bundle.state." + kb.State)
		}
		e.line("  %s  %s", e.bold(name), e.dim(e.t("bundle.kb", fault.P("documents", kb.Documents), fault.P("chunks", kb.Chunks),
			fault.P("embedder", kb.Embedder), fault.P("state", state))))
	}
}

func (e *env) counts(n api.BundleCounts, datasets int) string {
	return e.t("bundle.counts", fault.P("datasets", datasets), fault.P("runs", n.Runs), fault.P("labels", n.Labels), fault.P("ratings", n.Ratings),
		fault.P("prompts", n.Prompts), fault.P("replies", n.Replies), fault.P("uploads", n.Uploads))
}

func (e *env) printBundle(b api.BundleInfo) {
	e.printKBs(b.KBs)
	for _, m := range b.Models {
		e.line("  %s  %s", m, e.dim(e.t("bundle.model.in")))
	}
	e.line("  %s", e.dim(e.counts(b.Counts, len(b.Datasets))))
}

func (e *env) printNotices(notices []api.Notice) {
	for _, n := range notices {
		e.line("%s", e.hot(e.warning(n)))
	}
}

func (e *env) bundleShow() *cobra.Command {
	return &cobra.Command{
		Use: "show FILE", Short: e.t("short.bundle.show"), Args: arguments(1, "FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.InspectBundle(c.Context(), api.BundleRequest{File: args[0]})
			if err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(out) })
			}
			e.bundleLine(out.Bundle)
			e.printBundle(out.Bundle)
			e.printNotices(out.Warnings)
			return nil
		},
	}
}

func (e *env) bundleLine(b api.BundleInfo) {
	e.line("%s  %s", e.bold(filepath.Base(b.File)), e.dim(strings.Join([]string{b.Created, megabytes(b.Bytes), "ragdesk " + b.Program}, " · ")))
}

func (e *env) bundleList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: e.t("short.bundle.list"), Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.ListBundles(c.Context(), api.ListBundlesRequest{})
			if err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(out) })
			}
			for _, b := range out.Bundles {
				e.bundleLine(b)
				e.printKBs(b.KBs)
			}
			for _, name := range out.Broken {
				e.line("%s  %s", name, e.bad(e.t("bundle.broken")))
			}
			e.line("%s", e.dim(out.Folder))
			return nil
		},
	}
}

func (e *env) bundleRemove() *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use: "rm FILE", Short: e.t("short.bundle.rm"), Args: arguments(1, "FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := e.confirm(yes, e.t("confirm.backup", fault.P("file", args[0]))); err != nil {
				return err
			}
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.RemoveBundle(c.Context(), api.BundleRequest{File: args[0]})
			if err != nil || e.json {
				return cmpErr(err, func() error { return e.writeJSON(out) })
			}
			e.line("%s", e.t("bundle.removed", fault.P("file", out.Removed), fault.P("size", megabytes(out.Bytes))))
			return nil
		},
	}
	c.Flags().BoolVar(&yes, "yes", false, e.t("flag.yes"))
	return c
}
