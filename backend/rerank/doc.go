// Package rerank scores passages against a query with more care than the
// indexes can: by late interaction over the embedder's token vectors, which needs
// no further weights, or with a cross-encoder, a model that reads each passage
// together with the query.
//
// A reranker only scores; retrieve orders by the score and the ordering rule. A
// passage's score does not depend on the passages beside it, unless a
// cross-encoder that is not int8 was told to batch: then by rounding only.
//
//	r := rerank.NewLateInteraction(tokenCache, model.Fingerprint())
//	r, err := rerank.OpenCrossEncoder(ort.New(library), spec)
//	scores, err := r.Rerank(ctx, "年假有几天", passages)
package rerank
