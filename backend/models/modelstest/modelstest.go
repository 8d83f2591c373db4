// Package modelstest gives tests the real models. It is imported by tests only.
//
//	files := modelstest.Embedder(t, models.DefaultEmbedder)
package modelstest

import (
	"os"
	"path/filepath"
	"testing"

	"ragdesk/backend/fault"
	"ragdesk/backend/models"
	"ragdesk/build/standin"
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

// StandIn makes a small model of the given kind in a folder of the test's own.
func StandIn(tb testing.TB, kind standin.Kind) string {
	tb.Helper()
	dir := tb.TempDir()
	if err := standin.Write(dir, kind); err != nil {
		tb.Fatal(err)
	}
	return dir
}

// RealVocabulary returns the folder of XLM-RoBERTa's tokenizer as
// build/standin/xlmr.py writes it, or skips the test where it was not made.
func RealVocabulary(tb testing.TB) string {
	tb.Helper()
	dir := filepath.Join(root(tb), "build", "cache", "standin", "xlmr")
	if _, err := os.Stat(filepath.Join(dir, "tokenizer.json")); err != nil {
		tb.Skipf("needs XLM-RoBERTa's vocabulary: run build/standin/xlmr.py %s", dir)
	}
	return dir
}

// root is the folder of the repository.
func root(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			tb.Fatal("not inside the repository")
		}
		dir = up
	}
}
