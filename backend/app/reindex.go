package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/ingest"
	"ragdesk/backend/job"
	"ragdesk/backend/parse/host"
	"ragdesk/backend/rag"
	"ragdesk/backend/store"
)

// reindexMark begins the name of a library that is being built to take the place
// of another, whose id follows. Such libraries are not listed; one that a crash
// left is completed by the next try, or removed.
const reindexMark = ".reindex-"

// StartReindex indexes a knowledge base anew with another embedder or chunker and
// then puts the new index in the old one's place.
func (s *Service) StartReindex(ctx context.Context, r api.ReindexRequest) (api.Job, error) {
	lib, err := s.library(ctx, r.KB)
	if err != nil {
		return api.Job{}, err
	}
	if _, err := s.newSettings(ctx, reindexCut(r, lib)); err != nil { // refused before any work
		return api.Job{}, err
	}
	snap := s.board.Start("reindex", func(ctx context.Context, progress *job.Reporter) (any, error) {
		report, err := s.reindex(ctx, r, progress)
		if err != nil {
			return nil, err
		}
		return ingested{r.KB, report}, nil
	})
	return jobSnapshot("", snap), nil
}

// reindexCut are the settings of the new index.
func reindexCut(r api.ReindexRequest, lib rag.Library) cut {
	want := cut{chunker: r.Chunker, size: r.ChunkSize, overlap: r.ChunkOverlap, embedder: r.Embedder}.over(lib.Settings)
	if r.Embedder != "" {
		want.like = "" // asked for anew: its default precision
	}
	return want
}

// reindex builds the new library beside the old one, as the writer, and swaps
// them. Whatever stops it leaves the old one as it is.
func (s *Service) reindex(ctx context.Context, r api.ReindexRequest, progress rag.Progress) (ingest.Report, error) {
	w, err := s.store.Lock(ctx, "reindex "+r.KB, s.cfg.LockWait)
	if err != nil {
		return ingest.Report{}, err
	}
	defer unlock(w)
	old, err := s.store.Library(ctx, r.KB) // as it is now that nobody else writes
	if err != nil {
		return ingest.Report{}, err
	}
	from, err := s.stored(ctx, old)
	if err != nil {
		return ingest.Report{}, err
	}
	settings, err := s.newSettings(ctx, reindexCut(r, old))
	if err != nil {
		return ingest.Report{}, err
	}
	terms, err := s.analyzers.of(ctx, s.store, old)
	if err != nil {
		return ingest.Report{}, err
	}
	settings.Words, settings.TextFingerprint = old.Words, terms.Fingerprint()
	if settings == old.Settings {
		return unchangedReport(old, from.Documents), nil
	}
	to, err := s.reindexTarget(ctx, w, old, settings)
	if err != nil {
		return ingest.Report{}, err
	}
	var report ingest.Report
	err = w.CopyWords(ctx, old, to)
	if err == nil {
		report, err = s.rebuilt(ctx, w, old, to, from, progress)
	}
	if err == nil {
		report.Library, err = w.ReplaceLibrary(ctx, old, report.Library)
	}
	if err != nil {
		return ingest.Report{}, fmt.Errorf("index %s anew: %w", old.Name, s.giveUp(ctx, w, to, err))
	}
	s.tokens.drop(old)
	s.memory.drop(old)
	_ = s.shelf.Drop(old) // files that stay belong to no library any more
	return report, nil
}

// rebuilt fills the library to with what from holds. A document that the new
// embedder refuses is the error: it must not be lost without a word.
func (s *Service) rebuilt(ctx context.Context, w *store.Writer, old, to rag.Library, from ingest.Stored, progress rag.Progress) (ingest.Report, error) {
	report, err := s.writeInto(ctx, w, to, host.Options{}, progress, func(ctx context.Context, p ingest.Ports, to rag.Library, progress rag.Progress) (ingest.Report, error) {
		return ingest.RunStored(ctx, p, to, from, progress)
	})
	if err != nil {
		return report, err
	}
	for _, o := range report.Outcomes {
		if o.Err != nil {
			return report, fmt.Errorf("%s: %w", o.Source, o.Err)
		}
	}
	if n := report.Library.Documents; n != old.Documents {
		return report, fmt.Errorf("%d documents of %d", n, old.Documents)
	}
	return report, nil
}

// giveUp removes the unfinished library and returns the cause.
func (s *Service) giveUp(ctx context.Context, w *store.Writer, to rag.Library, cause error) error {
	ctx = context.WithoutCancel(ctx)
	if now, err := s.store.Library(ctx, to.Name); err == nil {
		_ = s.remove(ctx, w, now) // the next try finds it and removes it
	}
	return cause
}

// reindexTarget returns the library to build: a new one, or one that a crash left
// with the same settings.
func (s *Service) reindexTarget(ctx context.Context, w *store.Writer, old rag.Library, settings rag.Settings) (rag.Library, error) {
	name := reindexName(old)
	left, err := s.store.Library(ctx, name)
	switch {
	case err == nil && left.Settings == settings:
		return left, nil
	case err == nil:
		if err := s.remove(ctx, w, left); err != nil {
			return rag.Library{}, err
		}
	case !fault.Is(err, "kb_unknown"):
		return rag.Library{}, err
	}
	return w.CreateLibrary(ctx, name, settings)
}

func reindexName(lib rag.Library) string { return fmt.Sprintf("%s%d", reindexMark, lib.ID) }

// removeReindex removes what a crash left of the reindexing of lib.
func (s *Service) removeReindex(ctx context.Context, w *store.Writer, lib rag.Library) error {
	left, err := s.store.Library(ctx, reindexName(lib))
	if fault.Is(err, "kb_unknown") {
		return nil
	}
	if err != nil {
		return err
	}
	return s.remove(ctx, w, left)
}

// libraries lists the libraries, those that are being built to take the place of
// others left out.
func (s *Service) libraries(ctx context.Context) ([]rag.Library, error) {
	st, err := s.openStore(ctx)
	if err != nil {
		return nil, err
	}
	libs, err := st.Libraries(ctx)
	return slices.DeleteFunc(libs, func(l rag.Library) bool { return strings.HasPrefix(l.Name, reindexMark) }), err
}

// stored is what a library holds, for another to hold it too.
func (s *Service) stored(ctx context.Context, lib rag.Library) (ingest.Stored, error) {
	rows, err := s.store.Documents(ctx, lib)
	if err != nil {
		return ingest.Stored{}, err
	}
	aliases, err := s.store.Aliases(ctx, lib)
	if err != nil {
		return ingest.Stored{}, err
	}
	return ingest.Stored{
		Documents: rows, Aliases: aliases,
		Document: func(ctx context.Context, id rag.DocumentID) (rag.Document, error) {
			return s.store.Document(ctx, lib, id)
		},
		Chunks: func(ctx context.Context, id rag.DocumentID) ([]rag.Chunk, error) { return s.chunksOf(ctx, lib, id) },
	}, nil
}

// chunksOf returns a document's chunks in order.
func (s *Service) chunksOf(ctx context.Context, lib rag.Library, id rag.DocumentID) ([]rag.Chunk, error) {
	ids, err := s.store.ChunkIDs(ctx, lib, []rag.DocumentID{id})
	if err != nil {
		return nil, err
	}
	rows, err := s.store.ChunksByID(ctx, lib, ids)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(rows, func(a, b rag.ChunkRow) int { return a.Ordinal - b.Ordinal })
	out := make([]rag.Chunk, len(rows))
	for i, r := range rows {
		out[i] = r.Chunk
	}
	return out, nil
}

// unchangedReport says that nothing had to be done.
func unchangedReport(lib rag.Library, rows []rag.DocumentRow) ingest.Report {
	r := ingest.Report{Library: lib}
	for _, d := range rows {
		status := rag.StatusUnchanged
		if d.Status != rag.StatusIndexed {
			status = d.Status
		}
		r.Outcomes = append(r.Outcomes, ingest.Outcome{Source: d.Source, Status: status, Doc: d, Warnings: d.Warnings})
	}
	return r
}
