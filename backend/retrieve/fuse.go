package retrieve

import "ragdesk/backend/rag"

// union merges the legs' entries in order, the first of equals kept. The score
// is 1/rank, so that it falls with the rank as every shown score does.
func union(entries []entry) []rag.Scored {
	seen := make(map[rag.ChunkID]bool, len(entries))
	out := make([]rag.Scored, 0, len(entries))
	for _, e := range entries {
		if seen[e.id] {
			continue
		}
		seen[e.id] = true
		out = append(out, rag.Scored{ID: e.id, Score: 1 / float64(len(out)+1)})
	}
	return out
}

// rrf is reciprocal rank fusion: a chunk's score is the sum over the lists that
// hold it of 1/(k + rank) (Cormack, Clarke and Büttcher, SIGIR 2009).
func rrf(k int, lists ...list) []rag.Scored {
	sums := map[rag.ChunkID]float64{}
	for _, l := range lists {
		for id, s := range l {
			sums[id] += 1 / float64(k+s.Rank)
		}
	}
	out := make([]rag.Scored, 0, len(sums))
	for id, sum := range sums {
		out = append(out, rag.Scored{ID: id, Score: sum})
	}
	rag.SortScored(out)
	return out
}

// legScores are a candidate's native scores under both legs.
type legScores struct {
	id           rag.ChunkID
	cosine, bm25 float64
}

// weighted is alpha·cosine + (1−alpha)·b/(b+s), with the saturation of the
// reranker: each term depends on its own chunk alone, never on the candidate
// set, so a score means the same in every list.
func weighted(alpha float64, scores []legScores) ([]rag.Scored, map[rag.ChunkID][]rag.Part) {
	out := make([]rag.Scored, len(scores))
	parts := make(map[rag.ChunkID][]rag.Part, len(scores))
	for i, s := range scores {
		lexical := rag.SaturateBM25(s.bm25)
		out[i] = rag.Scored{ID: s.id, Score: alpha*s.cosine + (1-alpha)*lexical}
		parts[s.id] = []rag.Part{{Name: "vector", Value: s.cosine}, {Name: "bm25", Value: lexical}}
	}
	rag.SortScored(out)
	return out, parts
}
