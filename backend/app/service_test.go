package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/llm"
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
	s, err := New(Config{
		Workspace: workspace, Models: filepath.Join(workspace, "models"), LockWait: 50 * time.Millisecond,
		LLM: &llm.Hosts{Ollama: "127.0.0.1:1"}, Engine: filepath.Join(workspace, "engine"),
	})
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

func TestAFailedFirstIngestLeavesNothing(t *testing.T) {
	t.Parallel()
	s := service(t)
	list := folder(t, map[string]string{"bad.jsonl": "{}", "photo.xyz": "no image"})
	j, err := s.StartImportChunks(t.Context(), api.ImportChunksRequest{KB: "kb", File: filepath.Join(list, "bad.jsonl")})
	if j = ended(t, s, j, err); j.State != "failed" || j.Error.Code != "chunks_invalid" {
		t.Errorf("imported: %+v", j)
	}
	if j = load(t, s, "nowhere.txt"); j.State != "done" || j.Report.Totals["failed"] != 1 {
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
		"none":                     {func(*api.IngestRequest) {}, ""},
		"the same":                 {func(r *api.IngestRequest) { r.Chunker, r.ChunkSize = "chars", ptr(40) }, ""},
		"another size":             {func(r *api.IngestRequest) { r.ChunkSize = ptr(41) }, "settings_mismatch"},
		"a size below the overlap": {func(r *api.IngestRequest) { r.ChunkSize = ptr(8) }, "settings_mismatch"},
		"another overlap":          {func(r *api.IngestRequest) { r.ChunkOverlap = ptr(0) }, "settings_mismatch"},
		"another chunker":          {func(r *api.IngestRequest) { r.Chunker = "tokens" }, "settings_mismatch"},
		"another embedder":         {func(r *api.IngestRequest) { r.Embedder = "all-MiniLM-L6-v2" }, "embedder_mismatch"},
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
		"a slash":          {api.IngestRequest{KB: "a/b", Paths: []string{path}}, "kb_name_invalid"},
		"unknown chunker":  {api.IngestRequest{KB: "kb", Paths: []string{path}, Chunker: "magic"}, "chunker_unknown"},
		"unknown embedder": {api.IngestRequest{KB: "kb", Paths: []string{path}, Embedder: "magic"}, "embedder_unknown"},
		"size 0":           {api.IngestRequest{KB: "new", Paths: []string{path}, ChunkSize: ptr(0)}, "chunker_invalid"},
		"too much overlap": {api.IngestRequest{KB: "new", Paths: []string{path}, ChunkSize: ptr(10), ChunkOverlap: ptr(10)}, "chunker_invalid"},
	} {
		if _, err := s.StartIngest(t.Context(), c.request); !fault.Is(err, c.code) {
			t.Errorf("%s: %v, want %s before any work", name, err, c.code)
		}
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
	root := folder(t, map[string]string{"a.txt": "潮水", "b.xyz": "no image"})
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
	if diff := cmp.Diff(map[string]string{"a.txt": "indexed", "b.xyz": "unsupported"}, items); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
	last := events[len(events)-1]
	if last.Kind != "end" || last.Job.State != "done" || last.Job.Report == nil || last.Job.Report.Totals["indexed"] != 1 {
		t.Errorf("last event %+v", last)
	}
}
