package main

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/blevesearch/vellum"

	"ragdesk/backend/text"
)

// compileWords writes an FST of the words in the files, folded, with the cost of
// each: -ln(frequency / sum of frequencies) in units of 1/text.CostScale. Words
// that are not Chinese characters throughout are left out, since the segmenter
// sees none. Where files disagree on a word the first one holds.
func compileWords(w io.Writer, files []string) error {
	freqs := map[string]float64{}
	total := 0.0
	for _, name := range files {
		err := eachWord(name, func(word string, freq float64) {
			if _, known := freqs[word]; !known {
				freqs[word] = freq
				total += freq
			}
		})
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
	}
	b, err := vellum.New(w, nil)
	if err != nil {
		return err
	}
	for _, word := range slices.Sorted(maps.Keys(freqs)) {
		cost := math.Round(math.Log(total/freqs[word]) * text.CostScale)
		if err := b.Insert([]byte(word), uint64(max(cost, 1))); err != nil {
			return fmt.Errorf("add %q: %w", word, err)
		}
	}
	return b.Close()
}

// eachWord calls f for the Chinese words of a file.
func eachWord(name string, f func(word string, freq float64)) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // read-only
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		fields := strings.Fields(lines.Text())
		if len(fields) < 2 {
			continue
		}
		freq, err := strconv.ParseFloat(fields[1], 64)
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		word := text.Fold(fields[0]).Text
		if freq > 0 && !strings.ContainsFunc(word, func(r rune) bool { return !text.Han(r) }) {
			f(word, freq)
		}
	}
	return lines.Err()
}
