package vector_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/philippgille/chromem-go"

	"ragdesk/backend/rag"
	"ragdesk/backend/ragtest"
	"ragdesk/backend/vector"
)

// oracle is a collection of chromem's own, which scores everything.
type oracle struct{ collection *chromem.Collection }

func newOracle(t *testing.T, dim int, ids []rag.ChunkID, flat []float32) oracle {
	t.Helper()
	c, err := chromem.NewDB().CreateCollection("oracle", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, id := range ids {
		doc := chromem.Document{ID: string(id), Embedding: slices.Clone(flat[i*dim : (i+1)*dim])}
		if err := c.AddDocument(t.Context(), doc); err != nil {
			t.Fatal(err)
		}
	}
	return oracle{c}
}

// ranking is chromem's list of all documents that allow accepts, with equal
// scores ordered by ID.
func (o oracle) ranking(t *testing.T, query []float32, allow func(rag.ChunkID) bool) []rag.Scored {
	t.Helper()
	if o.collection.Count() == 0 {
		return nil
	}
	found, err := o.collection.QueryEmbedding(t.Context(), query, o.collection.Count(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var all []rag.Scored
	for _, f := range found {
		if id := rag.ChunkID(f.ID); allow == nil || allow(id) {
			all = append(all, rag.Scored{ID: id, Score: float64(min(max(f.Similarity, -1), 1))})
		}
	}
	rag.SortScored(all)
	return all
}

// agree holds x against the oracle, score for score, for lists of many lengths.
func agree(t *testing.T, name string, x *vector.Index, o oracle, query []float32) {
	t.Helper()
	if x.Count() != o.collection.Count() {
		t.Fatalf("%s: %d chunks, chromem has %d", name, x.Count(), o.collection.Count())
	}
	third := func(id rag.ChunkID) bool { return id[len(id)-1]%3 == 0 }
	for kind, allow := range map[string]func(rag.ChunkID) bool{
		"all": nil, "a third": third, "none": func(rag.ChunkID) bool { return false },
	} {
		want := o.ranking(t, query, allow)
		for _, k := range []int{1, 2, 7, 50, x.Count() / 2, x.Count(), x.Count() + 9} {
			got, err := x.SearchAllowed(t.Context(), query, k, allow)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			first := want[:min(k, len(want))]
			if len(got)+len(first) > 0 && !slices.Equal(got, first) {
				t.Fatalf("%s, %s allowed, first %d (-chromem +search):\n%s", name, kind, k, cmp.Diff(first, got))
			}
		}
	}
}

// TestSearchEqualsChromem compares the lists with chromem's to the last bit, in
// odd and even dimensions, over vectors that lie apart, that tie, and that differ
// by less than products are rounded.
func TestSearchEqualsChromem(t *testing.T) {
	t.Parallel()
	for _, dim := range []int{1, 2, 3, 7, 8, 9, 24, 31, 33, 100, 384, 512, 515} {
		sizes := []int{1, 2, 40, 700, 1500}
		if dim == 24 {
			sizes = []int{10_000} // enough for several goroutines
		}
		for _, n := range sizes {
			seed := uint64(dim*10_000 + n)
			query := ragtest.UnitVectors(seed+1, 1, dim)
			for name, flat := range map[string][]float32{
				"apart":   ragtest.UnitVectors(seed, n, dim),
				"tied":    tied(seed, n, dim),
				"crowded": crowded(seed, n, dim),
				"facing":  facing(seed, n, query),
			} {
				name := fmt.Sprintf("dimension %d, %d chunks, %s", dim, n, name)
				ids := scatteredIDs(n)
				x, err := vector.Load(t.Context(), dim, ids, flat)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				agree(t, name, x, newOracle(t, dim, ids, flat), query)
			}
		}
	}
}

// scatteredIDs are in another order than the rows.
func scatteredIDs(n int) []rag.ChunkID {
	ids := make([]rag.ChunkID, n)
	for i := range ids {
		ids[i] = rag.ChunkID(fmt.Sprintf("c%07d", i*7919%1_000_003))
	}
	return ids
}

// tied has five vectors, again and again.
func tied(seed uint64, n, dim int) []float32 {
	few := ragtest.UnitVectors(seed, 5, dim)
	flat := make([]float32, 0, n*dim)
	for i := range n {
		at := i * i % 5 * dim
		flat = append(flat, few[at:at+dim]...)
	}
	return flat
}

// crowded has one vector with its last bits changed at random.
func crowded(seed uint64, n, dim int) []float32 {
	rng := rand.New(rand.NewPCG(seed, 9))
	one := ragtest.UnitVectors(seed, 1, dim)
	flat := make([]float32, 0, n*dim)
	for range n {
		for _, v := range one {
			flat = append(flat, math.Float32frombits(math.Float32bits(v)+rng.Uint32N(4)))
		}
	}
	return flat
}

// facing has the query and its opposite, whose products round to either side of
// 1 and -1, with last bits changed at random.
func facing(seed uint64, n int, query []float32) []float32 {
	rng := rand.New(rand.NewPCG(seed, 10))
	flat := make([]float32, 0, n*len(query))
	for i := range n {
		sign := float32(1 - i%2*2)
		for _, v := range query {
			flat = append(flat, sign*math.Float32frombits(math.Float32bits(v)+rng.Uint32N(3)))
		}
	}
	return flat
}

// TestChangesEqualChromem makes a long chain of random changes, each on an index
// and on the oracle's plain map, and asks both; indexes before a change must stay
// as they were.
func TestChangesEqualChromem(t *testing.T) {
	t.Parallel()
	const dim, rounds = 24, 60
	rng := rand.New(rand.NewPCG(1, 2))
	query := ragtest.UnitVectors(3, 1, dim)
	have := map[rag.ChunkID][]float32{}
	x, err := vector.Load(t.Context(), dim, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for round := range rounds {
		before, was := x, x.Count()
		remove, ids := randomIDs(rng, rng.IntN(40)), randomIDs(rng, rng.IntN(60)*(round%3))
		flat := ragtest.UnitVectors(uint64(round), len(ids), dim)
		if round == rounds/2 {
			remove = allIDs(have)
		}
		for _, id := range remove {
			delete(have, id)
		}
		for i, id := range ids {
			have[id] = flat[i*dim : (i+1)*dim]
		}
		next, err := x.With(t.Context(), remove, ids, flat)
		if err != nil {
			t.Fatal(err)
		}
		x = next.(*vector.Index)
		if before.Count() != was {
			t.Fatalf("round %d: the index before has %d chunks, had %d", round, before.Count(), was)
		}
		agree(t, fmt.Sprintf("round %d", round), x, oracleOf(t, dim, have), query)
		agreeScores(t, x, oracleOf(t, dim, have), query)
	}
}

// randomIDs are distinct ones of 600.
func randomIDs(rng *rand.Rand, n int) []rag.ChunkID {
	ids := make([]rag.ChunkID, n)
	for i, p := range rng.Perm(600)[:n] {
		ids[i] = rag.ChunkID(fmt.Sprintf("c%03d", p))
	}
	return ids
}

func allIDs(have map[rag.ChunkID][]float32) (ids []rag.ChunkID) {
	for id := range have {
		ids = append(ids, id)
	}
	return ids
}

func oracleOf(t *testing.T, dim int, have map[rag.ChunkID][]float32) oracle {
	t.Helper()
	ids, flat := allIDs(have), []float32{}
	for _, id := range ids {
		flat = append(flat, have[id]...)
	}
	return newOracle(t, dim, ids, flat)
}

func agreeScores(t *testing.T, x *vector.Index, o oracle, query []float32) {
	t.Helper()
	want := o.ranking(t, query, nil)
	ids := make([]rag.ChunkID, len(want))
	for i, w := range want {
		ids[i] = w.ID
	}
	got, err := x.Score(t.Context(), query, ids)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range want {
		if got[i] != w.Score {
			t.Fatalf("chunk %s: score %v, chromem says %v", w.ID, got[i], w.Score)
		}
	}
	if _, err := x.Score(t.Context(), query, []rag.ChunkID{"removed"}); err == nil {
		t.Fatal("a chunk that is not there has a score")
	}
}

// TestWithRefuses holds changes to what Load refuses.
func TestWithRefuses(t *testing.T) {
	t.Parallel()
	const dim = 8
	x, err := vector.Load(t.Context(), dim, scatteredIDs(3), ragtest.UnitVectors(1, 3, dim))
	if err != nil {
		t.Fatal(err)
	}
	nan := ragtest.UnitVectors(2, 1, dim)
	nan[5] = float32(math.NaN())
	for name, c := range map[string]struct {
		ids  []rag.ChunkID
		flat []float32
	}{
		"not a number":    {[]rag.ChunkID{"a"}, nan},
		"zero":            {[]rag.ChunkID{"a"}, make([]float32, dim)},
		"wrong dimension": {[]rag.ChunkID{"a"}, ragtest.UnitVectors(2, 1, dim-1)},
		"repeated":        {[]rag.ChunkID{"a", "a"}, ragtest.UnitVectors(2, 2, dim)},
		"no name":         {[]rag.ChunkID{""}, ragtest.UnitVectors(2, 1, dim)},
	} {
		if _, err := x.With(t.Context(), nil, c.ids, c.flat); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
