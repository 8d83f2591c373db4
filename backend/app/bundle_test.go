package app

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/store"
	"ragdesk/build/standin"
)

// exported writes a bundle of a service's workspace.
func exported(t *testing.T, s *Service, r api.ExportBundleRequest) api.BundleExport {
	t.Helper()
	j, err := s.StartExportBundle(t.Context(), r)
	if j = ended(t, s, j, err); j.State != "done" || j.Exported == nil {
		t.Fatalf("export: %s, %+v", j.State, j.Error)
	}
	return *j.Exported
}

// restored restores one.
func restored(t *testing.T, s *Service, file, mode string) api.BundleImport {
	t.Helper()
	j, err := s.StartImportBundle(t.Context(), api.ImportBundleRequest{File: file, Mode: mode})
	if j = ended(t, s, j, err); j.State != "done" || j.Restored == nil {
		t.Fatalf("import: %s, %+v", j.State, j.Error)
	}
	return *j.Restored
}

// evaluatedBytes runs all kinds of strategies on a dataset and returns the bytes of what the runs
// are worth and of their results, by strategy.
func evaluatedBytes(t *testing.T, s *Service, dataset string) map[string]string {
	t.Helper()
	j, err := s.StartEval(t.Context(), api.EvalRequest{KB: "kb", Dataset: dataset, Strategies: []string{"bm25", "vector", "hybrid+rerank"}})
	if j = ended(t, s, j, err); j.State != "done" {
		t.Fatalf("eval: %+v", j.Error)
	}
	out := map[string]string{}
	for _, run := range j.Eval.Runs {
		for _, name := range []string{"metrics.json", "results.jsonl"} {
			raw, err := os.ReadFile(filepath.Join(s.runs().Path(run.RunID), name))
			if err != nil {
				t.Fatal(err)
			}
			out[run.Strategy+" "+name] = string(raw)
		}
	}
	return out
}

// TestABundleGivesTheSameNumbers evaluates, restores the workspace elsewhere, and evaluates
// again.
func TestABundleGivesTheSameNumbers(t *testing.T) {
	t.Parallel()
	s, questions := thesaurus(t, 12)
	if _, err := s.ImportDataset(t.Context(), api.DatasetFileRequest{File: questions, Name: "set"}); err != nil {
		t.Fatal(err)
	}
	before := evaluatedBytes(t, s, "set")
	list, err := s.ListRuns(t.Context(), api.ListRunsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.NoteRun(t.Context(), api.NoteRunRequest{Run: list.Runs[0].ID, Text: "基线"}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "a.ragbundle")
	out := exported(t, s, api.ExportBundleRequest{File: file})
	if c := out.Bundle.Counts; c.Runs != 3 || len(out.Bundle.Datasets) != 1 || len(out.Bundle.KBs) != 1 {
		t.Errorf("exported %+v", out.Bundle)
	}

	elsewhere := service(t)
	in := restored(t, elsewhere, file, "")
	if in.Mode != "new" || in.Backup != nil || len(in.Warnings) != 0 || in.KBs[0].State != "ready" {
		t.Errorf("restored %+v", in)
	}
	runs, err := elsewhere.ListRuns(t.Context(), api.ListRunsRequest{})
	if err != nil || len(runs.Runs) != 3 {
		t.Fatal(len(runs.Runs), err)
	}
	noted := 0
	for _, r := range runs.Runs {
		if r.Note == "基线" {
			noted++
		}
	}
	if noted != 1 {
		t.Errorf("%d notes", noted)
	}
	if diff := cmp.Diff(before, evaluatedBytes(t, elsewhere, "set")); diff != "" {
		t.Errorf("evaluated again (-there +here):\n%s", diff)
	}
	doctor, err := elsewhere.Doctor(t.Context(), api.DoctorRequest{})
	if err != nil || !doctor.OK {
		t.Errorf("%+v, %v", doctor, err)
	}
}

// TestARestoreEmbedsNothing counts what the embedding model is asked for.
func TestARestoreEmbedsNothing(t *testing.T) {
	t.Parallel()
	f, e := newEmbedding(t)
	s := f.with(t, service(t))
	j, err := s.StartIngest(t.Context(), api.IngestRequest{KB: "kb", Paths: []string{folder(t, tides())}, Embedder: "ollama:nomic-embed-text"})
	if j = ended(t, s, j, err); j.State != "done" {
		t.Fatalf("%+v", j.Error)
	}
	query := api.SearchRequest{KB: "kb", Query: "年假有几天", Strategy: "vector"}
	want, err := s.Search(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "a.ragbundle")
	exported(t, s, api.ExportBundleRequest{File: file})
	e.mu.Lock()
	e.inputs = nil
	e.mu.Unlock()
	elsewhere := f.with(t, service(t))
	if in := restored(t, elsewhere, file, ""); in.KBs[0].State != "hosted" {
		t.Errorf("state %s", in.KBs[0].State)
	}
	got, err := elsewhere.Search(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Hits, got.Hits); diff != "" {
		t.Errorf("hits (-there +here):\n%s", diff)
	}
	if e.mu.Lock(); len(e.inputs) > 2 || strings.Join(e.inputs, "") == "" {
		t.Errorf("the model was asked for %q", e.inputs)
	}
	e.mu.Unlock()
}

// corner is a workspace with one other document in each kind of thing.
func corner(t *testing.T, s *Service) {
	t.Helper()
	if j := load(t, s, folder(t, map[string]string{"own.txt": "这是本机自己的文档，会被替换。"})); j.State != "done" {
		t.Fatalf("%+v", j.Error)
	}
	lines := `{"query_id":"own","question":"谁的文档？","gold":[{"doc":"own.txt"}]}`
	if _, err := s.ImportDataset(t.Context(), api.DatasetFileRequest{File: filepath.Join(folder(t, map[string]string{"q.jsonl": lines}), "q.jsonl"), Name: "set"}); err != nil {
		t.Fatal(err)
	}
}

func TestARestoreThatReplacesCanBeUndone(t *testing.T) {
	t.Parallel()
	s, questions := thesaurus(t, 4)
	if _, err := s.ImportDataset(t.Context(), api.DatasetFileRequest{File: questions, Name: "set"}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "a.ragbundle")
	exported(t, s, api.ExportBundleRequest{File: file})

	here := service(t)
	corner(t, here)
	own := sources(t, here, "kb")
	if _, err := here.StartImportBundle(t.Context(), api.ImportBundleRequest{File: file}); !fault.Is(err, "workspace_not_empty") {
		t.Errorf("unasked: %v", err)
	}
	look, err := here.InspectBundle(t.Context(), api.BundleRequest{File: file})
	if err != nil || look.Empty || len(look.Here.KBs) != 1 || len(look.Bundle.KBs) != 1 || look.Room.Needed == 0 {
		t.Errorf("%+v, %v", look, err)
	}
	in := restored(t, here, file, "replace")
	if in.Mode != "replace" || in.Backup == nil || in.Undo == nil || !strings.Contains(*in.Undo, *in.Backup) {
		t.Fatalf("%+v", in)
	}
	if diff := cmp.Diff(sources(t, s, "kb"), sources(t, here, "kb")); diff != "" {
		t.Errorf("replaced (-want +got):\n%s", diff)
	}
	found, err := here.Search(t.Context(), api.SearchRequest{KB: "kb", Query: "note about", Strategy: "hybrid"})
	if err != nil || len(found.Hits) == 0 || strings.Contains(found.Hits[0].Text, "本机") {
		t.Errorf("%+v, %v", found.Hits, err)
	}
	list, err := here.ListBundles(t.Context(), api.ListBundlesRequest{})
	if err != nil || len(list.Bundles) != 1 || list.Bundles[0].File != *in.Backup {
		t.Fatalf("%+v, %v", list, err)
	}
	restored(t, here, filepath.Base(*in.Backup), "replace")
	if diff := cmp.Diff(own, sources(t, here, "kb")); diff != "" {
		t.Errorf("undone (-want +got):\n%s", diff)
	}
	if _, err := here.RemoveBundle(t.Context(), api.BundleRequest{File: "../ragdesk.db"}); !fault.Is(err, "backup_unknown") {
		t.Errorf("removed another file: %v", err)
	}
	if _, err := here.RemoveBundle(t.Context(), api.BundleRequest{File: file}); !fault.Is(err, "backup_unknown") {
		t.Errorf("removed a file of the reader's: %v", err)
	}
	if _, err := here.RemoveBundle(t.Context(), api.BundleRequest{File: *in.Backup}); err != nil {
		t.Error(err)
	}
}

func TestARestoreThatAddsKeepsWhatThereIs(t *testing.T) {
	t.Parallel()
	s, questions := thesaurus(t, 4)
	if _, err := s.ImportDataset(t.Context(), api.DatasetFileRequest{File: questions, Name: "set"}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "a.ragbundle")
	exported(t, s, api.ExportBundleRequest{File: file})
	here := service(t)
	corner(t, here)
	own := sources(t, here, "kb")
	in := restored(t, here, file, "add")
	if in.Mode != "add" || in.Backup != nil || *in.KBs[0].As != "kb-2" || *in.Datasets[0].As != "set-2" {
		t.Errorf("%+v", in)
	}
	if diff := cmp.Diff(own, sources(t, here, "kb")); diff != "" {
		t.Errorf("what there was (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(sources(t, s, "kb"), sources(t, here, "kb-2")); diff != "" {
		t.Errorf("what was added (-want +got):\n%s", diff)
	}
	again := restored(t, here, file, "add")
	if *again.KBs[0].As != "kb-3" || *again.Datasets[0].As != "set-3" {
		t.Errorf("%+v", again)
	}
}

func TestWhatAWorkspaceKeepsIsInItsBundle(t *testing.T) {
	t.Parallel()
	s := filled(t)
	for name, content := range map[string]string{
		"replies/ab/ab12.json": "{}", "replies/ab/.ab12.json.part-123": "half", "prompts/grounded.zh.txt": "x",
		"uploads/f/a.txt": "a", "uploads/f/old.ragbundle": "b", "runs/.work-x/results.jsonl": "{}", "runs/.marks-r/a.json": "{}", "runs/r.note": "n",
		"engine/key": "secret", "backups/older.ragbundle": "b",
	} {
		path := s.inWorkspace(filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	imported(t, s, standin.BERTReranker, "own-reranker")
	file := filepath.Join(t.TempDir(), "a.ragbundle")
	out := exported(t, s, api.ExportBundleRequest{File: file, Models: []string{"own-reranker"}})
	b, err := openBundle(file)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range b.Manifest.Files {
		if !strings.HasPrefix(f.Path, "models/own-reranker/") {
			names = append(names, f.Path)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	want := []string{"prompts/grounded.zh.txt", "ragdesk.db", "replies/ab/ab12.json", "runs/.marks-r/a.json", "runs/r.note", "uploads/f/a.txt"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if _, err := s.StartExportBundle(t.Context(), api.ExportBundleRequest{File: file}); !fault.Is(err, "file_exists") {
		t.Errorf("over a file: %v", err)
	}
	if _, err := s.StartExportBundle(t.Context(), api.ExportBundleRequest{File: file + "2", Models: []string{"nobody"}}); !fault.Is(err, "model_not_installed") {
		t.Errorf("an unknown model: %v", err)
	}
	if _, err := s.StartImportModel(t.Context(), api.ImportModelRequest{Path: file}); !fault.Is(err, "bundle_is_workspace") {
		t.Errorf("as a model: %v", err)
	}
	again := exported(t, s, api.ExportBundleRequest{File: file, Models: []string{"own-reranker"}, Overwrite: true})
	if again.Bundle.Content != out.Bundle.Content {
		t.Error("the same workspace has another content")
	}

	here := service(t)
	if in := restored(t, here, file, ""); in.Models[0].State != "installed" || in.Counts.Replies != 1 || in.Counts.Prompts != 1 {
		t.Errorf("%+v", in)
	}
	if in := restored(t, here, file, "replace"); in.Models[0].State != "kept" {
		t.Errorf("%+v", in.Models)
	}
	if _, err := os.Stat(here.inWorkspace("runs", "r.note")); err != nil {
		t.Error(err)
	}
}

// insideOf returns places in a bundle amid the packed bytes of its files: what lies between
// them, such as a file's date, is of no account and may change.
func insideOf(t *testing.T, file string) (places []int) {
	t.Helper()
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = z.Close() }()
	for _, f := range z.File {
		start, err := f.DataOffset()
		if err != nil {
			t.Fatal(err)
		}
		if f.CompressedSize64 > 0 {
			places = append(places, int(start+int64(f.CompressedSize64)/2))
		}
	}
	return places
}

func TestABrokenBundleChangesNothing(t *testing.T) {
	t.Parallel()
	s := filled(t)
	file := filepath.Join(t.TempDir(), "a.ragbundle")
	exported(t, s, api.ExportBundleRequest{File: file})
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	here := service(t)
	corner(t, here)
	own := sources(t, here, "kb")
	for i, n := range insideOf(t, file) {
		changed := bytes.Clone(raw)
		changed[n]++
		for name, content := range map[string][]byte{"cut": raw[:n], "changed": changed} {
			broken := filepath.Join(t.TempDir(), fmt.Sprint(name, i))
			if err := os.WriteFile(broken, content, 0o600); err != nil {
				t.Fatal(err)
			}
			j, err := here.StartImportBundle(t.Context(), api.ImportBundleRequest{File: broken, Mode: "replace"})
			if err == nil {
				j = ended(t, here, j, err)
				if j.Error == nil || j.Error.Code != "bundle_damaged" {
					t.Errorf("%s: %+v", name, j.Error)
				}
			} else if !fault.Is(err, "bundle_damaged") {
				t.Errorf("%s: %v", name, err)
			}
			if diff := cmp.Diff(own, sources(t, here, "kb")); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	}
	if left, err := filepath.Glob(here.inWorkspace(".restore-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestALockedWorkspaceIsBackedUpAndNotRestored has another process that writes.
func TestALockedWorkspaceIsBackedUpAndNotRestored(t *testing.T) {
	t.Parallel()
	s := filled(t)
	file := filepath.Join(t.TempDir(), "a.ragbundle")
	writing(t, s, func(*store.Writer) error {
		exported(t, s, api.ExportBundleRequest{File: file})
		j, err := s.StartImportBundle(t.Context(), api.ImportBundleRequest{File: file, Mode: "replace"})
		if j = ended(t, s, j, err); j.Error == nil || j.Error.Code != "workspace_locked" {
			t.Errorf("%+v", j.Error)
		}
		return nil
	})
}

// TestKilledExport: what a killed export left is gone with the next start, once nothing writes to it.
func TestKilledExport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	backups := filepath.Join(dir, BackupsFolder)
	stale, fresh := filepath.Join(backups, ".a.ragbundle.part-1"), filepath.Join(backups, ".b.ragbundle.part-2")
	for _, part := range []string{stale, fresh} {
		if err := os.MkdirAll(part, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(stale, old, old); err != nil {
		t.Fatal(err)
	}
	s, err := New(Config{Workspace: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if _, err := s.ListKBs(t.Context(), api.ListKBsRequest{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(stale); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
	if _, err := os.Stat(fresh); err != nil {
		t.Errorf("what is being written was taken away: %v", err)
	}
}

// killBundle names the bundle that a process restores until it is killed.
const killBundle = "RAGDESK_TEST_BUNDLE"

func restoreAndReport(workspace, file string) error {
	s, err := New(Config{Workspace: workspace, LockWait: 20 * time.Second})
	if err != nil {
		return err
	}
	j, err := s.StartImportBundle(context.Background(), api.ImportBundleRequest{File: file, Mode: "replace"})
	for err == nil && j.State == "running" {
		time.Sleep(time.Millisecond)
		j, err = s.GetJob(context.Background(), api.JobRequest{ID: j.ID})
	}
	if err == nil && j.Error != nil {
		err = errors.New(j.Error.Message)
	}
	return errors.Join(err, s.Close())
}

// TestAKilledImportLeavesOneWorkspaceOrTheOther kills a restoring process when something of
// it is seen, and some time after.
func TestAKilledImportLeavesOneWorkspaceOrTheOther(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a process for each point")
	}
	s, _ := thesaurus(t, 12)
	file := filepath.Join(t.TempDir(), "a.ragbundle")
	exported(t, s, api.ExportBundleRequest{File: file})
	there := sources(t, s, "kb")
	here := service(t)
	corner(t, here)
	own := sources(t, here, "kb")
	workspace := here.store.Dir()
	outcomes := map[string]int{}
	for _, seen := range []string{"backups/.before-*", "backups/before-*", ".restore-*", ".restore-*/ragdesk.db", ".restore-*/ragdesk.db-wal", ".restore-*/old"} {
		for _, after := range []time.Duration{0, 5 * time.Millisecond} {
			if old, err := filepath.Glob(filepath.Join(workspace, "backups", "*")); err == nil {
				for _, f := range old {
					_ = os.RemoveAll(f)
				}
			}
			killWhen(t, workspace, file, seen, after)
			now := serviceOn(t, workspace)
			got := sources(t, now, "kb")
			switch {
			case cmp.Equal(got, own):
				outcomes["old"]++
			case cmp.Equal(got, there):
				outcomes["new"]++
			default:
				t.Fatalf("killed at %s: neither workspace: %v", seen, got)
			}
			doctor, err := now.Doctor(t.Context(), api.DoctorRequest{})
			if err != nil || !doctor.OK {
				t.Fatalf("killed at %s: %+v, %v", seen, doctor, err)
			}
		}
	}
	if outcomes["old"] == 0 {
		t.Errorf("no point was early: %v", outcomes)
	}
	t.Log(outcomes)
}

// killWhen starts a restore and kills it once a file is seen.
func killWhen(t *testing.T, workspace, file, seen string, after time.Duration) {
	t.Helper()
	// What an earlier one left is not what is waited for.
	for _, f := range must(filepath.Glob(filepath.Join(workspace, ".restore-*"))) {
		if err := os.RemoveAll(f); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), killWorkspace+"="+workspace, killBundle+"="+file)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("it ended with %v: %s", err, stderr.String())
			}
			return
		default:
		}
		if len(must(filepath.Glob(filepath.Join(workspace, filepath.FromSlash(seen))))) > 0 {
			time.Sleep(after)
			_ = cmd.Process.Kill() // or it has ended by itself
			<-ended
			return
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
