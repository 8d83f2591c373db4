package simd

import "golang.org/x/sys/cpu"

// fast tells whether the processor and the system know the instructions that the
// assembly uses.
var fast = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// dotsAVX2 is Dots for n rows of dim values, both at least 1.
//
//go:noescape
func dotsAVX2(dst, query, rows *float32, n, dim int)

// dots4AVX2 sets dst[i·m+j] for i < 4 and j < m to the dot product of the first
// whole 16s of values of query row i and row j of rows. The query's rows are dim16
// values apart, a multiple of 16 and at least 16; those of rows are dim.
//
//go:noescape
func dots4AVX2(dst *int32, query *int16, rows *int8, m, dim, dim16 int)

func dots(dst, query, rows []float32) {
	if !fast || len(rows) == 0 {
		dotsPortable(dst, query, rows)
		return
	}
	dotsAVX2(&dst[0], &query[0], &rows[0], len(dst), len(query))
}

const (
	// step is how many values the assembly takes at once.
	step = 16
	// tile is how many rows of a meet a row of b while it is in registers.
	tile = 4
	// maxTileDim is the largest dimension that the tile, on the stack, has room for.
	maxTileDim = 2048
)

func productInt8(dst []int32, a, b []int8, dim int) {
	dim16 := dim &^ (step - 1)
	if !fast || dim16 == 0 || dim > maxTileDim {
		productInt8Portable(dst, a, b, dim)
		return
	}
	n, m := len(a)/dim, len(b)/dim
	var wide [tile * maxTileDim]int16
	i := 0
	for ; i+tile <= n; i += tile {
		widen(wide[:], a[i*dim:(i+tile)*dim], dim, dim16)
		dots4AVX2(&dst[i*m], &wide[0], &b[0], m, dim, dim16)
	}
	if i < n {
		widen(wide[:], a[i*dim:], dim, dim16)
		lastTile(dst[i*m:], &wide[0], b, dim, dim16)
	}
	addTails(dst, a, b, dim, dim16)
}

// lastTile fills the less than tile rows of dst, part by part, beside rows that
// nobody asked for.
func lastTile(dst []int32, wide *int16, b []int8, dim, dim16 int) {
	const part = 64
	var out [tile * part]int32
	m := len(b) / dim
	for at := 0; at < m; at += part {
		c := min(part, m-at)
		dots4AVX2(&out[0], wide, &b[at*dim], c, dim, dim16)
		for i := range len(dst) / m {
			copy(dst[i*m+at:], out[i*c:(i+1)*c])
		}
	}
}

// widen writes the first dim16 values of each row of a to dst.
func widen(dst []int16, a []int8, dim, dim16 int) {
	for at := 0; at < len(a); at += dim {
		for j, v := range a[at : at+dim16] {
			dst[j] = int16(v)
		}
		dst = dst[dim16:]
	}
}

// addTails adds the products of the values behind the first dim16 of each row.
func addTails(dst []int32, a, b []int8, dim, dim16 int) {
	if dim16 == dim {
		return
	}
	m := len(b) / dim
	for i := range len(a) / dim {
		for j := range m {
			dst[i*m+j] += dotInt8(a[i*dim+dim16:(i+1)*dim], b[j*dim+dim16:(j+1)*dim])
		}
	}
}
