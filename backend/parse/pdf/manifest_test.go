package pdf_test

import (
	"bufio"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/pdf"
	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// cacheDir keeps the compiled PDFium between runs of the tests.
func cacheDir() string { return filepath.Join(os.TempDir(), "ragdesk-test-cache") }

// env is what the parsers' registry gives a format; files inside files are text
// or PDF.
func env(r *pdf.Reader) guard.Env {
	e := guard.Env{Limits: guard.Defaults(), Cache: cacheDir()}
	e.Nested = func(ctx context.Context, in rag.Input) (rag.Document, error) {
		switch filepath.Ext(in.Source) {
		case ".pdf":
			return r.Parse(ctx, in, e)
		case ".txt":
			return rag.Document{Source: in.Source, Text: string(in.Bytes)}, nil
		}
		return rag.Document{}, fault.New("format_unsupported", fault.P("ext", filepath.Ext(in.Source)))
	}
	return e
}

// squeezed is how phrases are compared: composed, without blanks.
func squeezed(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text.NFKC(s))
}

// TestSharedFiles reads real files of many producers, each with what it must give.
func TestSharedFiles(t *testing.T) {
	dir := os.Getenv("SHARED_FILES")
	if dir == "" {
		t.Skip("SHARED_FILES names no folder of test files")
	}
	f, err := os.Open(filepath.Join(dir, "MANIFEST.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := pdf.NewReader()
	defer r.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		c := strings.Split(sc.Text(), "\t")
		if len(c) < 6 || filepath.Ext(c[0]) != ".pdf" {
			continue
		}
		t.Run(c[0], func(t *testing.T) {
			b, err := os.ReadFile(filepath.Join(dir, c[0]))
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
			defer cancel()
			doc, err := r.Parse(ctx, rag.Input{Source: c[0], Bytes: b}, env(r))
			if out := os.Getenv("DUMP"); out != "" {
				os.WriteFile(filepath.Join(out, c[0]+".txt"), []byte(doc.Text), 0o644)
				t.Logf("%s: %+v %v %v", doc.Title, doc.Health, doc.Warnings, err)
			}
			expect(t, doc, err, c[4], c[5])
		})
	}
}

func expect(t *testing.T, doc rag.Document, err error, phrase, what string) {
	t.Helper()
	if code, ok := strings.CutPrefix(what, "error:"); ok {
		if !fault.Is(err, code) {
			t.Fatalf("error %v, want %s", err, code)
		}
		return
	}
	if what == "safe" && err != nil {
		var f *fault.Error
		if !errors.As(err, &f) {
			t.Fatalf("error %v is no fault", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	switch what {
	case "text", "text-order", "text-nospace":
		if !strings.Contains(squeezed(doc.Text), squeezed(phrase)) {
			t.Errorf("%q is not in\n%s", phrase, doc.Text)
		}
	case "ocr":
		if doc.Health.Images == 0 || !text.IsBlank(doc.Text) {
			t.Errorf("%d images, text %q: want a picture and no text", doc.Health.Images, doc.Text)
		}
	case "empty":
		if doc.Health.Images != 0 || !text.IsBlank(doc.Text) || doc.Health.PagesWithText != 0 {
			t.Errorf("health %+v, text %q: want nothing", doc.Health, doc.Text)
		}
	}
}
