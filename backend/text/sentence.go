package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"ragdesk/backend/rag"
)

// Sentences cuts Chinese and English text into sentences. The spans tile s: each
// byte belongs to exactly one sentence, the blanks after a sentence to it, those
// at the start of the text to the first. A line break ends a sentence unless the
// text visibly runs on in lower case. Stops in book titles, decimals,
// abbreviations, initials and list numbers end nothing.
func Sentences(s string) []rag.Span {
	var out []rag.Span
	start := 0
	for i := 0; i < len(s); {
		end := sentenceEnd(s, i)
		if end == 0 {
			_, size := utf8.DecodeRuneInString(s[i:])
			i += size
			continue
		}
		blank := IsBlank(s[start:end])
		end = skipBlanks(s, end)
		if !blank {
			out = append(out, rag.Span{Start: start, End: end})
			start = end
		}
		i = end
	}
	switch {
	case start == len(s):
	case len(out) > 0 && IsBlank(s[start:]):
		out[len(out)-1].End = len(s)
	default:
		out = append(out, rag.Span{Start: start, End: len(s)})
	}
	return out
}

// sentenceEnd returns the end, without the blanks behind, of a sentence that
// closes with the character at i, or 0.
func sentenceEnd(s string, i int) int {
	r, size := utf8.DecodeRuneInString(s[i:])
	switch r {
	case '\n', '\r', '\f', '\u2028', '\u2029':
		if runsOn(s, i) {
			return 0
		}
		return i + size
	case '。', '！', '？', '；', '｡', '…':
		return closed(s, skipStops(s, i))
	case '.':
		return periodEnd(s, i)
	case '．':
		if before, after := around(s, i, size); Han(before) && !digit(after) {
			return closed(s, skipStops(s, i))
		}
	case '!', '?':
		return markEnd(s, i)
	case ';':
		if before, _ := around(s, i, size); wide(before) {
			return closed(s, i+size)
		}
	}
	return 0
}

// closed extends the end of a run of stops over closing quotes and brackets, also
// behind a space as some tokenizers write them. It returns 0 when the run stands
// in a book title or an English sentence goes on in lower case behind it.
func closed(s string, end int) int {
	for at := skipSpaces(s, end); at < len(s); {
		r, size := utf8.DecodeRuneInString(s[at:])
		if r == '》' || r == '〉' {
			return 0
		}
		if !closing(r) || at > end && strings.ContainsRune("\"'", r) {
			break
		}
		end = at + size
		at = skipSpaces(s, end)
	}
	if r, _ := utf8.DecodeRuneInString(s[skipSpaces(s, end):]); unicode.IsLower(r) && unicode.Is(unicode.Latin, r) && !wide(r) {
		return 0
	}
	return end
}

// markEnd decides on an ASCII '!' or '?', which also stand in addresses and code.
func markEnd(s string, i int) int {
	before, _ := around(s, i, 1)
	end := skipStops(s, i)
	stop := closed(s, end)
	if stop == 0 || wide(before) {
		return stop
	}
	if next, _ := utf8.DecodeRuneInString(s[stop:]); stop == len(s) || unicode.IsSpace(next) || wide(next) {
		return stop
	}
	return 0
}

// periodEnd decides on an ASCII period.
func periodEnd(s string, i int) int {
	end := skipStops(s, i)
	stop := closed(s, end)
	if stop == 0 {
		return 0
	}
	before, _ := around(s, i, 1)
	next, _ := utf8.DecodeRuneInString(s[stop:])
	switch {
	case stop == len(s) || next == '\n' || next == '\r':
		return stop
	case wide(next):
		// As in "见图1.此外", but not in "第3.章" with a digit on both sides.
		if wide(before) || end-i > 1 {
			return stop
		}
		return 0
	case !unicode.IsSpace(next):
		return 0
	case end-i == 1 && abbreviated(s, i, skipSpaces(s, stop)):
		return 0
	}
	return stop
}

// abbreviated reports whether the period at i belongs to an abbreviation, an
// initial or a list number; the next word starts at next.
func abbreviated(s string, i, next int) bool {
	start := i
	for start > 0 {
		r, size := utf8.DecodeLastRuneInString(s[:start])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' || wide(r) {
			break
		}
		start -= size
	}
	word := s[start:i]
	if word == "" {
		return false
	}
	line := strings.TrimLeft(s[strings.LastIndexByte(s[:start], '\n')+1:start], " \t#>*-(")
	if line == "" && len(word) <= 3 && strings.Trim(word, "0123456789.") == "" {
		return true
	}
	if utf8.RuneCountInString(word) == 1 {
		r, _ := utf8.DecodeRuneInString(word)
		return unicode.IsUpper(r) && word != "I"
	}
	lower := strings.ToLower(word)
	if abbreviations[lower] == afterTitle {
		return true
	}
	if abbreviations[lower] == maybeEnd || strings.Contains(word, ".") && strings.Trim(lower, "abcdefghijklmnopqrstuvwxyz.") == "" {
		return !starter(s[next:])
	}
	return false
}

// runsOn reports whether the line break at i stands inside an English sentence:
// one break between a word, or a comma, and a word in lower case.
func runsOn(s string, i int) bool {
	before := strings.TrimRight(s[:i], " \t")
	after := strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(s[i:], "\r"), "\n"), " \t")
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	return !wide(first) && unicode.IsLower(first) && !wide(last) && (unicode.IsLetter(last) || last == ',')
}
