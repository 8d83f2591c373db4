package runstore_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ragdesk/backend/fault"
	"ragdesk/backend/runstore"
)

func TestANoteIsKeptBesideItsRun(t *testing.T) {
	t.Parallel()
	s := runstore.Open(filepath.Join(t.TempDir(), "runs"))
	for i, id := range []string{"20260101-a", "20260102-b"} {
		run, scores := sample(id, day(i+1))
		if err := s.Save(run, scores); err != nil {
			t.Fatal(err)
		}
	}
	before, err := os.ReadDir(s.Path("20260101-a"))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"first", " 换了重排器 😀\nsecond line \n"} {
		if id, err := s.SetNote("20260101", text); id != "20260101-a" || err != nil {
			t.Fatalf("%s %v", id, err)
		}
	}
	want := "换了重排器 😀\nsecond line"
	if got, err := s.Load("20260101-a"); err != nil || got.Note != want {
		t.Errorf("loaded with %q, %v", got.Note, err)
	}
	list, err := s.List()
	if err != nil || len(list.Broken) > 0 || len(list.Runs) != 2 || list.Runs[0].Note != "" || list.Runs[1].Note != want {
		t.Errorf("listed %+v, %v", list, err)
	}
	if after, err := os.ReadDir(s.Path("20260101-a")); err != nil || len(after) != len(before) {
		t.Errorf("the run itself changed: %v %v", after, err)
	}
	if _, err := s.SetNote(s.Path("20260101-a")+"/", ""); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Load("20260101-a"); err != nil || got.Note != "" {
		t.Errorf("after clearing: %q, %v", got.Note, err)
	}
	if entries, err := os.ReadDir(filepath.Dir(s.Path("x"))); err != nil || len(entries) != 2 {
		t.Errorf("left behind: %v %v", entries, err)
	}
	for text, code := range map[string]string{strings.Repeat("長", runstore.NotePoints+1): "note_invalid", "\xff": "note_invalid"} {
		if _, err := s.SetNote("20260101-a", text); !fault.Is(err, code) {
			t.Errorf("%.10q: %v, want %s", text, err, code)
		}
	}
	if _, err := s.SetNote("nothing", "x"); !fault.Is(err, "run_unknown") {
		t.Errorf("no run: %v", err)
	}
}
