// Package ragtest holds conformance suites for the ports of package rag and what
// the tests of several packages share. Only tests import it.
package ragtest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// LoadVectors makes the vector index under test; row i of flat belongs to ids[i].
type LoadVectors func(ctx context.Context, dim int, ids []rag.ChunkID, flat []float32) (rag.VectorIndex, error)

// TestVectorIndex holds an implementation of rag.VectorIndex against the contract:
// exact cosine by the ordering rule whatever ties, the same numbers from Search
// and Score, nothing partial, and no vector that would spoil others.
func TestVectorIndex(t *testing.T, load LoadVectors) {
	t.Run("ranks by cosine", func(t *testing.T) { testVectorRanking(t, load) })
	t.Run("asks for more than there is", func(t *testing.T) { testVectorCounts(t, load) })
	t.Run("orders ties by id", func(t *testing.T) { testVectorTies(t, load) })
	t.Run("keeps scores in range", func(t *testing.T) { testVectorRange(t, load) })
	t.Run("keeps colliding ids apart", func(t *testing.T) { testVectorIDs(t, load) })
	t.Run("refuses vectors", func(t *testing.T) { testVectorRefused(t, load) })
	t.Run("refuses queries", func(t *testing.T) { testVectorQueries(t, load) })
	t.Run("leaves its input alone", func(t *testing.T) { testVectorInput(t, load) })
	t.Run("returns nothing partial when cancelled", func(t *testing.T) { testVectorCancel(t, load) })
	t.Run("answers concurrently", func(t *testing.T) { testVectorConcurrent(t, load) })
}

// UnitVectors returns n seeded random unit vectors of dimension dim, row by row.
func UnitVectors(seed uint64, n, dim int) []float32 {
	rng := rand.New(rand.NewPCG(seed, uint64(dim)))
	flat := make([]float32, 0, n*dim)
	for range n {
		row := make([]float64, dim)
		var sum float64
		for i := range row {
			row[i] = rng.NormFloat64()
			sum += row[i] * row[i]
		}
		for _, x := range row {
			flat = append(flat, float32(x/math.Sqrt(sum)))
		}
	}
	return flat
}

// vectorIDs returns n IDs whose order is not that of the rows.
func vectorIDs(n int) []rag.ChunkID {
	ids := make([]rag.ChunkID, n)
	for i := range ids {
		ids[i] = rag.ChunkID(fmt.Sprintf("c%06d", (i*7919)%1_000_003))
	}
	return ids
}

func mustLoad(t *testing.T, load LoadVectors, dim int, ids []rag.ChunkID, flat []float32) rag.VectorIndex {
	t.Helper()
	x, err := load(t.Context(), dim, ids, flat)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func mustSearch(t *testing.T, x rag.VectorIndex, q []float32, k int) []rag.Scored {
	t.Helper()
	hits, err := x.Search(t.Context(), q, k)
	if err != nil {
		t.Fatal(err)
	}
	return hits
}

// ranked scores all ids and returns the first k by the ordering rule.
func ranked(t *testing.T, x rag.VectorIndex, q []float32, ids []rag.ChunkID, k int) []rag.Scored {
	t.Helper()
	scores, err := x.Score(t.Context(), q, ids)
	if err != nil {
		t.Fatal(err)
	}
	if len(scores) != len(ids) {
		t.Fatalf("%d scores for %d ids", len(scores), len(ids))
	}
	all := make([]rag.Scored, len(ids))
	for i, id := range ids {
		all[i] = rag.Scored{ID: id, Score: scores[i]}
	}
	rag.SortScored(all)
	return all[:min(k, len(all))]
}

func testVectorRanking(t *testing.T, load LoadVectors) {
	const n, dim = 700, 48
	flat, ids := UnitVectors(1, n, dim), vectorIDs(n)
	x := mustLoad(t, load, dim, ids, flat)
	for q := range 8 {
		query := UnitVectors(uint64(100+q), 1, dim)
		scores, err := x.Score(t.Context(), query, ids)
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range scores {
			var want float64
			for j, v := range flat[i*dim : (i+1)*dim] {
				want += float64(v) * float64(query[j])
			}
			if math.Abs(got-want) > 1e-6 {
				t.Fatalf("chunk %s: cosine %v, want %v", ids[i], got, want)
			}
		}
		for _, k := range []int{1, 2, 10, 50, n - 1, n} {
			if diff := cmp.Diff(ranked(t, x, query, ids, k), mustSearch(t, x, query, k)); diff != "" {
				t.Fatalf("query %d, first %d (-Score +Search):\n%s", q, k, diff)
			}
		}
	}
}

func testVectorCounts(t *testing.T, load LoadVectors) {
	const dim = 4
	query := UnitVectors(1, 1, dim)
	empty := mustLoad(t, load, dim, nil, nil)
	three := mustLoad(t, load, dim, vectorIDs(3), UnitVectors(2, 3, dim))
	for _, c := range []struct {
		name       string
		x          rag.VectorIndex
		k          int
		count, got int
	}{
		{"empty", empty, 5, 0, 0},
		{"empty, none wanted", empty, 0, 0, 0},
		{"none wanted", three, 0, 3, 0},
		{"less than none", three, -1, 3, 0},
		{"all", three, 3, 3, 3},
		{"more than all", three, 1000, 3, 3},
		{"as many as there are numbers", three, math.MaxInt, 3, 3},
	} {
		if c.x.Count() != c.count {
			t.Errorf("%s: count %d, want %d", c.name, c.x.Count(), c.count)
		}
		if hits := mustSearch(t, c.x, query, c.k); len(hits) != c.got {
			t.Errorf("%s: %d hits, want %d", c.name, len(hits), c.got)
		}
	}
}

// testVectorTies puts many equal vectors among others, so that a tie crosses the
// border of the list in every way, and asks again and again.
func testVectorTies(t *testing.T, load LoadVectors) {
	const dim, same = 16, 400
	for _, better := range []int{0, 2, 30} {
		flat := UnitVectors(3, better+same+50, dim)
		query := UnitVectors(4, 1, dim)
		copy(flat, repeat(query, better)) // the query itself
		tie := blend(query, UnitVectors(5, 1, dim))
		copy(flat[better*dim:], repeat(tie, same))
		ids := vectorIDs(len(flat) / dim)
		x := mustLoad(t, load, dim, ids, flat)
		for _, k := range []int{1, 3, better + 1, better + 20, better + same - 1, better + same} {
			want := ranked(t, x, query, ids, k)
			for range 8 {
				if diff := cmp.Diff(want, mustSearch(t, x, query, k)); diff != "" {
					t.Fatalf("%d better than %d equal, first %d (-want +got):\n%s", better, same, k, diff)
				}
			}
		}
	}
}

func repeat(v []float32, n int) []float32 {
	out := make([]float32, 0, n*len(v))
	for range n {
		out = append(out, v...)
	}
	return out
}

// blend returns a unit vector between a and b, much nearer to a.
func blend(a, b []float32) []float32 {
	out := make([]float32, len(a))
	var sum float64
	for i := range a {
		x := 4*float64(a[i]) + float64(b[i])
		out[i] = float32(x)
		sum += x * x
	}
	for i := range out {
		out[i] = float32(float64(out[i]) / math.Sqrt(sum))
	}
	return out
}

// testVectorRange asks with the stored vectors themselves, whose products round
// to either side of 1, and with their opposites.
func testVectorRange(t *testing.T, load LoadVectors) {
	const n, dim = 150, 96
	flat, ids := UnitVectors(6, n, dim), vectorIDs(n)
	x := mustLoad(t, load, dim, ids, flat)
	for i := range n {
		query := slices.Clone(flat[i*dim : (i+1)*dim])
		for _, sign := range []float32{1, -1} {
			for j := range query {
				query[j] *= sign
			}
			hits := mustSearch(t, x, query, n)
			first, last := hits[0], hits[n-1]
			if first.Score > 1 || last.Score < -1 {
				t.Fatalf("scores from %v to %v", first.Score, last.Score)
			}
			if end := map[float32]rag.Scored{1: first, -1: last}[sign]; end.ID != ids[i] {
				t.Fatalf("chunk %s is not at the end of its own list but %s", ids[i], end.ID)
			}
		}
	}
}

// testVectorIDs uses IDs whose SHA-256 begin with the same four bytes, and IDs of
// odd characters.
func testVectorIDs(t *testing.T, load LoadVectors) {
	const dim = 8
	ids := []rag.ChunkID{"chunk-5870", "chunk-118139", "文档 1#0", "a/b\\c", "x\x00", "x", " "}
	flat := UnitVectors(7, len(ids), dim)
	x := mustLoad(t, load, dim, ids, flat)
	if x.Count() != len(ids) {
		t.Fatalf("count %d, want %d", x.Count(), len(ids))
	}
	for i, id := range ids {
		if hits := mustSearch(t, x, flat[i*dim:(i+1)*dim], 1); hits[0].ID != id {
			t.Errorf("found %q, want %q", hits[0].ID, id)
		}
	}
}

func testVectorRefused(t *testing.T, load LoadVectors) {
	const n, dim, bad = 9, 8, 5
	for _, c := range []struct {
		name  string
		spoil func(row []float32)
	}{
		{"zero", func(row []float32) { clear(row) }},
		{"not a number", func(row []float32) { row[3] = float32(math.NaN()) }},
		{"infinite", func(row []float32) { row[7] = float32(math.Inf(-1)) }},
		{"too long", func(row []float32) { row[0] += 2 }},
		{"a little short", func(row []float32) { scaleBy(row, 0.9999) }},
		{"overflowing", func(row []float32) { row[0], row[1] = math.MaxFloat32, math.MaxFloat32 }},
	} {
		flat, ids := UnitVectors(8, n, dim), vectorIDs(n)
		c.spoil(flat[bad*dim : (bad+1)*dim])
		_, err := load(t.Context(), dim, ids, flat)
		if f := fault.Of(err); f == nil || f.Code != "vector_invalid" || f.Params["chunk"] != string(ids[bad]) || f.Params["reason"] == "" {
			t.Errorf("%s: error %v", c.name, err)
		}
	}
	flat := UnitVectors(9, 3, dim)
	for _, c := range []struct {
		name string
		dim  int
		ids  []rag.ChunkID
		flat []float32
	}{
		{"repeated id", dim, []rag.ChunkID{"a", "b", "a"}, flat},
		{"empty id", dim, []rag.ChunkID{"a", "", "b"}, flat},
		{"too few values", dim, []rag.ChunkID{"a", "b", "c"}, flat[1:]},
		{"too many values", dim, []rag.ChunkID{"a", "b"}, flat},
		{"wrong dimension", dim / 2, []rag.ChunkID{"a", "b", "c"}, flat},
		{"no dimension", 0, []rag.ChunkID{"a"}, nil},
		{"negative dimension", -dim, []rag.ChunkID{"a", "b", "c"}, flat},
	} {
		if _, err := load(t.Context(), c.dim, c.ids, c.flat); err == nil {
			t.Errorf("%s: no error", c.name)
		}
	}
}

func scaleBy(row []float32, factor float32) {
	for i := range row {
		row[i] *= factor
	}
}

func testVectorQueries(t *testing.T, load LoadVectors) {
	const n, dim = 20, 8
	ids := vectorIDs(n)
	x := mustLoad(t, load, dim, ids, UnitVectors(10, n, dim))
	nan := UnitVectors(11, 1, dim)
	nan[2] = float32(math.NaN())
	for _, c := range []struct {
		name, code string
		query      []float32
	}{
		{"short", "dimension_mismatch", UnitVectors(12, 1, dim-1)},
		{"long", "dimension_mismatch", UnitVectors(12, 1, dim+1)},
		{"absent", "dimension_mismatch", nil},
		{"zero", "query_vector_invalid", make([]float32, dim)},
		{"not a number", "query_vector_invalid", nan},
		{"not of unit length", "query_vector_invalid", repeat([]float32{1}, dim)},
	} {
		if _, err := x.Search(t.Context(), c.query, 3); !fault.Is(err, c.code) {
			t.Errorf("search, %s: error %v, want %s", c.name, err, c.code)
		}
		if _, err := x.Score(t.Context(), c.query, ids); !fault.Is(err, c.code) {
			t.Errorf("score, %s: error %v, want %s", c.name, err, c.code)
		}
	}
	good := UnitVectors(13, 1, dim)
	if got := mustSearch(t, x, good, 3); len(got) != 3 {
		t.Errorf("after refused queries: %d hits", len(got))
	}
	if _, err := x.Score(t.Context(), good, []rag.ChunkID{ids[0], "unknown"}); err == nil || !strings.Contains(err.Error(), "unknown") {
		t.Errorf("score of an unknown chunk: error %v", err)
	}
	if got := ranked(t, x, good, []rag.ChunkID{ids[1], ids[1]}, 2); got[0] != got[1] {
		t.Errorf("score of a chunk asked for twice: %v", got)
	}
}

func testVectorInput(t *testing.T, load LoadVectors) {
	const n, dim = 50, 8
	flat, ids, query := UnitVectors(14, n, dim), vectorIDs(n), UnitVectors(15, 1, dim)
	flat0, ids0, query0 := slices.Clone(flat), slices.Clone(ids), slices.Clone(query)
	x := mustLoad(t, load, dim, ids, flat)
	first := mustSearch(t, x, query, 5)
	want := slices.Clone(first)
	first[0] = rag.Scored{ID: "mine"}
	_ = append(first, rag.Scored{ID: "mine"})
	if got := mustSearch(t, x, query, 5); !slices.Equal(got, want) {
		t.Error("a result is shared with the index")
	}
	if !slices.Equal(flat, flat0) || !slices.Equal(ids, ids0) || !slices.Equal(query, query0) {
		t.Error("the input has changed")
	}
}

// testVectorCancel cancels searches at random points: each must fail with the
// context's error or be complete.
func testVectorCancel(t *testing.T, load LoadVectors) {
	const n, dim, k = 3000, 64, 40
	flat, ids, query := UnitVectors(16, n, dim), vectorIDs(n), UnitVectors(17, 1, dim)
	x := mustLoad(t, load, dim, ids, flat)
	want := mustSearch(t, x, query, k)

	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := x.Search(done, query, k); !errors.Is(err, context.Canceled) {
		t.Errorf("search after cancellation: error %v", err)
	}
	if _, err := x.Score(done, query, ids); !errors.Is(err, context.Canceled) {
		t.Errorf("score after cancellation: error %v", err)
	}
	if _, err := load(done, dim, ids, flat); !errors.Is(err, context.Canceled) {
		t.Errorf("load after cancellation: error %v", err)
	}
	for i := range 80 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*20*time.Microsecond)
		got, err := x.Search(ctx, query, k)
		cancel()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		if err == nil && !slices.Equal(got, want) {
			t.Fatal("a cancelled search returned another list without an error")
		}
	}
}

func testVectorConcurrent(t *testing.T, load LoadVectors) {
	const n, dim, k = 300, 16, 10
	ids := vectorIDs(n)
	x := mustLoad(t, load, dim, ids, UnitVectors(18, n, dim))
	var wg sync.WaitGroup
	for g := range 8 {
		query := UnitVectors(uint64(20+g), 1, dim)
		want := ranked(t, x, query, ids, k)
		wg.Go(func() {
			for range 20 {
				got, err := x.Search(t.Context(), query, k)
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("query %d: %v, error %v", g, got, err)
					return
				}
			}
		})
	}
	wg.Wait()
}
