// Package models gives paths to models and their libraries: those that the program
// carries, and those that a user installs.
//
// Carried are the ONNX Runtime library, two embedding models and their tokenizers.
// They are embedded compressed and unpacked once into a cache folder, since a
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
// Installed models lie in the user's own folder, one folder each with a manifest of
// its files and their hashes. They come from the public hub, or a mirror of it,
// when the user asks for a download and at no other time, or from a folder or a
// bundle. A model appears under its name complete, checked and described, or not
// at all; an interrupted download goes on where it stopped.
//
//	store, err := models.Open("")
//	lib, err := store.Runtime()
//	files, err := store.Embedder("bge-small-zh-v1.5")
//
//	folder, err := models.OpenFolder("")
//	entry, err := models.FindEntry("bge-reranker-v2-m3")
//	hub, err := models.NewHub("", nil)
//	model, err := folder.Pull(ctx, hub, entry, models.INT8, progress)
//	model, err = folder.Model("bge-reranker-v2-m3")
package models
