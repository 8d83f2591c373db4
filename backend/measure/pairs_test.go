package measure_test

import (
	"fmt"
	"strings"
)

// splitMix is SplitMix64, as in build/fixtures/trec/pairs.py.
type splitMix uint64

func (s *splitMix) next() uint64 {
	*s += 0x9E3779B97F4A7C15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

func (s *splitMix) below(n int) int { return int(s.next() % uint64(n)) }

// tiedPair is tied_pair of build/fixtures/trec/pairs.py, draw for draw.
func tiedPair() (qrels, run string) {
	grades := []int{-2, -1, 0, 0, 0, 1, 1, 2, 3, 4}
	rng := splitMix(20250711)
	var judgments, results, late strings.Builder
	for q := range 1000 {
		query := fmt.Sprintf("q%d", q)
		if q%9 == 0 {
			query = fmt.Sprintf("问%d", q)
		}
		kind := rng.below(50)
		judged, found := 0, 0
		for n := range 30 + rng.below(90) {
			doc := tiedDocument(&rng, n)
			grade := grades[rng.below(len(grades))]
			if rng.below(4) == 0 && kind != 5 {
				if kind == 3 || kind == 4 || judged == 0 {
					grade = 0
				}
				fmt.Fprintf(&judgments, "%s 0 %s %d\n", query, doc, grade)
				judged++
			}
			score := tiedScore(&rng)
			if rng.below(3) > 0 && kind > 2 {
				found++
				out := &results
				if q%7 == 0 && rng.below(2) == 1 {
					out = &late
				}
				fmt.Fprintf(out, "%s Q0 %s %d %s seeded\n", query, doc, found, score)
			}
		}
	}
	return judgments.String(), results.String() + late.String()
}

func tiedDocument(rng *splitMix, n int) string {
	switch rng.below(8) {
	case 0:
		return fmt.Sprintf("文档-%d", n)
	case 1:
		return fmt.Sprintf("Doc_%d", n)
	case 2:
		return fmt.Sprintf("doc-%d-é", n)
	}
	return fmt.Sprintf("doc-%d", n)
}

func tiedScore(rng *splitMix) string {
	eighths := rng.below(40) - 8
	text := fmt.Sprintf("%.3f", float64(eighths)/8)
	switch rng.below(50) {
	case 0:
		return text + "000001"
	case 1:
		return fmt.Sprintf("%de-3", eighths*125)
	}
	return text
}

// largePair is large_pair of build/fixtures/trec/pairs.py for one size.
func largePair(queries, depth, judged int) (qrels, run string) {
	rng := splitMix(7)
	var judgments, results strings.Builder
	for q := range queries {
		for n := range judged {
			doc := fmt.Sprintf("X%07d", q*100+n)
			if n%2 == 1 {
				doc = fmt.Sprintf("D%07d", q*100+n*(depth/judged))
			}
			fmt.Fprintf(&judgments, "%d 0 %s %d\n", q+1, doc, rng.below(4))
		}
		score := 40.0
		for n := range depth {
			score -= float64(rng.below(4096)) / 131072
			fmt.Fprintf(&results, "%d Q0 D%07d %d %.6f timing\n", q+1, q*100+n, n+1, score)
		}
	}
	return judgments.String(), results.String()
}
