package rerank_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"ragdesk/backend/embed"
	"ragdesk/backend/models"
	"ragdesk/backend/models/modelstest"
	"ragdesk/backend/ort"
	"ragdesk/backend/rag"
	"ragdesk/backend/ragtest"
	"ragdesk/backend/rerank"
)

// codes makes token codes of dimension 2: (3, 4) has length 5, (1, 0) length 1.
func codes(values ...int8) rag.TokenCodes {
	c := rag.TokenCodes{Rows: len(values) / 2, Dim: 2, Codes: values}
	for i := range c.Rows {
		c.Inv = append(c.Inv, float32(1/math.Hypot(float64(values[2*i]), float64(values[2*i+1]))))
	}
	return c
}

func TestMaxSimByHand(t *testing.T) {
	t.Parallel()
	query := codes(1, 0, 3, 4)
	for name, c := range map[string]struct {
		passage rag.TokenCodes
		want    float64
	}{
		"itself":           {query, 1},
		"one shared token": {codes(1, 0), (1 + 0.6) / 2},
		"any length":       {codes(100, 0), (1 + 0.6) / 2},
		"best of several":  {codes(0, 1, -1, 0), (0 + 0.8) / 2},
		"opposite":         {codes(-1, 0), (-1 - 0.6) / 2},
		"no tokens":        {codes(), 0},
	} {
		if got := rerank.MaxSim(query, c.passage); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%s: %g, want %g", name, got, c.want)
		}
	}
	if got := rerank.MaxSim(codes(), query); got != 0 {
		t.Errorf("a query without tokens: %g", got)
	}
}

// random returns seeded unit vectors and their codes.
func random(seed uint64, rows, dim int) (rag.TokenMatrix, rag.TokenCodes) {
	m := rag.TokenMatrix{Rows: rows, Dim: dim, Data: ragtest.UnitVectors(seed, rows, dim)}
	return m, rag.Quantize(m)
}

func TestMaxSimOfCodesIsNearThatOfVectors(t *testing.T) {
	t.Parallel()
	const dim, rows = 67, 12 // a dimension that four does not divide
	query, queryCodes := random(7, rows, dim)
	passage, passageCodes := random(8, rows, dim)
	want := 0.0
	for i := range rows {
		best := -2.0
		for j := range rows {
			dot := 0.0
			for d := range dim {
				dot += float64(query.Data[i*dim+d]) * float64(passage.Data[j*dim+d])
			}
			best = max(best, dot)
		}
		want += best / rows
	}
	if got := rerank.MaxSim(queryCodes, passageCodes); math.Abs(got-want) > 0.005 {
		t.Errorf("%g from codes, %g from vectors", got, want)
	}
}

func TestMaxSimDoesNotDependOnTheOrderOfPassageTokens(t *testing.T) {
	t.Parallel()
	const dim, rows = 33, 12
	_, query := random(9, rows, dim)
	_, passage := random(10, rows, dim)
	want := rerank.MaxSim(query, passage)
	rng := rand.New(rand.NewPCG(8, 9))
	for range 10 {
		mixed := rag.TokenCodes{Rows: rows, Dim: dim}
		for _, j := range rng.Perm(rows) {
			mixed.Codes = append(mixed.Codes, passage.Codes[j*dim:(j+1)*dim]...)
			mixed.Inv = append(mixed.Inv, passage.Inv[j])
		}
		if got := rerank.MaxSim(query, mixed); got != want {
			t.Fatalf("%v with tokens in another order, %v before", got, want)
		}
	}
}

// known gives texts their token codes.
type known map[string]rag.TokenCodes

func (m known) Codes(_ context.Context, texts []string) ([]rag.TokenCodes, error) {
	out := make([]rag.TokenCodes, len(texts))
	for i, s := range texts {
		c, ok := m[s]
		if !ok {
			return nil, errors.New("no codes for " + s)
		}
		out[i] = c
	}
	return out, nil
}

// one is a library of one space.
func one(c rerank.CodeSource) rerank.Spaces { return rerank.Spaces{Codes: []rerank.CodeSource{c}} }

func TestPassagesAreComparedInTheirOwnSpace(t *testing.T) {
	t.Parallel()
	zh := known{"q": codes(1, 0), "甲": codes(1, 0), "乙": codes(0, 1)}
	en := known{"q": codes(0, 1), "a": codes(0, 1), "b": codes(1, 0)}
	r := rerank.NewLateInteraction(rerank.Spaces{
		Codes: []rerank.CodeSource{zh, en},
		Of: func(s string) int {
			if s < "z" {
				return 1
			}
			return 0
		},
	}, "test")
	got, err := r.Rerank(t.Context(), "q", []rag.Passage{{Text: "甲"}, {Text: "b"}, {Text: "乙"}, {Text: "a"}})
	if err != nil || len(got) != 4 {
		t.Fatalf("%d verdicts, %v", len(got), err)
	}
	for i, want := range []float64{1, 0, 0, 1} {
		if li := got[i].Parts[0].Value; math.Abs(li-want) > 1e-6 {
			t.Errorf("passage %d: li %g, want %g", i, li, want)
		}
	}
}

func TestScoreByHand(t *testing.T) {
	t.Parallel()
	r := rerank.NewLateInteraction(one(known{
		"q": codes(1, 0, 3, 4), "same": codes(1, 0, 3, 4), "one": codes(1, 0), "none": codes(),
	}), "test")
	in := []rag.Passage{{ID: "a", Text: "same"}, {ID: "b", Text: "one", BM25: 5}, {ID: "c", Text: "none", BM25: 20}}
	// (li + 0.3·b/(b+5)) / 1.3
	want := []struct{ li, bm25, score float64 }{{1, 0, 1 / 1.3}, {0.8, 0.5, 0.95 / 1.3}, {0, 0.8, 0.24 / 1.3}}
	got, err := r.Rerank(t.Context(), "q", in)
	if err != nil || len(got) != len(in) {
		t.Fatalf("%d verdicts, %v", len(got), err)
	}
	for i, w := range want {
		g := got[i]
		if math.Abs(g.Score-w.score) > 1e-6 {
			t.Errorf("%s: score %g, want %g", in[i].ID, g.Score, w.score)
		}
		if len(g.Parts) != 2 || g.Parts[0].Name != "li" || g.Parts[1].Name != "bm25" ||
			math.Abs(g.Parts[0].Value-w.li) > 1e-6 || math.Abs(g.Parts[1].Value-w.bm25) > 1e-12 {
			t.Errorf("%s: parts %v, want li %g, bm25 %g", in[i].ID, g.Parts, w.li, w.bm25)
		}
	}
}

func TestScoresStayInRange(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(10, 11))
	for seed := range uint64(50) {
		_, q := random(seed, 3, 8)
		_, p := random(seed+100, 6, 8)
		r := rerank.NewLateInteraction(one(known{"q": q, "p": p, "-q": negated(q)}), "test")
		bm25 := rng.ExpFloat64() * 50
		got, err := r.Rerank(t.Context(), "q", []rag.Passage{{Text: "p", BM25: bm25}, {Text: "q", BM25: bm25}, {Text: "-q"}})
		if err != nil {
			t.Fatal(err)
		}
		const rounding = 1e-6
		for _, g := range got {
			if g.Score < -1/1.3-rounding || g.Score > 1 {
				t.Errorf("score %g out of [-1/1.3, 1]", g.Score)
			}
		}
		if got[0].Score > got[1].Score {
			t.Errorf("another text scores %g, the query itself %g", got[0].Score, got[1].Score)
		}
	}
}

func negated(c rag.TokenCodes) rag.TokenCodes {
	out := c
	out.Codes = make([]int8, len(c.Codes))
	for i, v := range c.Codes {
		out.Codes[i] = -v
	}
	return out
}

func TestRerankOfNothingAndOfFailure(t *testing.T) {
	t.Parallel()
	r := rerank.NewLateInteraction(one(known{}), "test")
	if got, err := r.Rerank(t.Context(), "q", nil); err != nil || len(got) != 0 {
		t.Errorf("no passages: %v, %v", got, err)
	}
	if got, err := r.Rerank(t.Context(), "q", []rag.Passage{{Text: "p"}}); err == nil || got != nil {
		t.Errorf("a failing source: %v, %v", got, err)
	}
}

func TestFingerprintCoversTheEmbedder(t *testing.T) {
	t.Parallel()
	a, b := rerank.NewLateInteraction(one(nil), "a"), rerank.NewLateInteraction(one(nil), "b")
	if a.Fingerprint() == b.Fingerprint() || a.Name() != "late-interaction" {
		t.Errorf("%q and %q, name %q", a.Fingerprint(), b.Fingerprint(), a.Name())
	}
}

// modelCodes quantises what the model gives.
type modelCodes struct{ model *embed.Model }

func (m modelCodes) Codes(ctx context.Context, texts []string) ([]rag.TokenCodes, error) {
	vectors, err := m.model.TokenVectors(ctx, texts)
	if err != nil {
		return nil, err
	}
	out := make([]rag.TokenCodes, len(vectors))
	for i, v := range vectors {
		out[i] = rag.Quantize(v)
	}
	return out, nil
}

// TestRealTokenVectors checks that the model's own token vectors prefer the
// passage that answers, in both languages, and that a passage's score does not
// depend on the passages beside it.
func TestRealTokenVectors(t *testing.T) {
	t.Parallel()
	f := modelstest.Embedder(t, models.DefaultEmbedder)
	model, err := embed.Open(ort.New(modelstest.Runtime(t)), embed.Spec{
		Graph:     ort.Graph{Path: f.ModelPath, Inputs: f.Inputs, Output: f.Output},
		Tokenizer: f.TokenizerPath, ModelSHA256: f.ModelSHA256, TokenizerSHA256: f.TokenizerSHA256,
		Dim: f.Dim, Pooling: embed.Pooling(f.Pooling), Limit: f.Limit,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := model.Close(); err != nil {
			t.Error(err)
		}
	})
	r := rerank.NewLateInteraction(one(modelCodes{model}), model.Fingerprint())
	for _, c := range []struct{ query, right, wrong string }{
		{"年假有几天？", "入职满一年的员工每年享有十天年假。", "公司食堂每天中午十一点半开门。"},
		{"How many days of leave are there?", "Employees have ten days of paid leave a year.", "The canteen opens at half past eleven."},
	} {
		both, err := r.Rerank(t.Context(), c.query, []rag.Passage{{Text: c.wrong}, {Text: c.right}})
		if err != nil {
			t.Fatal(err)
		}
		if both[1].Score <= both[0].Score {
			t.Errorf("%s: %g for the answer, %g for the other", c.query, both[1].Score, both[0].Score)
		}
		alone, err := r.Rerank(t.Context(), c.query, []rag.Passage{{Text: c.right}})
		if err != nil || alone[0].Score != both[1].Score {
			t.Errorf("%s: %v alone (%v), %v beside another", c.query, alone[0].Score, err, both[1].Score)
		}
	}
}

// keptCodes has the token vectors of texts at hand.
type keptCodes map[string]rag.TokenCodes

func (k keptCodes) Codes(_ context.Context, texts []string) ([]rag.TokenCodes, error) {
	out := make([]rag.TokenCodes, len(texts))
	for i, text := range texts {
		out[i] = k[text]
	}
	return out, nil
}

// BenchmarkKept reranks 20 passages of 250 tokens for a question of 15 whose token
// vectors are all at hand: the part of late interaction that an early stop could
// shorten.
func BenchmarkKept(b *testing.B) {
	const dim, tokens, asked, n = 512, 250, 15, 20
	matrix := func(seed uint64, rows int) rag.TokenCodes {
		return rag.Quantize(rag.TokenMatrix{Rows: rows, Dim: dim, Data: ragtest.UnitVectors(seed, rows, dim)})
	}
	kept := keptCodes{"question": matrix(1, asked)}
	var passages []rag.Passage
	for i := range n {
		text := fmt.Sprint("passage ", i)
		kept[text] = matrix(uint64(i+2), tokens)
		passages = append(passages, rag.Passage{ID: rag.ChunkID(text), Text: text, BM25: float64(i)})
	}
	l := rerank.NewLateInteraction(rerank.Spaces{Codes: []rerank.CodeSource{kept}}, "kept")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := l.Rerank(b.Context(), "question", passages); err != nil {
			b.Fatal(err)
		}
	}
}
