package parse_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse"
	"ragdesk/backend/rag"
)

// listed is a line of the manifest of real files.
type listed struct{ name, phrase, expect string }

// manifest reads MANIFEST.tsv of the folder in SHARED_FILES.
func manifest(t *testing.T) (dir string, lines []listed) {
	t.Helper()
	dir = os.Getenv("SHARED_FILES")
	if dir == "" {
		t.Skip("SHARED_FILES names no folder with sample files")
	}
	f, err := os.Open(filepath.Join(dir, "MANIFEST.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = '\t', true, -1
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	for _, row := range rows[1:] {
		lines = append(lines, listed{row[column["file"]], row[column["phrase"]], row[column["expect"]]})
	}
	return dir, lines
}

// solid is s in compatibility form (NFKC) without any blanks.
func solid(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, norm.NFKC.String(s))
}

// TestRealFiles holds every file of the manifest to what it says.
func TestRealFiles(t *testing.T) {
	t.Parallel()
	dir, lines := manifest(t)
	if len(lines) < 50 {
		t.Fatalf("only %d files", len(lines))
	}
	p := parse.New(parse.Options{Cache: t.TempDir()})
	for _, l := range lines {
		t.Run(l.name, func(t *testing.T) {
			b, err := os.ReadFile(filepath.Join(dir, l.name))
			if err != nil {
				t.Fatal(err)
			}
			d, err := p.Parse(t.Context(), rag.Input{Source: l.name, Bytes: b})
			check(t, l, d, err)
		})
	}
}

func check(t *testing.T, l listed, d rag.Document, err error) {
	t.Helper()
	if code, wanted := strings.CutPrefix(l.expect, "error:"); wanted {
		if !fault.Is(err, code) {
			t.Errorf("%v, want %s", err, code)
		}
		return
	}
	if l.expect == "safe" {
		if err != nil && fault.Of(err).Code == "internal" {
			t.Errorf("an error without a code: %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	blank := strings.TrimSpace(d.Text) == ""
	switch l.expect {
	case "empty":
		if !blank || d.Health.Images > 0 {
			t.Errorf("text %.60q, %d images; want nothing", d.Text, d.Health.Images)
		}
	case "ocr":
		if !blank || d.Health.Images == 0 {
			t.Errorf("text %.60q, %d images; want pictures alone", d.Text, d.Health.Images)
		}
	case "text", "text-order", "text-chart":
		if !strings.Contains(solid(d.Text), solid(l.phrase)) {
			t.Errorf("%q is not in %.400q", l.phrase, d.Text)
		}
	case "text-once":
		if n := strings.Count(solid(d.Text), solid(l.phrase)); n != 1 {
			t.Errorf("%q is %d times in the text", l.phrase, n)
		}
	case "text-nospace":
		if !strings.Contains(d.Text, l.phrase) {
			t.Errorf("%q is not in %.400q", l.phrase, d.Text)
		}
	default:
		t.Fatalf("unknown expectation %q", l.expect)
	}
}
