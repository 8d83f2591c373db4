package stats

import (
	"errors"
	"fmt"
)

// Vector is a value with a known answer.
type Vector struct {
	Name      string
	Got, Want float64
}

// VectorTolerance is how far Got may lie from Want: answers are published to
// three or four places, and written out to as many as are known.
const VectorTolerance = 1e-4

// Vectors recomputes values whose answers are known from reference programs or by
// hand, so that a running program can show that it still counts right.
func Vectors() ([]Vector, error) {
	var out []Vector
	for _, part := range []func() ([]Vector, error){rateVectors, testVectors, agreementVectors, powerVectors} {
		vectors, err := part()
		if err != nil {
			return nil, err
		}
		out = append(out, vectors...)
	}
	return out, nil
}

func rateVectors() ([]Vector, error) {
	var out []Vector
	for _, c := range []struct {
		k, n      int
		low, high float64
	}{{17, 20, .63958, .94762}, {5, 5, .56551, 1}, {10, 10, .72246, 1}} {
		ci, err := Wilson(c.k, c.n, .95)
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("Wilson %d/%d", c.k, c.n)
		out = append(out, Vector{name + " low", ci.Low, c.low}, Vector{name + " high", ci.High, c.high})
	}
	powered, err := PredictionPowered([]float64{1, 1, 1, 1, 0, 1, 1, 0}, []float64{1, 1, 0, 1}, []float64{1, 0, 0, 1}, .95)
	if err != nil {
		return nil, err
	}
	corrected, err := RoganGladen(.7, .9, .6)
	return append(out,
		Vector{"prediction-powered mean", powered.Value, .5},
		Vector{"prediction-powered half width", powered.HalfWidth, .5197},
		Vector{"Rogan-Gladen", corrected, .6}), err
}

func testVectors() ([]Vector, error) {
	d := []float64{.2, .1, 0, .3, -.1}
	t, err1 := PairedT(d)
	flip, err2 := SignFlip(d, Options{})
	mcnemar, err3 := McNemar(6, 1)
	five, _, err4 := SignTest(5, 0)
	four, _, err5 := SignTest(4, 0)
	holm, err6 := Holm([]float64{.01, .04, .03})
	if err := errors.Join(err1, err2, err3, err4, err5, err6); err != nil {
		return nil, err
	}
	return []Vector{
		{"paired t", t.T, 1.4142}, {"paired t degrees of freedom", float64(t.DF), 4}, {"paired t p", t.P, .2302},
		{"sign flip p", flip.P, .375}, {"McNemar 6 to 1", mcnemar, .125},
		{"sign test 5 of 5", five, .03125}, {"sign test 4 of 4", four, .0625},
		{"Holm 1", holm[0], .03}, {"Holm 2", holm[1], .06}, {"Holm 3", holm[2], .06},
	}, nil
}

func agreementVectors() ([]Vector, error) {
	plain, err1 := Kappa([][]int{{20, 5}, {10, 15}}, Unweighted, .95)
	lenient, err2 := Kappa([][]int{{90, 0}, {10, 0}}, Unweighted, .95)
	grades := [][]int{{10, 2, 0}, {3, 8, 1}, {0, 2, 4}}
	three, err3 := Kappa(grades, Unweighted, .95)
	quadratic, err4 := Kappa(grades, Quadratic, .95)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return nil, err
	}
	return []Vector{
		{"kappa observed", plain.Observed, .7}, {"kappa expected", plain.Expected, .5}, {"kappa", plain.Kappa, .4},
		{"kappa standard error", plain.SE, .1296}, {"kappa low", plain.CI.Low, .1460}, {"kappa high", plain.CI.High, .6540},
		{"always-pass agreement", lenient.Observed, .9}, {"always-pass kappa", lenient.Kappa, 0},
		{"3x3 kappa", three.Kappa, .5789}, {"3x3 quadratic kappa", quadratic.Kappa, .7561},
	}, nil
}

func powerVectors() ([]Vector, error) {
	var out []Vector
	for _, c := range []struct {
		rate float64
		n    float64
	}{{.6, 158}, {.7, 37}, {.8, 18}, {.9, 8}} {
		n, err := SignTestSize(c.rate, .05, .8)
		if err != nil {
			return nil, err
		}
		out = append(out, Vector{fmt.Sprintf("items for a win rate of %v", c.rate), float64(n), c.n})
	}
	return out, nil
}
