package data

import (
	"path"
	"strings"
)

// sampleBytes and sampleRows are how much of a table its delimiter is found by.
const (
	sampleBytes = 128 << 10
	sampleRows  = 300
)

// delimiters are tried in this order; a later one must be clearly better. The
// comma comes last since it stands in numbers and texts of the others' tables.
const delimiters = "\t;|,"

// clearlyBetter is by how much the share of regular rows must be higher.
const clearlyBetter = 0.02

// findDelimiter returns the byte that parts the fields of source, 0 when its rows
// have one field each, and source without a line that says so ("sep=;").
func findDelimiter(name, source string) (delim byte, rest string) {
	if d, after, ok := declaredDelimiter(source); ok {
		return d, after
	}
	best, bestShare := byte(0), 0.0
	for i := range len(delimiters) {
		share := regularity(source, delimiters[i])
		if share > bestShare+clearlyBetter {
			best, bestShare = delimiters[i], share
		}
	}
	if ext := strings.ToLower(path.Ext(name)); ext == ".tsv" || ext == ".tab" {
		if tabs := regularity(source, '\t'); best == 0 || tabs > 0 {
			return '\t', source
		}
	}
	return best, source
}

// declaredDelimiter reads the first line that spreadsheets take for the
// delimiter and not for data.
func declaredDelimiter(source string) (delim byte, rest string, ok bool) {
	line, rest, _ := strings.Cut(source, "\n")
	line = strings.TrimRight(line, "\r")
	if len(line) == len("sep=;") && strings.EqualFold(line[:4], "sep=") && line[4] < 0x80 && line[4] != '"' {
		return line[4], rest, true
	}
	return 0, source, false
}

// regularity is the share of the first rows that have the commonest number of
// fields, 0 when that is one field.
func regularity(source string, delim byte) float64 {
	r := csvReader{source: source, delim: delim, line: 1}
	if len(source) > sampleBytes {
		end := strings.LastIndexAny(source[:sampleBytes], "\r\n")
		if end > 0 {
			r.source = source[:end]
		}
	}
	if strings.IndexByte(r.source, delim) < 0 {
		return 0
	}
	var widths []int
	for len(widths) < sampleRows {
		rec, ok := r.read()
		if !ok {
			break
		}
		if !rec.blank() {
			widths = append(widths, len(rec.fields))
		}
	}
	usual, n := commonest(widths)
	if usual < 2 {
		return 0
	}
	share := float64(n) / float64(len(widths))
	if widths[0] != usual {
		share -= 0.1 // a header that the rows do not fit
	}
	return share
}

// commonest returns the value that most of list have, the larger of equals, and
// how many have it.
func commonest(list []int) (value, n int) {
	counts := map[int]int{}
	for _, v := range list {
		counts[v]++
		if c := counts[v]; c > n || c == n && v > value {
			value, n = v, c
		}
	}
	return value, n
}
