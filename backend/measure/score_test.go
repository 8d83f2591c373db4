package measure_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/fault"
	"ragdesk/backend/measure"
)

var mrr = measure.Measure{Kind: measure.MRR}

func TestEqualScoresByDialect(t *testing.T) {
	t.Parallel()
	run := "q Q0 m 1 1 t\nq Q0 z 2 1 t\nq Q0 a 3 1 t\n"
	for _, tc := range []struct {
		dialect measure.Dialect
		first   string
	}{{measure.DialectTREC, "z"}, {measure.DialectRanx, "m"}, {measure.DialectRAG, "a"}, {0, "a"}} {
		report := score(t, "q 0 "+tc.first+" 1\n", run, measure.Options{Measures: []measure.Measure{mrr}, Dialect: tc.dialect})
		if got := report.Means[0].Value; got != measure.Of(1) {
			t.Errorf("%v: %s is not first, RR = %v", tc.dialect, tc.first, got)
		}
	}
}

func TestDuplicateDocuments(t *testing.T) {
	t.Parallel()
	const qrels = "q 0 a 1\nq 0 b 2\n\n# again, and lower\nq 0 b 1\n"
	const run = "q Q0 a 1 1 t\nq Q0 x 2 5 t\nq Q0 a 3 9 t\nq Q0 x 4 1 t\n"
	report := score(t, qrels, run, measure.Options{
		Measures: []measure.Measure{mrr, {Kind: measure.Precision}, {Kind: measure.Recall, Rel: 2}}, Dialect: measure.DialectRanx,
	})
	want := []measure.Value{measure.Of(1), measure.Of(.5), measure.Of(0)}
	if diff := cmp.Diff(want, report.Queries[0].Values); diff != "" || report.Duplicates != 3 {
		t.Errorf("%d duplicates, want 3; values: %s", report.Duplicates, diff)
	}
	for _, tc := range []struct{ qrels, run, file, doc, line string }{
		{qrels, "q Q0 x 1 1 t\n", "qrels", "b", "5"},
		{"q 0 a 1\n", run, "run", "a", "3"},
	} {
		q, err := measure.ReadQrels(t.Context(), strings.NewReader(tc.qrels), "qrels")
		add(t, err)
		r, err := measure.ReadRun(t.Context(), strings.NewReader(tc.run), "run")
		add(t, err)
		_, err = measure.Score(t.Context(), q, r, measure.Options{Measures: []measure.Measure{mrr}, Dialect: measure.DialectTREC})
		if !fault.Is(err, "trec_duplicate") {
			t.Fatalf("%s: %v", tc.file, err)
		}
		want := map[string]string{"file": tc.file, "query": "q", "doc": tc.doc, "line": tc.line}
		if diff := cmp.Diff(want, fault.Of(err).Params); diff != "" {
			t.Error(diff)
		}
	}
}

func TestQueriesOnOneSideOnly(t *testing.T) {
	t.Parallel()
	report := score(t, "b 0 d 1\na 0 d 1\n", "c Q0 d 1 1 t\na Q0 d 1 1 t\n",
		measure.Options{Measures: []measure.Measure{mrr}, Dialect: measure.DialectTREC})
	want := []measure.QueryScores{{Query: "b", Values: []measure.Value{measure.Of(0)}}, {Query: "a", Values: []measure.Value{measure.Of(1)}}}
	if diff := cmp.Diff(want, report.Queries); diff != "" {
		t.Error(diff)
	}
	if report.NotRun != 1 || report.NotJudged != 1 || report.Means[0].Value != measure.Of(.5) || report.Means[0].N != 2 {
		t.Errorf("%+v", report)
	}
}

func TestNoQueriesIsNoValue(t *testing.T) {
	t.Parallel()
	report, err := measure.Score(t.Context(), &measure.Qrels{}, &measure.Run{}, measure.Options{Measures: []measure.Measure{mrr}})
	if err != nil || report.Means[0].Value != measure.Absent(measure.NoValues) {
		t.Errorf("%+v, %v", report, err)
	}
}

// TestOrderOfLinesDoesNotMatter shuffles both files: under a dialect that breaks
// ties by id every value stays the same.
func TestOrderOfLinesDoesNotMatter(t *testing.T) {
	t.Parallel()
	qrels, run := tiedPair()
	opts := measure.Options{Measures: allMeasures(), Dialect: measure.DialectTREC}
	want := byQuery(score(t, qrels, run, opts))
	rng := rand.New(rand.NewPCG(5, 6))
	got := byQuery(score(t, shuffleLines(rng, qrels), shuffleLines(rng, run), opts))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestAveragedTiesWithoutTiesAreTheSame holds the closed forms for ties against the
// plain ones where no two scores are equal.
func TestAveragedTiesWithoutTiesAreTheSame(t *testing.T) {
	t.Parallel()
	qrels, run := largePair(20, 200, 20)
	opts := measure.Options{Measures: allMeasures(), Dialect: measure.DialectRAG}
	want := score(t, qrels, run, opts)
	opts.AverageTies = true
	got := score(t, qrels, run, opts)
	for i, q := range got.Queries {
		for j, v := range q.Values {
			if d := v.Score - want.Queries[i].Values[j].Score; d > 1e-12 || d < -1e-12 {
				t.Errorf("%s %v: %v and %v", q.Query, got.Measures[j], v, want.Queries[i].Values[j])
			}
		}
	}
}

func byQuery(r measure.Report) map[string][]measure.Value {
	out := map[string][]measure.Value{}
	for _, q := range r.Queries {
		out[q.Query] = q.Values
	}
	return out
}

func shuffleLines(rng *rand.Rand, text string) string {
	lines := strings.SplitAfter(text, "\n")
	rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	return strings.Join(lines, "")
}

func TestScoreFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	qrels, run := write("qrels", "q 0 a 1\n"), write("run", "q Q0 b 1 2 t\nq Q0 a 2 1 t\n")
	opts := measure.Options{Measures: []measure.Measure{mrr}, Dialect: measure.DialectTREC}
	report, err := measure.ScoreFiles(t.Context(), qrels, run, opts)
	if err != nil || report.Means[0].Value != measure.Of(.5) {
		t.Errorf("%+v, %v", report, err)
	}
	missing, empty, bad := filepath.Join(dir, "none"), write("empty", "\n# nothing\n"), write("bad", "q Q0 a 1 x t\n")
	for _, tc := range []struct{ qrels, run, code, file string }{
		{missing, run, "trec_unreadable", missing}, {qrels, missing, "trec_unreadable", missing},
		{dir, run, "trec_unreadable", dir}, {empty, run, "trec_invalid", empty}, {qrels, empty, "trec_invalid", empty},
		{qrels, bad, "trec_invalid", bad}, {run, run, "trec_invalid", run},
	} {
		_, err := measure.ScoreFiles(t.Context(), tc.qrels, tc.run, opts)
		if f := fault.Of(err); f == nil || f.Code != tc.code || f.Params["file"] != tc.file {
			t.Errorf("%s and %s: %v, want %s of %s", tc.qrels, tc.run, err, tc.code, tc.file)
		}
	}
	if _, err := measure.ScoreFiles(t.Context(), missing, run, opts); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the cause is lost: %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := measure.ScoreFiles(cancelled, qrels, run, opts); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
