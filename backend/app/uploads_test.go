package app

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"ragdesk/backend/api"
)

// What was dropped into the page goes when nothing needs it: what a library refers to stays,
// with what could not be read, and what is new.
func TestUploadsAreTidied(t *testing.T) {
	t.Parallel()
	s := service(t)
	put := func(name, content string, age time.Duration) string {
		path := s.inWorkspace(UploadsFolder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if when := time.Now().Add(-age); os.Chtimes(path, when, when) != nil {
			t.Fatal("no time set")
		}
		return path
	}
	old := 48 * time.Hour
	read := put("tides/a/tides.md", "# Tides\n\nThe tide turns twice a day.\n", old)
	same := put("tides/copy.md", "# Tides\n\nThe tide turns twice a day.\n", old)
	unread := put("tides/broken.pdf", "%PDF-1.4 nothing", old)
	load(t, s, read, same, unread)
	idle := put("tides/b/never read.md", "x", old)
	part := put("tides/.half.md.part", "x", old)
	fresh := put("datasets/fresh.csv", "question,doc\nWhen?,tides.md\n", time.Hour)
	if err := s.TidyUploads(t.Context()); err != nil {
		t.Fatal(err)
	}
	there := func(path string, want bool) {
		t.Helper()
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s: there %v, want %v", path, err == nil, want)
		}
	}
	for path, want := range map[string]bool{read: true, same: true, unread: true, idle: false, part: false, fresh: true, filepath.Dir(idle): false} {
		there(path, want)
	}

	mine := questionsFile(t, "mine.csv", "question,doc\nWhen?,tides.md\n")
	for _, file := range []string{fresh, mine} {
		if _, err := s.ImportDataset(t.Context(), api.DatasetFileRequest{File: file, Name: "q"}); err != nil {
			t.Fatal(err)
		}
	}
	there(fresh, false)
	there(mine, true)
}

// A workspace that was moved still knows its uploads, although its documents name the old place.
func TestUploadsOfAMovedWorkspaceStay(t *testing.T) {
	t.Parallel()
	needModel(t)
	at := filepath.Join(t.TempDir(), "old")
	s := serviceOn(t, at)
	name := filepath.Join("tides", UploadsFolder, "tides.md")
	path := s.inWorkspace(UploadsFolder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("# Tides\n\nThe tide turns twice a day.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	load(t, s, path)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	moved := filepath.Join(filepath.Dir(at), "new")
	if err := os.Rename(at, moved); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(moved, UploadsFolder, name)
	when := time.Now().Add(-48 * time.Hour)
	if err := os.Chtimes(path, when, when); err != nil {
		t.Fatal(err)
	}
	if err := serviceOn(t, moved).TidyUploads(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}
