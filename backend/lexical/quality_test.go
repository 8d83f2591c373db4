package lexical_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/lexical"
	"ragdesk/backend/rag"
)

var update = flag.Bool("update", false, "write golden files anew")

// relevant returns, by question, the windows that cover a whole gold span.
// Questions without any are left out.
func relevant(questions []question, ws []window) map[string]map[rag.ChunkID]bool {
	byDoc := map[string][]window{}
	for _, w := range ws {
		byDoc[w.doc] = append(byDoc[w.doc], w)
	}
	out := map[string]map[rag.ChunkID]bool{}
	for _, q := range questions {
		for _, g := range q.Gold {
			for _, w := range byDoc[g.Doc] {
				if g.Start != nil && (w.start > *g.Start || w.end < *g.End) {
					continue
				}
				if out[q.ID] == nil {
					out[q.ID] = map[rag.ChunkID]bool{}
				}
				out[q.ID][w.ID] = true
			}
		}
	}
	return out
}

// measure returns the mean reciprocal rank and the share of questions found,
// both within the first ten.
func measure(t *testing.T, ix *lexical.Index, questions []question, gold map[string]map[rag.ChunkID]bool) (mrr, hit float64) {
	t.Helper()
	for _, q := range questions {
		if gold[q.ID] == nil {
			continue
		}
		for rank, h := range search(t, ix, q.Text, 10) {
			if gold[q.ID][h.ID] {
				mrr += 1 / float64(rank+1)
				hit++
				break
			}
		}
	}
	n := float64(len(gold))
	return mrr / n, hit / n
}

// Ranking must not get worse without being noticed: the golden file holds the
// measures of all questions, and the floors are what other analysers reach.
func TestQuality(t *testing.T) {
	t.Parallel()
	root := evalData(t)
	var got strings.Builder
	built := map[string]*lexical.Index{}
	for _, set := range []struct {
		name    string
		queries string
		size    int
		floor   float64
	}{
		{"cmrc2018", "queries", 250, .907},
		{"drcd", "queries", 250, .943},
		{"drcd", "queries_simplified", 250, .943},
		{"xquad_zh_en", "queries", 250, 0},
		{"clapnq", "queries", 1000, 0},
	} {
		ws := windows(t, set.name, set.size, set.size/5)
		if built[set.name] == nil {
			entries := entriesOf(ws)
			built[set.name] = open(t, build(t, entries), statsOf(entries))
		}
		ix := built[set.name]
		questions := readLines[question](t, filepath.Join(root, set.name, set.queries+".jsonl"))
		gold := relevant(questions, ws)
		mrr, hit := measure(t, ix, questions, gold)
		fmt.Fprintf(&got, "%s/%s windows=%d chunks=%d questions=%d MRR@10=%.4f hit@10=%.4f\n",
			set.name, set.queries, set.size, len(ws), len(gold), mrr, hit)
		if mrr < set.floor {
			t.Errorf("%s: MRR@10 = %.4f, want at least %.3f", set.name, mrr, set.floor)
		}
	}
	golden := filepath.Join("testdata", "quality.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("ranking changed; if for the better, run with -update (-want +got):\n%s", diff)
	}
}
