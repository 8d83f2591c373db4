package app

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/ingest"
	"ragdesk/backend/parse/host"
	"ragdesk/backend/rag"
	"ragdesk/backend/store"
)

// ListKBs lists the knowledge bases.
func (s *Service) ListKBs(ctx context.Context, _ api.ListKBsRequest) (api.KBList, error) {
	libs, err := s.libraries(ctx)
	if err != nil {
		return api.KBList{}, err
	}
	out := api.KBList{KBs: make([]api.KB, len(libs))}
	for i, l := range libs {
		out.KBs[i] = kb(l)
		if out.KBs[i].Tuned, err = s.libraryTuned(ctx, l); err != nil && !fault.Is(err, "kb_unknown") {
			return api.KBList{}, err
		}
	}
	return out, nil
}

// RemoveKB deletes a knowledge base and its indexes.
func (s *Service) RemoveKB(ctx context.Context, r api.RemoveKBRequest) (api.RemovedKB, error) {
	st, err := s.openStore(ctx)
	if err != nil {
		return api.RemovedKB{}, err
	}
	lib, err := st.Library(ctx, r.KB)
	if err != nil {
		return api.RemovedKB{}, err
	}
	w, err := st.Lock(ctx, "kb rm "+r.KB, s.cfg.LockWait)
	if err != nil {
		return api.RemovedKB{}, err
	}
	defer unlock(w)
	if err := errors.Join(s.removeReindex(ctx, w, lib), s.remove(ctx, w, lib)); err != nil {
		return api.RemovedKB{}, err
	}
	return api.RemovedKB{Removed: lib.Name, Documents: lib.Documents, Chunks: lib.Chunks}, nil
}

// remove deletes a library and everything derived from it.
func (s *Service) remove(ctx context.Context, w *store.Writer, lib rag.Library) error {
	if err := w.RemoveLibrary(ctx, lib); err != nil {
		return err
	}
	s.tokens.drop(lib)
	s.memory.drop(lib)
	if err := s.shelf.Drop(lib); err != nil {
		return fmt.Errorf("remove the indexes of %q: %w", lib.Name, err)
	}
	return nil
}

// DocumentText returns a document's text as it was read.
func (s *Service) DocumentText(ctx context.Context, r api.DocumentTextRequest) (api.DocumentText, error) {
	lib, err := s.library(ctx, r.KB)
	if err != nil {
		return api.DocumentText{}, err
	}
	d, err := s.store.FindDocument(ctx, lib, r.Ref)
	if err != nil {
		return api.DocumentText{}, err
	}
	text, err := s.store.Text(ctx, lib, d.ID)
	if err != nil {
		return api.DocumentText{}, err
	}
	return api.DocumentText{Source: d.Source, DocID: string(d.ID), Text: text}, nil
}

// ExportChunks lists the chunks of all documents, or of one, by source and
// position.
func (s *Service) ExportChunks(ctx context.Context, r api.ExportChunksRequest) (api.ChunkExport, error) {
	lib, err := s.library(ctx, r.KB)
	if err != nil {
		return api.ChunkExport{}, err
	}
	if r.Ref != "" {
		return s.exportDocument(ctx, lib, r.Ref)
	}
	out := api.ChunkExport{Chunks: make([]api.Chunk, 0, lib.Chunks)}
	err = s.store.EachChunk(ctx, lib, func(c rag.ChunkRow) error {
		out.Chunks = append(out.Chunks, api.Chunk{
			ChunkID: string(c.ID), DocID: string(c.DocID), Source: c.Source, Span: span(c.Points),
			Text: c.Text, Metadata: api.ChunkMetadata{Headings: list(c.Headings)},
		})
		return nil
	})
	return out, err
}

func (s *Service) exportDocument(ctx context.Context, lib rag.Library, ref string) (api.ChunkExport, error) {
	d, err := s.store.FindDocument(ctx, lib, ref)
	if err != nil {
		return api.ChunkExport{}, err
	}
	chunks, err := s.chunksOf(ctx, lib, d.ID)
	if err != nil {
		return api.ChunkExport{}, err
	}
	out := api.ChunkExport{Chunks: make([]api.Chunk, len(chunks))}
	for i, c := range chunks {
		out.Chunks[i] = api.Chunk{
			ChunkID: string(c.ID), DocID: string(c.DocID), Source: d.Source, Span: span(c.Points),
			Text: c.Text, Metadata: api.ChunkMetadata{Headings: list(c.Headings)},
		}
	}
	return out, nil
}

// PreviewChunks cuts a file as ingestion would, without storing anything.
func (s *Service) PreviewChunks(ctx context.Context, r api.PreviewChunksRequest) (api.ChunkPreview, error) {
	settings := cut{chunker: r.Chunker, size: r.ChunkSize, overlap: r.ChunkOverlap}
	if r.KB != "" {
		lib, err := s.library(ctx, r.KB)
		if err != nil && !fault.Is(err, "kb_unknown") {
			return api.ChunkPreview{}, err
		}
		if err == nil {
			settings = settings.over(lib.Settings)
		}
	}
	chunker, _, err := s.chunker(ctx, settings)
	if err != nil {
		return api.ChunkPreview{}, err
	}
	doc, chunks, err := s.cutForPreview(ctx, r, chunker.Chunker)
	if err != nil {
		return api.ChunkPreview{}, err
	}
	out := api.ChunkPreview{Source: doc.Source, Chunker: chunker.Fingerprint(), Chunks: make([]api.PreviewChunk, len(chunks))}
	for i, c := range chunks {
		out.Chunks[i] = api.PreviewChunk{Ordinal: c.Ordinal, Span: span(c.Points), Headings: list(c.Headings), Text: c.Text, Tokens: c.Tokens}
		if i > 0 && c.Span.Start < chunks[i-1].Span.End {
			out.Chunks[i].Overlap = utf8.RuneCountInString(doc.Text[c.Span.Start:chunks[i-1].Span.End])
		}
	}
	return out, nil
}

// cutForPreview cuts the file or the stored document that a preview names.
func (s *Service) cutForPreview(ctx context.Context, r api.PreviewChunksRequest, c rag.Chunker) (rag.Document, []rag.Chunk, error) {
	if r.Ref == "" {
		parser, err := s.parser(host.Options{})
		if err != nil {
			return rag.Document{}, nil, err
		}
		return ingest.Preview(ctx, parser, c, r.File)
	}
	lib, err := s.library(ctx, r.KB)
	if err != nil {
		return rag.Document{}, nil, err
	}
	row, err := s.store.FindDocument(ctx, lib, r.Ref)
	if err != nil {
		return rag.Document{}, nil, err
	}
	doc, err := s.store.Document(ctx, lib, row.ID)
	if err != nil {
		return rag.Document{}, nil, err
	}
	chunks, err := c.Chunk(ctx, doc)
	return doc, chunks, err
}

// library opens the workspace and returns a library of it.
func (s *Service) library(ctx context.Context, name string) (rag.Library, error) {
	st, err := s.openStore(ctx)
	if err != nil {
		return rag.Library{}, err
	}
	if name == "" {
		return rag.Library{}, fault.New("argument_missing", fault.P("argument", "--kb"))
	}
	return st.Library(ctx, name)
}
