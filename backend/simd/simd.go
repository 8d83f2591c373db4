// Package simd computes the dot products that searching consists of, with the
// vector instructions of the processor where it has them.
//
// Invariants:
//   - The same input gives the same output on every run of a machine: the order of
//     summation depends on the dimension alone.
//   - Integer products are exact, so they are the same on all machines; those of
//     float32 differ from machine to machine and from the exact value by at most
//     DotsError times the lengths of the two vectors.
//   - Nothing is allocated.
//
// On amd64 the functions use AVX2 and FMA when the processor has both, which is
// found out once; elsewhere they are plain Go.
//
//	scores := make([]float32, len(block)/len(query))
//	simd.Dots(scores, query, block)
package simd

import "math"

const (
	// unitRoundoff is the largest relative error of one rounding to float32.
	unitRoundoff = 1.0 / (1 << 24)
	// underflow bounds what a product too small for float32 loses, twice over.
	underflow = 2 * math.SmallestNonzeroFloat32
)

// Dots sets dst[i] to the dot product of query and row i of rows, which holds
// len(dst) rows of len(query) values one after the other. It panics when rows has
// another size.
func Dots(dst, query, rows []float32) {
	if len(rows) != len(dst)*len(query) {
		panic("simd: rows of another size than the query's")
	}
	dots(dst, query, rows)
}

// DotsError returns the largest possible difference between two float32 dot
// products of the same two vectors of dim values and of length at most 1, in
// whatever order they are summed and whether or not products are rounded before
// they are added. Each is within γ = n·u/(1 − n·u) of the exact value times the
// product of the lengths (Higham, Accuracy and Stability of Numerical Algorithms,
// 2002, section 3.1, with Cauchy's inequality); the difference is within twice
// that. Dimensions too large for the bound give +Inf.
func DotsError(dim int) float64 {
	nu := float64(dim) * unitRoundoff
	if nu >= 1 {
		return math.Inf(1)
	}
	return 2*nu/(1-nu) + float64(dim)*underflow
}

// ProductInt8 sets dst[i·m+j] to the dot product of row i of a and row j of b,
// whose rows have dim values each; m is the number of b's rows. The sums are exact
// for dimensions up to 131,071. It panics when a, b and dst do not fit together.
func ProductInt8(dst []int32, a, b []int8, dim int) {
	if dim < 1 || len(a)%dim != 0 || len(b)%dim != 0 || len(dst) != (len(a)/dim)*(len(b)/dim) {
		panic("simd: matrices that do not fit together")
	}
	if len(dst) > 0 {
		productInt8(dst, a, b, dim)
	}
}
