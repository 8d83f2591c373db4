// Package lexical ranks chunks by BM25. It owns bleve, whose scorch index stores
// the postings; analysis comes from package text and the scores are computed
// here.
//
// An index is a folder that never changes once it has its name. Build makes the
// next generation from the last one and leaves the last one alone, so that any
// number of processes read it meanwhile; Sweep removes what is no longer used:
//
//	var z lexical.Analyzer
//	err := z.Build(ctx, "lexical-7", "lexical-8", removed, added)
//	ix, err := z.Open("lexical-8", lexical.Stats{Chunks: n, Terms: totals})
//	hits, err := ix.Search(ctx, "故宫建于哪一年", 50)
//
// Scores depend on the chunks alone, never on the order, the batches or the
// merges that brought them into the index, because the length statistics are
// passed in and document frequencies leave out what was deleted.
package lexical
