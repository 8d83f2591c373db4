package stats

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
)

// blockSize is how many samples share a generator. It is fixed, so that a result
// does not depend on how many processors there are.
const blockSize = 256

// source is the permuted congruential generator of one block of samples.
type source struct{ pcg *rand.PCG }

// inBlocks calls block for each range of samples below o.Resamples, with the
// generator that belongs to the range, on all processors.
func inBlocks(o Options, block func(draw *source, from, to int)) {
	blocks := (o.Resamples + blockSize - 1) / blockSize
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), blocks) {
		workers.Go(func() {
			for {
				b := int(next.Add(1)) - 1
				if b >= blocks {
					return
				}
				draw := &source{rand.NewPCG(o.Seed, uint64(b))}
				block(draw, b*blockSize, min((b+1)*blockSize, o.Resamples))
			}
		})
	}
	workers.Wait()
}

// indexes fills out with indexes below n, two from each 64 bits. Scaling 32 bits
// to n makes an index more likely than another by at most one part in 2^32/n.
func (s *source) indexes(out []uint32, n int) {
	scale := uint64(n)
	i := 0
	for ; i+1 < len(out); i += 2 {
		bits := s.pcg.Uint64()
		out[i] = uint32((bits >> 32) * scale >> 32)
		out[i+1] = uint32((bits & 0xffffffff) * scale >> 32)
	}
	if i < len(out) {
		out[i] = uint32((s.pcg.Uint64() >> 32) * scale >> 32)
	}
}
