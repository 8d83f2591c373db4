package stats

import (
	"fmt"
	"math"
)

// exactLimit is the number of signs up to which all 2^n of them are tried.
const exactLimit = 20

// SignFlipTest is the result of a paired permutation test.
type SignFlipTest struct {
	// P is the two-sided p-value.
	P float64
	// Exact says that every assignment of signs was tried.
	Exact bool
	// N counts the differences, or clusters, that are not 0; the others say
	// nothing of the direction and do not change P.
	N int
}

// SignFlip tests whether paired differences are centred on 0 [F35, SAC07]. If the
// two systems are alike, each difference is as likely with the other sign; P is
// the share of assignments of signs whose sum is at least as far from 0 as the
// one seen. Up to 20 differences other than 0 all assignments are tried; beyond,
// o.Resamples are drawn and P = (hits + 1)/(resamples + 1) [PS10]. Sums that
// differ by rounding alone count as equal. Without a difference other than 0, P
// is 1; without any, it is ErrTooFew.
func SignFlip(differences []float64, o Options) (SignFlipTest, error) {
	if len(differences) == 0 {
		return SignFlipTest{}, fmt.Errorf("sign flip of no differences: %w", ErrTooFew)
	}
	if err := checkFinite("differences", differences); err != nil {
		return SignFlipTest{}, err
	}
	o, err := o.filled()
	if err != nil {
		return SignFlipTest{}, err
	}
	var nonzero []float64
	sum, size := 0.0, 0.0
	for _, d := range differences {
		if d != 0 {
			nonzero = append(nonzero, d)
			sum, size = sum+d, size+math.Abs(d)
		}
	}
	n := len(nonzero)
	signs := newSignSums(nonzero)
	reached := math.Abs(sum) - float64(1e-12*size)
	if n <= exactLimit {
		hits := 0
		for flips := range uint64(1) << n {
			if math.Abs(signs.sum(flips)) >= reached {
				hits++
			}
		}
		return SignFlipTest{P: float64(hits) / float64(uint64(1)<<n), Exact: true, N: n}, nil
	}
	hits := make([]bool, o.Resamples)
	inBlocks(o, func(draw *source, from, to int) {
		for i := from; i < to; i++ {
			hits[i] = math.Abs(signs.drawn(draw)) >= reached
		}
	})
	count := 1
	for _, hit := range hits {
		if hit {
			count++
		}
	}
	return SignFlipTest{P: float64(count) / float64(o.Resamples+1), N: n}, nil
}

// ClusterSignFlip is SignFlip where all differences of a cluster change sign
// together, because they are not independent. clusters names the cluster of each
// difference.
func ClusterSignFlip(differences []float64, clusters []string, o Options) (SignFlipTest, error) {
	sums, _, err := clusterSums(differences, clusters)
	if err != nil {
		return SignFlipTest{}, err
	}
	return SignFlip(sums, o)
}

// signSums holds, for each eight differences, their sum under each of the 256
// assignments of signs, so that a sample takes one addition for eight.
type signSums [][256]float64

func newSignSums(differences []float64) signSums {
	tables := make(signSums, (len(differences)+7)/8)
	for t := range tables {
		eight := differences[t*8 : min(t*8+8, len(differences))]
		for flips := range 256 {
			sum := 0.0
			for i, d := range eight {
				if flips>>i&1 == 1 {
					d = -d
				}
				sum += d
			}
			tables[t][flips] = sum
		}
	}
	return tables
}

// sum returns the sum when the differences whose bit is set change sign; for at
// most 64 differences.
func (s signSums) sum(flips uint64) float64 {
	total := 0.0
	for t := range s {
		total += s[t][flips>>(8*t)&0xff]
	}
	return total
}

// drawn returns the sum under signs drawn at random.
func (s signSums) drawn(draw *source) float64 {
	total := 0.0
	for len(s) > 0 {
		eight := s[:min(8, len(s))]
		total += eight.sum(draw.pcg.Uint64())
		s = s[len(eight):]
	}
	return total
}
