package pdf_test

import (
	"context"
	"os"
	"path/filepath"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/pdf"
	"ragdesk/backend/rag"
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
