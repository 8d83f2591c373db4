package measure_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ragdesk/backend/measure"
)

func benchMeasures(b *testing.B) []measure.Measure {
	b.Helper()
	named, err := measure.ParseList("MAP,MRR,P@5,P@10,Recall@10,Recall@100,nDCG,nDCG@10,nDCG@100,Hit@5")
	if err != nil {
		b.Fatal(err)
	}
	out := make([]measure.Measure, len(named))
	for i, n := range named {
		out[i] = n.Measure
	}
	return out
}

func BenchmarkReadRun(b *testing.B) {
	_, run := largePair(200, 1000, 50)
	b.SetBytes(int64(len(run)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := measure.ReadRun(b.Context(), strings.NewReader(run), "run"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScore(b *testing.B) {
	qrelsText, runText := largePair(200, 1000, 50)
	qrels, err := measure.ReadQrels(b.Context(), strings.NewReader(qrelsText), "qrels")
	if err != nil {
		b.Fatal(err)
	}
	run, err := measure.ReadRun(b.Context(), strings.NewReader(runText), "run")
	if err != nil {
		b.Fatal(err)
	}
	opts := measure.Options{Measures: benchMeasures(b), Dialect: measure.DialectTREC}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := measure.Score(b.Context(), qrels, run, opts); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScoreFiles(b *testing.B) {
	dir := b.TempDir()
	qrelsText, runText := largePair(1000, 1000, 50)
	qrels, run := filepath.Join(dir, "qrels"), filepath.Join(dir, "run")
	for path, text := range map[string]string{qrels: qrelsText, run: runText} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	opts := measure.Options{Measures: benchMeasures(b), Dialect: measure.DialectTREC}
	b.SetBytes(int64(len(runText)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := measure.ScoreFiles(b.Context(), qrels, run, opts); err != nil {
			b.Fatal(err)
		}
	}
}
