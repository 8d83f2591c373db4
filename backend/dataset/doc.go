// Package dataset holds questions with their gold: reading every common shape of
// file, validation, binding gold to the text of a library, and the relevance of
// chunks that follows from it.
//
// Gold binds to a span of a document, never to a chunk, so that a dataset
// survives another chunking and chunk sizes are compared on the same labels.
//
// Invariants:
//   - Validation returns everything that is wrong, with lines, in one pass; a
//     dataset with a problem is not imported.
//   - Equal content has an equal Hash, whatever the shape of the file it came from.
//   - What could not be bound is stale or not indexed, is said to be, and is
//     counted; it never becomes a gold passage elsewhere.
//   - Everything is deterministic: samples and splits follow from their seed.
//
// From a file to a value of a measure, without error handling:
//
//	ds, problems, _ := dataset.Read(ctx, "questions.jsonl", dataset.Options{})
//	corpus, _ := dataset.Open(ctx, library)
//	bindings, report, _ := corpus.Check(ctx, ds, nil)
//	j := corpus.Judge(bindings[0], dataset.Relevance{})
//	profile, _ := measure.Judge(j.Ranking(retrieved))
package dataset
