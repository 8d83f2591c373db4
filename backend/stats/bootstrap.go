package stats

import (
	"fmt"
	"math"
	"slices"
)

// Defaults of Options.
const (
	DefaultResamples = 10_000
	DefaultLevel     = .95
)

// Options are those of resampling. The zero value is usable.
type Options struct {
	// Resamples is how many samples are drawn; 0 means DefaultResamples.
	Resamples int
	// Level is the share of an interval, within (0, 1); 0 means DefaultLevel.
	Level float64
	// Seed starts the generator.
	Seed uint64
}

func (o Options) filled() (Options, error) {
	if o.Resamples == 0 {
		o.Resamples = DefaultResamples
	}
	if o.Level == 0 {
		o.Level = DefaultLevel
	}
	if o.Resamples < 0 {
		return o, fmt.Errorf("%d resamples: %w", o.Resamples, ErrArgument)
	}
	return o, checkShare("level", o.Level)
}

// Differences returns b[i] − a[i].
func Differences(a, b []float64) ([]float64, error) {
	if len(a) != len(b) {
		return nil, fmt.Errorf("pair %d values with %d: %w", len(a), len(b), ErrArgument)
	}
	out := make([]float64, len(a))
	for i := range a {
		out[i] = b[i] - a[i]
	}
	return out, checkFinite("differences", out)
}

// BootstrapMean returns the percentile interval of the mean [ET93, ch. 13]: the
// (1−level)/2 and (1+level)/2 quantiles, interpolated between neighbours, of the
// means of samples drawn with replacement. It needs two values. Of paired
// differences it is the paired bootstrap interval.
func BootstrapMean(values []float64, o Options) (Interval, error) {
	means, o, err := bootstrapMeans(values, o)
	if err != nil {
		return Interval{}, err
	}
	return percentiles(means, (1-o.Level)/2, (1+o.Level)/2), nil
}

// BootstrapMeanBCa returns the bias-corrected and accelerated interval of the mean
// [E87], which follows skewed values better than BootstrapMean. It takes the
// quantiles Φ(z₀ + (z₀ + z)/(1 − a(z₀ + z))) at z = Φ⁻¹((1 ∓ level)/2), where z₀
// is the normal quantile of the share of sample means below the mean, equal ones
// counting half, and a = Σ(x−x̄)³ / (6 (Σ(x−x̄)²)^1.5), the jackknife's
// acceleration of a mean.
func BootstrapMeanBCa(values []float64, o Options) (Interval, error) {
	means, o, err := bootstrapMeans(values, o)
	if err != nil {
		return Interval{}, err
	}
	center := Mean(values)
	cubes := 0.0
	for _, v := range values {
		d := v - center
		cubes += d * d * d
	}
	spread := squares(values, center)
	if spread == 0 {
		return Interval{center, center}, nil
	}
	return accelerated(means, center, cubes/(6*math.Pow(spread, 1.5)), o.Level)
}

// accelerated returns the interval from sorted replicates of an estimate.
func accelerated(replicates []float64, estimate, acceleration, level float64) (Interval, error) {
	below, _ := slices.BinarySearch(replicates, estimate)
	upTo, _ := slices.BinarySearch(replicates, math.Nextafter(estimate, math.Inf(1)))
	share := float64(below+upTo) / float64(2*len(replicates))
	if share == 0 || share == 1 {
		return Interval{}, fmt.Errorf("every resampled mean lies on one side: %w", ErrUndefined)
	}
	z0 := normalQuantile(share)
	quantile := func(p float64) float64 {
		z := z0 + normalQuantile(p)
		return normalCDF(z0 + z/(1-float64(acceleration*z)))
	}
	return percentiles(replicates, quantile((1-level)/2), quantile((1+level)/2)), nil
}

// ClusterBootstrapMean returns the percentile interval of the mean when whole
// clusters are drawn with replacement [ET93, sec. 8.3]: the values of a sample are
// those of its clusters. clusters names the cluster of each value; it needs two
// clusters.
func ClusterBootstrapMean(values []float64, clusters []string, o Options) (Interval, error) {
	sums, sizes, err := clusterSums(values, clusters)
	if err != nil {
		return Interval{}, err
	}
	if len(sums) < 2 {
		return Interval{}, fmt.Errorf("bootstrap %d clusters: %w", len(sums), ErrTooFew)
	}
	if o, err = o.filled(); err != nil {
		return Interval{}, err
	}
	means := resample(o, len(sums), func(drawn []uint32) float64 {
		sum, size := 0.0, 0.0
		for _, i := range drawn {
			sum += sums[i]
			size += sizes[i]
		}
		return sum / size
	})
	return percentiles(means, (1-o.Level)/2, (1+o.Level)/2), nil
}

func bootstrapMeans(values []float64, o Options) ([]float64, Options, error) {
	if len(values) < 2 {
		return nil, o, fmt.Errorf("bootstrap %d values: %w", len(values), ErrTooFew)
	}
	if err := checkFinite("values", values); err != nil {
		return nil, o, err
	}
	o, err := o.filled()
	if err != nil {
		return nil, o, err
	}
	n := float64(len(values))
	return resample(o, len(values), func(drawn []uint32) float64 {
		sum := 0.0
		for _, i := range drawn {
			sum += values[i]
		}
		return sum / n
	}), o, nil
}

// clusterSums returns the sum and the size of each cluster, in order of their
// first values.
func clusterSums(values []float64, clusters []string) (sums, sizes []float64, err error) {
	if len(values) != len(clusters) {
		return nil, nil, fmt.Errorf("%d values in %d clusters named: %w", len(values), len(clusters), ErrArgument)
	}
	if err := checkFinite("values", values); err != nil {
		return nil, nil, err
	}
	index := map[string]int{}
	for i, name := range clusters {
		at, ok := index[name]
		if !ok {
			at = len(sums)
			index[name] = at
			sums, sizes = append(sums, 0), append(sizes, 0)
		}
		sums[at] += values[i]
		sizes[at]++
	}
	return sums, sizes, nil
}

// resample returns the sorted values of statistic over o.Resamples samples of n
// indexes below n, drawn with replacement.
func resample(o Options, n int, statistic func(drawn []uint32) float64) []float64 {
	out := make([]float64, o.Resamples)
	inBlocks(o, func(draw *source, from, to int) {
		drawn := make([]uint32, n)
		for i := from; i < to; i++ {
			draw.indexes(drawn, n)
			out[i] = statistic(drawn)
		}
	})
	slices.Sort(out)
	return out
}

// percentiles returns two quantiles of sorted values, interpolated linearly
// between the neighbours of (n−1)·p.
func percentiles(sorted []float64, low, high float64) Interval {
	at := func(p float64) float64 {
		x := float64(len(sorted)-1) * p
		i := int(x)
		if i >= len(sorted)-1 {
			return sorted[len(sorted)-1]
		}
		return sorted[i] + float64((x-float64(i))*(sorted[i+1]-sorted[i]))
	}
	return Interval{at(low), at(high)}
}
