package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/rag"
	"ragdesk/backend/store"
)

// oddText makes a text of what storage tends to spoil.
func oddText(rng *rand.Rand) string {
	pieces := []string{
		"\x00", "\r\n", "\n", "\r", " ", "\u3000", "\u200b", "\ufeff", "\t", "'", `"`, `\`, "%", ";--",
		"𠮷", "𪚥", "葛󠄀", "👩‍👩‍👧", "é", "é", "北京", "臺灣", "ｱ", "abc", "\u2028", "\x1f", "\x7f", "\U0010ffff", "�",
	}
	var b strings.Builder
	for range rng.IntN(120) {
		b.WriteString(pieces[rng.IntN(len(pieces))])
	}
	return b.String()
}

func TestOddDocumentsRoundTrip(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	w := lock(t, s)
	rng := rand.New(rand.NewPCG(1, 2))
	var records []rag.DocumentRecord
	for i := range 200 {
		text := oddText(rng)
		switch i {
		case 0:
			text = ""
		case 1:
			text = "\x00"
		case 2:
			text = strings.Repeat("长文档。", 5000) // several vector blocks
		case 3:
			text = "invalid \xff\xfe UTF-8"
		}
		r := record(fmt.Sprintf("odd %03d/%s.txt", i, strings.ReplaceAll(oddText(rng), "/", "")), text)
		r.Title, r.ContentHash = oddText(rng), oddText(rng)
		if i%3 == 0 {
			r.Warnings = []rag.Notice{{Code: "control_chars", Detail: "NUL \x00 at 3"}, {Code: "x"}}
			r.Sections = []rag.Section{{Level: 1, Title: "标题 \"1\"", Span: rag.Span{End: 3}}, {Level: 2}}
			r.Pages = []rag.Span{{Start: 0, End: 10}, {Start: 10, End: 12}}
			r.Blocks = []rag.Block{
				{Kind: rag.BlockHeading, Span: rag.Span{End: 3}},
				{Kind: rag.BlockTable, Span: rag.Span{Start: 4, End: 40}, Header: rag.Span{Start: 4, End: 20}},
			}
			r.Health = rag.Health{Confidence: .75, Pages: 2, PagesWithText: 1, RowsRead: 9, RowsKept: 8, Garbled: .125}
			r.Tokens, r.Modified, r.Tags = 77, time.Unix(1_700_000_000, 0).UTC(), []string{"合同", "2024"}
			for j := range r.Chunks {
				r.Chunks[j].Parent = rag.Span{End: len(r.Text)}
			}
		}
		records = append(records, r)
	}
	lib := library(t, s, w, "odd", records...)
	check(t, s)

	again := open(t, dir)
	rows, err := again.Documents(t.Context(), lib)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(records, func(a, b rag.DocumentRecord) int { return strings.Compare(a.Source, b.Source) })
	if len(rows) != len(records) {
		t.Fatalf("%d documents, want %d", len(rows), len(records))
	}
	for i, r := range records {
		want := r.DocumentRow
		want.Blocks = nil // they come with the text
		want.Chars, want.Chunks = len([]rune(r.Text)), len(r.Chunks)
		if diff := cmp.Diff(want, rows[i]); diff != "" {
			t.Fatalf("document %q (-want +got):\n%s", r.Source, diff)
		}
		doc, err := again.Document(t.Context(), lib, r.ID)
		if err != nil {
			t.Fatal(err)
		}
		if doc.Text != r.Text {
			t.Fatalf("text of %q: %q, want %q", r.Source, doc.Text, r.Text)
		}
		doc.Text = ""
		if diff := cmp.Diff(r.Document, doc); diff != "" {
			t.Fatalf("document %q (-want +got):\n%s", r.Source, diff)
		}
	}
	var want, got []rag.ChunkRow
	for _, r := range records {
		for _, c := range r.Chunks {
			want = append(want, rag.ChunkRow{Chunk: c, Source: r.Source})
		}
	}
	err = again.EachChunk(t.Context(), lib, func(c rag.ChunkRow) error {
		got = append(got, c)
		return nil
	})
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Fatalf("chunks, error %v (-want +got):\n%s", err, diff)
	}
	compareVectors(t, again, lib, records)
}

// compareVectors holds the block that the store returns against the records.
func compareVectors(t *testing.T, s *store.Store, lib rag.Library, records []rag.DocumentRecord) {
	t.Helper()
	want := map[rag.ChunkID][]float32{}
	for _, r := range records {
		for i, c := range r.Chunks {
			want[c.ID] = r.Vectors[i*testDim : (i+1)*testDim]
		}
	}
	block, err := s.Vectors(t.Context(), lib)
	if err != nil {
		t.Fatal(err)
	}
	if block.Dim != testDim || len(block.IDs) != len(want) || len(block.Data) != len(want)*testDim {
		t.Fatalf("%d ids, %d values of dimension %d for %d chunks", len(block.IDs), len(block.Data), block.Dim, len(want))
	}
	for i, id := range block.IDs {
		if !slices.Equal(block.Data[i*testDim:(i+1)*testDim], want[id]) {
			t.Fatalf("vector of chunk %q: %v, want %v", id, block.Data[i*testDim:(i+1)*testDim], want[id])
		}
	}
}
