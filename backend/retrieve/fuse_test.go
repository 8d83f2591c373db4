package retrieve

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ragdesk/backend/rag"
)

// ranks makes a stage's list of chunks in order.
func ranks(ids ...rag.ChunkID) list {
	l := list{}
	for i, id := range ids {
		l[id] = rag.StageScore{Rank: i + 1}
	}
	return l
}

func TestRRFArithmetic(t *testing.T) {
	t.Parallel()
	got := rrf(60, ranks("a", "b", "c"), ranks("b", "d"))
	first, second, third := 1.0/61, 1.0/62, 1.0/63
	want := []rag.Scored{
		{ID: "b", Score: second + first},
		{ID: "a", Score: first},
		{ID: "d", Score: second},
		{ID: "c", Score: third},
	}
	if !slices.Equal(got, want) {
		t.Errorf("rrf = %v, want %v", got, want)
	}
	if got := rrf(0, ranks("a", "b"), nil); !slices.Equal(got, []rag.Scored{{ID: "a", Score: 1}, {ID: "b", Score: 0.5}}) {
		t.Errorf("rrf of one list with k = 0: %v", got)
	}
	if got := rrf(60, nil, nil); len(got) != 0 {
		t.Errorf("rrf of nothing: %v", got)
	}
}

func TestRRFTiesAreOrderedByID(t *testing.T) {
	t.Parallel()
	for range 20 { // maps are walked in another order each time
		got := rrf(60, ranks("z", "y", "x"), ranks("x", "y", "z"))
		want := []rag.ChunkID{"x", "z", "y"} // 1/61+1/63 > 2/62, and x and z tie
		if !slices.Equal(ids(got), want) {
			t.Fatalf("order %v, want %v", ids(got), want)
		}
	}
}

func TestRRFDoesNotDependOnTheOrderOfLegs(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		a, b := shuffled(rng, rng.IntN(30)), shuffled(rng, rng.IntN(30))
		ab, ba := rrf(60, ranks(a...), ranks(b...)), rrf(60, ranks(b...), ranks(a...))
		if !slices.Equal(ab, ba) {
			t.Fatalf("legs %v and %v: %v, the other way round %v", a, b, ab, ba)
		}
		union := map[rag.ChunkID]bool{}
		for _, id := range slices.Concat(a, b) {
			union[id] = true
		}
		if len(ab) != len(union) || !slices.IsSortedFunc(ab, rag.CompareScored) {
			t.Fatalf("%d of %d chunks, in order: %t", len(ab), len(union), slices.IsSortedFunc(ab, rag.CompareScored))
		}
		for _, s := range ab {
			if s.Score <= 0 || s.Score > 2.0/61 {
				t.Fatalf("score %g out of (0, 2/61]", s.Score)
			}
		}
	}
}

func TestUnionKeepsOrderAndTheFirstOfEquals(t *testing.T) {
	t.Parallel()
	entries := []entry{{id: "c"}, {id: "a"}, {id: "b"}, {id: "a"}, {id: "d"}, {id: "c"}}
	want := []rag.Scored{{ID: "c", Score: 1}, {ID: "a", Score: 0.5}, {ID: "b", Score: 1.0 / 3}, {ID: "d", Score: 0.25}}
	if got := union(entries); !slices.Equal(got, want) {
		t.Errorf("union = %v, want %v", got, want)
	}
	if got := union(nil); len(got) != 0 {
		t.Errorf("union of nothing: %v", got)
	}
}

func TestWeightedArithmetic(t *testing.T) {
	t.Parallel()
	// Saturated with s = 5: 5 → 0.5, 20 → 0.8, 0 → 0.
	scores := []legScores{{"a", 0.5, 5}, {"b", -1, 20}, {"c", 0.9, 0}, {"d", 0.5, 5}}
	got, parts := weighted(0.25, scores)
	want := []rag.Scored{
		{ID: "a", Score: 0.25*0.5 + 0.75*0.5},
		{ID: "d", Score: 0.5},
		{ID: "b", Score: -0.25 + 0.75*0.8},
		{ID: "c", Score: 0.25 * 0.9},
	}
	if !slices.EqualFunc(got, want, func(a, b rag.Scored) bool { return a.ID == b.ID && math.Abs(a.Score-b.Score) < 1e-12 }) {
		t.Errorf("weighted = %v, want %v", got, want)
	}
	if p := parts["b"]; !slices.Equal(p, []rag.Part{{Name: "vector", Value: -1}, {Name: "bm25", Value: 0.8}}) {
		t.Errorf("parts of b: %v", p)
	}
}

func TestWeightedEndsAreTheLegs(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 6))
	scores := make([]legScores, 40)
	for i := range scores {
		scores[i] = legScores{rag.ChunkID(fmt.Sprintf("c%02d", i)), 2*rng.Float64() - 1, 30 * rng.Float64()}
	}
	for alpha, leg := range map[float64]func(legScores) float64{
		1: func(s legScores) float64 { return s.cosine },
		0: func(s legScores) float64 { return s.bm25 },
	} {
		byLeg := make([]rag.Scored, len(scores))
		for i, s := range scores {
			byLeg[i] = rag.Scored{ID: s.id, Score: leg(s)}
		}
		rag.SortScored(byLeg)
		if got, _ := weighted(alpha, scores); !slices.Equal(ids(got), ids(byLeg)) {
			t.Errorf("alpha %g: order %v, want the leg's %v", alpha, ids(got), ids(byLeg))
		}
	}
}

func ids(in []rag.Scored) []rag.ChunkID {
	out := make([]rag.ChunkID, len(in))
	for i, s := range in {
		out[i] = s.ID
	}
	return out
}

// shuffled returns n of 40 chunks in random order.
func shuffled(rng *rand.Rand, n int) []rag.ChunkID {
	out := make([]rag.ChunkID, 40)
	for i := range out {
		out[i] = rag.ChunkID(fmt.Sprintf("c%02d", i))
	}
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out[:n]
}
