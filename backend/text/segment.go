package text

import "unicode/utf8"

// segment cuts a run of folded Chinese characters into words so that the product
// of their probabilities is largest: a shortest path over the graph of all
// words of the dictionary and of l in the run. It appends the end of each word, in bytes
// of run. Without a dictionary every character is a word.
func (d *dictionary) segment(ends []int, run string, l *Lexicon) []int {
	// best[i] is the least cost of run[i:]; step[i] the bytes of its first word.
	best := make([]int32, len(run)+1)
	step := make([]int32, len(run))
	for i := len(run) - 1; i >= 0; i-- {
		if !utf8.RuneStart(run[i]) {
			continue
		}
		d.relax(best, step, run, i, l)
		l.relax(best, step, run, i)
	}
	for i := 0; i < len(run); {
		i += int(step[i])
		ends = append(ends, i)
	}
	return ends
}

// relax finds the best first word at i, given the best costs behind it. Of equal
// costs the longest word wins.
func (d *dictionary) relax(best, step []int32, run string, i int, l *Lexicon) {
	_, size := utf8.DecodeRuneInString(run[i:])
	best[i], step[i] = unknownCost+best[i+size], int32(size)
	if d == nil {
		return
	}
	addr, cost := d.fst.Start(), uint64(0)
	for j := i; j < len(run); j++ {
		next, out := d.fst.AcceptWithVal(addr, run[j])
		if !d.fst.CanMatch(next) {
			return
		}
		addr, cost = next, cost+out
		if j+1 < len(run) && !utf8.RuneStart(run[j+1]) {
			continue
		}
		if word, final := d.fst.IsMatchWithVal(addr); word {
			if c := int32(cost+final) + best[j+1]; c <= best[i] && !l.has(run[i:j+1]) {
				best[i], step[i] = c, int32(j+1-i)
			}
		}
	}
}

// cost is that of a run of folded Chinese characters, cut at its best.
func (d *dictionary) cost(run string) int32 {
	best := make([]int32, len(run)+1)
	step := make([]int32, len(run))
	for i := len(run) - 1; i >= 0; i-- {
		if utf8.RuneStart(run[i]) {
			d.relax(best, step, run, i, nil)
		}
	}
	return best[0]
}
