package dataset_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/dataset"
	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
	"ragdesk/backend/store"
)

// TestOneListOfEverything has, in one file, what reading finds and what the
// library shows: the list is one, by line.
func TestOneListOfEverything(t *testing.T) {
	t.Parallel()
	ds, found := read(t, filepath.Join("testdata", "everything.jsonl"), dataset.Options{})
	c := open(t, newShelf(t, 50, 0, "a.md", "The limit is 30 days.", "old/b.md", "Old.", "new/b.md", "New."))
	report, bindings, err := dataset.Examine(t.Context(), ds, found, c, nil)
	if err != nil || len(bindings) != len(ds.Questions) {
		t.Fatalf("%d bindings, error %v", len(bindings), err)
	}
	b, err := json.MarshalIndent(report, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "everything.golden.json", append(b, '\n'))

	alone, bindings, err := dataset.Examine(t.Context(), ds, found, nil, nil)
	if err != nil || bindings != nil || len(alone.Problems) >= len(report.Problems) || len(alone.Problems) == 0 {
		t.Errorf("without a library: %d problems, %v, error %v", len(alone.Problems), bindings, err)
	}
	err = dataset.Refuse("everything.jsonl", report.Problems)
	if !fault.Is(err, "dataset_invalid") || fault.Of(err).Params["line"] != "2" {
		t.Errorf("refused with %v", err)
	}
	if list := strings.Split(fault.Of(err).Params["list"], "; "); len(list) != len(report.Problems) || !strings.HasPrefix(list[0], "line 2: ") {
		t.Errorf("the refusal lists %q", list)
	}
	if err := dataset.Refuse("f", nil); err != nil {
		t.Errorf("refused for nothing: %v", err)
	}
}

// TestThroughTheStore keeps a dataset and its bindings in a real workspace, and
// binds again after a document changed.
func TestThroughTheStore(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s, err := store.Open(ctx, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	w, err := s.Lock(ctx, "test", 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Unlock() })
	lib, err := w.CreateLibrary(ctx, "kb", rag.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	ds := parse(t, "", `{"question":"几天？","answer":"三十天","gold":[{"doc":"a.md","quote":"三十天","grade":2}]}`)
	row, err := w.PutDataset(ctx, rag.DatasetRow{Name: "d", Questions: len(ds.Questions)}, ds.Bytes())
	if err != nil || row.Hash != ds.Hash() {
		t.Fatalf("%+v, error %v, want hash %s", row, err, ds.Hash())
	}
	before := newShelf(t, 50, 0, "a.md", "报销期限是三十天。")
	bindings, err := open(t, before).BindAll(ctx, ds.Questions, nil)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := dataset.EncodeBindings(bindings)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.SetBindings(ctx, lib, row.Hash, encoded); err != nil {
		t.Fatal(err)
	}

	row, content, err := s.Dataset(ctx, "d", 0)
	if err != nil {
		t.Fatal(err)
	}
	again, err := dataset.Restore(ctx, row, content)
	if err != nil || again.Name != "d" || again.Hash() != ds.Hash() {
		t.Fatalf("%+v, error %v", again, err)
	}
	kept, err := s.Bindings(ctx, lib, row.Hash)
	if err != nil {
		t.Fatal(err)
	}
	prior, err := dataset.DecodeBindings(kept)
	if diff := cmp.Diff(bindings, prior); err != nil || diff != "" {
		t.Fatalf("error %v, -want +got:\n%s", err, diff)
	}
	changed := newShelf(t, 50, 0, "a.md", "自七月起，报销期限是三十天。")
	now, err := open(t, changed).BindAll(ctx, again.Questions, prior)
	if err != nil || now[0].Labels[0].State != dataset.StateMoved || now[0].Labels[0].Quote != "三十天" {
		t.Errorf("%+v, error %v", now, err)
	}
	if none, err := dataset.DecodeBindings(nil); none != nil || err != nil {
		t.Errorf("no bindings: %v, error %v", none, err)
	}
	if _, err := dataset.DecodeBindings([]byte("{")); err == nil {
		t.Error("broken bindings decode")
	}
	if _, err := dataset.Restore(ctx, row, []byte(strings.Repeat("x\n", 2))); !fault.Is(err, "dataset_invalid") {
		t.Errorf("broken content: %v", err)
	}
}
