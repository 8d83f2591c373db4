package retrieve

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"ragdesk/backend/rag"
)

// Query is searched beside the question.
type Query struct {
	Text string
	// Vector and BM25 say by which legs; one that the pipeline lacks does not run.
	Vector, BM25 bool
}

// addedList is what one leg found for one of the other queries.
type addedList struct {
	// name is that of its part in the fused score: the leg and the number of the query,
	// the question being the first.
	name string
	list list
}

// addQueries fetches the candidates of the other queries, all at the same time.
func (r *run) addQueries(ctx context.Context) error {
	r.added = make([]addedList, 2*len(r.others))
	g, gctx := errgroup.WithContext(ctx)
	for i, q := range r.others {
		if q.Vector && r.pipeline.Vector {
			g.Go(func() error {
				v, err := r.corpus.Embedder.Query(gctx, q.Text)
				if err != nil {
					return fmt.Errorf("embed query %d: %w", i+2, err)
				}
				found, err := r.corpus.Vectors.SearchAllowed(gctx, v, r.pipeline.Candidates, r.corpus.Allow)
				r.added[2*i] = r.addedList(rag.StageVector, i, found)
				return err
			})
		}
		if q.BM25 && r.pipeline.BM25 {
			g.Go(func() error {
				found, err := r.searchText(gctx, q.Text, r.pipeline.Candidates)
				r.added[2*i+1] = r.addedList(rag.StageBM25, i, found)
				return err
			})
		}
	}
	if err := g.Wait(); err != nil {
		return err
	}
	switch {
	case len(r.others) == 0:
	case r.pipeline.Vector:
		r.lap(rag.StageVector)
	default:
		r.lap(rag.StageBM25)
	}
	return nil
}

// addedList ranks what was found, without what the stage's limits refuse.
func (r *run) addedList(stage rag.Stage, query int, found []rag.Scored) addedList {
	threshold, limited := r.pipeline.Thresholds[stage]
	last, ranksLimited := r.pipeline.MaxRanks[stage]
	out := addedList{fmt.Sprintf("%s.%d", stage, query+2), make(list, len(found))}
	for i, s := range found {
		if limited && s.Score < threshold || ranksLimited && i >= last {
			break // those below score and rank lower
		}
		out.list[s.ID] = rag.StageScore{Stage: stage, Rank: i + 1, Score: s.Score}
	}
	return out
}

// fuseQueries makes one ranking of the lists of all queries and legs.
func (r *run) fuseQueries() error {
	all := make([]addedList, 0, 2+len(r.added))
	for _, stage := range []rag.Stage{rag.StageVector, rag.StageBM25} {
		if l, ran := r.lists[stage]; ran {
			all = append(all, addedList{string(stage), l})
		}
	}
	lists := make([]list, 0, cap(all))
	for _, a := range r.added {
		if a.list != nil {
			all = append(all, a)
		}
	}
	parts := map[rag.ChunkID][]rag.Part{}
	for _, a := range all {
		lists = append(lists, a.list)
		for id, s := range a.list {
			parts[id] = append(parts[id], rag.Part{Name: a.name, Value: 1 / float64(r.pipeline.RRFK+s.Rank)})
		}
	}
	r.final = r.pass(rag.StageFusion, rrf(r.pipeline.RRFK, lists...), parts)
	r.lap(rag.StageFusion)
	return nil
}
