package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/i18n"
	"ragdesk/backend/rag"
)

// optional returns a pointer to v when the flag was given.
func optional[T any](c *cobra.Command, flag string, v T) *T {
	if !c.Flags().Changed(flag) {
		return nil
	}
	return &v
}

func (e *env) ingest() *cobra.Command {
	var r api.IngestRequest
	var size, overlap int
	var watching bool
	c := &cobra.Command{
		Use: "ingest --kb K PATH…", Short: e.t("short.ingest"), Args: arguments(-1, "PATH"),
		RunE: func(c *cobra.Command, args []string) error {
			r.Paths = args
			r.ChunkSize, r.ChunkOverlap = optional(c, "chunk-size", size), optional(c, "chunk-overlap", overlap)
			s, err := e.open()
			if err != nil {
				return err
			}
			if watching && e.json {
				return fault.New("flags_conflict", fault.P("one", "--watch"), fault.P("other", "--json"))
			}
			once := func() error {
				started, err := s.StartIngest(c.Context(), r)
				if err != nil {
					return err
				}
				return e.follow(c.Context(), started)
			}
			if err := once(); err != nil || !watching {
				return err
			}
			return e.watch(c.Context(), args, once)
		},
	}
	f := c.Flags()
	f.StringVar(&r.KB, "kb", "", e.t("flag.kb"))
	f.StringVar(&r.Chunker, "chunker", "", e.t("flag.chunker"))
	f.IntVar(&size, "chunk-size", 0, e.t("flag.chunk-size"))
	f.IntVar(&overlap, "chunk-overlap", 0, e.t("flag.chunk-overlap"))
	f.StringVar(&r.Embedder, "embedder", "", e.t("flag.embedder"))
	f.BoolVar(&r.Sync, "sync", false, e.t("flag.sync"))
	f.StringVar(&r.Encoding, "encoding", "", e.t("flag.encoding"))
	f.StringSliceVar(&r.Tags, "tag", nil, e.t("flag.ingest-tag"))
	f.BoolVar(&r.OCR, "ocr", false, e.t("flag.ocr"))
	f.StringToStringVar(&r.Limits, "limit", nil, e.t("flag.limit"))
	f.BoolVar(&watching, "watch", false, e.t("flag.watch"))
	return c
}

// watch ingests again whenever the paths change, until it is interrupted. What
// one run cannot do is printed and does not end the watch.
func (e *env) watch(ctx context.Context, paths []string, once func() error) error {
	s, err := e.open()
	if err != nil {
		return err
	}
	e.line("%s", e.dim(e.t("watching", fault.P("paths", strings.Join(paths, ", ")))))
	return s.Watch(ctx, paths, func() error {
		err := once()
		if err != nil && ctx.Err() == nil {
			e.complain(err)
			err = nil
		}
		return err
	})
}

// pollEvery is how often a running job is looked at.
const pollEvery = 50 * time.Millisecond

// wait shows a job's progress until it ends. When ctx is cancelled it cancels
// the job and waits for what the job saves.
func (e *env) wait(ctx context.Context, j api.Job) (api.Job, error) {
	s, err := e.open()
	if err != nil {
		return api.Job{}, err
	}
	background := context.WithoutCancel(ctx)
	bar := progressBar{env: e}
	defer bar.clear()
	cancelled := ctx.Done()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		j, err = s.GetJob(background, api.JobRequest{ID: j.ID})
		if err != nil || j.State != "running" {
			return j, err
		}
		bar.show(j)
		select {
		case <-tick.C:
		case <-cancelled:
			cancelled = nil
			if _, err := s.CancelJob(background, api.JobRequest{ID: j.ID}); err != nil {
				return api.Job{}, err
			}
		}
	}
}

// done waits for a job and returns its error, if it has one, as its own.
func (e *env) done(ctx context.Context, j api.Job) (api.Job, error) {
	j, err := e.wait(ctx, j)
	if err == nil && j.Error != nil {
		err = bodyError(*j.Error)
	}
	return j, err
}

// follow waits for an ingest or import job and prints its report.
func (e *env) follow(ctx context.Context, j api.Job) error {
	j, err := e.wait(ctx, j)
	if err != nil {
		return err
	}
	if j.Error != nil {
		if j.Report != nil && len(j.Report.Documents) > 0 && !e.json {
			e.printReport(*j.Report)
		}
		return bodyError(*j.Error)
	}
	e.code = ingestCode(*j.Report)
	if e.json {
		return e.writeJSON(j.Report)
	}
	e.printReport(*j.Report)
	return nil
}

// bodyError is an error that was already put into words by a job.
func bodyError(b api.ErrorBody) error {
	params := make([]fault.Param, 0, len(b.Params))
	for k, v := range b.Params {
		params = append(params, fault.P(k, v))
	}
	return fault.Wrap(errors.New(b.Message), b.Code, params...)
}

func ingestCode(r api.IngestReport) int {
	bad := r.Totals[rag.StatusFailed] + r.Totals[rag.StatusUnsupported] + r.Totals[rag.StatusNeedsOCR]
	worked := r.Totals[rag.StatusIndexed] + r.Totals[rag.StatusUnchanged] + r.Totals[rag.StatusUpdated] +
		r.Totals[rag.StatusAlias] + r.Totals[rag.StatusEmpty] + r.Totals[rag.StatusRemoved]
	switch {
	case bad == 0:
		return exitOK
	case worked > 0:
		return exitPartial
	}
	return exitError
}

// statusOrder is the order of the summary.
var statusOrder = []string{
	rag.StatusIndexed, rag.StatusUpdated, rag.StatusUnchanged, rag.StatusAlias, rag.StatusRemoved, rag.StatusEmpty,
	rag.StatusSkipped, rag.StatusNeedsOCR, rag.StatusUnsupported, rag.StatusFailed,
}

// manyFiles is from how many files on only the remarkable ones are listed.
const manyFiles = 30

func (e *env) printReport(r api.IngestReport) {
	for _, d := range r.Documents {
		if len(r.Documents) >= manyFiles && d.Error == nil && len(d.Warnings) == 0 {
			continue
		}
		e.printDocument(d)
	}
	var parts []string
	for _, s := range statusOrder {
		if n := r.Totals[s]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", e.t("status."+s), n))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, e.t("nothing"))
	}
	e.line("%s", e.bold(e.t("ingested", fault.P("kb", r.KB), fault.P("what", strings.Join(parts, e.t("comma"))),
		fault.P("chunks", r.Totals["chunks"]), fault.P("seconds", fmt.Sprintf("%.1f", r.Seconds)))))
	e.printSummary(r.Summary)
}

// healthFacts are what of a file's reading is worth a word.
func (e *env) healthFacts(h api.Health) []string {
	var facts []string
	add := func(key string, shown bool, params ...fault.Param) {
		if shown {
			facts = append(facts, e.t("health."+key, params...))
		}
	}
	add("pages", h.Pages > 0, fault.P("with", h.PagesWithText), fault.P("pages", h.Pages))
	add("tables", h.Tables > 0, fault.P("tables", h.Tables), fault.P("kept", h.RowsKept), fault.P("read", h.RowsRead))
	add("images", h.Images > 0, fault.P("images", h.Images))
	add("repeated", h.RepeatedLines > 0, fault.P("lines", h.RepeatedLines))
	add("garbled", h.Garbled >= .001, fault.P("percent", fmt.Sprintf("%.1f", 100*h.Garbled)))
	return facts
}

// printSummary prints the health of all files of a run or a library.
func (e *env) printSummary(s api.LibraryHealth) {
	facts := e.healthFacts(s.Health)
	for _, code := range slices.Sorted(maps.Keys(s.Warnings)) {
		facts = append(facts, fmt.Sprintf("%s × %d", code, s.Warnings[code]))
	}
	if len(facts) > 0 {
		e.line("%s", e.dim(e.t("health.summary", fault.P("facts", strings.Join(facts, e.t("comma"))))))
	}
}

func (e *env) printDocument(d api.DocumentStatus) {
	status := e.t("status." + d.Status)
	switch {
	case d.Error != nil:
		status = e.bad(status)
	case d.Status == rag.StatusIndexed || d.Status == rag.StatusUpdated:
		status = e.good(status)
	}
	var facts []string
	if d.Encoding != nil {
		facts = append(facts, *d.Encoding)
	}
	if d.Chars != nil && d.Chunks != nil {
		facts = append(facts, e.t("facts", fault.P("chars", *d.Chars), fault.P("chunks", *d.Chunks)))
	}
	if d.Health != nil {
		facts = append(facts, e.healthFacts(*d.Health)...)
	}
	e.line("%s", strings.TrimRight(fmt.Sprintf("%s  %s  %s", status, d.Source, e.dim(strings.Join(facts, e.t("comma")))), " "))
	if d.Error != nil {
		e.line("    %s", d.Error.Message)
	}
	for _, w := range d.Warnings {
		e.line("    %s", e.hot(e.warning(w)))
	}
}

func (e *env) warning(w api.Notice) string {
	return i18n.Text(e.lang, "notice."+w.Code, fault.P("detail", w.Detail))
}

func (e *env) chunks() *cobra.Command {
	var kb string
	export := &cobra.Command{
		Use: "export --kb K", Short: e.t("short.chunks.export"), Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.ExportChunks(c.Context(), api.ExportChunksRequest{KB: kb})
			if err != nil {
				return err
			}
			return e.writeLines(out.Chunks)
		},
	}
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
		Use: "preview [--kb K] FILE", Short: e.t("short.chunks.preview"), Args: arguments(1, "FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			r.KB, r.File = *kb, args[0]
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
	f.StringVar(&r.Chunker, "chunker", "", e.t("flag.chunker"))
	f.IntVar(&size, "chunk-size", 0, e.t("flag.chunk-size"))
	f.IntVar(&overlap, "chunk-overlap", 0, e.t("flag.chunk-overlap"))
	return c
}

// cmpErr returns err, or what next returns when there is none.
func cmpErr(err error, next func() error) error {
	if err != nil {
		return err
	}
	return next()
}

func (e *env) docs() *cobra.Command {
	var kb string
	listing := &cobra.Command{
		Use: "list --kb K", Short: e.t("short.docs.list"), Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.ListDocuments(c.Context(), api.ListDocumentsRequest{KB: kb})
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
			if err := e.confirm(yes, e.t("confirm.docs", fault.P("docs", strings.Join(args, ", ")), fault.P("kb", kb))); err != nil {
				return err
			}
			s, err := e.open()
			if err != nil {
				return err
			}
			out, err := s.RemoveDocuments(c.Context(), api.RemoveDocumentsRequest{KB: kb, Refs: args})
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
			}
			return nil
		},
	}
	var yes bool
	rm := &cobra.Command{
		Use: "rm NAME", Short: e.t("short.kb.rm"), Args: arguments(1, "NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := e.confirm(yes, e.t("confirm.kb", fault.P("kb", args[0]))); err != nil {
				return err
			}
			s, err := e.open()
			if err != nil {
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
	return e.group("kb", "short.kb-group", listing, rm, e.reindex())
}
