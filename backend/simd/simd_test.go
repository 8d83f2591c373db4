package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// dims are dimensions around every border of the kernels, and those of models.
var dims = []int{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 23, 24, 31, 32, 33, 39, 40, 47, 48, 63, 64, 65, 100, 127, 255, 384, 511, 512, 513, 768, 1024, 2048, 2049}

func unitRow(rng *rand.Rand, dim int) []float32 {
	row, sum := make([]float64, dim), 0.0
	for i := range row {
		row[i] = rng.NormFloat64()
		sum += row[i] * row[i]
	}
	out := make([]float32, dim)
	for i := range row {
		out[i] = float32(row[i] / math.Sqrt(sum))
	}
	return out
}

func exactDot(a, b []float32) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// TestDotsWithinBound compares both implementations with float64, in every
// dimension and for blocks of rows that begin anywhere in memory.
func TestDotsWithinBound(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 1))
	for _, dim := range dims {
		for _, n := range []int{0, 1, 2, 5} {
			query := unitRow(rng, dim)
			rows := make([]float32, 1, 1+n*dim)
			for range n {
				rows = append(rows, unitRow(rng, dim)...)
			}
			rows = rows[1:]
			fast, plain := make([]float32, n+1), make([]float32, n+1)
			fast[n], plain[n] = 7, 7 // must stay
			Dots(fast[:n], query, rows)
			dotsPortable(plain[:n], query, rows)
			for i := range n {
				want := exactDot(query, rows[i*dim:(i+1)*dim])
				for name, got := range map[string]float32{"fast": fast[i], "plain": plain[i]} {
					if bound := DotsError(dim) / 2 * (1 + 1e-6); math.Abs(float64(got)-want) > bound {
						t.Errorf("dimension %d, row %d, %s: %v, want %v within %v", dim, i, name, got, want, bound)
					}
				}
			}
			if fast[n] != 7 || plain[n] != 7 {
				t.Errorf("dimension %d, %d rows: wrote behind the end", dim, n)
			}
		}
	}
}

// TestDotsRowsAlone holds that a row's product does not depend on the rows beside
// it.
func TestDotsRowsAlone(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(2, 2))
	const dim, n = 83, 17
	query, rows := unitRow(rng, dim), []float32{}
	for range n {
		rows = append(rows, unitRow(rng, dim)...)
	}
	all := make([]float32, n)
	Dots(all, query, rows)
	for i := range n {
		var alone [1]float32
		Dots(alone[:], query, rows[i*dim:(i+1)*dim])
		if alone[0] != all[i] {
			t.Errorf("row %d: %v alone, %v among others", i, alone[0], all[i])
		}
	}
}

// TestDotsCarriesOn holds that infinities and NaN come out as such, and nowhere
// but in their own row.
func TestDotsCarriesOn(t *testing.T) {
	t.Parallel()
	query := make([]float32, 37)
	for i := range query {
		query[i] = 1
	}
	for at := range query {
		rows := make([]float32, 3*len(query))
		rows[len(query)+at] = float32(math.NaN())
		got := make([]float32, 3)
		Dots(got, query, rows)
		if got[0] != 0 || got[2] != 0 || !math.IsNaN(float64(got[1])) {
			t.Errorf("NaN at %d of the second row: %v", at, got)
		}
	}
}

func TestDotsError(t *testing.T) {
	t.Parallel()
	for i, dim := range dims {
		if e := DotsError(dim); e <= 0 || i > 0 && e <= DotsError(dims[i-1]) {
			t.Errorf("dimension %d: bound %v", dim, e)
		}
	}
	if e := DotsError(1 << 24); !math.IsInf(e, 1) {
		t.Errorf("dimension 2^24: bound %v", e)
	}
}

func TestProductInt8(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 3))
	for _, dim := range dims {
		for _, size := range [][2]int{{0, 0}, {0, 3}, {3, 0}, {1, 1}, {4, 1}, {5, 7}, {8, 2}, {11, 3}, {3, 130}, {6, 64}} {
			a, b := randomBytes(rng, size[0]*dim), randomBytes(rng, size[1]*dim)
			got, want := make([]int32, size[0]*size[1]+1), make([]int32, size[0]*size[1]+1)
			got[len(got)-1], want[len(want)-1] = 7, 7 // must stay
			ProductInt8(got[:len(got)-1], a, b, dim)
			naiveProduct(want, a, b, dim)
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("dimension %d, %v rows, value %d: %d, want %d", dim, size, i, got[i], want[i])
				}
			}
		}
	}
}

// randomBytes has many of the extreme values, -128 among them.
func randomBytes(rng *rand.Rand, n int) []int8 {
	out := make([]int8, n)
	for i := range out {
		switch rng.IntN(4) {
		case 0:
			out[i] = math.MinInt8
		case 1:
			out[i] = math.MaxInt8
		default:
			out[i] = int8(rng.IntN(256) - 128)
		}
	}
	return out
}

func naiveProduct(dst []int32, a, b []int8, dim int) {
	for i := range len(a) / dim {
		for j := range len(b) / dim {
			var sum int64
			for d := range dim {
				sum += int64(a[i*dim+d]) * int64(b[j*dim+d])
			}
			dst[i*(len(b)/dim)+j] = int32(sum)
		}
	}
}

func TestMisfitsPanic(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]func(){
		"too few rows":  func() { Dots(make([]float32, 2), make([]float32, 3), make([]float32, 5)) },
		"too many rows": func() { Dots(make([]float32, 1), make([]float32, 3), make([]float32, 6)) },
		"no dimension":  func() { ProductInt8(nil, nil, nil, 0) },
		"broken row":    func() { ProductInt8(make([]int32, 1), make([]int8, 5), make([]int8, 4), 4) },
		"short result":  func() { ProductInt8(make([]int32, 3), make([]int8, 8), make([]int8, 8), 4) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}

func BenchmarkDots(b *testing.B) {
	const dim, n = 512, 20_000
	rng := rand.New(rand.NewPCG(4, 4))
	query, rows, dst := unitRow(rng, dim), make([]float32, n*dim), make([]float32, n)
	for i := range rows {
		rows[i] = rng.Float32()
	}
	for name, f := range map[string]func(dst, query, rows []float32){"fast": Dots, "portable": dotsPortable} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(4 * n * dim)
			for b.Loop() {
				f(dst, query, rows)
			}
		})
	}
}

// BenchmarkProductInt8 compares a question of 20 tokens with a passage of 250.
func BenchmarkProductInt8(b *testing.B) {
	const q, p, dim = 20, 250, 512
	rng := rand.New(rand.NewPCG(5, 5))
	query, passage, dst := randomBytes(rng, q*dim), randomBytes(rng, p*dim), make([]int32, q*p)
	for name, f := range map[string]func(dst []int32, a, b []int8, dim int){"fast": ProductInt8, "portable": productInt8Portable} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f(dst, query, passage, dim)
			}
			b.ReportMetric(float64(b.N)*q*p*dim/b.Elapsed().Seconds()/1e9, "GMAC/s")
		})
	}
}

func ExampleProductInt8() {
	a := []int8{1, 2, 3, 4}       // two rows
	b := []int8{1, 1, 0, 1, 2, 0} // three
	dst := make([]int32, 2*3)
	ProductInt8(dst, a, b, 2)
	fmt.Println(dst)
	// Output: [3 2 2 7 4 6]
}
