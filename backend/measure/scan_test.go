package measure

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// TestScoresParseAsTheStandardLibraryDoes compares bits over many spellings.
func TestScoresParseAsTheStandardLibraryDoes(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(8, 9))
	texts := []string{"0", "-0", "1.", ".5", "-.5", "+2", "1e400", "-1e400", "1e-400", "9007199254740993", "0.1", "12345678901234567890", "1.0000000000000000000", "0000000000000000000000.1"}
	for range 20_000 {
		x := (rng.Float64() - .3) * math.Pow(10, float64(rng.IntN(12)-4))
		texts = append(texts, strconv.FormatFloat(x, "efg"[rng.IntN(3)], rng.IntN(21)-1, 64), fmt.Sprint(float32(x)))
	}
	for _, s := range texts {
		want, _ := strconv.ParseFloat(s, 64)
		got, ok := parseScore([]byte(s))
		if !ok || math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("%q = %v, %v; want %v", s, got, ok, want)
		}
	}
}
