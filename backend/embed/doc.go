// Package embed turns texts into vectors with an ONNX model: prefixes,
// truncation, pooling, normalisation.
//
// Invariants: a text's vector is byte for byte the same whatever is embedded
// beside it, because each text is one run of its own (int8 graphs quantise by
// batch); results come in the order of the texts; every vector has length 1, and
// one that cannot have it is an error, never a value.
//
//	m, err := embed.Open(ort.New(library), spec)
//	defer m.Close()
//	vectors, err := m.Documents(ctx, []string{"北京是首都。"})
package embed
