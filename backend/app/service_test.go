package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
	"ragdesk/backend/store"
)

// service opens a service on a workspace of its own.
func service(t *testing.T) *Service {
	t.Helper()
	needModel(t)
	return serviceOn(t, t.TempDir())
}

func serviceOn(t *testing.T, workspace string) *Service {
	t.Helper()
	s, err := New(Config{Workspace: workspace, LockWait: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// ended waits for a job.
func ended(t *testing.T, s *Service, j api.Job, err error) api.Job {
	t.Helper()
	for err == nil && j.State == "running" {
		time.Sleep(time.Millisecond)
		j, err = s.GetJob(t.Context(), api.JobRequest{ID: j.ID})
	}
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// folder writes files and returns their folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// load makes or adds to the library "kb", in windows of 40 code points.
func load(t *testing.T, s *Service, paths ...string) api.Job {
	t.Helper()
	j, err := s.StartIngest(t.Context(), api.IngestRequest{KB: "kb", Paths: paths, Chunker: "chars", ChunkSize: ptr(40), ChunkOverlap: ptr(10)})
	return ended(t, s, j, err)
}

// tides are documents with rare characters, equal chunks and both languages.
func tides() map[string]string {
	return map[string]string{
		"leave.md":   "# 请假制度\n\n入职满一年的员工每年享有十天年假。年假须提前三天申请。\n\n## 病假\n\n病假凭医院证明，工资照发八成。",
		"rare.txt":   "𠮷野家👩‍👩‍👧的灯还亮着，潮水涨落。" + strings.Repeat("🌊潮水涨了又落。", 8),
		"en.txt":     "Employees are entitled to ten days of paid leave a year. The tide table hangs in the hall.",
		"b/same.txt": "the harbour closes at noon" + strings.Repeat(" ", 20) + "one",
		"c/same.txt": "the harbour closes at noon" + strings.Repeat(" ", 20) + "two",
		"blank.txt":  "\r\n \t",
	}
}

// filled is a service with tides in its library.
func filled(t *testing.T) *Service {
	t.Helper()
	s := service(t)
	if j := load(t, s, folder(t, tides())); j.State != "done" || j.Report.Totals["indexed"] != 5 {
		t.Fatalf("ingested: %+v", j)
	}
	return s
}

// queries are of both languages, of rare characters and of none that is a word.
func queries() []string {
	return []string{"年假有几天", "paid leave", "潮水", "🌊", "𠮷", "？！…", "harbour noon"}
}

func TestEveryEntranceGivesTheSameHits(t *testing.T) {
	t.Parallel()
	s := filled(t)
	for _, query := range queries() {
		for _, strategy := range []string{"vector", "bm25", "hybrid", "union+rerank", "weighted", "hybrid+rerank", "classic"} {
			found, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: query, Strategy: strategy})
			if err != nil {
				t.Fatal(err)
			}
			compared, err := s.Compare(t.Context(), api.CompareRequest{KB: "kb", Query: query, Strategies: []string{"bm25+rerank", strategy}})
			if err != nil {
				t.Fatal(err)
			}
			asked, err := s.Ask(t.Context(), api.AskRequest{KB: "kb", Query: query, Strategy: strategy})
			if err != nil {
				t.Fatal(err)
			}
			column := compared.Strategies[1]
			for entrance, hits := range map[string][]api.Hit{"compare": column.Hits, "ask": asked.Hits} {
				if diff := cmp.Diff(found.Hits, hits); diff != "" {
					t.Errorf("%s, %s: %s differs from search:\n%s", query, strategy, entrance, diff)
				}
			}
			if column.Fingerprint != found.Fingerprint || asked.Fingerprint != found.Fingerprint || column.Prompt != asked.Prompt {
				t.Errorf("%s, %s: fingerprints %s, %s, %s", query, strategy, found.Fingerprint, column.Fingerprint, asked.Fingerprint)
			}
			if len(found.Hits) == 0 && strategy != "bm25" {
				t.Errorf("%s, %s: no hits", query, strategy)
			}
		}
	}
}

func TestEqualSearchesAreEqualByteForByte(t *testing.T) {
	t.Parallel()
	s := filled(t)
	other := serviceOn(t, s.cfg.Workspace) // as another process would be
	for _, query := range queries() {
		var first string
		for i, svc := range []*Service{s, s, other} {
			found, err := svc.Search(t.Context(), api.SearchRequest{KB: "kb", Query: query, Strategy: "default"})
			if err != nil {
				t.Fatal(err)
			}
			found.TimingsMS = nil
			b, err := json.Marshal(found)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				first = string(b)
			} else if diff := cmp.Diff(first, string(b)); diff != "" {
				t.Errorf("%s, run %d:\n%s", query, i, diff)
			}
		}
	}
}

func TestHitsStandAtTheirSpans(t *testing.T) {
	t.Parallel()
	s := filled(t)
	for _, query := range queries() {
		asked, err := s.Ask(t.Context(), api.AskRequest{KB: "kb", Query: query, Retrieval: api.Retrieval{TopK: ptr(20)}})
		if err != nil {
			t.Fatal(err)
		}
		for i, h := range asked.Hits {
			doc, err := s.DocumentText(t.Context(), api.DocumentTextRequest{KB: "kb", Ref: h.DocID})
			if err != nil {
				t.Fatal(err)
			}
			text := []rune(doc.Text)
			if string(text[h.Span.Start:h.Span.End]) != h.Text || h.Rank != i+1 || doc.Source != h.Source {
				t.Errorf("%s: hit %d is not at %v of %s", query, h.Rank, h.Span, h.Source)
			}
			for _, m := range h.Matches {
				if m.Start < 0 || m.End <= m.Start || m.End > len([]rune(h.Text)) {
					t.Errorf("%s: match %+v outside of %q", query, m, h.Text)
				}
			}
			for _, c := range asked.Citations {
				if *c.ChunkID == h.ChunkID && string(text[c.Span.Start:c.Span.End]) != *c.Quote {
					t.Errorf("%s: citation %+v is not at its span", query, c)
				}
			}
		}
	}
}

func TestEqualTextsTieAndAreOrderedByID(t *testing.T) {
	t.Parallel()
	s := filled(t)
	for _, strategy := range []string{"vector", "bm25", "weighted", "vector+rerank"} {
		found, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: "the harbour closes at noon", Strategy: strategy})
		if err != nil {
			t.Fatal(err)
		}
		if len(found.Hits) < 2 {
			t.Fatalf("%s: %d hits", strategy, len(found.Hits))
		}
		a, b := found.Hits[0], found.Hits[1]
		if a.Text != b.Text || a.Score != b.Score || a.ChunkID >= b.ChunkID || a.DocID == b.DocID {
			t.Errorf("%s: %s %g, then %s %g", strategy, a.ChunkID, a.Score, b.ChunkID, b.Score)
		}
	}
}

func TestAQueryOfPunctuation(t *testing.T) {
	t.Parallel()
	s := filled(t)
	for strategy, some := range map[string]bool{"bm25": false, "vector": true, "hybrid+rerank": true} {
		found, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: "？！", Strategy: strategy})
		if err != nil {
			t.Fatal(err)
		}
		if len(found.Hits) > 0 != some || len(found.QueryTerms) != 0 || found.QueryTerms == nil {
			t.Errorf("%s: %d hits, terms %v", strategy, len(found.Hits), found.QueryTerms)
		}
	}
}

func TestBlankQueriesAndMissingNames(t *testing.T) {
	t.Parallel()
	s := filled(t)
	ask := func(kb, query string) map[string]error {
		_, search := s.Search(t.Context(), api.SearchRequest{KB: kb, Query: query})
		_, compare := s.Compare(t.Context(), api.CompareRequest{KB: kb, Query: query})
		_, ask := s.Ask(t.Context(), api.AskRequest{KB: kb, Query: query})
		return map[string]error{"search": search, "compare": compare, "ask": ask}
	}
	for _, c := range []struct{ kb, query, code string }{
		{"kb", "", "query_blank"},
		{"kb", " \t\r\n\u3000", "query_blank"},
		{"kb", "\u200b\u200d\ufeff\u2060", "query_blank"},
		{"", "潮水", "argument_missing"},
		{"nobody", "潮水", "kb_unknown"},
	} {
		for op, err := range ask(c.kb, c.query) {
			if !fault.Is(err, c.code) {
				t.Errorf("%s of %q in %q: %v, want %s", op, c.query, c.kb, err, c.code)
			}
		}
	}
}

func TestThresholdsAreShown(t *testing.T) {
	t.Parallel()
	s := filled(t)
	all, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: "潮水", Strategy: "vector", Retrieval: api.Retrieval{TopK: ptr(50)}})
	if err != nil {
		t.Fatal(err)
	}
	limit := all.Hits[2].Score
	found, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: "潮水", Strategy: "vector",
		Retrieval: api.Retrieval{TopK: ptr(50), Thresholds: map[string]float64{"vector": limit}}})
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Hits)+len(found.Dropped) != len(all.Hits) || len(found.Hits) < 3 || len(found.Dropped) == 0 {
		t.Errorf("%d hits and %d dropped of %d", len(found.Hits), len(found.Dropped), len(all.Hits))
	}
	for _, d := range found.Dropped {
		if d.Stage != "vector" || *d.Score >= limit || d.Threshold != limit || d.Text == "" {
			t.Errorf("dropped %+v", d)
		}
	}
	none, err := s.Ask(t.Context(), api.AskRequest{KB: "kb", Query: "潮水", Retrieval: api.Retrieval{Thresholds: map[string]float64{"rerank": 2}}})
	if err != nil || !none.Abstained || len(none.Hits) != 0 || len(none.Citations) != 0 {
		t.Errorf("nothing passes: %+v, %v", none, err)
	}
}

func TestAnEmptyLibraryFindsNothing(t *testing.T) {
	t.Parallel()
	s := service(t)
	if j := load(t, s, t.TempDir()); j.State != "done" || len(j.Report.Documents) != 0 {
		t.Fatalf("ingested: %+v", j)
	}
	for _, strategy := range rag.StrategyNames() {
		found, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: "潮水", Strategy: strategy})
		if err != nil || len(found.Hits) != 0 || found.Hits == nil {
			t.Errorf("%s: %v, %v", strategy, found.Hits, err)
		}
	}
}

func TestAFailedFirstIngestLeavesNothing(t *testing.T) {
	t.Parallel()
	s := service(t)
	list := folder(t, map[string]string{"bad.jsonl": "{}", "photo.jpg": "no image"})
	j, err := s.StartImportChunks(t.Context(), api.ImportChunksRequest{KB: "kb", File: filepath.Join(list, "bad.jsonl")})
	if j = ended(t, s, j, err); j.State != "failed" || j.Error.Code != "chunks_invalid" {
		t.Errorf("imported: %+v", j)
	}
	if j = load(t, s, filepath.Join(list, "photo.jpg"), "nowhere.txt"); j.State != "done" || j.Report.Totals["unsupported"] != 1 || j.Report.Totals["failed"] != 1 {
		t.Errorf("ingested: %+v", j.Report)
	}
	kbs, err := s.ListKBs(t.Context(), api.ListKBsRequest{})
	if err != nil || len(kbs.KBs) != 0 {
		t.Errorf("libraries %v, %v", kbs.KBs, err)
	}
	left, err := os.ReadDir(filepath.Join(s.cfg.Workspace, "index"))
	if err != nil || len(left) != 0 {
		t.Errorf("left in index: %v, %v", left, err)
	}
	// An empty folder is no failure.
	load(t, s, t.TempDir())
	if kbs, err = s.ListKBs(t.Context(), api.ListKBsRequest{}); err != nil || len(kbs.KBs) != 1 {
		t.Errorf("libraries %v, %v", kbs.KBs, err)
	}
}

func TestSettingsMustAgreeWithTheLibrary(t *testing.T) {
	t.Parallel()
	s := filled(t)
	path := folder(t, map[string]string{"new.txt": "新的文档"})
	for name, c := range map[string]struct {
		change func(*api.IngestRequest)
		code   string // empty: accepted
	}{
		"none":             {func(*api.IngestRequest) {}, ""},
		"the same":         {func(r *api.IngestRequest) { r.Chunker, r.ChunkSize = "chars", ptr(40) }, ""},
		"another size":     {func(r *api.IngestRequest) { r.ChunkSize = ptr(41) }, "settings_mismatch"},
		"another overlap":  {func(r *api.IngestRequest) { r.ChunkOverlap = ptr(0) }, "settings_mismatch"},
		"another chunker":  {func(r *api.IngestRequest) { r.Chunker = "tokens" }, "settings_mismatch"},
		"another embedder": {func(r *api.IngestRequest) { r.Embedder = "all-MiniLM-L6-v2" }, "embedder_mismatch"},
	} {
		r := api.IngestRequest{KB: "kb", Paths: []string{path}}
		c.change(&r)
		j, err := s.StartIngest(t.Context(), r)
		j = ended(t, s, j, err)
		code := ""
		if j.Error != nil {
			code = j.Error.Code
		}
		if code != c.code {
			t.Errorf("%s: %q, want %q", name, code, c.code)
		}
	}
	for name, c := range map[string]struct {
		request api.IngestRequest
		code    string
	}{
		"no library":       {api.IngestRequest{Paths: []string{path}}, "argument_missing"},
		"no path":          {api.IngestRequest{KB: "kb"}, "argument_missing"},
		"unknown chunker":  {api.IngestRequest{KB: "kb", Paths: []string{path}, Chunker: "magic"}, "chunker_unknown"},
		"unknown embedder": {api.IngestRequest{KB: "kb", Paths: []string{path}, Embedder: "magic"}, "embedder_unknown"},
		"size 0":           {api.IngestRequest{KB: "new", Paths: []string{path}, ChunkSize: ptr(0)}, "chunker_invalid"},
		"too much overlap": {api.IngestRequest{KB: "new", Paths: []string{path}, ChunkSize: ptr(10), ChunkOverlap: ptr(10)}, "chunker_invalid"},
	} {
		if _, err := s.StartIngest(t.Context(), c.request); !fault.Is(err, c.code) {
			t.Errorf("%s: %v, want %s before any work", name, err, c.code)
		}
	}
	j, err := s.StartIngest(t.Context(), api.IngestRequest{KB: "a/b", Paths: []string{path}})
	if j = ended(t, s, j, err); j.Error == nil || j.Error.Code != "kb_name_invalid" {
		t.Errorf("a name with a slash: %+v", j.Error)
	}
}

func TestALibraryOfAnotherModelIsNotSearched(t *testing.T) {
	t.Parallel()
	s := filled(t)
	st, err := s.openStore(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	lib, err := st.Library(t.Context(), "kb")
	if err != nil {
		t.Fatal(err)
	}
	w, err := st.Lock(t.Context(), "test", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	other := lib.Settings
	other.EmbedderFingerprint = "another file of the same name"
	_, err = w.CreateLibrary(t.Context(), "old", other)
	if err := errors.Join(err, w.Unlock()); err != nil {
		t.Fatal(err)
	}
	_, err = s.Search(t.Context(), api.SearchRequest{KB: "old", Query: "潮水", Strategy: "vector"})
	if !fault.Is(err, "embedder_mismatch") || fault.Of(err).Params["has"] != "another file of the same name" {
		t.Errorf("%v, want embedder_mismatch", err)
	}
	if _, err := s.Search(t.Context(), api.SearchRequest{KB: "old", Query: "潮水", Strategy: "bm25"}); err != nil {
		t.Errorf("BM25 needs no model: %v", err)
	}
}

func TestASecondWriterIsToldWhoWrites(t *testing.T) {
	t.Parallel()
	s := filled(t)
	st, err := store.Open(t.Context(), s.cfg.Workspace)
	if err != nil {
		t.Fatal(err)
	}
	w, err := st.Lock(t.Context(), "a long ingestion", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(w.Unlock(), st.Close()); err != nil {
			t.Error(err)
		}
	}()
	j := load(t, s, t.TempDir())
	if j.Error == nil || j.Error.Code != "workspace_locked" || j.Error.Params["purpose"] != "a long ingestion" || j.Error.Params["pid"] != fmt.Sprint(os.Getpid()) {
		t.Errorf("%+v, want workspace_locked", j.Error)
	}
	if _, err := s.RemoveDocuments(t.Context(), api.RemoveDocumentsRequest{KB: "kb", Refs: []string{"en.txt"}}); !fault.Is(err, "workspace_locked") {
		t.Errorf("removing a document: %v", err)
	}
	if _, err := s.RemoveKB(t.Context(), api.RemoveKBRequest{KB: "kb"}); !fault.Is(err, "workspace_locked") {
		t.Errorf("removing the library: %v", err)
	}
	if _, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: "潮水"}); err != nil {
		t.Errorf("readers go on: %v", err)
	}
}

func TestSearchesGoOnWhileDocumentsComeIn(t *testing.T) {
	t.Parallel()
	s := filled(t)
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for i := range 4 {
		strategy := []string{"vector", "bm25", "hybrid+rerank", "weighted"}[i]
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				found, err := s.Search(t.Context(), api.SearchRequest{KB: "kb", Query: "潮水", Strategy: strategy})
				if err != nil || len(found.Hits) == 0 {
					t.Errorf("%s: %d hits, %v", strategy, len(found.Hits), err)
					return
				}
			}
		})
	}
	for round := range 6 {
		path := folder(t, map[string]string{fmt.Sprintf("%d.txt", round): fmt.Sprintf("第%d次涨潮，潮水没过石阶。", round)})
		if j := load(t, s, path); j.State != "done" {
			t.Errorf("round %d: %+v", round, j.Error)
		}
	}
	close(stop)
	readers.Wait()
}

func TestCancelledIngestionSaysSo(t *testing.T) {
	t.Parallel()
	s := service(t)
	files := map[string]string{}
	for i := range 40 {
		files[fmt.Sprintf("%02d.txt", i)] = strings.Repeat(fmt.Sprintf("第%d篇，潮水涨落。", i), 200)
	}
	j, err := s.StartIngest(t.Context(), api.IngestRequest{KB: "kb", Paths: []string{folder(t, files)}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.CancelJob(t.Context(), api.JobRequest{ID: j.ID}); err != nil {
		t.Fatal(err)
	}
	if j = ended(t, s, j, nil); j.State != "cancelled" || j.Error == nil || j.Error.Code != "cancelled" {
		t.Errorf("ended as %+v", j)
	}
	if _, err := s.CancelJob(t.Context(), api.JobRequest{ID: "ingest-99"}); !fault.Is(err, "job_unknown") {
		t.Errorf("an unknown job: %v", err)
	}
}

func TestEventsOfAJob(t *testing.T) {
	t.Parallel()
	s := service(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var events []api.Event
	done, listening := make(chan error, 1), make(chan struct{})
	go func() {
		close(listening)
		done <- s.Subscribe(ctx, func(e api.Event) error {
			events = append(events, e)
			if e.Kind == "end" {
				return errEnded
			}
			return nil
		})
	}()
	<-listening
	root := folder(t, map[string]string{"a.txt": "潮水", "b.jpg": "no image"})
	j, err := s.StartIngest(t.Context(), api.IngestRequest{KB: "kb", Paths: []string{root}})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-done; !errors.Is(err, errEnded) {
		t.Fatal(err)
	}
	items := map[string]string{}
	for i, e := range events {
		if e.Job.ID != j.ID || i > 0 && e.Seq <= events[i-1].Seq || (e.Kind == "item") != (e.Item != nil) {
			t.Errorf("event %d: %+v", i, e)
		}
		if e.Item != nil {
			items[filepath.Base(e.Item.Source)] = e.Item.Status
		}
	}
	if diff := cmp.Diff(map[string]string{"a.txt": "indexed", "b.jpg": "unsupported"}, items); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
	last := events[len(events)-1]
	if last.Kind != "end" || last.Job.State != "done" || last.Job.Report == nil || last.Job.Report.Totals["indexed"] != 1 {
		t.Errorf("last event %+v", last)
	}
}

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
	if err != nil || info.Workspace != dir || len(info.Strategies) != 12 || len(info.Samples) == 0 || info.Embedder != "bge-small-zh-v1.5" {
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
