package lexical

import (
	"math/rand/v2"
	"testing"

	"github.com/blevesearch/bleve/v2/index/scorch/mergeplan"
)

// sized is a segment as bleve's planner sees it.
type sized struct {
	id         uint64
	full, live int64
}

func (s *sized) Id() uint64          { return s.id }
func (s *sized) FullSize() int64     { return s.full }
func (s *sized) LiveSize() int64     { return s.live }
func (s *sized) HasVector() bool     { return false }
func (s *sized) FileSize() int64     { return s.full }
func (s *sized) LiveFileSize() int64 { return s.live }

// TestMergesStaySmall grows an index to 200,000 chunks by small changes, some of
// which delete, and asks bleve's planner after each what to merge: never more
// than two seconds' worth, and so that segments stay few and mostly alive.
func TestMergesStaySmall(t *testing.T) {
	t.Parallel()
	// A merge costs about 0.1 ms a chunk.
	const total, most = 200_000, 16_384
	rng := rand.New(rand.NewPCG(1, 1))
	var segments []mergeplan.Segment
	var ids uint64
	var indexed, merged int64
	for indexed < total {
		ids++
		added := 1 + rng.Int64N(600)
		indexed += added
		segments = append(segments, &sized{ids, added, added})
		if s := segments[rng.IntN(len(segments))].(*sized); rng.IntN(2) == 0 {
			s.live -= s.live / 50
		}
		plan, err := mergeplan.Plan(segments, &mergePlan)
		if err != nil {
			t.Fatal(err)
		}
		if plan == nil {
			continue
		}
		var now int64
		for _, task := range plan.Tasks {
			ids++
			var live int64
			for _, s := range task.Segments {
				live += s.LiveSize()
			}
			now += live
			segments = without(segments, task.Segments)
			if live > 0 {
				segments = append(segments, &sized{ids, live, live})
			}
		}
		merged += now
		if now > most {
			t.Errorf("at %d chunks a change of %d merges %d", indexed, added, now)
		}
	}
	var full, live int64
	for _, s := range segments {
		full += s.FullSize()
		live += s.LiveSize()
	}
	t.Logf("%d segments of %d chunks, %d alive; each merged %.1f times", len(segments), full, live, float64(merged)/total)
	if len(segments) > 60 {
		t.Errorf("%d segments for %d chunks", len(segments), live)
	}
	if live < full/2 {
		t.Errorf("%d of %d chunks are alive", live, full)
	}
}

func without(segments, gone []mergeplan.Segment) []mergeplan.Segment {
	out := map[uint64]bool{}
	for _, s := range gone {
		out[s.Id()] = true
	}
	var kept []mergeplan.Segment
	for _, s := range segments {
		if !out[s.Id()] {
			kept = append(kept, s)
		}
	}
	return kept
}
