// Package retrieve runs a pipeline on a query: candidates from the legs,
// fusion, thresholds, reranking, top-k.
//
// Run is the one function behind search, compare, ask and evaluation, so that
// the same pipeline on the same library revision gives the same hits from every
// entrance.
//
//	res, err := retrieve.Run(ctx, corpus, pipeline, "年假有几天")
package retrieve

import (
	"context"
	"fmt"
	"maps"
	"time"

	"golang.org/x/sync/errgroup"

	"ragdesk/backend/rag"
)

// ChunkReader reads chunks by id, in the order of ids.
type ChunkReader interface {
	ChunksByID(ctx context.Context, ids []rag.ChunkID) ([]rag.ChunkRow, error)
}

// Corpus is a library opened at one revision.
type Corpus struct {
	Text    rag.TextIndex
	Vectors rag.VectorIndex
	// Load waits until the vectors are there; nil when they are.
	Load     func(context.Context) error
	Embedder rag.Embedder
	Chunks   ChunkReader
	// Reranker is nil when the pipeline has none.
	Reranker rag.Reranker
	// Documents is needed by pipelines that widen hits.
	Documents DocumentReader
	// Allow restricts the chunks searched; nil allows all.
	Allow func(rag.ChunkID) bool
	// Coverage is the share of a query's words that a text holds; needed by
	// pipelines that boost headings. Titles gives the documents' titles.
	Coverage func(query, text string) float64
	Titles   func(rag.DocumentID) string
}

// Result is a ranking with everything that made it.
type Result struct {
	Hits []rag.Hit
	// Dropped lists what thresholds removed, by stage and then by rank.
	Dropped []rag.Dropped
	// Took has the running time of each of rag.Steps that ran, but for StepOpen.
	// Every moment of Run belongs to one of them, and to two while the legs run side
	// by side.
	Took map[rag.Stage]time.Duration
}

// Run retrieves the pipeline's top-k for query, which must not be blank. What others
// find is fused with what it finds, by reciprocal ranks; they are given exactly when
// the pipeline rewrites.
func Run(ctx context.Context, c Corpus, p rag.Pipeline, query string, others ...Query) (Result, error) {
	if err := p.Validate(); err != nil {
		return Result{}, err
	}
	r := &run{corpus: c, pipeline: p, query: query, others: others, took: map[rag.Stage]time.Duration{}, last: time.Now(), repeats: map[rag.ChunkID][]rag.ChunkID{}}
	steps := []func(context.Context) error{r.legs, r.addQueries, r.fuse, r.rerank, r.reshape}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return Result{}, err
		}
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
	}
	return r.result(ctx)
}

// run is the state of one retrieval.
type run struct {
	corpus   Corpus
	pipeline rag.Pipeline
	query    string
	others   []Query
	vector   []float32 // the query's, once embedded

	lists   map[rag.Stage]list // what each stage passed on
	added   []addedList        // what the other queries brought
	final   []entry            // the current ranking
	dropped []drop
	rows    map[rag.ChunkID]rag.ChunkRow
	took    map[rag.Stage]time.Duration
	// last is when the last step that took is known of ended.
	last time.Time
	// repeats are the chunks folded into a better one.
	repeats map[rag.ChunkID][]rag.ChunkID
}

// lap gives a step the time since the last one ended.
func (r *run) lap(step rag.Stage) {
	now := time.Now()
	r.took[step] += now.Sub(r.last)
	r.last = now
}

// entry is a chunk in the current ranking with the stage that scored it last.
type entry struct {
	id    rag.ChunkID
	score float64
	stage rag.Stage
}

// drop is a chunk that a threshold removed.
type drop struct {
	id     rag.ChunkID
	stage  rag.Stage
	scored bool
	score  float64
	rank   int // 0 for one that the stage never scored
}

// list is what a stage passed on, by chunk.
type list map[rag.ChunkID]rag.StageScore

// preparer is a reranker with something to do about the query before there are
// passages. What it takes longer than the legs counts as reranking.
type preparer interface {
	Prepare(ctx context.Context, query string) error
}

// legs fetches the candidates of both legs at the same time.
func (r *run) legs(ctx context.Context) error {
	var vector, lexical []rag.Scored
	var parts map[rag.ChunkID][]rag.Part
	start := time.Now()
	took := map[rag.Stage]time.Duration{}
	var lexicalTook time.Duration
	g, gctx := errgroup.WithContext(ctx)
	if r.pipeline.Vector {
		g.Go(func() (err error) {
			vector, err = r.vectorLeg(gctx, took)
			return err
		})
	}
	if r.pipeline.BM25 {
		g.Go(func() (err error) {
			start := time.Now()
			lexical, parts, err = r.lexicalLeg(gctx)
			lexicalTook = time.Since(start)
			return err
		})
	}
	reranker, prepares := r.corpus.Reranker.(preparer)
	if prepares = prepares && r.pipeline.Reranker != rag.RerankNone; prepares {
		g.Go(func() error { return reranker.Prepare(gctx, r.query) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	maps.Copy(r.took, took)
	r.last = start.Add(max(took[rag.StepEmbed]+took[rag.StepLoad]+took[rag.StageVector], lexicalTook))
	if prepares {
		r.lap(rag.StageRerank)
	}
	r.lists = map[rag.Stage]list{}
	if r.pipeline.Vector {
		r.final = r.pass(rag.StageVector, vector, nil)
	}
	if r.pipeline.BM25 {
		r.took[rag.StageBM25] = lexicalTook
		passed := r.pass(rag.StageBM25, lexical, parts)
		if r.pipeline.Vector {
			r.final = append(r.final, passed...)
		} else {
			r.final = passed
		}
	}
	return nil
}

// vectorLeg returns the candidates of the vector leg and what each step of it took.
func (r *run) vectorLeg(ctx context.Context, took map[rag.Stage]time.Duration) (found []rag.Scored, err error) {
	last := time.Now()
	lap := func(step rag.Stage) {
		now := time.Now()
		took[step] = now.Sub(last)
		last = now
	}
	if r.vector, err = r.corpus.Embedder.Query(ctx, r.query); err != nil {
		return nil, fmt.Errorf("embed the query: %w", err)
	}
	lap(rag.StepEmbed)
	if r.corpus.Load != nil {
		if err := r.corpus.Load(ctx); err != nil {
			return nil, err
		}
	}
	lap(rag.StepLoad)
	found, err = r.corpus.Vectors.SearchAllowed(ctx, r.vector, r.pipeline.Candidates, r.corpus.Allow)
	lap(rag.StageVector)
	return found, err
}

// pass records what a stage ranked, drops what its threshold refuses, and
// returns the rest. ranked is in order; parts may be nil.
func (r *run) pass(stage rag.Stage, ranked []rag.Scored, parts map[rag.ChunkID][]rag.Part) []entry {
	threshold, limited := r.pipeline.Thresholds[stage]
	l := make(list, len(ranked))
	passed := make([]entry, 0, len(ranked))
	last, ranksLimited := r.pipeline.MaxRanks[stage]
	for i, s := range ranked {
		if limited && s.Score < threshold || ranksLimited && i >= last {
			r.dropped = append(r.dropped, drop{s.ID, stage, true, s.Score, i + 1})
			continue
		}
		l[s.ID] = rag.StageScore{Stage: stage, Rank: i + 1, Score: s.Score, Parts: parts[s.ID]}
		passed = append(passed, entry{s.ID, s.Score, stage})
	}
	r.lists[stage] = l
	return passed
}

// fuse makes one ranking of the two legs' lists.
func (r *run) fuse(ctx context.Context) error {
	if r.pipeline.Rewrite != "" {
		return r.fuseQueries()
	}
	if r.pipeline.Fusion == rag.FusionNone {
		return nil
	}
	vector, lexical := r.lists[rag.StageVector], r.lists[rag.StageBM25]
	var ranked []rag.Scored
	var parts map[rag.ChunkID][]rag.Part
	switch r.pipeline.Fusion {
	case rag.FusionUnion:
		ranked = union(r.final)
	case rag.FusionRRF:
		ranked = rrf(r.pipeline.RRFK, vector, lexical)
	case rag.FusionWeighted:
		scores, err := r.bothScores(ctx)
		if err != nil {
			return err
		}
		ranked, parts = weighted(r.pipeline.Alpha, scores)
	default:
		return fmt.Errorf("fusion %q has no implementation", r.pipeline.Fusion)
	}
	r.final = r.pass(rag.StageFusion, ranked, parts)
	r.lap(rag.StageFusion)
	return nil
}

// bothScores gives each candidate its score under both legs, whichever listed
// it, so that a weighted sum never stands on a missing term.
func (r *run) bothScores(ctx context.Context) ([]legScores, error) {
	ids := make([]rag.ChunkID, 0, len(r.final))
	for _, s := range union(r.final) {
		ids = append(ids, s.ID)
	}
	cosines, err := r.corpus.Vectors.Score(ctx, r.vector, ids)
	if err != nil {
		return nil, fmt.Errorf("score %d candidates by vector: %w", len(ids), err)
	}
	lexical, err := r.corpus.Text.Score(ctx, r.query, ids)
	if err != nil {
		return nil, fmt.Errorf("score %d candidates by BM25: %w", len(ids), err)
	}
	out := make([]legScores, len(ids))
	for i, id := range ids {
		out[i] = legScores{id, cosines[i], lexical[i]}
	}
	return out, nil
}

// rerank scores the first RerankDepth candidates again and puts them first; the
// others keep their order below. Under a rerank threshold or rank limit the others
// are dropped as well: nothing unscored slips past a gate.
func (r *run) rerank(ctx context.Context) error {
	if r.pipeline.Reranker == rag.RerankNone {
		return nil
	}
	if r.corpus.Reranker == nil {
		return fmt.Errorf("reranker %q is not open", r.pipeline.Reranker)
	}
	head := r.final[:min(len(r.final), r.pipeline.RerankDepth)]
	tail := r.final[len(head):]
	passages, err := r.passages(ctx, head)
	if err != nil {
		return err
	}
	verdicts, err := r.corpus.Reranker.Rerank(ctx, r.query, passages)
	if err != nil {
		return fmt.Errorf("rerank %d passages: %w", len(passages), err)
	}
	ranked := make([]rag.Scored, len(head))
	parts := make(map[rag.ChunkID][]rag.Part, len(head))
	for i, v := range verdicts {
		ranked[i] = rag.Scored{ID: head[i].id, Score: v.Score}
		parts[head[i].id] = v.Parts
	}
	rag.SortScored(ranked)
	passed := r.pass(rag.StageRerank, ranked, parts)
	_, limited := r.pipeline.Thresholds[rag.StageRerank]
	_, ranksLimited := r.pipeline.MaxRanks[rag.StageRerank]
	if limited || ranksLimited {
		for _, e := range tail {
			r.dropped = append(r.dropped, drop{id: e.id, stage: rag.StageRerank})
		}
		tail = nil
	}
	r.final = append(passed, tail...)
	r.lap(rag.StageRerank)
	return nil
}

// reshape folds repeats and spreads the ranking's head, where the pipeline asks
// for it; what lies below keeps its order.
func (r *run) reshape(ctx context.Context) error {
	head := r.head()
	if len(head) == 0 {
		return nil
	}
	if err := r.read(ctx, chunkIDs(head)); err != nil {
		return err
	}
	tail := r.final[len(head):]
	r.final = append(r.shape(head), tail...)
	return nil
}

// passages reads the texts of entries and their BM25 scores.
func (r *run) passages(ctx context.Context, entries []entry) ([]rag.Passage, error) {
	ids := chunkIDs(entries)
	if err := r.read(ctx, ids); err != nil {
		return nil, err
	}
	lexical, err := r.corpus.Text.Score(ctx, r.query, ids)
	if err != nil {
		return nil, fmt.Errorf("score %d passages by BM25: %w", len(ids), err)
	}
	out := make([]rag.Passage, len(ids))
	for i, id := range ids {
		out[i] = rag.Passage{ID: id, Text: r.rows[id].Text, BM25: lexical[i]}
	}
	return out, nil
}

// read fetches the chunks of ids that are not there yet.
func (r *run) read(ctx context.Context, ids []rag.ChunkID) error {
	if r.rows == nil {
		r.rows = make(map[rag.ChunkID]rag.ChunkRow, len(ids))
	}
	missing := make([]rag.ChunkID, 0, len(ids))
	for _, id := range ids {
		if _, ok := r.rows[id]; !ok {
			missing = append(missing, id)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	rows, err := r.corpus.Chunks.ChunksByID(ctx, missing)
	if err != nil {
		return fmt.Errorf("read %d chunks: %w", len(missing), err)
	}
	for i, row := range rows {
		r.rows[missing[i]] = row
	}
	return nil
}

// result cuts the ranking to top-k and gives every hit its text and trace.
func (r *run) result(ctx context.Context) (Result, error) {
	top := r.final[:min(len(r.final), r.pipeline.TopK)]
	ids := make([]rag.ChunkID, 0, len(top)+len(r.dropped))
	for _, e := range top {
		ids = append(ids, e.id)
	}
	for _, d := range r.dropped {
		ids = append(ids, d.id)
	}
	if err := r.read(ctx, ids); err != nil {
		return Result{}, err
	}
	res := Result{Hits: make([]rag.Hit, len(top)), Dropped: make([]rag.Dropped, len(r.dropped)), Took: r.took}
	for i, e := range top {
		row := r.rows[e.id]
		res.Hits[i] = rag.Hit{
			Chunk: row.Chunk, Source: row.Source, Rank: i + 1,
			Score: e.score, ScoreStage: e.stage, Trace: r.trace(e.id), Repeats: r.repeats[e.id],
		}
	}
	if err := r.widen(ctx, res.Hits); err != nil {
		return Result{}, err
	}
	for i, d := range r.dropped {
		row := r.rows[d.id]
		res.Dropped[i] = rag.Dropped{
			Chunk: row.Chunk, Source: row.Source, Stage: d.stage,
			Scored: d.scored, Score: d.score, Rank: d.rank, MaxRank: r.pipeline.MaxRanks[d.stage],
		}
		if threshold, limited := r.pipeline.Thresholds[d.stage]; limited {
			res.Dropped[i].Threshold = &threshold
		}
	}
	r.lap(rag.StepRead)
	return res, nil
}

func (r *run) trace(id rag.ChunkID) []rag.StageScore {
	stages := r.pipeline.Stages()
	out := make([]rag.StageScore, len(stages))
	for i, stage := range stages {
		s, ok := r.lists[stage][id]
		if !ok {
			s = rag.StageScore{Stage: stage}
		}
		out[i] = s
	}
	return out
}
