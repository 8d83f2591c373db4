package runstore_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/fault"
	"ragdesk/backend/runs"
	"ragdesk/backend/runstore"
)

func sample(id string, created time.Time) (runs.Stored, runs.Scores) {
	first, value := 2, .5
	cause := runs.RankedLow
	return runs.Stored{
			Run: runs.Run{Format: runs.Format, ID: id, Name: "vector", Created: created, Metrics: []string{"MRR"}, Depth: 5},
			Records: []runs.Record{
				{
					QueryID: "q1", Query: "年假 <b>&</b>", Expected: []runs.Expected{{Doc: "a.md", Quote: "x"}}, First: &first,
					Metrics:   map[string]*float64{"MRR": &value, "faithfulness": nil},
					Retrieved: []runs.Retrieved{{ChunkID: "c1", Rank: 1, Score: .25, Units: []int{}}}, Dropped: []runs.Dropped{},
					Ideal: []int{1}, Relevant: []runs.Relevant{{ID: "c2", Grade: 1}}, Cause: &cause,
				},
				{QueryID: "q2", Expected: []runs.Expected{}, Error: &runs.Failure{Code: "timeout", Params: map[string]string{}}},
			},
			Timing: runs.Timing{Workers: 2, Queries: []runs.QueryTiming{{QueryID: "q1", MS: map[string]float64{"total": 1.5}}}},
		}, runs.Scores{
			Name: "vector", Metrics: map[string]runs.Metric{"MRR": {Value: &value, N: 1, Of: 2}}, TotalQueries: 2,
		}
}

func day(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }

func TestSaveAndLoad(t *testing.T) {
	t.Parallel()
	s := runstore.Open(filepath.Join(t.TempDir(), "runs"))
	want, scores := sample("20260101-a", day(1))
	if err := s.Save(want, scores); err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{"20260101-a", "2026", s.Path("20260101-a")} {
		got, err := s.Load(ref)
		if err != nil {
			t.Fatalf("load %s: %v", ref, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	var names []string
	entries, err := os.ReadDir(s.Path("20260101-a"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if !slices.Equal(names, []string{"metrics.json", "results.jsonl", "run.json", "timing.json"}) {
		t.Errorf("files are %v", names)
	}
	if all, err := os.ReadDir(filepath.Dir(s.Path("x"))); err != nil || len(all) != 1 {
		t.Errorf("the store has %d entries (%v), want the run alone", len(all), err)
	}
}

func TestRunsAreImmutable(t *testing.T) {
	t.Parallel()
	s := runstore.Open(t.TempDir())
	r, scores := sample("20260101-a", day(1))
	if err := s.Save(r, scores); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(filepath.Join(s.Path(r.ID), runstore.RunFile))
	if err != nil {
		t.Fatal(err)
	}
	r.Name = "another"
	if err := s.Save(r, scores); !fault.Is(err, "run_exists") {
		t.Errorf("a second save gives %v, want run_exists", err)
	}
	after, err := os.ReadFile(filepath.Join(s.Path(r.ID), runstore.RunFile))
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the second save changed the run (%v)", err)
	}
	if entries, err := os.ReadDir(filepath.Dir(s.Path(r.ID))); err != nil || len(entries) != 1 {
		t.Errorf("%d entries (%v), want 1: no leftovers", len(entries), err)
	}
}

// Equal records give equal bytes of results and metrics, whatever the clock says.
func TestMetricsAreByteStable(t *testing.T) {
	t.Parallel()
	s := runstore.Open(t.TempDir())
	a, scores := sample("20260101-a", day(1))
	b, _ := sample("20260102-b", day(2))
	b.Timing = runs.Timing{}
	for _, r := range []runs.Stored{a, b} {
		if err := s.Save(r, scores); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{runstore.MetricsFile, runstore.ResultsFile} {
		x, errX := os.ReadFile(filepath.Join(s.Path(a.ID), name))
		y, errY := os.ReadFile(filepath.Join(s.Path(b.ID), name))
		if errX != nil || errY != nil || !bytes.Equal(x, y) {
			t.Errorf("%s differs between two equal runs (%v, %v)", name, errX, errY)
		}
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := runstore.Open(filepath.Join(dir, "none"))
	if l, err := s.List(); err != nil || len(l.Runs) != 0 {
		t.Errorf("a store that is not there lists %v (%v)", l, err)
	}
	s = runstore.Open(dir)
	for i, id := range []string{"20260102-b", "20260101-a", "20260102-a"} {
		r, scores := sample(id, day([]int{2, 1, 2}[i]))
		if err := s.Save(r, scores); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"20260103-broken", "notes", ".work-x"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "20260103-broken", runstore.RunFile), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	l, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, r := range l.Runs {
		ids = append(ids, r.ID)
	}
	if !slices.Equal(ids, []string{"20260102-a", "20260102-b", "20260101-a"}) || !slices.Equal(l.Broken, []string{"20260103-broken"}) {
		t.Errorf("list is %v, broken %v", ids, l.Broken)
	}
	if v := l.Runs[0].Scores.Metrics["MRR"].Value; v == nil || *v != .5 {
		t.Errorf("the listed MRR is %v", v)
	}
}

func TestLoadFaults(t *testing.T) {
	t.Parallel()
	s := runstore.Open(t.TempDir())
	for _, id := range []string{"20260101-a", "20260101-b", "later", "broken", "short"} {
		r, scores := sample(id, day(1))
		if id == "later" {
			r.Format = runs.Format + 1
		}
		if err := s.Save(r, scores); err != nil {
			t.Fatal(err)
		}
	}
	for id, file := range map[string]string{"broken": runstore.ResultsFile, "short": runstore.TimingFile} {
		if err := os.WriteFile(filepath.Join(s.Path(id), file), []byte(`{"query_id": 5`), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for ref, code := range map[string]string{
		"none": "run_unknown", "": "run_unknown", "20260101": "run_ambiguous", "later": "run_format", "broken": "run_broken",
		"short": "run_broken", "../x": "run_unknown", s.Path("none"): "run_unknown",
	} {
		if _, err := s.Load(ref); !fault.Is(err, code) {
			t.Errorf("load %q gives %v, want %s", ref, err, code)
		}
	}
	if err := os.Remove(filepath.Join(s.Path("20260101-a"), runstore.TimingFile)); err != nil {
		t.Fatal(err)
	}
	if r, err := s.Load("20260101-a"); err != nil || len(r.Timing.Queries) != 0 {
		t.Errorf("a run without timings gives %v", err)
	}
}

func TestSaveRefusesNamesThatLeaveTheStore(t *testing.T) {
	t.Parallel()
	s := runstore.Open(t.TempDir())
	for _, id := range []string{"", "../x", "a/b", ".hidden", "a.json", "-x"} {
		r, scores := sample(id, day(1))
		if err := s.Save(r, scores); err == nil {
			t.Errorf("a run called %q was saved", id)
		}
	}
}

func TestSaveWhereNothingCanBeWritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	r, scores := sample("20260101-a", day(1))
	if err := runstore.Open(file).Save(r, scores); !fault.Is(err, "run_unwritable") {
		t.Errorf("saving below a file gives %v", err)
	}
	if _, err := runstore.Open(file).Journal("k"); !fault.Is(err, "run_unwritable") {
		t.Errorf("a journal below a file gives %v", err)
	}
}

func TestJournalSurvivesATornLine(t *testing.T) {
	t.Parallel()
	s := runstore.Open(t.TempDir())
	j, err := s.Journal("k")
	if err != nil {
		t.Fatal(err)
	}
	for q := range 3 {
		if err := j.Append(runs.Finished{Question: q, Record: runs.Record{QueryID: "q"}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(s.Path(".work-k"), runstore.ResultsFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, whole[:len(whole)-7], 0o666); err != nil { // a write that was cut short
		t.Fatal(err)
	}
	j, err = s.Journal("k")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{2, 3} {
		got, err := j.Finished(t.Context())
		if err != nil || len(got) != want {
			t.Fatalf("journal has %d searches (%v), want %d", len(got), err, want)
		}
		if err := j.Append(runs.Finished{Question: 2}); err != nil {
			t.Fatal(err)
		}
	}
	if l, err := s.List(); err != nil || len(l.Runs)+len(l.Broken) != 0 {
		t.Errorf("the journal is listed as a run: %+v (%v)", l, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := j.Finished(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error after cancel is %v", err)
	}
	if err := j.Remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.Path(".work-k")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the journal is still there: %v", err)
	}
}
