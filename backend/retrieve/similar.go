package retrieve

import (
	"hash/fnv"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// shingle is how many characters of folded text make an element of a text's set.
const shingle = 5

// shingles is the set of a text's runs of five characters, blanks and marks left
// out, hashed. A shorter text is one element.
type shingles map[uint64]struct{}

func shinglesOf(s string) shingles {
	folded := []rune(text.Letters(s))
	set := shingles{}
	for i := 0; i == 0 || i+shingle <= len(folded); i++ {
		h := fnv.New64a()
		_, _ = h.Write([]byte(string(folded[i:min(i+shingle, len(folded))]))) // never fails
		set[h.Sum64()] = struct{}{}
	}
	return set
}

// similarity is the Jaccard coefficient of two sets: what they share of what they
// have together, in [0, 1].
func similarity(a, b shingles) float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	shared := 0
	for h := range a {
		if _, both := b[h]; both {
			shared++
		}
	}
	return float64(shared) / float64(len(a)+len(b)-shared)
}

// sets returns the shingles of every entry.
func (r *run) sets(entries []entry) []shingles {
	sets := make([]shingles, len(entries))
	for i, e := range entries {
		sets[i] = shinglesOf(r.rows[e.id].Text)
	}
	return sets
}

// fold drops each entry whose text nearly repeats that of a better one and notes
// which it repeats.
func (r *run) fold(entries []entry) []entry {
	sets := r.sets(entries)
	var kept []entry
	var keptSets []shingles
	for i, e := range entries {
		twin := -1
		for j := range kept {
			if similarity(sets[i], keptSets[j]) >= r.pipeline.FoldDuplicates {
				twin = j
				break
			}
		}
		if twin >= 0 {
			first := kept[twin].id
			r.repeats[first] = append(r.repeats[first], e.id)
			continue
		}
		kept, keptSets = append(kept, e), append(keptSets, sets[i])
	}
	return kept
}

// diversify orders entries by maximal marginal relevance (Carbonell and
// Goldstein, SIGIR 1998): the next is the one with the greatest
//
//	λ·rel − (1−λ)·max similarity to those before it
//
// where rel = 1 − (rank−1)/n, since scores of different stages are on different
// scales, and λ = 1 − Diversity. Equal values keep their order.
func (r *run) diversify(entries []entry) []entry {
	sets := r.sets(entries)
	lambda := 1 - r.pipeline.Diversity
	nearest := make([]float64, len(entries))
	left := make([]int, len(entries))
	for i := range left {
		left[i] = i
	}
	out := make([]entry, 0, len(entries))
	for len(left) > 0 {
		best, bestValue := 0, 0.0
		for n, i := range left {
			rel := 1 - float64(i)/float64(len(entries))
			if value := lambda*rel - (1-lambda)*nearest[i]; n == 0 || value > bestValue {
				best, bestValue = n, value
			}
		}
		chosen := left[best]
		left = append(left[:best], left[best+1:]...)
		out = append(out, entries[chosen])
		for _, i := range left {
			nearest[i] = max(nearest[i], similarity(sets[i], sets[chosen]))
		}
	}
	return out
}

// spread is how many entries are looked at for repeats and diversity: enough to
// fill top-k several times.
const spread = 4

// shape folds repeats and spreads the head of the ranking.
func (r *run) shape(entries []entry) []entry {
	if r.pipeline.FoldDuplicates > 0 {
		entries = r.fold(entries)
	}
	if r.pipeline.Diversity > 0 {
		entries = r.diversify(entries)
	}
	return entries
}

// head is what shape works on.
func (r *run) head() []entry {
	if r.pipeline.FoldDuplicates == 0 && r.pipeline.Diversity == 0 {
		return nil
	}
	return r.final[:min(len(r.final), max(r.pipeline.TopK*spread, r.pipeline.RerankDepth))]
}

// chunkIDs lists the chunks of entries.
func chunkIDs(entries []entry) []rag.ChunkID {
	out := make([]rag.ChunkID, len(entries))
	for i, e := range entries {
		out[i] = e.id
	}
	return out
}
