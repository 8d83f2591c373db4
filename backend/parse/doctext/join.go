package doctext

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"ragdesk/backend/text"
)

// SoftHyphen divides a word at the end of a line.
const SoftHyphen = '\u00AD'

// Join joins two lines of running text: with a blank, without one between
// characters of a script that has none, and without the hyphen that divides a
// word. A hyphen divides a word when a letter stands before it and a small letter
// after it; others stay, as do those before a number.
func Join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	a = strings.TrimRight(a, " ")
	last, _ := utf8.DecodeLastRuneInString(a)
	next, _ := utf8.DecodeRuneInString(b)
	switch {
	case last == SoftHyphen:
		return strings.TrimSuffix(a, string(SoftHyphen)) + b
	case last == '-' || last == '‐':
		body := strings.TrimSuffix(a, string(last))
		prev, _ := utf8.DecodeLastRuneInString(body)
		switch {
		case body == "" || prev == ' ':
			return a + " " + b
		case unicode.IsLower(next) && unicode.IsLetter(prev):
			return body + b
		}
		return a + b
	case Unspaced(last) && (Unspaced(next) || shared(next)), shared(last) && Unspaced(next):
		return a + b
	}
	return a + " " + b
}

// Unspaced reports whether r is certainly of a script written without blanks
// between words, such as Chinese, its punctuation included.
func Unspaced(r rune) bool {
	return text.Han(r) || r >= 0x3000 && r <= 0x30FF || r >= 0x31F0 && r <= 0x31FF || r >= 0xFF01 && r <= 0xFF60
}

// shared reports whether r is punctuation that such scripts and others use.
func shared(r rune) bool { return strings.ContainsRune("“”‘’…—", r) }
