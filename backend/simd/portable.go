package simd

// dotsPortable is Dots in plain Go. Four sums let the processor overlap the
// additions.
func dotsPortable(dst, query, rows []float32) {
	dim := len(query)
	for i := range dst {
		row := rows[i*dim : (i+1)*dim]
		var s0, s1, s2, s3 float32
		j := 0
		for ; j+4 <= len(query) && j+4 <= len(row); j += 4 {
			q, r := query[j:j+4:j+4], row[j:j+4:j+4]
			s0 += q[0] * r[0]
			s1 += q[1] * r[1]
			s2 += q[2] * r[2]
			s3 += q[3] * r[3]
		}
		for ; j < dim; j++ {
			s0 += query[j] * row[j]
		}
		dst[i] = (s0 + s1) + (s2 + s3)
	}
}

// productInt8Portable is ProductInt8 in plain Go.
func productInt8Portable(dst []int32, a, b []int8, dim int) {
	m := len(b) / dim
	for i := range len(a) / dim {
		row, out := a[i*dim:(i+1)*dim], dst[i*m:(i+1)*m]
		for j := range out {
			out[j] = dotInt8(row, b[j*dim:(j+1)*dim])
		}
	}
}

func dotInt8(a, b []int8) int32 {
	b = b[:len(a)]
	var s0, s1, s2, s3 int32
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += int32(a[i]) * int32(b[i])
		s1 += int32(a[i+1]) * int32(b[i+1])
		s2 += int32(a[i+2]) * int32(b[i+2])
		s3 += int32(a[i+3]) * int32(b[i+3])
	}
	for ; i < len(a); i++ {
		s0 += int32(a[i]) * int32(b[i])
	}
	return s0 + s1 + s2 + s3
}
