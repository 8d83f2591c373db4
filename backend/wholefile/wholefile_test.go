package wholefile_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ragdesk/backend/wholefile"
)

func names(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestWrite(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "notes", "a.json")
	for _, content := range []string{"first, and longer", "second"} {
		if err := wholefile.Write(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("%q, %v", got, err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if got := names(t, filepath.Dir(path)); !slices.Equal(got, []string{"a.json"}) {
		t.Errorf("left %v", got)
	}
	// What cannot take the file's place is not left beside it.
	taken := filepath.Join(filepath.Dir(path), "folder")
	if err := os.MkdirAll(filepath.Join(taken, "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := wholefile.Write(taken, []byte("x"), 0o600); err == nil {
		t.Error("a file took the place of a folder")
	}
	if got := names(t, filepath.Dir(path)); !slices.Equal(got, []string{"a.json", "folder"}) {
		t.Errorf("left %v", got)
	}
}

func TestSweep(t *testing.T) {
	t.Parallel()
	dir, now := t.TempDir(), time.Now()
	old := now.Add(-2 * time.Hour)
	make := func(name string, at time.Time) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		if filepath.Dir(path) != dir {
			if err := os.Chtimes(filepath.Dir(path), at, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	make(".a.ragbundle.part-1", old)
	make(".a.ragbundle.part-2", now) // is being written
	make(".a.ragbundle.part-3/ragdesk.db", old)
	make(".a.ragbundle.part-4/ragdesk.db", now)
	make("a.part-5", old) // a name that somebody gave
	make("a.ragbundle", old)
	make(".b.ragbundle.part-6", old)
	if err := wholefile.Sweep(dir, wholefile.Mark("b.ragbundle"), now); err != nil || len(names(t, dir)) != 6 {
		t.Errorf("%v, %v", names(t, dir), err)
	}
	if err := wholefile.Sweep(dir, ".", now); err != nil {
		t.Fatal(err)
	}
	if got, want := names(t, dir), []string{".a.ragbundle.part-2", ".a.ragbundle.part-4", "a.part-5", "a.ragbundle"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if err := wholefile.Sweep(filepath.Join(dir, "nowhere"), ".", now); err != nil {
		t.Error(err)
	}
}
