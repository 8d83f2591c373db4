package app

import (
	"ragdesk/backend/api"
	"ragdesk/backend/rag"
)

// summary adds up what is known of documents. An alias repeats its document and
// adds to the totals alone.
func summary(docs []api.DocumentStatus) api.LibraryHealth {
	out := api.LibraryHealth{
		Totals:   map[string]int{"chunks": 0, "chars": 0, "tokens": 0},
		Warnings: map[string]int{}, Encodings: map[string]int{}, Formats: map[string]int{},
		Health: api.Health{EncodingConfidence: 1},
	}
	garbled := 0.0
	for _, d := range docs {
		out.Totals[d.Status]++
		for code := range codesOf(d.Warnings) {
			out.Warnings[code]++
		}
		if d.Health == nil || d.Status == rag.StatusAlias || d.Status == rag.StatusRemoved {
			continue
		}
		out.Totals["chunks"] += *d.Chunks
		out.Totals["chars"] += *d.Chars
		out.Totals["tokens"] += *d.Tokens
		out.Encodings[*d.Encoding]++
		out.Formats[*d.Format]++
		garbled += d.Health.Garbled * float64(*d.Chars)
		add(&out.Health, *d.Health)
	}
	if n := out.Totals["chars"]; n > 0 {
		out.Health.Garbled = garbled / float64(n)
	}
	return out
}

// codesOf is the set of a document's warnings.
func codesOf(list []api.Notice) map[string]bool {
	codes := make(map[string]bool, len(list))
	for _, n := range list {
		codes[n.Code] = true
	}
	return codes
}

// add sums all but Garbled, which the caller weighs.
func add(sum *api.Health, h api.Health) {
	sum.EncodingConfidence = min(sum.EncodingConfidence, h.EncodingConfidence)
	sum.Pages += h.Pages
	sum.PagesWithText += h.PagesWithText
	sum.RowsRead += h.RowsRead
	sum.RowsKept += h.RowsKept
	sum.Tables += h.Tables
	sum.Images += h.Images
	sum.RepeatedLines += h.RepeatedLines
}

func healthOf(h rag.Health) api.Health {
	return api.Health{
		EncodingConfidence: h.Confidence, Pages: h.Pages, PagesWithText: h.PagesWithText, RowsRead: h.RowsRead,
		RowsKept: h.RowsKept, Tables: h.Tables, Images: h.Images, RepeatedLines: h.Repeated, Garbled: h.Garbled,
	}
}
