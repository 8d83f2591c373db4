package main

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

// variants are characters that OpenCC tells apart by the words around them, or
// leaves alone, and that a search must not tell apart.
var variants = map[string]string{
	"著": "着", "瞭": "了", "藉": "借", "妳": "你", "牠": "它", "祂": "它", "喫": "吃",
}

// compileSimplified writes each traditional character followed by the simplified
// one that stands for it, a line for those that share their upper bits. A target
// is never itself a traditional character of the table.
func compileSimplified(w io.Writer, files []string) error {
	pairs := map[string]string{}
	for _, name := range files {
		if err := readPairs(name, pairs); err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
	}
	maps.Copy(pairs, variants)
	out := bufio.NewWriter(w)
	page := rune(-1)
	for _, from := range slices.Sorted(maps.Keys(pairs)) {
		to := from
		for hops := 0; pairs[to] != "" && pairs[to] != to && hops < 4; hops++ {
			to = pairs[to]
		}
		if to == from {
			continue
		}
		if p := []rune(from)[0] >> 8; p != page {
			if page >= 0 {
				out.WriteByte('\n')
			}
			page = p
		}
		out.WriteString(from + to)
	}
	out.WriteByte('\n')
	return out.Flush()
}

// readPairs reads lines "traditional TAB simplified [others]" of single characters.
func readPairs(name string, pairs map[string]string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // read-only
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) >= 2 && len([]rune(fields[0])) == 1 && len([]rune(fields[1])) == 1 {
			pairs[fields[0]] = fields[1]
		}
	}
	return lines.Err()
}
