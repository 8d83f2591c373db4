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
func Runtime(t testing.TB) string {
	t.Helper()
	path, err := open(t).Runtime()
	check(t, err)
	return path
}

// Embedder returns the named embedder's files, or skips the test.
func Embedder(t testing.TB, name string) models.Files {
	t.Helper()
	files, err := open(t).Embedder(name)
	check(t, err)
	return files
}

func open(t testing.TB) *models.Store {
	t.Helper()
	store, err := models.Open("")
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func check(t testing.TB, err error) {
	t.Helper()
	if fault.Is(err, "asset_missing") {
		t.Skipf("needs the assets, run %q: %v", models.FetchCommand, err)
	}
	if err != nil {
		t.Fatal(err)
	}
}
