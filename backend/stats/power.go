package stats

import (
	"fmt"
	"math"
)

// MinimumEffect returns the smallest true mean of n paired differences with
// standard deviation sd that a two-sided test at alpha finds with the given power,
// by the normal approximation: (z_{1−α/2} + z_{power})·sd/√n.
func MinimumEffect(sd float64, n int, alpha, power float64) (float64, error) {
	if err := checkPower(sd, alpha, power); err != nil {
		return 0, err
	}
	if n < 2 {
		return 0, fmt.Errorf("effect of %d pairs: %w", n, ErrTooFew)
	}
	return (twoSidedZ(1-alpha) + normalQuantile(power)) * sd / math.Sqrt(float64(n)), nil
}

// Power returns the chance that a two-sided test at alpha finds a true mean of n
// paired differences with standard deviation sd, by the normal approximation:
// Φ(e − z) + Φ(−e − z) with e = |effect|·√n/sd and z = z_{1−α/2}.
func Power(effect, sd float64, n int, alpha float64) (float64, error) {
	if err := checkPower(sd, alpha, .5); err != nil {
		return 0, err
	}
	if math.IsNaN(effect) || sd == 0 {
		return 0, fmt.Errorf("power for effect %v and deviation %v: %w", effect, sd, ErrArgument)
	}
	if n < 2 {
		return 0, fmt.Errorf("power of %d pairs: %w", n, ErrTooFew)
	}
	e, z := math.Abs(effect)*math.Sqrt(float64(n))/sd, twoSidedZ(1-alpha)
	return normalCDF(e-z) + normalCDF(-e-z), nil
}

// SampleSize returns how many pairs MinimumEffect needs to come down to effect:
// ⌈((z_{1−α/2} + z_{power})·sd/effect)²⌉, at least 2.
func SampleSize(effect, sd, alpha, power float64) (int, error) {
	if err := checkPower(sd, alpha, power); err != nil {
		return 0, err
	}
	root := (twoSidedZ(1-alpha) + normalQuantile(power)) * sd / math.Abs(effect)
	n := math.Ceil(root * root)
	if !(n <= math.MaxInt32) {
		return 0, fmt.Errorf("sample size for effect %v: %w", effect, ErrArgument)
	}
	return max(int(n), 2), nil
}

// SignTestSize returns the smallest number of non-tied items from which on a
// one-sided sign test at alpha passes with at least the given power, when an item
// is won with chance winRate. The exact test's power is not monotonic in the
// number; this is the first number that reaches it.
func SignTestSize(winRate, alpha, power float64) (int, error) {
	if err := checkPower(0, alpha, power); err != nil {
		return 0, err
	}
	if !(winRate > .5 && winRate <= 1) {
		return 0, fmt.Errorf("win rate %v is not above one half: %w", winRate, ErrArgument)
	}
	const limit = 1_000_000
	wins := 0
	for n := 1; n <= limit; n++ {
		// wins grows with n by at most one, so it is not searched for anew.
		for wins <= n && binomialTail(wins, n, .5) > alpha {
			wins++
		}
		if wins <= n && binomialTail(wins, n, winRate) >= power {
			return n, nil
		}
	}
	return 0, fmt.Errorf("win rate %v needs more than %d items: %w", winRate, limit, ErrArgument)
}

func checkPower(sd, alpha, power float64) error {
	if !(sd >= 0) || math.IsInf(sd, 1) {
		return fmt.Errorf("standard deviation %v: %w", sd, ErrArgument)
	}
	if err := checkShare("alpha", alpha); err != nil {
		return err
	}
	return checkShare("power", power)
}
