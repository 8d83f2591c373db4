package store_test

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// when is a moment with what storing drops: a zone and parts of a second.
func when(day int) time.Time {
	return time.Date(2024, 5, day, 1, 2, 3, 456, time.FixedZone("", 8*3600))
}

func TestDatasetVersions(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := open(t, t.TempDir())
	w := lock(t, s)
	put := func(name, content string, day int) rag.DatasetRow {
		t.Helper()
		row, err := w.PutDataset(ctx, rag.DatasetRow{Name: name, Questions: len(content), Imported: when(day)}, []byte(content))
		if err != nil {
			t.Fatal(err)
		}
		return row
	}
	one := put("题集", "一\x00\xff", 1)
	want := rag.DatasetRow{
		Name: "题集", Version: 1, Questions: 5, Imported: time.Date(2024, 4, 30, 17, 2, 3, 0, time.UTC),
		Hash: fmt.Sprintf("%x", sha256.Sum256([]byte("一\x00\xff"))),
	}
	if diff := cmp.Diff(want, one); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if again := put("题集", "一\x00\xff", 2); again != one {
		t.Errorf("equal content is stored again: %+v", again)
	}
	two := put("题集", "二", 3)
	three := put("题集", "一\x00\xff", 4) // as it was before
	other := put("other", "二", 5)
	if two.Version != 2 || three.Version != 3 || three.Hash != one.Hash || other.Version != 1 || other.Hash != two.Hash {
		t.Errorf("versions %+v, %+v, %+v", two, three, other)
	}
	list, err := s.Datasets(ctx)
	if diff := cmp.Diff([]rag.DatasetRow{other, three, two, one}, list); err != nil || diff != "" {
		t.Errorf("error %v, -want +got:\n%s", err, diff)
	}
	for version, want := range map[int]rag.DatasetRow{0: three, 1: one, 2: two, 3: three} {
		row, content, err := s.Dataset(ctx, "题集", version)
		body := map[bool]string{true: "二", false: "一\x00\xff"}[want == two]
		if err != nil || row != want || string(content) != body {
			t.Errorf("version %d: %+v %q, error %v", version, row, content, err)
		}
	}
	_, _, err = s.Dataset(ctx, "题集", 4)
	wantFault(t, err, "dataset_unknown", fault.P("dataset", "题集"))
	if n, err := w.RemoveDataset(ctx, "题集"); err != nil || n != 3 {
		t.Errorf("%d versions removed, error %v", n, err)
	}
	_, _, err = s.Dataset(ctx, "题集", 0)
	wantFault(t, err, "dataset_unknown", fault.P("dataset", "题集"))
	_, err = w.RemoveDataset(ctx, "题集")
	wantFault(t, err, "dataset_unknown", fault.P("dataset", "题集"))
	if list, err := s.Datasets(ctx); err != nil || len(list) != 1 || list[0] != other {
		t.Errorf("left: %v, error %v", list, err)
	}
	check(t, s)
}

func TestDatasetNames(t *testing.T) {
	t.Parallel()
	w := lock(t, open(t, t.TempDir()))
	for _, name := range []string{"", " ", "a/b", `a\b`, "a.jsonl", "a\n", "\xff", strings.Repeat("x", 101)} {
		_, err := w.PutDataset(t.Context(), rag.DatasetRow{Name: name}, nil)
		wantFault(t, err, "dataset_name_invalid", fault.P("dataset", name))
	}
	for _, name := range []string{"a", "题集 2", "'; DROP TABLE dataset;--", strings.Repeat("𠮷", 100)} {
		if _, err := w.PutDataset(t.Context(), rag.DatasetRow{Name: name}, []byte{}); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestDamagedDatasetIsReported(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	w := lock(t, s)
	if _, err := w.PutDataset(t.Context(), rag.DatasetRow{Name: "d"}, []byte("content")); err != nil {
		t.Fatal(err)
	}
	run(t, raw(t, dir), `UPDATE dataset SET body = x'00'`)
	_, _, err := s.Dataset(t.Context(), "d", 0)
	wantFault(t, err, "workspace_damaged", fault.P("path", dir))
}

func TestBindings(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := open(t, t.TempDir())
	w := lock(t, s)
	a, b := library(t, s, w, "a", record("a.txt", "甲")), library(t, s, w, "b")
	row, err := w.PutDataset(ctx, rag.DatasetRow{Name: "d"}, []byte("content"))
	if err != nil {
		t.Fatal(err)
	}
	want := func(lib rag.Library, hash, want string) {
		t.Helper()
		if got, err := s.Bindings(ctx, lib, hash); err != nil || string(got) != want || (got == nil) != (want == "") {
			t.Errorf("%s of %s: %q, error %v, want %q", hash, lib.Name, got, err, want)
		}
	}
	set := func(lib rag.Library, hash, body string) {
		t.Helper()
		if err := w.SetBindings(ctx, lib, hash, []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	want(a, row.Hash, "")
	set(a, row.Hash, "first")
	set(a, row.Hash, "second")
	set(b, row.Hash, "b's")
	set(a, "of a file", "file")
	want(a, row.Hash, "second")
	// The library's documents change, its bindings stay for the next binding.
	a = apply(t, w, a, rag.Change{Remove: []rag.DocumentID{record("a.txt", "").ID}})
	want(a, row.Hash, "second")
	// A content that another dataset has keeps its bindings.
	if _, err := w.PutDataset(ctx, rag.DatasetRow{Name: "copy"}, []byte("content")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"d", "copy"} {
		want(b, row.Hash, "b's")
		if _, err := w.RemoveDataset(ctx, name); err != nil {
			t.Fatal(err)
		}
	}
	want(b, row.Hash, "")
	want(a, "of a file", "file")
	if err := w.RemoveLibrary(ctx, a); err != nil {
		t.Fatal(err)
	}
	_, err = s.Bindings(ctx, a, "of a file")
	wantFault(t, err, "kb_unknown", fault.P("kb", "a"))
	wantFault(t, w.SetBindings(ctx, a, "x", nil), "kb_unknown", fault.P("kb", "a"))
	check(t, s)
}
