package retrieve

import (
	"context"
	"strings"

	"ragdesk/backend/rag"
)

// lexicalLeg returns the candidates of BM25 among the allowed chunks, boosted by
// what their headings share with the query. parts explains boosted scores.
func (r *run) lexicalLeg(ctx context.Context) (ranked []rag.Scored, parts map[rag.ChunkID][]rag.Part, err error) {
	want := r.pipeline.Candidates
	fetch := want
	switch {
	case r.corpus.Allow != nil:
		fetch = r.corpus.Text.Count() // the index cannot know what is allowed
	case r.pipeline.HeadingBoost > 0:
		fetch = want * spread // a boost lifts chunks from below
	}
	found, err := r.corpus.Text.Search(ctx, r.query, fetch)
	if err != nil {
		return nil, nil, err
	}
	if r.corpus.Allow != nil {
		found = allowed(found, r.corpus.Allow, fetchLimit(want, r.pipeline.HeadingBoost))
	}
	if r.pipeline.HeadingBoost > 0 {
		if parts, err = r.boost(ctx, found); err != nil {
			return nil, nil, err
		}
	}
	return found[:min(len(found), want)], parts, nil
}

func fetchLimit(want int, boost float64) int {
	if boost > 0 {
		return want * spread
	}
	return want
}

// allowed keeps the first n of found that allow accepts.
func allowed(found []rag.Scored, allow func(rag.ChunkID) bool, n int) []rag.Scored {
	kept := found[:0]
	for _, s := range found {
		if len(kept) == n {
			break
		}
		if allow(s.ID) {
			kept = append(kept, s)
		}
	}
	return kept
}

// boost multiplies scores by 1 + w·c, see rag.Pipeline.HeadingBoost, and orders
// anew.
func (r *run) boost(ctx context.Context, found []rag.Scored) (map[rag.ChunkID][]rag.Part, error) {
	ids := make([]rag.ChunkID, len(found))
	for i, s := range found {
		ids[i] = s.ID
	}
	rows, err := r.corpus.Chunks.ChunksByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	parts := make(map[rag.ChunkID][]rag.Part, len(found))
	for i, row := range rows {
		above := strings.Join(append([]string{r.corpus.Titles(row.DocID)}, row.Headings...), "\n")
		covered := r.corpus.Coverage(r.query, above)
		parts[row.ID] = []rag.Part{{Name: "bm25", Value: found[i].Score}, {Name: "headings", Value: covered}}
		found[i].Score *= 1 + r.pipeline.HeadingBoost*covered
	}
	rag.SortScored(found)
	return parts, nil
}
