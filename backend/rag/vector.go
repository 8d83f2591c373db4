package rag

import (
	"fmt"
	"math"
)

// UnitTolerance is how far from 1 the length of a unit vector may be, summed in
// float64. A vector that was divided by its length in float64 and then rounded to
// float32 is well within it.
const UnitTolerance = 1e-6

// CheckUnit returns nil when v holds dim finite values and has length 1 within
// UnitTolerance. Otherwise the error says what is wrong in symbols, such as
// "dim=3 want=512", "v[17]=NaN" or "norm=0.98", fit for a fault's parameter.
func CheckUnit(v []float32, dim int) error {
	if len(v) != dim {
		return fmt.Errorf("dim=%d want=%d", len(v), dim)
	}
	norm := math.Sqrt(sumOfSquares(v))
	if math.Abs(norm-1) < UnitTolerance {
		return nil
	}
	for i, x := range v {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return fmt.Errorf("v[%d]=%g", i, x)
		}
	}
	return fmt.Errorf("norm=%g", norm)
}

// sumOfSquares adds in four parts, which do not wait for each other.
func sumOfSquares(v []float32) float64 {
	var a, b, c, d float64
	for len(v) >= 4 {
		w, x, y, z := float64(v[0]), float64(v[1]), float64(v[2]), float64(v[3])
		a, b, c, d = a+w*w, b+x*x, c+y*y, d+z*z
		v = v[4:]
	}
	for _, x := range v {
		a += float64(x) * float64(x)
	}
	return (a + b) + (c + d)
}
