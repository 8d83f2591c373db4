package retrieve_test

import (
	"math"
	"testing"

	"ragdesk/backend/rag"
	"ragdesk/backend/retrieve"
)

func TestListsOfSeveralQueriesAreFusedByTheirRanks(t *testing.T) {
	t.Parallel()
	c := shelf(t, make([]string, 4), "tide table", "harbour hours", "ferry times", "tide ferry")
	p, err := rag.ParseStrategy("bm25+multi-query")
	if err != nil {
		t.Fatal(err)
	}
	res, err := retrieve.Run(t.Context(), c, p, "tide", retrieve.Query{Text: "ferry", BM25: true}, retrieve.Query{Text: "harbour", BM25: true}, retrieve.Query{Text: "table", Vector: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Hits) != 4 || res.Hits[0].Chunk.Text != "tide ferry" {
		t.Fatalf("hits %+v", res.Hits)
	}
	for _, h := range res.Hits {
		stages := h.Trace
		fused := stages[len(stages)-1]
		sum := 0.0
		for _, part := range fused.Parts {
			sum += part.Value
		}
		if fused.Stage != rag.StageFusion || h.ScoreStage != rag.StageFusion || math.Abs(sum-h.Score) > 1e-12 || len(fused.Parts) == 0 {
			t.Errorf("%s: %+v", h.Chunk.Text, fused)
		}
		if found := stages[0].Rank > 0; found != (h.Chunk.Text == "tide table" || h.Chunk.Text == "tide ferry") {
			t.Errorf("%s: the question's own rank %+v", h.Chunk.Text, stages[0])
		}
	}
	if parts := res.Hits[0].Trace[1].Parts; len(parts) != 2 || parts[0].Name != "bm25" || parts[1].Name != "bm25.2" {
		t.Errorf("parts %+v", parts)
	}

	// The limits of a leg hold for every query of it.
	p.MaxRanks = map[rag.Stage]int{rag.StageBM25: 1}
	if limited, err := retrieve.Run(t.Context(), c, p, "tide", retrieve.Query{Text: "ferry", BM25: true}); err != nil || len(limited.Hits) > 2 {
		t.Errorf("limited: %+v, %v", limited.Hits, err)
	}
	// Alone, the question finds what it finds without rewriting, in the same order.
	p.MaxRanks = nil
	alone, err := retrieve.Run(t.Context(), c, p, "tide")
	if err != nil {
		t.Fatal(err)
	}
	plain, err := rag.ParseStrategy("bm25")
	if err != nil {
		t.Fatal(err)
	}
	_, want := found(t, c, plain, "tide")
	for i, h := range alone.Hits {
		if h.Chunk.ID != want[i] || len(alone.Hits) != len(want) {
			t.Errorf("hit %d is %s, want %s", i+1, h.Chunk.ID, want[i])
		}
	}
}
