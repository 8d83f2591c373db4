package rerank_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ragdesk/backend/models"
	"ragdesk/backend/rag"
	"ragdesk/backend/rerank"
	"ragdesk/build/standin"
)

// Every token of the text behind has the probabilities that Python computes.
func TestMarksEqualPython(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join("testdata", "standin.marks.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Before, After string
		Shares        [][]float64
	}
	if err := json.Unmarshal(raw, &cases); err != nil || len(cases) < 3 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	c := installed(t, standin.TokenClassifier, models.FP32, 1)
	for _, want := range cases {
		spans, shares, err := c.Mark(t.Context(), want.Before, want.After)
		if err != nil {
			t.Fatal(err)
		}
		if len(shares) != len(want.Shares) || len(spans) != len(shares) || spans[len(spans)-1].End != len(want.After) {
			t.Fatalf("%q: %d tokens, Python has %d", want.After, len(shares), len(want.Shares))
		}
		for i := range shares {
			if math.Abs(shares[i][1]-want.Shares[i][1]) > most || math.Abs(shares[i][0]+shares[i][1]-1) > 1e-9 {
				t.Errorf("%q: %v, Python has %v", want.After[spans[i].Start:spans[i].End], shares[i], want.Shares[i])
			}
		}
	}
	if _, _, err := c.Mark(t.Context(), strings.Repeat("ten days of leave ", 400), "ten days"); !errors.Is(err, rerank.ErrTooLong) {
		t.Errorf("what is too long: %v", err)
	}
	if _, err := c.Rerank(t.Context(), "a", []rag.Passage{{Text: "b"}}); err == nil {
		t.Error("a model that marks tokens reranks")
	}
	if _, _, err := installed(t, standin.BERTReranker, models.FP32, 1).Mark(t.Context(), "a", "b"); err == nil {
		t.Error("a reranker marks tokens")
	}
}
