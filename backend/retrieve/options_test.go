package retrieve_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"ragdesk/backend/lexical"
	"ragdesk/backend/rag"
	"ragdesk/backend/retrieve"
)

// written are documents whose chunks stand one after another.
type written struct {
	texts  map[rag.DocumentID]string
	chunks map[rag.DocumentID][]rag.ChunkID
}

func (w written) Text(_ context.Context, id rag.DocumentID) (string, error) { return w.texts[id], nil }

func (w written) ChunkIDs(_ context.Context, docs []rag.DocumentID) (ids []rag.ChunkID, err error) {
	for _, d := range docs {
		ids = append(ids, w.chunks[d]...)
	}
	return ids, nil
}

// shelf indexes texts, named by their position, as chunks of one document under
// the given headings, at the same angle to every query.
func shelf(t *testing.T, headings []string, texts ...string) retrieve.Corpus {
	t.Helper()
	c := corpus(t, nil)
	var entries []lexical.Entry
	var stats lexical.Stats
	rows := chunkMap{}
	docs := written{map[rag.DocumentID]string{"d": strings.Join(texts, "")}, map[rag.DocumentID][]rag.ChunkID{}}
	at := 0
	for i, s := range texts {
		id := rag.ChunkID("c" + string(rune('0'+i)))
		entries = append(entries, lexical.Entry{ID: id, Text: s})
		stats.Chunks++
		stats.Terms = stats.Terms.Plus(lexical.Analyzer{}.Count(s))
		rows[id] = rag.ChunkRow{Chunk: rag.Chunk{ID: id, DocID: "d", Text: s, Ordinal: i, Span: rag.Span{Start: at, End: at + len(s)}, Headings: headings[i : i+1]}}
		docs.chunks["d"] = append(docs.chunks["d"], id)
		at += len(s)
	}
	dir := t.TempDir() + "/text"
	if err := (lexical.Analyzer{}).Build(t.Context(), "", dir, nil, entries); err != nil {
		t.Fatal(err)
	}
	text, err := lexical.Analyzer{}.Open(dir, stats)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = text.Close() })
	c.Text, c.Chunks, c.Documents = text, rows, docs
	c.Titles = func(rag.DocumentID) string { return "" }
	c.Coverage = func(query, s string) float64 {
		if strings.Contains(s, query) {
			return 1
		}
		return 0
	}
	return c
}

func found(t *testing.T, c retrieve.Corpus, p rag.Pipeline, query string) (retrieve.Result, []rag.ChunkID) {
	t.Helper()
	res, err := retrieve.Run(t.Context(), c, p, query)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]rag.ChunkID, len(res.Hits))
	for i, h := range res.Hits {
		out[i] = h.Chunk.ID
	}
	return res, out
}

func bm25(change func(*rag.Pipeline)) rag.Pipeline {
	p, err := rag.ParseStrategy("bm25")
	if err != nil {
		panic(err)
	}
	change(&p)
	return p
}

// leave are texts of falling BM25 for "年假": a, its near copy, others.
var leave = []string{
	"年假年假制度规定，员工每年享有十天。", "年假年假制度规定：员工每年享有十天！", "年假要提前一周申请，由主管批准。", "关于年假与病假、事假的区别，请看人事手册第三章的说明。", "食堂的开放时间。",
}

func TestNearRepeatsFoldIntoTheBetterHit(t *testing.T) {
	t.Parallel()
	c := shelf(t, make([]string, 5), leave...)
	_, plain := found(t, c, bm25(func(*rag.Pipeline) {}), "年假")
	if !slices.Equal(plain, []rag.ChunkID{"c0", "c1", "c2", "c3"}) {
		t.Fatalf("without folding %v", plain)
	}
	res, folded := found(t, c, bm25(func(p *rag.Pipeline) { p.FoldDuplicates = 0.9 }), "年假")
	if !slices.Equal(folded, []rag.ChunkID{"c0", "c2", "c3"}) || !slices.Equal(res.Hits[0].Repeats, []rag.ChunkID{"c1"}) || res.Hits[1].Rank != 2 {
		t.Errorf("folded %v, repeats %v", folded, res.Hits[0].Repeats)
	}
}

func TestDiversityPutsWhatDiffersFirst(t *testing.T) {
	t.Parallel()
	c := shelf(t, make([]string, 5), leave...)
	if _, got := found(t, c, bm25(func(p *rag.Pipeline) { p.Diversity = 0.5 }), "年假"); !slices.Equal(got, []rag.ChunkID{"c0", "c2", "c3", "c1"}) {
		t.Errorf("diverse %v", got)
	}
}

func TestMaxRanksDropAndAreTold(t *testing.T) {
	t.Parallel()
	c := shelf(t, make([]string, 5), leave...)
	res, got := found(t, c, bm25(func(p *rag.Pipeline) { p.MaxRanks = map[rag.Stage]int{rag.StageBM25: 2} }), "年假")
	if len(got) != 2 || len(res.Dropped) != 2 || res.Dropped[0].MaxRank != 2 || !res.Dropped[0].Scored {
		t.Errorf("kept %v, dropped %+v", got, res.Dropped)
	}
}

func TestNothingUnscoredPassesARankLimitOfReranking(t *testing.T) {
	t.Parallel()
	p := pipeline(t, "hybrid+rerank", func(p *rag.Pipeline) {
		p.RerankDepth, p.MaxRanks = 3, map[rag.Stage]int{rag.StageRerank: 2}
	})
	res := run(t, corpus(t, verdicts{"both": 0.6, "far": 0.3, "near": 1}), p)
	if got := order(res.Hits); !slices.Equal(got, []string{"both", "far"}) {
		t.Errorf("hits %v", got)
	}
	type dropped struct {
		id           string
		scored       bool
		rank, atMost int
	}
	var got []dropped
	for _, d := range res.Dropped {
		got = append(got, dropped{string(d.Chunk.ID), d.Scored, d.Rank, d.MaxRank})
		if d.Threshold != nil {
			t.Errorf("%s has a threshold of %g where there is none", d.Chunk.ID, *d.Threshold)
		}
	}
	if want := []dropped{{"tie1", true, 3, 2}, {"tie2", false, 0, 2}, {"near", false, 0, 2}, {"none", false, 0, 2}}; !slices.Equal(got, want) {
		t.Errorf("dropped %v, want %v", got, want)
	}
}

func TestAFilterRestrictsBothLegs(t *testing.T) {
	t.Parallel()
	c := corpus(t, nil)
	for _, strategy := range []string{"vector", "bm25", "hybrid", "weighted"} {
		p, err := rag.ParseStrategy(strategy)
		if err != nil {
			t.Fatal(err)
		}
		_, all := found(t, c, p, passages[0].text)
		if len(all) < 2 {
			t.Fatalf("%s finds %v", strategy, all)
		}
		kept := c
		kept.Allow = func(id rag.ChunkID) bool { return id != all[0] }
		if _, got := found(t, kept, p, passages[0].text); slices.Contains(got, all[0]) || len(got) == 0 {
			t.Errorf("%s: %v with %s not allowed", strategy, got, all[0])
		}
		kept.Allow = func(rag.ChunkID) bool { return false }
		if _, got := found(t, kept, p, passages[0].text); len(got) != 0 {
			t.Errorf("%s: %v with nothing allowed", strategy, got)
		}
	}
}

func TestHeadingsLiftBM25(t *testing.T) {
	t.Parallel()
	headings := []string{"", "", "", "年假", ""}
	c := shelf(t, headings, leave...)
	res, got := found(t, c, bm25(func(p *rag.Pipeline) { p.HeadingBoost = 9; p.Candidates = 2 }), "年假")
	if got[0] != "c3" || len(got) != 2 {
		t.Errorf("boosted %v", got)
	}
	parts := res.Hits[0].Trace[0].Parts
	if len(parts) != 2 || parts[1].Value != 1 || res.Hits[0].Score != parts[0].Value*10 {
		t.Errorf("score %g of %v", res.Hits[0].Score, parts)
	}
}

func TestPassagesAreParentsAndNeighbours(t *testing.T) {
	t.Parallel()
	c := shelf(t, make([]string, 5), leave...)
	at := func(from, to int) string { return strings.Join(leave[from:to], "") }
	res, _ := found(t, c, bm25(func(p *rag.Pipeline) { p.Neighbours = 1 }), "年假")
	for i, want := range []string{at(0, 2), at(0, 3), at(1, 4), at(2, 5)} {
		h := res.Hits[i]
		if h.Passage.Text != want || h.Chunk.Text != leave[i] || h.Passage.Points.Len() != len([]rune(want)) {
			t.Errorf("hit %d shows %q, want %q", i+1, h.Passage.Text, want)
		}
	}
	rows := c.Chunks.(chunkMap)
	row := rows["c0"]
	row.Parent = rag.Span{End: len(at(0, 3))}
	rows["c0"] = row
	res, _ = found(t, c, bm25(func(*rag.Pipeline) {}), "年假")
	if res.Hits[0].Passage.Text != at(0, 3) || res.Hits[1].Passage.Text != "" {
		t.Errorf("parent %q, without parent %q", res.Hits[0].Passage.Text, res.Hits[1].Passage.Text)
	}
}
