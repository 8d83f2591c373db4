package dataset_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/dataset"
	"ragdesk/backend/fault"
	"ragdesk/backend/measure"
	"ragdesk/backend/rag"
)

// judged is a judgment in short: the relevant items as "id:grade", the ideal, and
// the cause.
func judged(j dataset.Judgment) string {
	var items []string
	for _, r := range j.Relevant() {
		items = append(items, fmt.Sprintf("%s:%d", r.ID, r.Grade))
	}
	return fmt.Sprint(strings.Join(items, " "), " | ", j.Ranking(nil).Ideal, " ", j.Cause)
}

// TestRelevanceByHand has ten characters in chunks 0–4, 3–7, 6–10, and another
// document of two chunks.
func TestRelevanceByHand(t *testing.T) {
	t.Parallel()
	s := newShelf(t, 4, 1, "a", "0123456789", "b", "xxxyyyy")
	c := open(t, s)
	at := func(doc string, start, end, grade int) dataset.Gold {
		return dataset.Gold{Doc: doc, Points: &rag.Span{Start: start, End: end}, Grade: grade}
	}
	whole := func(doc string, grade int) dataset.Gold { return dataset.Gold{Doc: doc, Grade: grade} }
	for _, q := range []struct {
		name string
		gold []dataset.Gold
		// by rule contains, overlaps and document, the unit being chunk; and by
		// contains with the unit gold
		want [4]string
	}{
		{"inside one chunk", []dataset.Gold{at("a", 0, 2, 2)}, [4]string{"a#0:2 | [2] ", "a#0:2 | [2] ", "id:a:2 | [2] ", "a#0:2 | [2] "}},
		{"in the overlap", []dataset.Gold{at("a", 3, 4, 1)}, [4]string{"a#0:1 a#1:1 | [1 1] ", "a#0:1 a#1:1 | [1 1] ", "id:a:1 | [1] ", "a#0:1 a#1:1 | [1] "}},
		{"split by chunking", []dataset.Gold{at("a", 1, 8, 2)}, [4]string{" | [] split_by_chunking", "a#0:2 a#1:2 a#2:2 | [2 2 2] ", "id:a:2 | [2] ", " | [2] split_by_chunking"}},
		{"grade is the highest", []dataset.Gold{at("a", 0, 2, 1), at("a", 1, 3, 2), whole("b", 1)}, [4]string{"a#0:2 b#0:1 b#1:1 | [2 1 1] ", "a#0:2 b#0:1 b#1:1 | [2 1 1] ", "id:a:2 id:b:1 | [2 1] ", "a#0:2 b#0:1 b#1:1 | [2 1] "}},
		{"two units", []dataset.Gold{at("a", 2, 3, 1), at("a", 0, 2, 2), at("b", 0, 1, 1)}, [4]string{"a#0:2 b#0:1 | [2 1] ", "a#0:2 b#0:1 | [2 1] ", "id:a:2 id:b:1 | [2 1] ", "a#0:2 b#0:1 | [2 1 1] "}},
		{"units in a chain", []dataset.Gold{at("a", 0, 2, 1), at("a", 3, 5, 1), at("a", 1, 4, 2)}, [4]string{"a#0:2 a#1:1 | [2 1] ", "a#0:2 a#1:2 | [2 2] ", "id:a:2 | [2] ", "a#0:2 a#1:1 | [2] "}},
		{"all of a document swallows", []dataset.Gold{at("a", 8, 9, 2), whole("a", 1)}, [4]string{"a#2:2 a#0:1 a#1:1 | [2 1 1] ", "a#2:2 a#0:1 a#1:1 | [2 1 1] ", "id:a:2 | [2] ", "a#2:2 a#0:1 a#1:1 | [2] "}},
		{"not indexed", []dataset.Gold{whole("z", 2)}, [4]string{" | [] not_indexed", " | [] not_indexed", " | [] not_indexed", " | [2] not_indexed"}},
		{"one not indexed", []dataset.Gold{whole("z", 2), at("b", 0, 1, 1)}, [4]string{"b#0:1 | [1] ", "b#0:1 | [1] ", "id:b:1 | [1] ", "b#0:1 | [1 2] "}},
		{"grade 0", []dataset.Gold{at("a", 0, 2, 0), whole("z", 0)}, [4]string{" | [] no_gold", " | [] no_gold", " | [] no_gold", " | [] no_gold"}},
		{"a chunk", []dataset.Gold{whole("a#1", 1)}, [4]string{"a#1:1 | [1] ", "a#0:1 a#1:1 a#2:1 | [1 1 1] ", "id:a:1 | [1] ", "a#1:1 | [1] "}},
	} {
		b, err := c.Bind(t.Context(), dataset.Question{ID: "q", Gold: q.gold})
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range []dataset.Relevance{{}, {Rule: dataset.RuleOverlaps}, {Rule: dataset.RuleDocument}, {Unit: dataset.UnitGold}} {
			if got := judged(c.Judge(b, r)); got != q.want[i] {
				t.Errorf("%s, %+v: %s, want %s", q.name, r, got, q.want[i])
			}
		}
	}
}

// TestRankingScores follows a ranking through to measures, worked by hand.
func TestRankingScores(t *testing.T) {
	t.Parallel()
	s := newShelf(t, 4, 1, "a", "0123456789", "b", "xxxyyyy", "c", "none")
	c := open(t, s)
	b, err := c.Bind(t.Context(), dataset.Question{ID: "q", Gold: []dataset.Gold{
		{Doc: "a", Points: &rag.Span{Start: 3, End: 4}, Grade: 2}, {Doc: "b", Points: &rag.Span{Start: 6, End: 7}, Grade: 1}, {Doc: "z", Grade: 1},
	}})
	if err != nil {
		t.Fatal(err)
	}
	retrieved := []rag.ChunkID{"c#0", "a#0", "a#1", "gone", "a#2"}
	for _, w := range []struct {
		r      dataset.Relevance
		recall float64 // of 5
		mrr    float64
	}{
		{dataset.Relevance{}, 2.0 / 3, 1.0 / 2},                           // a#0, a#1 of a#0, a#1, b#1
		{dataset.Relevance{Unit: dataset.UnitGold}, 1.0 / 3, 1.0 / 2},     // a of a, b, z
		{dataset.Relevance{Rule: dataset.RuleDocument}, 1.0 / 2, 1.0 / 2}, // a of a, b
	} {
		j := c.Judge(b, w.r)
		p, err := measure.Judge(j.Ranking(retrieved))
		if err != nil {
			t.Fatal(err)
		}
		recall := p.Value(measure.Measure{Kind: measure.Recall, K: 5}, measure.DialectEval)
		mrr := p.Value(measure.Measure{Kind: measure.MRR}, measure.DialectEval)
		if recall != measure.Of(w.recall) || mrr != measure.Of(w.mrr) {
			t.Errorf("%+v: recall %v, MRR %v, want %g, %g", w.r, recall, mrr, w.recall, w.mrr)
		}
		if j.NotIndexed != 1 || j.Grade("a#0") != 2 || j.Grade("gone") != 0 || j.Grade("c#0") != 0 {
			t.Errorf("%+v: %d not indexed, grades %d %d %d", w.r, j.NotIndexed, j.Grade("a#0"), j.Grade("gone"), j.Grade("c#0"))
		}
	}
	// What is split or not indexed scores 0; what has no gold, or only stale gold,
	// has no value.
	for name, w := range map[string]struct {
		gold []dataset.Gold
		want measure.Value
	}{
		"split":        {[]dataset.Gold{{Doc: "a", Points: &rag.Span{Start: 0, End: 9}, Grade: 1}}, measure.Of(0)},
		"not indexed":  {[]dataset.Gold{{Doc: "z", Grade: 1}}, measure.Of(0)},
		"unanswerable": {nil, measure.Absent(measure.NoRelevant)},
		"no quote":     {[]dataset.Gold{{Doc: "a", Quote: "?", Grade: 1}}, measure.Absent(measure.NoRelevant)},
	} {
		b, err := c.Bind(t.Context(), dataset.Question{ID: "q", Gold: w.gold})
		if err != nil {
			t.Fatal(err)
		}
		p, err := measure.Judge(c.Judge(b, dataset.Relevance{}).Ranking(retrieved))
		if got := p.Value(measure.Measure{Kind: measure.NDCG, K: 5}, measure.DialectEval); err != nil || got != w.want {
			t.Errorf("%s: %v, error %v, want %v", name, got, err, w.want)
		}
	}
}

// TestRelevanceAgainstEveryChunk compares with a plain look at each chunk, on
// random libraries with nested and repeated chunks, and has measure judge random
// rankings.
func TestRelevanceAgainstEveryChunk(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		s := &shelf{texts: map[rag.DocumentID]string{}}
		for d := range 3 {
			id := rag.DocumentID(fmt.Sprint("d", d))
			s.rows = append(s.rows, rag.DocumentRow{Document: rag.Document{ID: id, Source: string(id)}})
			s.texts[id] = strings.Repeat("x", 30)
			for n := range rng.IntN(12) {
				start := rng.IntN(29)
				span := rag.Span{Start: start, End: start + 1 + rng.IntN(30-start)}
				s.chunks = append(s.chunks, rag.ChunkRow{Chunk: rag.Chunk{ID: rag.ChunkID(fmt.Sprintf("%s#%d", id, n)), DocID: id, Span: span}})
			}
		}
		var gold []dataset.Gold
		for range 1 + rng.IntN(4) {
			g := dataset.Gold{Doc: fmt.Sprint("d", rng.IntN(4)), Grade: rng.IntN(4)}
			if start := rng.IntN(29); rng.IntN(5) > 0 {
				g.Points = &rag.Span{Start: start, End: start + 1 + rng.IntN(30-start)}
			}
			gold = append(gold, g)
		}
		c := open(t, s)
		b, err := c.Bind(t.Context(), dataset.Question{ID: "q", Gold: gold})
		if err != nil {
			t.Fatal(err)
		}
		for _, rule := range []dataset.Rule{dataset.RuleContains, dataset.RuleOverlaps} {
			want := map[rag.ChunkID]int{}
			for _, chunk := range s.chunks {
				for _, g := range gold {
					fits := string(chunk.DocID) == g.Doc
					if g.Points != nil && rule == dataset.RuleContains {
						fits = fits && chunk.Span.Contains(*g.Points)
					} else if g.Points != nil {
						fits = fits && chunk.Span.Overlaps(*g.Points)
					}
					if fits && g.Grade > 0 {
						want[chunk.ID] = max(want[chunk.ID], g.Grade)
					}
				}
			}
			got := map[rag.ChunkID]int{}
			for _, r := range c.Judge(b, dataset.Relevance{Rule: rule}).Relevant() {
				got[rag.ChunkID(r.ID)] = r.Grade
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s of %+v in %+v (-want +got):\n%s", rule, gold, s.chunks, diff)
			}
		}
		judgeRandomly(t, rng, c, b, s)
	}
}

// judgeRandomly lets measure judge a shuffled part of all chunks in every way; it
// refuses rankings that found more than there is.
func judgeRandomly(t *testing.T, rng *rand.Rand, c *dataset.Corpus, b dataset.Binding, s *shelf) {
	t.Helper()
	var retrieved []rag.ChunkID
	for _, i := range rng.Perm(len(s.chunks)) {
		retrieved = append(retrieved, s.chunks[i].ID)
	}
	retrieved = retrieved[:rng.IntN(len(retrieved)+1)]
	for _, rule := range []string{"contains", "overlaps", "document"} {
		for _, unit := range []string{"chunk", "gold"} {
			r, err := dataset.ParseRelevance(rule, unit)
			if err != nil {
				t.Fatal(err)
			}
			p, err := measure.Judge(c.Judge(b, r).Ranking(retrieved))
			if err != nil {
				t.Fatalf("%v: %v", r, err)
			}
			for _, m := range []string{"nDCG@5", "Recall@5", "MRR", "MAP", "P@5"} {
				parsed, err := measure.Parse(m)
				if err != nil {
					t.Fatal(err)
				}
				if v := p.Value(parsed, measure.DialectEval); v.OK() && (v.Score < 0 || v.Score > 1) {
					t.Fatalf("%v: %s = %v", r, m, v)
				}
			}
		}
	}
}

func TestParseRelevance(t *testing.T) {
	t.Parallel()
	if r, err := dataset.ParseRelevance("", ""); err != nil || r != (dataset.Relevance{Rule: "contains", Unit: "chunk"}) {
		t.Errorf("%+v, error %v", r, err)
	}
	if _, err := dataset.ParseRelevance("near", ""); !fault.Is(err, "relevance_unknown") {
		t.Error(err)
	}
	if _, err := dataset.ParseRelevance("", "word"); !fault.Is(err, "unit_unknown") {
		t.Error(err)
	}
}

// BenchmarkJudge judges 2,500 questions against 2,000 chunks.
func BenchmarkJudge(b *testing.B) {
	text := strings.Repeat("x", 1000)
	var docs []string
	for i := range 400 {
		docs = append(docs, fmt.Sprint("doc", i), text)
	}
	s := newShelf(b, 250, 50, docs...)
	c := open(b, s)
	var questions []dataset.Question
	for i := range 2500 {
		start := i % 990
		questions = append(questions, dataset.Question{ID: fmt.Sprint(i), Gold: []dataset.Gold{
			{Doc: fmt.Sprint("doc", i%400), Points: &rag.Span{Start: start, End: start + 10}, Grade: 2},
			{Doc: fmt.Sprint("doc", i%399), Points: &rag.Span{Start: start, End: start + 5}, Grade: 1},
		}})
	}
	bindings, err := c.BindAll(b.Context(), questions, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("bind", func(b *testing.B) {
		for b.Loop() {
			if _, err := c.BindAll(b.Context(), questions, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("judge", func(b *testing.B) {
		for b.Loop() {
			for _, bound := range bindings {
				c.Judge(bound, dataset.Relevance{})
			}
		}
	})
}
