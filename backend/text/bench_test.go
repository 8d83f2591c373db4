package text_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ragdesk/backend/text"
)

// corpus returns the text of a data set in the folder EVAL_DATA.
func corpus(tb testing.TB, name string) string {
	tb.Helper()
	root := os.Getenv("EVAL_DATA")
	if root == "" {
		tb.Skip("EVAL_DATA names no folder of data sets")
	}
	f, err := os.Open(filepath.Join(root, name, "corpus.jsonl"))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var b strings.Builder
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var doc struct{ Text string }
		if err := json.Unmarshal(lines.Bytes(), &doc); err != nil {
			tb.Fatal(err)
		}
		b.WriteString(doc.Text)
		b.WriteByte('\n')
	}
	return b.String()
}

func BenchmarkAnalyze(b *testing.B) {
	for _, name := range []string{"cmrc2018", "drcd", "scifact"} {
		b.Run(name, func(b *testing.B) {
			s := corpus(b, name)[:400_000]
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				text.Analyze(s)
			}
		})
	}
}
