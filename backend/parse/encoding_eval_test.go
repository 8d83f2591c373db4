package parse_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"ragdesk/backend/parse"
	"ragdesk/backend/rag"
)

// evalTexts returns the texts of a data set in the folder that EVAL_DATA names.
func evalTexts(t *testing.T, set string) []string {
	t.Helper()
	dir := os.Getenv("EVAL_DATA")
	if dir == "" {
		t.Skip("EVAL_DATA names no folder of data sets")
	}
	f, err := os.Open(filepath.Join(dir, set, "corpus.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var texts []string
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var doc struct{ Text string }
		if err := json.Unmarshal(lines.Bytes(), &doc); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, doc.Text)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return texts
}

// verdicts counts what became of texts whose encoding was to be found.
type verdicts struct {
	// N texts could be encoded; Wrong were misread with a warning, Silent without
	// one; Warned were right and warned all the same.
	N, Wrong, Silent, Warned int
}

// The detector on real texts: every right answer, every wrong one and every
// doubt is counted, so that a change of the models shows as a difference here.
func TestEncodingsOfRealTexts(t *testing.T) {
	t.Parallel()
	p := parse.New(parse.Options{})
	for _, c := range []struct {
		set, encoding string
		bytes         int
		want          verdicts
	}{
		{"cmrc2018", "GB18030", 60, verdicts{N: 657}},
		{"cmrc2018", "GB18030", 200, verdicts{N: 657}},
		{"cmrc2018", "GB18030", 0, verdicts{N: 657}},
		{"cmrc2018", "UTF-16LE", 60, verdicts{N: 657}},
		{"cmrc2018", "UTF-16BE", 60, verdicts{N: 657}},
		{"cmrc2018", "UTF-16LE", 0, verdicts{N: 657}},
		{"cmrc2018", "UTF-8", 60, verdicts{N: 657}},
		{"drcd", "Big5", 60, verdicts{N: 1249}},
		{"drcd", "Big5", 200, verdicts{N: 1237}},
		{"drcd", "Big5", 0, verdicts{N: 1190}},
		{"drcd", "GB18030", 60, verdicts{N: 1253}},
		{"drcd", "GB18030", 0, verdicts{N: 1253}},
		{"scifact", "windows-1252", 60, verdicts{N: 3086, Warned: 8}},
		{"scifact", "windows-1252", 200, verdicts{N: 3055, Wrong: 1, Warned: 5}},
		{"scifact", "windows-1252", 0, verdicts{N: 2716, Warned: 19}},
		{"scifact", "UTF-16LE", 60, verdicts{N: 3121}},
		{"scifact", "UTF-16BE", 200, verdicts{N: 3121}},
		{"scifact", "UTF-16BE", 0, verdicts{N: 3121}},
	} {
		var got verdicts
		examples := 0
		for _, s := range evalTexts(t, c.set) {
			if c.bytes > 0 {
				s = cut(c.encoding, s, c.bytes)
			}
			b, ok := encode(c.encoding, s)
			if !ok || c.encoding != "UTF-8" && strings.Contains(s, "â€") && utf8.Valid(b) {
				continue // text that was misread once before is UTF-8 again
			}
			got.N++
			d, err := p.Parse(t.Context(), rag.Input{Source: "a.txt", Bytes: b})
			right := err == nil && d.Text == s
			switch {
			case !right && err == nil && !warned(d):
				got.Silent++
			case !right:
				got.Wrong++
			case warned(d):
				got.Warned++
			}
			if !right && examples < 3 {
				examples++
				t.Logf("%s %d: %s %v %v: %.60q", c.encoding, c.bytes, d.Encoding, d.Warnings, err, s)
			}
		}
		if got != c.want {
			t.Errorf("%s in %s, %d bytes: %+v, want %+v", c.set, c.encoding, c.bytes, got, c.want)
		}
	}
}
