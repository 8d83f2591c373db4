// Package models gives paths to the binary assets that the program carries: the
// ONNX Runtime library, the embedding models and their tokenizers. It also lists
// the embedders with what one must know to run them.
//
// Assets are embedded compressed and unpacked once into a cache folder, since a
// shared library must be a real file. Invariants:
//
//   - a returned path holds a complete file whose SHA-256 was compared with
//     build/assets.lock after its last change; a truncated or altered file is
//     replaced;
//
//   - a file appears under its name complete or not at all, whatever other
//     processes unpack at the same time or whenever this one is killed;
//
//   - an unpacked file costs a stat and the reading of a stamp of 100 bytes, not
//     a hash.
//
//     store, err := models.Open("")
//     lib, err := store.Runtime()
//     files, err := store.Embedder("bge-small-zh-v1.5")
package models
