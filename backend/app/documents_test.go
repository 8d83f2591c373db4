package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
)

func TestDocumentsAreNamedAndRemoved(t *testing.T) {
	t.Parallel()
	s := filled(t)
	list, err := s.ListDocuments(t.Context(), api.ListDocumentsRequest{KB: "kb"})
	if err != nil || len(list.Documents) != 6 {
		t.Fatalf("%d documents, %v", len(list.Documents), err)
	}
	if !slices.IsSortedFunc(list.Documents, func(a, b api.DocumentStatus) int { return strings.Compare(a.Source, b.Source) }) {
		t.Error("documents are not in the order of their sources")
	}
	remove := func(refs ...string) (api.RemovedDocuments, error) {
		return s.RemoveDocuments(t.Context(), api.RemoveDocumentsRequest{KB: "kb", Refs: refs})
	}
	for ref, code := range map[string]string{"nobody.txt": "document_unknown", "same.txt": "document_ambiguous", "same": "document_ambiguous"} {
		if _, err := remove("en.txt", ref); !fault.Is(err, code) {
			t.Errorf("removing %s: %v, want %s", ref, err, code)
		}
	}
	if _, err := s.DocumentText(t.Context(), api.DocumentTextRequest{KB: "kb", Ref: "en.txt"}); err != nil {
		t.Errorf("a refused removal removed something: %v", err)
	}
	removed, err := remove("en.txt", "c/same", "en", *list.Documents[0].DocID)
	if err != nil || len(removed.Removed) != 3 {
		t.Errorf("removed %v, %v", removed.Removed, err)
	}
	found, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: "harbour tide leave", Strategy: "bm25"})
	if err != nil || len(found.Hits) != 0 {
		t.Errorf("removed documents are found: %v, %v", found.Hits, err)
	}
	if _, err := remove(); !fault.Is(err, "argument_missing") {
		t.Errorf("removing nothing: %v", err)
	}
}

func TestARemovedLibraryIsGone(t *testing.T) {
	t.Parallel()
	s := filled(t)
	before, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: "潮水"})
	if err != nil {
		t.Fatal(err)
	}
	gone, err := s.RemoveKB(t.Context(), api.RemoveKBRequest{KB: "kb"})
	if err != nil || gone.Removed != "kb" || gone.Documents != 6 || gone.Chunks == 0 {
		t.Errorf("removed %+v, %v", gone, err)
	}
	if _, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: "潮水"}); !fault.Is(err, "kb_unknown") {
		t.Errorf("searching it: %v", err)
	}
	if _, err := s.RemoveKB(t.Context(), api.RemoveKBRequest{KB: "kb"}); !fault.Is(err, "kb_unknown") {
		t.Errorf("removing it again: %v", err)
	}
	if left, err := os.ReadDir(filepath.Join(s.cfg.Workspace, "index")); err != nil || len(left) != 0 {
		t.Errorf("left in index: %v, %v", left, err)
	}
	// A library of the same name begins anew, with the same ranking.
	load(t, s, folder(t, tides()))
	after, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: "潮水"})
	if err != nil {
		t.Fatal(err)
	}
	same := cmpopts.IgnoreFields(api.Hit{}, "ChunkID", "DocID", "Source")
	if diff := cmp.Diff(before.Hits, after.Hits, same); diff != "" {
		t.Errorf("hits in the new library:\n%s", diff)
	}
}

func TestPreviewIsWhatIngestionWouldStore(t *testing.T) {
	t.Parallel()
	s := filled(t)
	path := filepath.Join(folder(t, tides()), "rare.txt")
	preview, err := s.PreviewChunks(t.Context(), api.PreviewChunksRequest{KB: "kb", File: path})
	if err != nil {
		t.Fatal(err)
	}
	export, err := s.ExportChunks(t.Context(), api.ExportChunksRequest{KB: "kb"})
	if err != nil {
		t.Fatal(err)
	}
	stored := slices.DeleteFunc(export.Chunks, func(c api.Chunk) bool { return !strings.HasSuffix(c.Source, "rare.txt") })
	if len(stored) != len(preview.Chunks) || len(stored) < 2 {
		t.Fatalf("%d chunks previewed, %d stored", len(preview.Chunks), len(stored))
	}
	for i, c := range preview.Chunks {
		if c.Text != stored[i].Text || c.Span != stored[i].Span || c.Ordinal != i || c.Tokens == 0 || i > 0 && c.Overlap != 10 {
			t.Errorf("chunk %d: previewed %+v, stored %+v", i, c, stored[i])
		}
	}
	other, err := s.PreviewChunks(t.Context(), api.PreviewChunksRequest{KB: "not yet", File: path, Chunker: "chars", ChunkSize: ptr(20), ChunkOverlap: ptr(0)})
	if err != nil || len(other.Chunks) <= len(preview.Chunks) {
		t.Errorf("%d chunks of half the size, %v", len(other.Chunks), err)
	}
}

func TestDoctorLooksAtEverything(t *testing.T) {
	t.Parallel()
	s := filled(t)
	report, err := s.Doctor(t.Context(), api.DoctorRequest{})
	if err != nil || !report.OK {
		t.Fatalf("%+v, %v", report, err)
	}
	var names []string
	for _, c := range report.Checks {
		names = append(names, c.Name)
	}
	for _, want := range []string{"machine", "onnxruntime", "dictionary", "embedder bge-small-zh-v1.5", "workspace", "library kb"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s was not checked: %v", want, names)
		}
	}
}

func TestADamagedIndexIsRebuiltWithANotice(t *testing.T) {
	t.Parallel()
	workspace := filled(t).cfg.Workspace
	var mu sync.Mutex
	var notices []string
	s, err := New(Config{Workspace: workspace, Notify: func(code string, params ...fault.Param) {
		mu.Lock()
		defer mu.Unlock()
		notices = append(notices, fmt.Sprint(code, params))
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	found, err := filepath.Glob(filepath.Join(workspace, "index", "*", "text-*"))
	if err != nil || len(found) == 0 {
		t.Fatalf("%v, %v", found, err)
	}
	for _, dir := range found {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	hits, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: "潮水", Strategy: "bm25"})
	if err != nil || len(hits.Hits) == 0 {
		t.Errorf("%d hits, %v", len(hits.Hits), err)
	}
	if len(notices) != 1 || !strings.HasPrefix(notices[0], "index_rebuild[{kb kb}") {
		t.Errorf("notices %v", notices)
	}
}

func TestNewTouchesNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "none")
	s := serviceOn(t, dir)
	info, err := s.Info(t.Context(), api.InfoRequest{})
	if err != nil || info.Workspace != dir || len(info.Strategies) != 13 || len(info.Samples) == 0 || info.Embedder != defaultEmbedder {
		t.Errorf("info %+v, %v", info, err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the workspace was made: %v", err)
	}
}

func TestDefaultWorkspace(t *testing.T) {
	t.Setenv("RAGDESK_WORKSPACE", "/somewhere")
	if dir, err := DefaultWorkspace(); err != nil || dir != "/somewhere" {
		t.Errorf("%s, %v", dir, err)
	}
	t.Setenv("RAGDESK_WORKSPACE", "")
	t.Setenv("HOME", "/home/reader")
	t.Setenv("XDG_DATA_HOME", "")
	if dir, err := DefaultWorkspace(); err != nil || !strings.HasPrefix(dir, "/home/reader") {
		t.Errorf("%s, %v", dir, err)
	}
}
