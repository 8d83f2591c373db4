package app

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"ragdesk/backend/api"
)

// TestRemovingAnAliasKeepsItsDocument removes the second path of a document.
func TestRemovingAnAliasKeepsItsDocument(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a.txt", "b.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("the same words in two files"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := New(Config{Workspace: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	j, err := s.StartIngest(t.Context(), api.IngestRequest{KB: "k", Paths: []string{dir}})
	for err == nil && j.State == "running" {
		time.Sleep(10 * time.Millisecond)
		j, err = s.GetJob(t.Context(), api.JobRequest{ID: j.ID})
	}
	if err != nil || j.State != "done" {
		t.Fatalf("ingest: %v, %+v", err, j)
	}
	alias := j.Report.Documents[1]
	if alias.Status != "alias" {
		t.Fatalf("the second file is %s", alias.Status)
	}
	out, err := s.RemoveDocuments(t.Context(), api.RemoveDocumentsRequest{KB: "k", Refs: []string{alias.Source}})
	if err != nil || len(out.Removed) != 1 || out.Removed[0] != alias.Source {
		t.Fatalf("removed %v, %v", out, err)
	}
	docs, err := s.ListDocuments(t.Context(), api.ListDocumentsRequest{KB: "k"})
	if err != nil || len(docs.Documents) != 1 || docs.Documents[0].Status != "indexed" {
		t.Errorf("left are %+v, %v", docs, err)
	}
}
