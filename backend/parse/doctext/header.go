package doctext

import (
	"strings"
	"unicode"

	"ragdesk/backend/text"
)

// What a first row must look like to be taken for a header.
const (
	headerSample = 200
	headerPoints = 100
)

// HeaderRows guesses how many of rows are a header, 1 or 0, for formats that do
// not say: the first row is one when its cells are short words, most of them
// once, that do not come again below, and is none when it is like the rows below
// it. Rows are looked at up to the 200th.
func HeaderRows(rows [][]string) int {
	if len(rows) < 2 {
		return 0
	}
	seen := map[string]bool{}
	words := 0
	for _, c := range rows[0] {
		c = strings.TrimSpace(c)
		switch {
		case c == "":
			continue
		case len([]rune(c)) > headerPoints, isValue(c):
			return 0
		}
		seen[c] = true
		words++
	}
	body := rows[1:min(len(rows), headerSample)]
	width, again := 0, 0
	for _, row := range body {
		n, same := alike(rows[0], row)
		width = max(width, n)
		if same < words { // a header repeated as a whole is no value
			again += same
		}
	}
	if words == 0 || 2*len(seen) < words || 2*words < width || 10*again > len(body) {
		return 0
	}
	return 1
}

// alike counts the cells of row that are not blank, and those of them that are
// the head's.
func alike(head, row []string) (n, same int) {
	for j, c := range row {
		if text.IsBlank(c) {
			continue
		}
		n++
		if j < len(head) && strings.TrimSpace(c) == strings.TrimSpace(head[j]) {
			same++
		}
	}
	return n, same
}

// isValue reports whether a cell is a number, an amount, a date or a time rather
// than a name.
func isValue(c string) bool {
	digits, others := 0, 0
	for _, r := range c {
		switch {
		case unicode.IsDigit(r):
			digits++
		case strings.ContainsRune("+-.,:/% ()年月日时分秒￥¥$€£T", r):
		default:
			others++
		}
	}
	return digits > 0 && others == 0 && !isYear(c)
}

// isYear reports whether c is a year, which names a column as often as not.
func isYear(c string) bool {
	c = strings.TrimSuffix(c, "年")
	return len(c) == 4 && (strings.HasPrefix(c, "19") || strings.HasPrefix(c, "20")) && strings.Trim(c, "0123456789") == ""
}
