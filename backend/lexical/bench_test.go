package lexical_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ragdesk/backend/lexical"
	"ragdesk/backend/rag"
)

// manyChunks returns n chunks of Chinese text, no two alike.
func manyChunks(b *testing.B, n int) []lexical.Entry {
	b.Helper()
	var out []lexical.Entry
	for _, step := range []int{200, 150, 90, 70, 50, 40} {
		for _, set := range []string{"cmrc2018", "drcd"} {
			for _, e := range entriesOf(windows(b, set, 250, 250-step)) {
				out = append(out, lexical.Entry{ID: e.ID + rag.ChunkID(fmt.Sprintf("/%d", step)), Text: e.Text})
			}
		}
		if len(out) >= n {
			return out[:n]
		}
	}
	b.Fatalf("only %d chunks", len(out))
	return nil
}

func BenchmarkSearch(b *testing.B) {
	questions := readLines[question](b, filepath.Join(evalData(b), "cmrc2018", "queries.jsonl"))
	for _, n := range []int{1000, 20_000} {
		entries := manyChunks(b, n)
		ix := open(b, build(b, entries), statsOf(entries))
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var took []time.Duration
			i := 0
			for b.Loop() {
				start := time.Now()
				search(b, ix, questions[i%len(questions)].Text, 50)
				took = append(took, time.Since(start))
				i++
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
		})
	}
}

func BenchmarkBuild(b *testing.B) {
	all := manyChunks(b, 21_000)
	for _, base := range []int{0, 1000, 20_000} {
		from := ""
		if base > 0 {
			from = build(b, all[:base])
		}
		for _, add := range []int{10, 100, 1000} {
			b.Run(fmt.Sprintf("%d+%d", base, add), func(b *testing.B) {
				dir := b.TempDir()
				i := 0
				for b.Loop() {
					to := filepath.Join(dir, fmt.Sprint(i))
					if err := (lexical.Analyzer{}).Build(context.Background(), from, to, nil, all[base:base+add]); err != nil {
						b.Fatal(err)
					}
					i++
				}
				b.ReportMetric(float64(add)*float64(i)/b.Elapsed().Seconds(), "chunks/s")
			})
		}
	}
}
