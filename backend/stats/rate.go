package stats

import (
	"fmt"
	"math"
)

// Wilson returns the score interval of a rate [W27]:
// (p + z²/2n ± z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n) with p = successes/n and z the
// two-sided normal quantile of level.
func Wilson(successes, n int, level float64) (Interval, error) {
	if err := checkShare("level", level); err != nil {
		return Interval{}, err
	}
	if n < 1 {
		return Interval{}, fmt.Errorf("interval of %d trials: %w", n, ErrTooFew)
	}
	if successes < 0 || successes > n {
		return Interval{}, fmt.Errorf("%d successes of %d: %w", successes, n, ErrArgument)
	}
	trials, z := float64(n), twoSidedZ(level)
	p, z2 := float64(successes)/trials, z*z
	center := p + z2/(2*trials)
	half := float64(z * math.Sqrt(p*(1-p)/trials+z2/(4*trials*trials)))
	scale := 1 + z2/trials
	out := Interval{math.Max((center-half)/scale, 0), math.Min((center+half)/scale, 1)}
	if successes == 0 { // exact, where the difference leaves a rounding error
		out.Low = 0
	}
	if successes == n {
		out.High = 1
	}
	return out, nil
}

// RoganGladen corrects the rate of positives that an imperfect judge observed
// [RG78]: (observed + specificity − 1)/(sensitivity + specificity − 1), kept
// within [0, 1]. A judge no better than chance is ErrUndefined.
func RoganGladen(observed, sensitivity, specificity float64) (float64, error) {
	for name, x := range map[string]float64{"observed": observed, "sensitivity": sensitivity, "specificity": specificity} {
		if !(x >= 0 && x <= 1) {
			return 0, fmt.Errorf("%s is %v: %w", name, x, ErrArgument)
		}
	}
	better := sensitivity + specificity - 1
	if better <= 0 {
		return 0, fmt.Errorf("a judge of sensitivity %v and specificity %v: %w", sensitivity, specificity, ErrUndefined)
	}
	return math.Min(math.Max((observed+specificity-1)/better, 0), 1), nil
}

// Estimate is a value with its interval.
type Estimate struct {
	Value float64
	// HalfWidth is the distance from Value to both ends of its interval.
	HalfWidth float64
}

// Interval returns Value ± HalfWidth.
func (e Estimate) Interval() Interval { return Interval{e.Value - e.HalfWidth, e.Value + e.HalfWidth} }

// PredictionPowered estimates the mean of a human label from many judged items
// and a few that a human labelled too [PPI]: mean of f over the unlabelled N minus
// mean of f − y over the labelled n, ± z·√(σ²(f)/N + σ²(f−y)/n) with population
// variances. judged are the f of the unlabelled items; judgedToo and labels are f
// and y of the labelled ones.
func PredictionPowered(judged, judgedToo, labels []float64, level float64) (Estimate, error) {
	if err := checkShare("level", level); err != nil {
		return Estimate{}, err
	}
	offsets, err := Differences(labels, judgedToo)
	if err != nil {
		return Estimate{}, err
	}
	if err := checkFinite("judged", judged); err != nil {
		return Estimate{}, err
	}
	if len(judged) < 2 || len(offsets) < 2 {
		return Estimate{}, fmt.Errorf("%d judged and %d labelled items: %w", len(judged), len(offsets), ErrTooFew)
	}
	average, bias := Mean(judged), Mean(offsets)
	n, labelled := float64(len(judged)), float64(len(offsets))
	variance := squares(judged, average)/n/n + squares(offsets, bias)/labelled/labelled
	return Estimate{Value: average - bias, HalfWidth: float64(twoSidedZ(level) * math.Sqrt(variance))}, nil
}

// Stratum is a part of the judged items, such as those with one verdict.
type Stratum struct {
	// Judged are the f of all its items, those that were labelled too among them.
	Judged []float64
	// JudgedToo and Labels are f and y of those that a human labelled.
	JudgedToo, Labels []float64
}

// StratifiedPredictionPowered is PredictionPowered where a sample was drawn within
// strata, at any rate: the mean of f over all items minus Σ W·mean(f − y), W being a
// stratum's share of the items. The half width is z·√(σ²(f)/N + Σ W²·v/n), where v is the
// population variance of f − y among the n labelled of the stratum, but not less than
// that of an error that was seen once in n + 2: a few labels without an error do not
// prove that there is none. Values lie in [0, 1]. Each stratum needs two labels, or
// all its items labelled.
func StratifiedPredictionPowered(strata []Stratum, level float64) (Estimate, error) {
	if err := checkShare("level", level); err != nil {
		return Estimate{}, err
	}
	var all []float64
	for _, s := range strata {
		all = append(all, s.Judged...)
	}
	if err := checkFinite("judged", all); err != nil {
		return Estimate{}, err
	}
	if len(all) < 2 {
		return Estimate{}, fmt.Errorf("%d judged items: %w", len(all), ErrTooFew)
	}
	total := float64(len(all))
	average := Mean(all)
	value, variance := average, squares(all, average)/total/total
	for _, s := range strata {
		offsets, err := Differences(s.Labels, s.JudgedToo)
		if err != nil {
			return Estimate{}, err
		}
		n := float64(len(offsets))
		if len(offsets) < min(2, len(s.Judged)) || len(offsets) > len(s.Judged) {
			return Estimate{}, fmt.Errorf("%d labels of %d items: %w", len(offsets), len(s.Judged), ErrTooFew)
		}
		share, bias, rare := float64(len(s.Judged))/total, Mean(offsets), 1/(n+2)
		v := max(squares(offsets, bias)/n, float64(rare*(1-rare)))
		value -= float64(share * bias)
		variance += float64(share*share*v) / n
	}
	return Estimate{Value: value, HalfWidth: float64(twoSidedZ(level) * math.Sqrt(variance))}, nil
}
