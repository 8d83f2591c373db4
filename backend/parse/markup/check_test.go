package markup_test

import (
	"testing"
	"unicode/utf8"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// checkDocument checks what every document promises.
func checkDocument(tb testing.TB, d rag.Document) {
	tb.Helper()
	if !utf8.ValidString(d.Text) || d.Encoding == "" || d.MediaType == "" || d.Title == "" || d.ParsedBy == "" {
		tb.Errorf("encoding %q, type %q, title %q, by %q, text %.40q", d.Encoding, d.MediaType, d.Title, d.ParsedBy, d.Text)
	}
	last := 0
	for _, b := range d.Blocks {
		if b.Span.Start < last || b.Span.End <= b.Span.Start || b.Span.End > len(d.Text) {
			tb.Fatalf("block %+v after %d in a text of %d", b, last, len(d.Text))
		}
		if !text.IsBlank(d.Text[last:b.Span.Start]) {
			tb.Errorf("no block holds %q", d.Text[last:b.Span.Start])
		}
		last = b.Span.End
	}
	if !text.IsBlank(d.Text[last:]) {
		tb.Errorf("no block holds %q", d.Text[last:])
	}
	if d.Health.RowsKept > d.Health.RowsRead {
		tb.Errorf("health %+v", d.Health)
	}
}
