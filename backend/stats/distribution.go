package stats

import "math"

// normalQuantile returns z with Φ(z) = p, for p within (0, 1).
func normalQuantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

// normalCDF returns Φ(z).
func normalCDF(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// twoSidedZ returns z with a share of level within ±z.
func twoSidedZ(level float64) float64 { return math.Sqrt2 * math.Erfinv(level) }

// studentTail returns P(|T| ≥ |t|) with df degrees of freedom [AS 26.7.1]:
// I_x(df/2, 1/2) at x = df/(df + t²).
func studentTail(t, df float64) float64 { return betaRatio(df/(df+float64(t*t)), df/2, .5) }

// binomialTail returns P(X ≥ k) of n draws with chance p [AS 26.5.24]:
// I_p(k, n−k+1).
func binomialTail(k, n int, p float64) float64 {
	switch {
	case k <= 0:
		return 1
	case k > n:
		return 0
	}
	return betaRatio(p, float64(k), float64(n-k+1))
}

// betaRatio is the regularised incomplete beta function I_x(a, b), from its
// continued fraction [AS 26.5.8] on the side where that converges fast.
func betaRatio(x, a, b float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	}
	lab, _ := math.Lgamma(a + b)
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	front := math.Exp(lab - la - lb + float64(a*math.Log(x)) + float64(b*math.Log1p(-x)))
	if x < (a+1)/(a+b+2) {
		return front * betaFraction(x, a, b) / a
	}
	return 1 - front*betaFraction(1-x, b, a)/b
}

// betaFraction evaluates the continued fraction by Lentz's method, which carries
// the ratios of successive numerators and denominators.
func betaFraction(x, a, b float64) float64 {
	const tiny, steps, precise = 1e-300, 100_000, 1e-15
	away := func(v float64) float64 {
		if math.Abs(v) < tiny {
			return tiny
		}
		return v
	}
	c, d := 1.0, 1/away(1-(a+b)*x/(a+1))
	f := d
	for i := 1; i <= steps; i++ {
		m := float64(i)
		even := m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		d = 1 / away(1+float64(even*d))
		c = away(1 + even/c)
		f *= c * d
		odd := -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		d = 1 / away(1+float64(odd*d))
		c = away(1 + odd/c)
		f *= c * d
		if math.Abs(c*d-1) < precise {
			break
		}
	}
	return f
}
