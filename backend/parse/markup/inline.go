package markup

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/text"
)

// inline collects running text with its white space collapsed as a browser does:
// a run of it is one space, and none at a line's ends. A line break of the source
// between two characters of a script without spaces is nothing.
type inline struct {
	b strings.Builder
	// last is the character before, 0 at a line's start.
	last rune
	// space says that white space is due, soft that it is a line break's.
	space, soft bool
}

// add adds text of the source.
func (t *inline) add(s string) {
	for i, r := range s {
		switch r {
		case '\n', '\r':
			t.space, t.soft = true, true
		case ' ', '\t', '\f', '\u00a0', '\u202f':
			t.space = true
		case '\u00ad', '\u200b', '\ufeff': // show nothing
		case utf8.RuneError:
			if strings.HasPrefix(s[i:], "\uFFFD") {
				t.put(r)
			}
		default:
			t.put(r)
		}
	}
}

func (t *inline) put(r rune) {
	if t.space && t.last != 0 && (!t.soft || !unspaced(t.last) || !unspaced(r)) {
		t.b.WriteByte(' ')
	}
	t.space, t.soft = false, false
	t.b.WriteRune(r)
	t.last = r
}

// pause makes sure that what follows is another word where words are parted by
// spaces.
func (t *inline) pause() {
	if !t.space {
		t.space, t.soft = true, true
	}
}

// part makes sure that a space follows, between parts that do not belong to one
// text.
func (t *inline) part() { t.space, t.soft = true, false }

// line starts a new line.
func (t *inline) line() {
	t.space, t.soft = false, false
	t.b.WriteByte('\n')
	t.last = 0
}

// take returns the text and starts anew.
func (t *inline) take() string {
	s := strings.Trim(t.b.String(), "\n")
	*t = inline{}
	if text.IsBlank(s) {
		return ""
	}
	return s
}

// unspaced reports whether r belongs to a script that does not part words, or is
// its punctuation.
func unspaced(r rune) bool {
	halfWidth := r >= 0xFF61 && r <= 0xFFEF // and the full-width signs of currencies
	return doctext.Unspaced(r) || halfWidth || unicode.Is(unicode.Bopomofo, r) || strings.ContainsRune("—…“”‘’·", r)
}

// raised and lowered write the characters that an index or exponent has in
// Unicode.
const (
	plainDigits = "0123456789+-−=()"
	raised      = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾"
	lowered     = "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎"
)

// shifted writes s raised or lowered where all of it can be, since 10 to the 6th
// is not 106; ok is false otherwise.
func shifted(s, forms string) (moved string, ok bool) {
	s = strings.TrimSpace(s)
	to := []rune(forms)
	var b strings.Builder
	for _, r := range s {
		i := strings.IndexRune(plainDigits, r)
		if i < 0 {
			return "", false
		}
		b.WriteRune(to[utf8.RuneCountInString(plainDigits[:i])])
	}
	return b.String(), s != ""
}
