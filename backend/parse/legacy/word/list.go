package word

import (
	"strconv"
	"strings"
	"unicode/utf16"
)

// level is how a level of a list is numbered.
type level struct {
	start  int
	format int
	// text is the marker, with characters 0 to 8 in the places of the numbers of
	// those levels.
	text []uint16
}

// lists number the entries of lists.
type lists struct {
	// levels are those of each list by its id; overrides name the list behind a
	// paragraph's number, counted from 1.
	levels    map[uint32][]level
	overrides []uint32
	// counts are how far each list has come.
	counts map[uint32]*[9]int
}

// Sizes of a list's entry, a level's head and an override.
const (
	listSize     = 28
	levelSize    = 28
	overrideSize = 16
	maxLists     = 4096
)

// listsOf reads the definitions b, whose levels stand in table from at on, and
// the overrides.
func listsOf(b, table []byte, at int, overrides []byte) lists {
	l := lists{levels: map[uint32][]level{}, counts: map[uint32]*[9]int{}}
	for i := range min(u16(b, 0), maxLists) {
		entry := slice(b, 2+listSize*i, listSize)
		if len(entry) < listSize {
			break
		}
		n := 9
		if entry[26]&1 != 0 {
			n = 1
		}
		levels := make([]level, n)
		for j := range levels {
			levels[j], at = levelAt(table, at)
		}
		l.levels[u32(entry, 0)] = levels
	}
	for i := range min(int(u32(overrides, 0)), maxLists) {
		l.overrides = append(l.overrides, u32(overrides, 4+overrideSize*i))
	}
	return l
}

// levelAt reads a level and returns where the next one is.
func levelAt(b []byte, at int) (level, int) {
	head := slice(b, at, levelSize)
	if len(head) < levelSize {
		return level{format: noNumber}, at
	}
	v := level{start: int(int32(u32(head, 0))), format: int(head[4])}
	at += levelSize + int(head[24]) + int(head[25])
	n := u16(b, at)
	raw := slice(b, at+2, 2*n)
	for i := 0; i+1 < len(raw); i += 2 {
		v.text = append(v.text, uint16(u16(raw, i)))
	}
	return v, at + 2 + 2*n
}

// marker counts an entry of a list and returns what stands before it, "" for a
// bullet or none; ok is false for a paragraph that is in no list.
func (l *lists) marker(override, depth int) (marker string, ok bool) {
	if override < 1 || override > len(l.overrides) {
		return "", false
	}
	id := l.overrides[override-1]
	levels := l.levels[id]
	if depth < 0 || depth >= len(levels) {
		return "", len(levels) > 0
	}
	counts := l.counts[id]
	if counts == nil {
		counts = &[9]int{}
		for i := range levels {
			counts[i] = levels[i].start - 1
		}
		l.counts[id] = counts
	}
	counts[depth]++
	for i := depth + 1; i < len(levels); i++ {
		counts[i] = levels[i].start - 1
	}
	if levels[depth].format == bullets || levels[depth].format == noNumber {
		return "", true
	}
	var out strings.Builder
	for _, c := range utf16.Decode(levels[depth].text) {
		if c > 8 {
			out.WriteRune(c)
			continue
		}
		if int(c) >= len(levels) {
			continue
		}
		n := counts[c]
		if int(c) < depth {
			n = max(n, levels[c].start) // the level above may not have begun
		}
		out.WriteString(numeral(n, levels[c].format))
	}
	return out.String(), true
}

// Formats of numbers.
const (
	upperRoman = 1
	lowerRoman = 2
	upperAlpha = 3
	lowerAlpha = 4
	bullets    = 23
	noNumber   = 255
)

// numeral writes n in a format; unknown ones are written as digits.
func numeral(n, format int) string {
	switch format {
	case upperRoman:
		return roman(n)
	case lowerRoman:
		return strings.ToLower(roman(n))
	case upperAlpha, lowerAlpha:
		if n < 1 || n > 26*8 {
			break
		}
		s := strings.Repeat(string(rune('A'+(n-1)%26)), (n-1)/26+1)
		if format == lowerAlpha {
			s = strings.ToLower(s)
		}
		return s
	case 10, 11, 33, 34, 35, 36, 37, 38, 39: // Chinese and Japanese counting
		return chinese(n)
	}
	return strconv.Itoa(n)
}

func roman(n int) string {
	if n < 1 || n >= 4000 {
		return strconv.Itoa(n)
	}
	var out strings.Builder
	for _, s := range []struct {
		value int
		sign  string
	}{{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}} {
		for n >= s.value {
			out.WriteString(s.sign)
			n -= s.value
		}
	}
	return out.String()
}

// chinese writes 1 to 99 in Chinese numerals.
func chinese(n int) string {
	if n < 1 || n > 99 {
		return strconv.Itoa(n)
	}
	digits := []rune("零一二三四五六七八九")
	var out strings.Builder
	if n >= 20 {
		out.WriteRune(digits[n/10])
	}
	if n >= 10 {
		out.WriteRune('十')
	}
	if n%10 > 0 {
		out.WriteRune(digits[n%10])
	}
	return out.String()
}
