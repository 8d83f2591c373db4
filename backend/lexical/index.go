package lexical

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// BM25's constants: k1 is the saturation of repeated terms, b how much length
// counts. Chunks are short and of like lengths, so that both do best below the
// usual 1.2 and .75: MRR@10 of CMRC 2018 and DRCD rises by .010 and .006, that
// of English sets (SciFact, CLAPnq, XQuAD) does not change.
//
// bleve's own BM25 takes the root of term frequencies, the square of idf and a
// factor for the share of terms found; in place of the formula of Index.add these
// were tried one by one and together, and none did better on both sets.
const (
	k1 = 0.6
	b  = 0.4
)

// scale brings the scores of good hits to about 10, where rag.SaturateBM25 still
// tells them apart; the scale of BM25 is free and does not show in rankings. On
// 350 questions each, MRR@10 of late interaction with its BM25 part is .923 and
// .941 for CMRC and DRCD without it, .926 and .946 with it.
const scale = 1.0 / 8

// Stats are the totals over all chunks of an index.
type Stats struct {
	Chunks int
	// Terms is the sum of Count over the chunks' texts.
	Terms rag.TermCounts
}

// errClosed is returned by an index that was closed.
var errClosed = errors.New("lexical index is closed")

// Index is an open generation, read only. It implements rag.TextIndex and is
// safe for concurrent use.
type Index struct {
	analyzer Analyzer
	dir      string
	stats    Stats
	scores   sync.Pool // of *accumulator

	mu       sync.RWMutex // held for writing by Close
	store    index.Index
	snapshot *scorch.IndexSnapshot
}

var _ rag.TextIndex = (*Index)(nil)

// Open opens the generation in dir for reading; other processes may read it at
// the same time. An index that is missing, unreadable, made by other rules or not
// of stats.Chunks chunks is "index_damaged" with its path and is to be rebuilt.
func (z Analyzer) Open(dir string, stats Stats) (ix *Index, err error) {
	if err := text.Ready(); err != nil {
		return nil, err
	}
	defer guard(dir, &err)
	damaged := func(err error) error {
		return fault.Wrap(err, "index_damaged", fault.P("path", dir))
	}
	if err := checkManifest(dir, z.Fingerprint()); err != nil {
		return nil, damaged(err)
	}
	store, err := openScorch(dir, true, nil)
	if err != nil {
		return nil, damaged(err)
	}
	reader, err := store.Reader()
	if err != nil {
		return nil, damaged(errors.Join(err, store.Close()))
	}
	snapshot, ok := reader.(*scorch.IndexSnapshot)
	if !ok {
		return nil, damaged(errors.Join(fmt.Errorf("unknown reader %T", reader), reader.Close(), store.Close()))
	}
	ix = &Index{analyzer: z, dir: dir, stats: stats, store: store, snapshot: snapshot}
	n, err := snapshot.DocCount()
	if err == nil && int(n) != stats.Chunks {
		err = fmt.Errorf("%d chunks in the index, %d expected", n, stats.Chunks)
	}
	if err != nil {
		return nil, damaged(errors.Join(err, ix.Close()))
	}
	return ix, nil
}

// guard turns a panic into "index_damaged": bleve reads segments without checks,
// so that bytes which rotted on disk show as indexes out of range.
func guard(dir string, err *error) {
	if p := recover(); p != nil {
		*err = fault.Wrap(fmt.Errorf("read the index: %v", p), "index_damaged", fault.P("path", dir))
	}
}

// Count returns the number of chunks.
func (ix *Index) Count() int { return ix.stats.Chunks }

// Close releases the index's files. Searches that run are waited for.
func (ix *Index) Close() error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.store == nil {
		return nil
	}
	err := errors.Join(ix.snapshot.Close(), ix.store.Close())
	ix.store, ix.snapshot = nil, nil
	return err
}

// Search returns at most k chunks with a score above 0 by the ordering rule. A
// query without terms finds nothing.
func (ix *Index) Search(ctx context.Context, query string, k int) ([]rag.Scored, error) {
	return ix.SearchAllowed(ctx, query, k, nil)
}

// SearchAllowed is Search among the chunks that allow accepts; nil accepts all.
// Scores are those of Search. It asks from the best chunk on until it has k, so
// that little is asked when much is allowed; where few of many are, Score of these
// is faster.
func (ix *Index) SearchAllowed(ctx context.Context, query string, k int, allow func(rag.ChunkID) bool) (hits []rag.Scored, err error) {
	defer guard(ix.dir, &err)
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if ix.store == nil {
		return nil, errClosed
	}
	terms := ix.analyzer.parse(query)
	if k <= 0 || len(terms) == 0 {
		return nil, ctx.Err()
	}
	acc := ix.accumulator()
	defer ix.release(acc)
	if err := ix.score(ctx, acc, terms); err != nil {
		return nil, fmt.Errorf("search %q: %w", query, err)
	}
	if allow == nil {
		hits, err = ix.name(acc.best(k))
	} else {
		hits, err = ix.nameAllowed(ctx, acc.best(math.MaxInt), k, allow)
	}
	if err != nil {
		return nil, fmt.Errorf("search %q: %w", query, err)
	}
	rag.SortScored(hits)
	return hits[:min(k, len(hits))], nil
}

// name resolves document numbers to chunk ids.
func (ix *Index) name(docs []scoredDoc) ([]rag.Scored, error) {
	hits := make([]rag.Scored, len(docs))
	for i, d := range docs {
		id, err := ix.snapshot.ExternalID(index.NewIndexInternalID(nil, uint64(d.doc)))
		if err != nil {
			return nil, err
		}
		hits[i] = rag.Scored{ID: rag.ChunkID(id), Score: d.score}
	}
	return hits, nil
}

// nameAllowed resolves the best k documents whose ids are allowed, and those that
// tie with the last.
func (ix *Index) nameAllowed(ctx context.Context, docs []scoredDoc, k int, allow func(rag.ChunkID) bool) ([]rag.Scored, error) {
	slices.SortFunc(docs, func(a, b scoredDoc) int { return cmp.Compare(b.score, a.score) })
	var hits []rag.Scored
	for i, d := range docs {
		if len(hits) >= k && d.score < hits[len(hits)-1].Score {
			break
		}
		if i&0xFFF == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		named, err := ix.name(docs[i : i+1])
		if err != nil {
			return nil, err
		}
		if allow(named[0].ID) {
			hits = append(hits, named[0])
		}
	}
	return hits, nil
}

// Score returns the score Search gives each chunk for the query, 0 for chunks
// that do not match or are not in the index.
func (ix *Index) Score(ctx context.Context, query string, ids []rag.ChunkID) (scores []float64, err error) {
	defer guard(ix.dir, &err)
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if ix.store == nil {
		return nil, errClosed
	}
	terms := ix.analyzer.parse(query)
	acc := ix.accumulator()
	defer ix.release(acc)
	if err := ix.score(ctx, acc, terms); err != nil {
		return nil, fmt.Errorf("score %q: %w", query, err)
	}
	scores = make([]float64, len(ids))
	for i, id := range ids {
		if id == "" {
			continue
		}
		doc, err := ix.snapshot.InternalID(string(id))
		if err != nil {
			return nil, fmt.Errorf("score chunk %s: %w", id, err)
		}
		if doc != nil {
			scores[i] = round(acc.scores[doc.Value()])
		}
	}
	return scores, nil
}

// score sums the BM25 scores of all chunks for the terms, in the terms' order.
func (ix *Index) score(ctx context.Context, acc *accumulator, terms []queryTerm) error {
	for _, t := range terms {
		if err := ix.add(ctx, acc, t); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// add adds the BM25 part of one term to the scores of the chunks that hold it:
//
//	scale · weight · ln(1 + (N − n + ½)/(n + ½)) · tf·(k1 + 1)/(tf + k1·(1 − b + b·len/avg))
//
// with N chunks, n of which hold the term (Robertson and Zaragoza 2009, section
// 3.4, with an idf that is never negative).
func (ix *Index) add(ctx context.Context, acc *accumulator, t queryTerm) error {
	postings, err := ix.snapshot.TermFieldReader(ctx, []byte(t.term), t.field, true, true, false)
	if err != nil {
		return err
	}
	defer func() { _ = postings.Close() }() // read-only
	n := float64(postings.Count())
	if n == 0 || t.boosts && n > boostShare*float64(ix.stats.Chunks) {
		return ctx.Err()
	}
	idf := math.Log1p((max(float64(ix.stats.Chunks)-n, 0) + 0.5) / (n + 0.5))
	factor := scale * t.weight * idf * (k1 + 1)
	avg := ix.average(t.field)
	var doc index.TermFieldDoc
	for i := 0; ; i++ {
		if i&0xFFF == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		p, err := postings.Next(doc.Reset())
		if err != nil {
			return err
		}
		if p == nil {
			return nil
		}
		tf := float64(p.Freq)
		length := math.Round(1 / (p.Norm * p.Norm))
		acc.add(uint32(p.ID.Value()), factor*tf/(tf+k1*(1-b+b*length/avg)), t.boosts)
	}
}

// average returns the mean number of terms of a field.
func (ix *Index) average(field string) float64 {
	total := map[string]int{
		fieldWords: ix.stats.Terms.Words, fieldBigrams: ix.stats.Terms.Bigrams, fieldChars: ix.stats.Terms.Chars,
	}[field]
	return max(float64(total), 1) / max(float64(ix.stats.Chunks), 1)
}
