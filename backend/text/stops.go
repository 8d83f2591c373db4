package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// How an abbreviation with a period is followed.
const (
	// afterTitle never ends a sentence: a name or number follows.
	afterTitle = iota + 1
	// maybeEnd ends one if a usual first word follows.
	maybeEnd
)

// abbreviations in lower case, without the last period.
var abbreviations = func() map[string]int {
	m := map[string]int{}
	for w := range strings.FieldsSeq(`mr mrs ms dr prof rev hon st mt gen col capt lt sgt rep sen gov pres fig figs eq eqs
		no nos vol vols pp pg art sec ch chap ed eds trans cf vs al viz approx ca est ref refs tab jan feb mar apr jun jul
		aug sep sept oct nov dec e.g i.e`) {
		m[w] = afterTitle
	}
	for w := range strings.FieldsSeq(`inc ltd co corp llc plc jr sr etc dept univ assn bros ave blvd rd ph.d u.s u.k a.m p.m`) {
		m[w] = maybeEnd
	}
	return m
}()

// starters are words that begin sentences more often than they follow an
// abbreviation.
var starters = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(`The This That These Those It Its He She They We You There Here In On At By For From To
		And But Or If When While After Before Since As Although Though However Moreover Meanwhile Then Thus So A An His Her
		Their Our My What Who Why How Where Which`) {
		m[w] = true
	}
	return m
}()

// starter reports whether s begins with a word that begins sentences.
func starter(s string) bool {
	end := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
	if end < 0 {
		end = len(s)
	}
	return starters[s[:end]]
}

// wide reports whether r is written without blanks between words.
func wide(r rune) bool {
	return Han(r) || kana(r) || r >= 0x3000 && r <= 0x303F || r >= 0xFF00 && r <= 0xFFEF
}

// closing reports whether r closes a quotation or a bracket.
func closing(r rune) bool {
	return strings.ContainsRune("”’」』）】〕］｝〗〙〛\"')]}»›", r)
}

// skipStops returns the end of the run of stops at i.
func skipStops(s string, i int) int {
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !strings.ContainsRune("。！？；｡…．.!?", r) {
			break
		}
		i += size
	}
	return i
}

// skipSpaces returns the end of the spaces at i, within the line.
func skipSpaces(s string, i int) int {
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == '\n' || r == '\r' || !unicode.IsSpace(r) {
			break
		}
		i += size
	}
	return i
}

// skipBlanks returns the end of the blanks at i, line breaks included.
func skipBlanks(s string, i int) int {
	for i < len(s) {
		_, size := utf8.DecodeRuneInString(s[i:])
		if !IsBlank(s[i : i+size]) {
			break
		}
		i += size
	}
	return i
}

// around returns the characters before and behind the one of size bytes at i.
func around(s string, i, size int) (before, after rune) {
	before, _ = utf8.DecodeLastRuneInString(s[:i])
	after, _ = utf8.DecodeRuneInString(s[i+size:])
	return before, after
}
