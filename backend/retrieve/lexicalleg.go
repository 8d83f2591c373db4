package retrieve

import (
	"context"
	"strings"

	"ragdesk/backend/rag"
)

// lexicalLeg returns the candidates of BM25 among the allowed chunks, boosted by
// what their headings share with the query. parts explains boosted scores.
func (r *run) lexicalLeg(ctx context.Context) (ranked []rag.Scored, parts map[rag.ChunkID][]rag.Part, err error) {
	want, fetch := r.pipeline.Candidates, r.pipeline.Candidates
	if r.pipeline.HeadingBoost > 0 {
		fetch = want * spread // a boost lifts chunks from below
	}
	found, err := r.searchText(ctx, r.query, fetch)
	if err != nil {
		return nil, nil, err
	}
	if r.pipeline.HeadingBoost > 0 {
		if parts, err = r.boost(ctx, found); err != nil {
			return nil, nil, err
		}
	}
	return found[:min(len(found), want)], parts, nil
}

// restricted is a text index that can search among some chunks.
type restricted interface {
	SearchAllowed(ctx context.Context, query string, k int, allow func(rag.ChunkID) bool) ([]rag.Scored, error)
}

// searchText returns the first k of the allowed chunks.
func (r *run) searchText(ctx context.Context, query string, k int) ([]rag.Scored, error) {
	if r.corpus.Allow == nil {
		return r.corpus.Text.Search(ctx, query, k)
	}
	return searchAllowed(ctx, r.corpus.Text, query, k, r.corpus.Allow)
}

func searchAllowed(ctx context.Context, text rag.TextIndex, query string, k int, allow func(rag.ChunkID) bool) ([]rag.Scored, error) {
	if index, ok := text.(restricted); ok {
		return index.SearchAllowed(ctx, query, k, allow)
	}
	found, err := text.Search(ctx, query, text.Count())
	if err != nil {
		return nil, err
	}
	kept := found[:0]
	for _, s := range found {
		if len(kept) < k && allow(s.ID) {
			kept = append(kept, s)
		}
	}
	return kept, nil
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
