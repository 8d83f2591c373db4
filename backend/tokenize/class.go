package tokenize

import (
	"sort"
	"unicode"
	"unicode/utf8"

	"ragdesk/backend/text"
)

// class is what the normaliser and the pre-tokeniser do with a character.
type class uint8

const (
	// word characters are joined to words.
	word class = iota
	// dropped characters vanish without ending a word.
	dropped
	space
	// punct characters are words of their own.
	punct
	// han characters are words of their own, isolated before accents go.
	han
)

// classes gives a rune its class: by table on the basic plane, where nearly all
// text lies, by search above it.
type classes struct {
	basic  []class
	beyond []span
}

type span struct {
	runes
	class class
}

// newClasses builds the tables. Where two lists share a rune, the step that runs
// first decides: clean_text, then Chinese characters, then the split.
func newClasses(clean, chinese bool) *classes {
	c := &classes{basic: make([]class, 1<<16)}
	c.set(punctRunes(), punct)
	c.set(spaceRunes(), space)
	if chinese {
		c.set(hanRunes(), han)
	}
	if clean {
		c.set(removedRunes(), dropped)
	}
	sort.SliceStable(c.beyond, func(i, j int) bool { return c.beyond[i].lo < c.beyond[j].lo })
	return c
}

func (c *classes) set(list []runes, k class) {
	for _, r := range list {
		for i := r.lo; i <= r.hi && int(i) < len(c.basic); i++ {
			c.basic[i] = k
		}
		if int(r.hi) >= len(c.basic) {
			c.beyond = append(c.beyond, span{r, k})
		}
	}
}

func (c *classes) of(r rune) class {
	if int(r) < len(c.basic) {
		return c.basic[r]
	}
	i := sort.Search(len(c.beyond), func(i int) bool { return c.beyond[i].hi >= r })
	if i < len(c.beyond) && c.beyond[i].lo <= r {
		return c.beyond[i].class
	}
	return word
}

// isMark reports whether strip_accents drops r.
func isMark(marks []runes, r rune) bool {
	if r < 0x300 {
		return false
	}
	i := sort.Search(len(marks), func(i int) bool { return marks[i].hi >= r })
	return i < len(marks) && marks[i].lo <= r
}

// latinEnd ends the range of accented Latin letters whose decompositions are
// kept at hand.
const latinEnd = 0x250

// decompositions hold a rune's canonical decomposition without marks.
type decompositions struct {
	marks []runes
	latin [latinEnd]string
}

func newDecompositions() *decompositions {
	d := &decompositions{marks: markRunes()}
	for r := rune(utf8.RuneSelf); r < latinEnd; r++ {
		d.latin[r] = d.compute(r)
	}
	return d
}

func (d *decompositions) compute(r rune) string {
	full := text.NFD(string(r))
	kept := make([]byte, 0, len(full))
	for _, c := range full {
		if !isMark(d.marks, c) {
			kept = utf8.AppendRune(kept, c)
		}
	}
	return string(kept)
}

// of returns what is left of r, which is not ASCII; it may be nothing.
func (d *decompositions) of(r rune) string {
	if r < latinEnd {
		return d.latin[r]
	}
	return d.compute(r)
}

// decomposes reports whether r may have a decomposition or be a mark. It is
// false only for the blocks of punctuation that Chinese and English text uses,
// none of whose characters has or is either.
func decomposes(r rune) bool {
	switch {
	case 0x2010 <= r && r <= 0x2027, 0x3001 <= r && r <= 0x3029, 0xff01 <= r && r <= 0xffef:
		return false
	}
	return true
}

// appendLower appends r in lower case: its own full mapping of Unicode 16,
// without context. Go's tables are older and map one rune to one.
func appendLower(dst []byte, r rune) []byte {
	switch r {
	case 0x130:
		return append(dst, "i\u0307"...)
	case 0xa7cb:
		r = 0x264
	case 0xa7dc:
		r = 0x19b
	default:
		r = unicode.ToLower(r)
	}
	return utf8.AppendRune(dst, r)
}

// isASCIIPunct reports whether b is an ASCII character that always is a word of
// its own.
func isASCIIPunct(b byte) bool {
	return '!' <= b && b <= '/' || ':' <= b && b <= '@' || '[' <= b && b <= '`' || '{' <= b && b <= '~'
}
