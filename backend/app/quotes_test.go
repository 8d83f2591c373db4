package app

import "testing"

func TestANumberBelowItsBoundIsToldApartFromIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		score, bound float64
		want         string
	}{
		{0.3, 0.4, "0.300 < 0.400"},
		{0.39961, 0.4, "0.3996 < 0.4000"},
		{0.39998, 0.4, "0.39998 < 0.40000"},
	} {
		if got := below(c.score, c.bound); got != c.want {
			t.Errorf("%g below %g is %q, want %q", c.score, c.bound, got, c.want)
		}
	}
}
