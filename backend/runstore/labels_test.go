package runstore_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"ragdesk/backend/fault"
	"ragdesk/backend/runs"
	"ragdesk/backend/runstore"
)

func said(i int) []runs.LabelEvent {
	return []runs.LabelEvent{{Label: &runs.Label{Key: strconv.Itoa(i), By: "anna", State: "supported", Note: "<&>"}}}
}

// TestLabelsAreNeverLost appends from several places at once, over what a crash left.
func TestLabelsAreNeverLost(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "labels", "claims.jsonl")
	first := runstore.OpenLabels(path)
	if events, err := first.Read(); err != nil || len(events) != 0 {
		t.Fatalf("a file that is not there: %v %v", events, err)
	}
	if err := first.Append(said(0)); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"label":{"key":"torn","by":"an`); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if events, err := first.Read(); err != nil || len(events) != 1 {
		t.Fatalf("a torn line: %d events, %v", len(events), err)
	}
	var all sync.WaitGroup
	const each = 40
	for p := range 3 {
		l := runstore.OpenLabels(path) // as another process would
		all.Go(func() {
			for i := range each {
				if err := l.Append(said(1 + p*each + i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	events, err := first.Read()
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	for _, e := range events {
		keys[e.Label.Key] = true
	}
	if len(events) != 1+3*each || len(keys) != len(events) || events[0].Label.Note != "<&>" {
		t.Errorf("%d events with %d keys, want %d", len(events), len(keys), 1+3*each)
	}
}

func TestBrokenLabelsAreNotSkipped(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "claims.jsonl")
	if err := os.WriteFile(path, []byte("{\"label\":{\"key\":\"a\"}}\nnonsense\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := runstore.OpenLabels(path).Read()
	if f := fault.Of(err); f.Code != "labels_broken" || f.Params["line"] != "2" {
		t.Errorf("%v", err)
	}
	raw, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(raw), "nonsense") {
		t.Errorf("reading changed the file: %q %v", raw, err)
	}
}
