//go:build !amd64

package simd

func dots(dst, query, rows []float32) { dotsPortable(dst, query, rows) }

func productInt8(dst []int32, a, b []int8, dim int) { productInt8Portable(dst, a, b, dim) }
