package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ragdesk/backend/api"
	"ragdesk/backend/builtin"
	"ragdesk/backend/dataset"
	"ragdesk/backend/fault"
	"ragdesk/backend/ingest"
	"ragdesk/backend/job"
	"ragdesk/backend/parse/host"
	"ragdesk/backend/rag"
	"ragdesk/backend/store"
	"ragdesk/backend/text"
)

// outcome is what an ingest job notes for each file.
type outcome = ingest.Outcome

// ingested is the result of an ingest, import or demo job.
type ingested struct {
	kb     string
	report ingest.Report
}

// cut are chunker settings as asked for; empty and nil mean the library's own.
type cut struct {
	chunker       string
	size, overlap *int
	embedder      string
	// like is the fingerprint of the library the embedder is for, if there is one,
	// and own says that the embedder is the library's.
	like string
	own  bool
	// read is what one file may cost.
	read host.Options
}

// over fills what c leaves open from a library's settings. With another size than the
// library's, the overlap follows that size.
func (c cut) over(s rag.Settings) cut {
	if c.chunker == "" || c.chunker == s.Chunker {
		c.chunker = s.Chunker
		if c.overlap == nil && (c.size == nil || *c.size == s.ChunkSize) {
			c.overlap = &s.ChunkOverlap
		}
		if c.size == nil {
			c.size = &s.ChunkSize
		}
	}
	if c.embedder == "" {
		c.embedder, c.own = s.Embedder, true
	}
	c.like = s.EmbedderFingerprint
	return c
}

// StartIngest adds files and folders to a knowledge base.
func (s *Service) StartIngest(ctx context.Context, r api.IngestRequest) (api.Job, error) {
	if r.Retry && r.Sync {
		return api.Job{}, fault.New("flags_conflict", fault.P("one", "--retry"), fault.P("other", "--sync"))
	}
	if len(r.Paths) == 0 && !r.Retry {
		return api.Job{}, fault.New("argument_missing", fault.P("argument", "PATH"))
	}
	if _, ok := text.Charset(r.Encoding); r.Encoding != "" && !ok {
		return api.Job{}, fault.New("encoding_unknown", fault.P("encoding", r.Encoding),
			fault.P("known", strings.Join(text.Charsets(), ", ")))
	}
	read, err := parseLimits(r.Limits)
	if err != nil {
		return api.Job{}, err
	}
	read.OCR = r.OCR
	want := cut{chunker: r.Chunker, size: r.ChunkSize, overlap: r.ChunkOverlap, embedder: r.Embedder, read: read}
	return s.startWrite(ctx, "ingest", r.KB, want, func(ctx context.Context, p ingest.Ports, lib rag.Library, progress rag.Progress) (ingest.Report, error) {
		return ingest.Run(ctx, p, lib, ingest.Options{Paths: r.Paths, Retry: r.Retry, Sync: r.Sync, Encoding: r.Encoding, OCR: r.OCR, Tags: r.Tags, MaxBytes: read.Limits.Bytes}, progress)
	})
}

// StartImportChunks adds ready-made chunks.
func (s *Service) StartImportChunks(ctx context.Context, r api.ImportChunksRequest) (api.Job, error) {
	if r.File == "" {
		return api.Job{}, fault.New("argument_missing", fault.P("argument", "FILE"))
	}
	return s.startWrite(ctx, "import", r.KB, cut{embedder: r.Embedder}, func(ctx context.Context, p ingest.Ports, lib rag.Library, progress rag.Progress) (ingest.Report, error) {
		return ingest.ImportChunks(ctx, p, lib, r.File, progress)
	})
}

// StartDemo builds the built-in libraries where they are missing or old.
func (s *Service) StartDemo(ctx context.Context, _ api.DemoRequest) (api.Job, error) {
	if _, err := s.openShelf(ctx); err != nil {
		return api.Job{}, err
	}
	snap := s.board.Start("demo", func(ctx context.Context, progress *job.Reporter) (any, error) {
		for _, lib := range []builtin.Library{builtin.Classic(), builtin.Sample()} {
			if err := s.buildBuiltin(ctx, lib, progress); err != nil {
				return nil, fmt.Errorf("build the library %s: %w", lib.Name, err)
			}
		}
		return nil, s.keepSampleQuestions(ctx)
	})
	return jobSnapshot("", snap), nil
}

// keepSampleQuestions stores the built-in questions, so that they can be chosen
// like any dataset, unless the workspace has some of that name.
func (s *Service) keepSampleQuestions(ctx context.Context) error {
	_, _, err := s.store.Dataset(ctx, builtin.NameSample, 0)
	if !fault.Is(err, "dataset_unknown") {
		return err
	}
	ds, err := s.soundDataset(ctx, builtin.NameSample)
	if err != nil {
		return err
	}
	_, err = s.putDatasets(ctx, []dataset.Dataset{ds})
	return err
}

// buildBuiltin brings a built-in library up to date. One that an older program
// indexed otherwise is indexed anew first, with what its user put in: words, stop
// words, documents.
func (s *Service) buildBuiltin(ctx context.Context, lib builtin.Library, progress rag.Progress) error {
	files := make([]ingest.Embedded, len(lib.Documents))
	for i, d := range lib.Documents {
		files[i] = ingest.Embedded{Source: d.Path, Bytes: d.Bytes}
	}
	build := func() error {
		_, err := s.write(ctx, "demo", lib.Name, cut{}, progress, func(ctx context.Context, p ingest.Ports, l rag.Library, progress rag.Progress) (ingest.Report, error) {
			return ingest.RunEmbedded(ctx, p, l, files, progress)
		})
		return err
	}
	err := build()
	if !fault.Is(err, "embedder_mismatch") && !fault.Is(err, "settings_mismatch") {
		return err
	}
	if _, err := s.reindex(ctx, api.ReindexRequest{KB: lib.Name}, progress); err != nil {
		return err
	}
	return build()
}

// ingestion is one way of bringing documents in.
type ingestion func(ctx context.Context, p ingest.Ports, lib rag.Library, progress rag.Progress) (ingest.Report, error)

// startWrite checks what can be checked at once and runs the rest as a job.
func (s *Service) startWrite(ctx context.Context, kind, kb string, want cut, run ingestion) (api.Job, error) {
	if strings.TrimSpace(kb) == "" {
		return api.Job{}, fault.New("argument_missing", fault.P("argument", "--kb"))
	}
	if err := store.CheckName(kb); err != nil {
		return api.Job{}, err
	}
	if _, err := s.openShelf(ctx); err != nil {
		return api.Job{}, err
	}
	if _, _, err := s.chunker(ctx, want); err != nil { // a wrong flag is refused before any work
		return api.Job{}, err
	}
	snap := s.board.Start(kind, func(ctx context.Context, progress *job.Reporter) (any, error) {
		r, err := s.write(ctx, kind, kb, want, progress, run)
		return ingested{kb, r}, err
	})
	return jobSnapshot("", snap), nil
}

// write becomes the writer, finds or creates the library, and runs an ingestion.
func (s *Service) write(ctx context.Context, kind, kb string, want cut, progress rag.Progress, run ingestion) (ingest.Report, error) {
	w, err := s.store.Lock(ctx, kind+" "+kb, s.cfg.LockWait)
	if err != nil {
		return ingest.Report{}, err
	}
	defer unlock(w)
	lib, created, err := s.findOrCreate(ctx, w, kb, want)
	if err != nil {
		return ingest.Report{}, err
	}
	report, err := s.writeInto(ctx, w, lib, want.read, progress, run)
	if created && report.Library.Documents == 0 && (err != nil || nothingThere(report)) {
		// Nothing came in and nothing is to be seen of it: leave no empty library behind.
		err = errors.Join(err, s.remove(context.WithoutCancel(ctx), w, lib))
	}
	return report, err
}

// writeInto runs an ingestion into a library.
func (s *Service) writeInto(ctx context.Context, w *store.Writer, lib rag.Library, read host.Options, progress rag.Progress, run ingestion) (ingest.Report, error) {
	ports, done, err := s.ingestPorts(ctx, w, lib, read)
	if err != nil {
		return ingest.Report{Library: lib}, err
	}
	defer done()
	return run(ctx, ports, lib, progress)
}

// nothingThere reports whether paths were wrong and nothing else was found.
func nothingThere(r ingest.Report) bool {
	return len(r.Outcomes) > 0 && !slices.ContainsFunc(r.Outcomes, func(o ingest.Outcome) bool { return !fault.Is(o.Err, "not_found") })
}

// findOrCreate returns the library kb. Asked-for settings that differ from an
// existing library's are refused with both.
func (s *Service) findOrCreate(ctx context.Context, w *store.Writer, kb string, want cut) (lib rag.Library, created bool, err error) {
	lib, err = s.store.Library(ctx, kb)
	switch {
	case err == nil:
		return lib, false, s.checkSettings(ctx, lib, want)
	case !fault.Is(err, "kb_unknown"):
		return rag.Library{}, false, err
	}
	settings, err := s.newSettings(ctx, want)
	if err != nil {
		return rag.Library{}, false, err
	}
	lib, err = w.CreateLibrary(ctx, kb, settings)
	return lib, true, err
}

// checkSettings compares what was asked for with what the library is.
func (s *Service) checkSettings(ctx context.Context, lib rag.Library, want cut) error {
	settings, err := s.newSettings(ctx, want.over(lib.Settings))
	if err != nil {
		return err
	}
	differs := func(setting string, has, asked any) error {
		return fault.New("settings_mismatch", fault.P("kb", lib.Name), fault.P("setting", setting),
			fault.P("has", has), fault.P("asked", asked))
	}
	switch {
	case settings.Embedder != lib.Embedder || settings.Dim != lib.Dim:
		return fault.New("embedder_mismatch", fault.P("kb", lib.Name),
			fault.P("has", embedderLabel(lib.Settings)), fault.P("asked", embedderLabel(settings)))
	case settings.EmbedderFingerprint != lib.EmbedderFingerprint:
		return differs("embedder", lib.EmbedderFingerprint, settings.EmbedderFingerprint)
	case settings.ChunkerFingerprint != lib.ChunkerFingerprint:
		return differs("chunker", lib.ChunkerFingerprint, settings.ChunkerFingerprint)
	}
	return nil
}
