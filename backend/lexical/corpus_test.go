package lexical_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ragdesk/backend/lexical"
	"ragdesk/backend/rag"
)

// question is a line of a data set's queries.jsonl; offsets are code points.
type question struct {
	ID   string `json:"query_id"`
	Text string `json:"question"`
	Gold []struct {
		Doc   string `json:"doc_id"`
		Start *int   `json:"start"`
		End   *int   `json:"end"`
	} `json:"gold"`
}

// window is a chunk that knows its place, in code points.
type window struct {
	lexical.Entry
	doc        string
	start, end int
}

// evalData returns a folder of data sets or skips the test.
func evalData(tb testing.TB) string {
	tb.Helper()
	root := os.Getenv("EVAL_DATA")
	if root == "" {
		tb.Skip("EVAL_DATA names no folder of data sets")
	}
	return root
}

// readLines decodes a JSON Lines file.
func readLines[T any](tb testing.TB, path string) []T {
	tb.Helper()
	f, err := os.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var out []T
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			tb.Fatalf("%s: %v", path, err)
		}
		out = append(out, v)
	}
	if err := lines.Err(); err != nil {
		tb.Fatal(err)
	}
	return out
}

// windows cuts the documents of a data set into windows of size code points that
// overlap, the last ending with the document.
func windows(tb testing.TB, set string, size, overlap int) []window {
	tb.Helper()
	type document struct {
		ID   string `json:"doc_id"`
		Text string `json:"text"`
	}
	var out []window
	for _, d := range readLines[document](tb, filepath.Join(evalData(tb), set, "corpus.jsonl")) {
		runes := []rune(d.Text)
		for start := 0; ; start += size - overlap {
			end := min(start+size, len(runes))
			id := rag.ChunkID(fmt.Sprintf("%s:%05d", d.ID, start))
			out = append(out, window{lexical.Entry{ID: id, Text: string(runes[start:end])}, d.ID, start, end})
			if end == len(runes) {
				break
			}
		}
	}
	return out
}

func entriesOf(ws []window) []lexical.Entry {
	out := make([]lexical.Entry, len(ws))
	for i, w := range ws {
		out[i] = w.Entry
	}
	return out
}

// statsOf sums what Open needs.
func statsOf(entries []lexical.Entry) lexical.Stats {
	st := lexical.Stats{Chunks: len(entries)}
	for _, e := range entries {
		st.Terms = st.Terms.Plus(lexical.Analyzer{}.Count(e.Text))
	}
	return st
}

// build makes a generation of the entries in a temporary folder.
func build(tb testing.TB, entries []lexical.Entry) string {
	tb.Helper()
	dir := filepath.Join(tb.TempDir(), "g1")
	if err := (lexical.Analyzer{}).Build(context.Background(), "", dir, nil, entries); err != nil {
		tb.Fatal(err)
	}
	return dir
}

// open opens a generation until the test ends.
func open(tb testing.TB, dir string, stats lexical.Stats) *lexical.Index {
	tb.Helper()
	ix, err := lexical.Analyzer{}.Open(dir, stats)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := ix.Close(); err != nil {
			tb.Error(err)
		}
	})
	return ix
}

// search returns the first k chunks for a query.
func search(tb testing.TB, ix rag.TextIndex, query string, k int) []rag.Scored {
	tb.Helper()
	hits, err := ix.Search(context.Background(), query, k)
	if err != nil {
		tb.Fatalf("Search(%q): %v", query, err)
	}
	return hits
}
