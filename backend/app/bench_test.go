package app

import (
	"testing"

	"ragdesk/backend/fault"
	"ragdesk/backend/models"
)

// needModel skips a test where the program carries no default embedder.
func needModel(t *testing.T) {
	t.Helper()
	assets, err := models.Open("")
	if err == nil {
		_, err = assets.Embedder(models.DefaultEmbedder)
	}
	if fault.Is(err, "asset_missing") {
		t.Skipf("needs the assets, run %q: %v", models.FetchCommand, err)
	}
	if err != nil {
		t.Fatal(err)
	}
}
