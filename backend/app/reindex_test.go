package app

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
	"ragdesk/backend/store"
	"ragdesk/build/standin"
)

// sources are a library's documents and aliases with what became of them.
func sources(t *testing.T, s *Service, kb string) map[string]string {
	t.Helper()
	list, err := s.ListDocuments(t.Context(), api.ListDocumentsRequest{KB: kb})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, d := range list.Documents {
		text, err := s.DocumentText(t.Context(), api.DocumentTextRequest{KB: kb, Ref: *d.DocID})
		if err != nil {
			t.Fatal(err)
		}
		out[d.Source] = d.Status + " " + *d.DocID + " " + text.Text
	}
	return out
}

// writing runs do as the writer.
func writing(t *testing.T, s *Service, do func(w *store.Writer) error) {
	t.Helper()
	w, err := s.store.Lock(t.Context(), "test", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := w.Unlock(); err != nil {
			t.Error(err)
		}
	}()
	if err := do(w); err != nil {
		t.Fatal(err)
	}
}

// reindexed runs a reindex job.
func reindexed(t *testing.T, s *Service, r api.ReindexRequest) api.Job {
	t.Helper()
	r.KB = "kb"
	j, err := s.StartReindex(t.Context(), r)
	return ended(t, s, j, err)
}

// libraryNow is "kb" as it is stored.
func libraryNow(t *testing.T, s *Service) rag.Library {
	t.Helper()
	lib, err := s.library(t.Context(), "kb")
	if err != nil {
		t.Fatal(err)
	}
	return lib
}

// onlyThat checks that nothing but one library is left, on disk and in the
// database.
func onlyThat(t *testing.T, s *Service) {
	t.Helper()
	libs, err := s.store.Libraries(t.Context())
	if err != nil || len(libs) != 1 || libs[0].Name != "kb" {
		t.Errorf("libraries %v, %v", libs, err)
	}
	dirs, err := os.ReadDir(filepath.Join(s.cfg.Workspace, "index"))
	if err != nil || len(dirs) != 1 {
		t.Errorf("index folders %v, %v", dirs, err)
	}
	if err := s.store.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestReindexPutsANewIndexInTheOldOnesPlace(t *testing.T) {
	t.Parallel()
	s := service(t)
	files := tides()
	files["copy.txt"] = files["en.txt"]
	if j := load(t, s, folder(t, files)); j.State != "done" {
		t.Fatalf("%+v", j.Error)
	}
	imported(t, s, standin.E5Embedder, "mine")
	before, docs := libraryNow(t, s), sources(t, s, "kb")
	writing(t, s, func(w *store.Writer) error { return w.SetBindings(t.Context(), before, "dataset", []byte("bound")) })
	old := searchWith(t, s, rag.RerankNone)

	j := reindexed(t, s, api.ReindexRequest{Embedder: "mine"})
	if j.State != "done" || j.Report.Totals["indexed"] != 5 || j.Report.Totals["alias"] != 1 || j.Report.Totals["empty"] != 1 {
		t.Fatalf("%+v, %+v", j.Report, j.Error)
	}
	after := libraryNow(t, s)
	if after.Embedder != "mine" || after.Dim != 32 || after.ChunkSize != 40 || after.ID == before.ID || after.Documents != before.Documents {
		t.Errorf("%+v", after)
	}
	if diff := cmp.Diff(docs, sources(t, s, "kb")); diff != "" {
		t.Errorf("the documents differ:\n%s", diff)
	}
	if b, err := s.store.Bindings(t.Context(), after, "dataset"); err != nil || string(b) != "bound" {
		t.Errorf("bindings %q, %v", b, err)
	}
	found := searchWith(t, s, rag.RerankNone)
	if found.Fingerprint == old.Fingerprint || found.Hits[0].ChunkID != old.Hits[0].ChunkID {
		t.Errorf("fingerprints %s and %s, first hits %s and %s", old.Fingerprint, found.Fingerprint, old.Hits[0].ChunkID, found.Hits[0].ChunkID)
	}
	if _, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: question, Strategy: "vector"}); err != nil {
		t.Error(err)
	}
	onlyThat(t, s)

	if j = reindexed(t, s, api.ReindexRequest{Embedder: "mine"}); j.State != "done" || j.Report.Totals["unchanged"] != 5 || libraryNow(t, s) != after {
		t.Errorf("again: %+v, %+v", j.Report, j.Error)
	}
	if j = reindexed(t, s, api.ReindexRequest{Chunker: "tokens", ChunkSize: ptr(20), ChunkOverlap: ptr(0)}); j.State != "done" {
		t.Fatalf("%+v", j.Error)
	}
	if now := libraryNow(t, s); now.Chunker != "tokens" || now.ChunkSize != 20 || now.Embedder != "mine" || now.EmbedderFingerprint != after.EmbedderFingerprint {
		t.Errorf("%+v", now)
	}
	onlyThat(t, s)
}

func TestReindexKeepsImportedChunks(t *testing.T) {
	t.Parallel()
	s := service(t)
	list := folder(t, map[string]string{"list.jsonl": `{"chunk_id":"c1","text":"the tide turns"}
{"chunk_id":"c2","text":"bread and butter","doc_id":"d","metadata":{"headings":["H"]}}
{"chunk_id":"c3","text":"潮水涨落","doc_id":"d"}
`})
	j, err := s.StartImportChunks(t.Context(), api.ImportChunksRequest{KB: "kb", File: filepath.Join(list, "list.jsonl")})
	if j = ended(t, s, j, err); j.State != "done" {
		t.Fatalf("%+v", j.Error)
	}
	export := func() api.ChunkExport {
		out, err := s.ExportChunks(t.Context(), api.ExportChunksRequest{KB: "kb"})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	before := export()
	if j := reindexed(t, s, api.ReindexRequest{Embedder: "all-MiniLM-L6-v2"}); j.State != "done" {
		t.Fatalf("%+v", j.Error)
	}
	if diff := cmp.Diff(before, export()); diff != "" {
		t.Errorf("the chunks differ:\n%s", diff)
	}
}

func TestACancelledReindexLeavesTheOldIndex(t *testing.T) {
	t.Parallel()
	s := service(t)
	files := map[string]string{}
	for i := range 60 {
		files[fmt.Sprintf("%02d.txt", i)] = strings.Repeat(fmt.Sprintf("第%d篇，潮水涨落。", i), 40)
	}
	if j := load(t, s, folder(t, files)); j.State != "done" {
		t.Fatalf("%+v", j.Error)
	}
	before := libraryNow(t, s)
	j, err := s.StartReindex(t.Context(), api.ReindexRequest{KB: "kb", Chunker: "tokens", ChunkSize: ptr(50)})
	for err == nil && j.State == "running" && j.Done == 0 {
		if out := searchWith(t, s, rag.RerankNone); len(out.Hits) == 0 {
			t.Error("the old index does not serve")
		}
		kbs, err := s.ListKBs(t.Context(), api.ListKBsRequest{})
		if err != nil || len(kbs.KBs) != 1 {
			t.Errorf("listed while indexing anew: %+v, %v", kbs.KBs, err)
		}
		j, err = s.GetJob(t.Context(), api.JobRequest{ID: j.ID})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.CancelJob(t.Context(), api.JobRequest{ID: j.ID}); err != nil {
		t.Fatal(err)
	}
	if j = ended(t, s, j, nil); j.State != "cancelled" || j.Error.Code != "cancelled" {
		t.Fatalf("%+v", j)
	}
	if now := libraryNow(t, s); now != before {
		t.Errorf("%+v, before %+v", now, before)
	}
	searchWith(t, s, rag.RerankLateInteraction)
	onlyThat(t, s)
}

func TestWhatACrashedReindexLeft(t *testing.T) {
	t.Parallel()
	s := filled(t)
	want, err := s.newSettings(t.Context(), reindexCut(api.ReindexRequest{Embedder: "all-MiniLM-L6-v2"}, libraryNow(t, s)))
	if err != nil {
		t.Fatal(err)
	}
	other := want
	other.ChunkSize++
	docs := sources(t, s, "kb")
	for name, settings := range map[string]rag.Settings{"of the same settings": want, "of other settings": other} {
		before := libraryNow(t, s)
		writing(t, s, func(w *store.Writer) error {
			_, err := w.CreateLibrary(t.Context(), reindexName(before), settings)
			return err
		})
		if j := reindexed(t, s, api.ReindexRequest{Embedder: "all-MiniLM-L6-v2"}); j.State != "done" {
			t.Fatalf("%s: %+v", name, j.Error)
		}
		if now := libraryNow(t, s); now.Settings != want {
			t.Errorf("%s: %+v", name, now)
		}
		if now := sources(t, s, "kb"); !maps.Equal(docs, now) {
			t.Errorf("%s: %v", name, now)
		}
		onlyThat(t, s)
		if j := reindexed(t, s, api.ReindexRequest{Embedder: "auto"}); j.State != "done" {
			t.Fatalf("%s: %+v", name, j.Error)
		}
	}
	writing(t, s, func(w *store.Writer) error {
		_, err := w.CreateLibrary(t.Context(), reindexName(libraryNow(t, s)), want)
		return err
	})
	if _, err := s.RemoveKB(t.Context(), api.RemoveKBRequest{KB: "kb"}); err != nil {
		t.Fatal(err)
	}
	if libs, err := s.store.Libraries(t.Context()); err != nil || len(libs) != 0 {
		t.Errorf("left: %v, %v", libs, err)
	}
}

func TestReindexIsRefused(t *testing.T) {
	t.Parallel()
	s := filled(t)
	for name, c := range map[string]struct {
		r    api.ReindexRequest
		code string
	}{
		"no library":      {api.ReindexRequest{}, "argument_missing"},
		"unknown library": {api.ReindexRequest{KB: "nobody"}, "kb_unknown"},
		"embedder":        {api.ReindexRequest{KB: "kb", Embedder: "magic"}, "embedder_unknown"},
		"not installed":   {api.ReindexRequest{KB: "kb", Embedder: "bge-m3"}, "model_not_installed"},
		"chunker":         {api.ReindexRequest{KB: "kb", Chunker: "magic"}, "chunker_unknown"},
		"size":            {api.ReindexRequest{KB: "kb", ChunkSize: ptr(0)}, "chunker_invalid"},
	} {
		if _, err := s.StartReindex(t.Context(), c.r); !fault.Is(err, c.code) {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
}

func TestSearchesGoOnWhileAnIndexIsReplaced(t *testing.T) {
	t.Parallel()
	s := filled(t)
	ctx, stop := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		for ctx.Err() == nil {
			_, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: question, Strategy: "hybrid"})
			if err != nil {
				failed <- err
				return
			}
		}
		failed <- nil
	}()
	for _, embedder := range []string{"all-MiniLM-L6-v2", "bge-small-zh-v1.5", "auto"} {
		if j := reindexed(t, s, api.ReindexRequest{Embedder: embedder}); j.State != "done" {
			t.Errorf("%s: %+v", embedder, j.Error)
		}
	}
	stop()
	if err := <-failed; err != nil {
		t.Errorf("a search failed: %v", err)
	}
}
