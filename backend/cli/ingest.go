package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

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
		Use: "ingest --kb K PATH…", Short: e.t("short.ingest"),
		Args: func(c *cobra.Command, args []string) error {
			if r.Retry {
				return nil
			}
			return arguments(-1, "PATH")(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			r.Paths = args
			r.ChunkSize, r.ChunkOverlap = optional(c, "chunk-size", size), optional(c, "chunk-overlap", overlap)
			s, err := e.open()
			if err != nil {
				return err
			}
			switch {
			case watching && e.json:
				return fault.New("flags_conflict", fault.P("one", "--watch"), fault.P("other", "--json"))
			case watching && r.Retry:
				return fault.New("flags_conflict", fault.P("one", "--watch"), fault.P("other", "--retry"))
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
	f.BoolVar(&r.Retry, "retry", false, e.t("flag.retry"))
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
	for _, s := range rag.Statuses() {
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
	unread, there := 0, false
	for _, d := range r.Documents {
		if d.Error != nil {
			unread++
			there = there || d.Error.Code != "not_found"
		}
	}
	if there {
		e.line("%s", e.hot(e.t("unread", fault.P("n", unread), fault.P("kb", r.KB))))
	}
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
	if d.Path != nil && d.Tried != nil {
		e.line("    %s", e.dim(e.t("tried", fault.P("path", *d.Path), fault.P("when", d.Tried.Local().Format("2006-01-02 15:04")))))
	}
	for _, w := range d.Warnings {
		e.line("    %s", e.hot(e.warning(w)))
	}
}

func (e *env) warning(w api.Notice) string {
	return i18n.Text(e.lang, "notice."+w.Code, fault.P("detail", w.Detail))
}
