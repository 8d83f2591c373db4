// Package modelstest gives tests the real models. It is imported by tests only.
//
//	files := modelstest.Embedder(t, models.DefaultEmbedder)
package modelstest

import (
	"testing"

	"ragdesk/backend/fault"
	"ragdesk/backend/models"
)

// Runtime returns the path of the ONNX Runtime library, or skips the test where
// the program carries none.
func Runtime(tb testing.TB) string {
	tb.Helper()
	path, err := open(tb).Runtime()
	check(tb, err)
	return path
}

// Embedder returns the named embedder's files, or skips the test.
func Embedder(tb testing.TB, name string) models.Files {
	tb.Helper()
	files, err := open(tb).Embedder(name)
	check(tb, err)
	return files
}

func open(tb testing.TB) *models.Store {
	tb.Helper()
	store, err := models.Open("")
	if err != nil {
		tb.Fatal(err)
	}
	return store
}

func check(tb testing.TB, err error) {
	tb.Helper()
	if fault.Is(err, "asset_missing") {
		tb.Skipf("needs the assets, run %q: %v", models.FetchCommand, err)
	}
	if err != nil {
		tb.Fatal(err)
	}
}
