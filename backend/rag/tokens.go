package rag

import "math"

// TokenCodes are token vectors in eight bits a value. The cosine of row i of a
// and row j of b is Σ a.Codes·b.Codes × a.Inv[i] × b.Inv[j]: exact for the
// quantised vectors, whose integer sum does not depend on its order.
type TokenCodes struct {
	Rows, Dim int
	// Codes has Rows × Dim values in [-127, 127].
	Codes []int8
	// Inv is 1 over each row's length, 0 for a row of zeros.
	Inv []float32
}

// Quantize rounds each row of m to steps of 1/127 of its largest value.
func Quantize(m TokenMatrix) TokenCodes {
	c := TokenCodes{Rows: m.Rows, Dim: m.Dim, Codes: make([]int8, len(m.Data)), Inv: make([]float32, m.Rows)}
	for i := range m.Rows {
		row, codes := m.Data[i*m.Dim:(i+1)*m.Dim], c.Codes[i*m.Dim:(i+1)*m.Dim]
		var peak float32
		for _, x := range row {
			peak = max(peak, x, -x)
		}
		if peak == 0 {
			continue
		}
		scale, sum := 127/peak, 0
		for j, x := range row {
			// The conversion keeps the product from being fused into what follows, so
			// that every processor rounds alike.
			q := int(math.RoundToEven(float64(float32(x * scale))))
			codes[j] = int8(q)
			sum += q * q
		}
		c.Inv[i] = float32(1 / math.Sqrt(float64(sum)))
	}
	return c
}
