package ingest

import (
	"errors"
	"testing"
)

// FuzzChunkList checks that whatever is read either is a list with ids and texts
// or is refused by line.
func FuzzChunkList(f *testing.F) {
	for _, seed := range []string{
		"", "[]", "[", "{", "[{}]", "null", "[null]", "{\"chunk_id\":\"a\",\"text\":\"x\"}\n", "\ufeff[{\"chunk_id\":\"a\",\"text\":\"x\"}\n,]",
		`[{"chunk_id":"a","text":"x"},{"chunk_id":"a","text":"y"}]`, `{"chunk_id":"a","text":"x","span":{"start":0,"end":1}}`,
		"{\"chunk_id\":\"\xff\",\"text\":\"x\"}", `{"chunk_id":"a","text":"\ud800"}`, " \n\t[ ] x",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := parseChunkList(data)
		if err != nil {
			var bad *lineError
			if !errors.As(err, &bad) || bad.line < 1 || list != nil {
				t.Fatalf("%v with %d chunks", err, len(list))
			}
			return
		}
		seen := map[string]bool{}
		for _, c := range list {
			if c.ID == "" || c.Text == nil || seen[c.ID] || c.line < 1 {
				t.Fatalf("chunk %+v", c)
			}
			seen[c.ID] = true
		}
		groups, order := groupByDocument(list)
		for _, id := range order {
			text, chunks := layout(id, groups[id])
			for _, c := range chunks {
				if part, err := c.Span.Of(text); err != nil || part != c.Text {
					t.Fatalf("chunk %s of %q: %v", c.ID, text, err)
				}
			}
		}
	})
}
