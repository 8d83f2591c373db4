package parse

import (
	"math"
	"strings"
	"unicode"
)

// The plausibility of a text is its cost in nats, −ln P, under the likeliest of
// a few languages. A language gives a character the probability of its class
// (its most frequent characters, the others of its national standard, rare
// ones, …) shared by the members of the class; characters are taken as
// independent. A wrong decoding spreads over the code table and costs about
// half as much again for each character.
//
// ASCII costs the same under all languages, except in words that hold letters
// beyond it, so that code and English inside a text decide nothing.

// maxEvidence is how many characters beyond ASCII are weighed; later ones add
// nothing to a verdict.
const maxEvidence = 1 << 18

// Costs in nats.
const (
	costNUL      = 5.0  // one in a hundred is odd, every other one is UTF-16
	costControl  = 12.0 // C0 and DEL
	costNonsense = 20.0 // C1, private use, unassigned
	costForeign  = 11.0 // a letter of another script, in most languages
	costUpper    = 3.0  // a capital costs that much more than its small letter
	costBreak    = 5.0  // a capital after a small letter inside a word
	costStranger = 6.0  // a language that the encoding was not made for
)

// profile counts what a text is made of.
type profile struct {
	// runes counts characters beyond ASCII.
	runes map[rune]int
	// letters counts ASCII letters, folded to lower case, in words with letters
	// beyond ASCII.
	letters [26]int
	// neutral is the cost that is the same under all languages.
	neutral float64
	// evidence is the number of characters in runes.
	evidence int
}

// plausibility returns the cost of s under the likeliest language, and what a
// character beyond ASCII costs on average. Languages that are not in the blank
// separated list natural count against the text unless the list is empty.
func plausibility(s, natural string) (cost, density float64) {
	p := profileOf(s)
	best := math.Inf(1)
	for _, l := range languages() {
		c := l.costOf(&p)
		if natural != "" && !strings.Contains(" "+natural+" ", " "+l.name+" ") {
			c += costStranger
		}
		best = min(best, c)
	}
	if p.evidence > 0 {
		density = best / float64(p.evidence)
	}
	return p.neutral + best, density
}

// profileOf weighs s word by word.
func profileOf(s string) profile {
	p := profile{runes: map[rune]int{}}
	var word []rune
	flush := func() {
		p.addWord(word)
		word = word[:0]
	}
	for _, r := range s {
		if p.evidence >= maxEvidence {
			break
		}
		if isAlphabetic(r) {
			word = append(word, r)
			continue
		}
		flush()
		if r < 0x80 {
			p.neutral += asciiCost(r)
			continue
		}
		p.runes[r]++
		p.evidence++
	}
	flush()
	return p
}

// addWord counts the letters of one word.
func (p *profile) addWord(word []rune) {
	mixed, lower := false, false
	for _, r := range word {
		mixed = mixed || r >= 0x80
		upper := unicode.IsUpper(r)
		if r >= 0x80 && lower && upper {
			p.neutral += costBreak
		}
		lower = !upper
	}
	for _, r := range word {
		switch {
		case r >= 0x80:
			p.runes[r]++
			p.evidence++
		case mixed:
			p.letters[(r|0x20)-'a']++
			if r < 'a' {
				p.neutral += costUpper
			}
		default:
			p.neutral += asciiCost(r)
		}
	}
}

// isAlphabetic reports whether r is a letter that forms words with others.
func isAlphabetic(r rune) bool {
	switch {
	case r < 0x80:
		return 'a' <= r|0x20 && r|0x20 <= 'z'
	case r < 0xc0:
		return false
	}
	return r < 0x530 && unicode.IsLetter(r)
}

// asciiCost is what a character costs in text of any kind.
func asciiCost(r rune) float64 {
	switch {
	case 'a' <= r && r <= 'z':
		return 3
	case r == ' ':
		return 2
	case r == '\n' || r == '\r' || r == '\t':
		return 3.5
	case r == 0:
		return costNUL
	case r < 0x20 || r == 0x7f:
		return costControl
	}
	return 4.5
}

// language gives characters their costs.
type language struct {
	name string
	// letter is the cost of an ASCII letter inside a word that has others.
	letter func(c byte) float64
	// char is the cost of a character beyond ASCII.
	char func(r rune) float64
}

func (l language) costOf(p *profile) float64 {
	sum := 0.0
	for r, n := range p.runes {
		sum += float64(n) * l.char(r)
	}
	for i, n := range p.letters {
		if n > 0 {
			sum += float64(n) * l.letter(byte('a'+i))
		}
	}
	return sum
}

// nonsense returns the cost of a character that no language has, or 0.
func nonsense(r rune) float64 {
	if r < 0xa0 || unicode.Is(unicode.Co, r) || !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P,
		unicode.S, unicode.Z, unicode.Cf) {
		return costNonsense
	}
	return 0
}

// typographic is what a mark costs that any language may use, or 0.
func typographic(r rune) float64 {
	switch {
	case strings.ContainsRune("“”‘’—–…·", r):
		return 5
	case strings.ContainsRune("\u00a0«»„€°§×→•", r):
		return 6.5
	case strings.ContainsRune("©®™±²³½¼¾µ£¡¿‰†‡←↑↓■□▲△●○◆★☆√≤≥≠①②③④⑤⑥⑦⑧⑨", r):
		return 8.5
	case r == 0xfeff || unicode.In(r, unicode.P, unicode.S, unicode.Z, unicode.N, unicode.M, unicode.Cf):
		return 11
	}
	return 0
}
