package rag_test

import (
	"math"
	"slices"
	"testing"

	"ragdesk/backend/rag"
	"ragdesk/backend/ragtest"
)

func TestQuantizeByHand(t *testing.T) {
	t.Parallel()
	got := rag.Quantize(rag.TokenMatrix{Rows: 3, Dim: 2, Data: []float32{0.6, -0.8, 0, 0, 1, 0.5 / 127}})
	if want := []int8{95, -127, 0, 0, 127, 0}; !slices.Equal(got.Codes, want) { // 95.25, and half to even
		t.Errorf("codes %v, want %v", got.Codes, want)
	}
	for i, want := range []float64{1 / math.Hypot(95, 127), 0, 1.0 / 127} {
		if math.Abs(float64(got.Inv[i])-want) > 1e-9 {
			t.Errorf("row %d: 1/length %g, want %g", i, got.Inv[i], want)
		}
	}
	if empty := rag.Quantize(rag.TokenMatrix{Dim: 2}); empty.Rows != 0 || len(empty.Codes)+len(empty.Inv) != 0 {
		t.Errorf("no rows: %+v", empty)
	}
}

func TestQuantizedRowsPointWhereTheVectorsDo(t *testing.T) {
	t.Parallel()
	const rows, dim = 50, 384
	m := rag.TokenMatrix{Rows: rows, Dim: dim, Data: ragtest.UnitVectors(1, rows, dim)}
	c := rag.Quantize(m)
	for i := range rows {
		dot := 0.0
		for d := range dim {
			dot += float64(m.Data[i*dim+d]) * float64(c.Codes[i*dim+d])
		}
		if cos := dot * float64(c.Inv[i]); cos < 0.9999 || cos > 1.0001 {
			t.Errorf("row %d: cosine %g with its vector", i, cos)
		}
	}
}
