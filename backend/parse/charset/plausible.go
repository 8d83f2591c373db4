package charset

import (
	"iter"
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
// ASCII costs the same under all languages, so that code and English inside a
// text decide little: only in words that hold letters beyond it do ASCII letters
// count fully, and elsewhere up to maxAccent. Changing between scripts costs what
// the text's own mixture makes of it, so that one Chinese character in a page of
// English is dear, and one in a page of Chinese free.

// Costs in nats.
const (
	costNUL      = 5.0  // one in a hundred is odd, every other one is UTF-16
	costControl  = 12.0 // C0 and DEL
	costNonsense = 20.0 // C1, private use, unassigned
	costForeign  = 11.0 // a letter of another script, in most languages
	costUpper    = 3.0  // a capital costs that much more than its small letter
	costBreak    = 5.0  // a capital after a small letter inside a word
	costStranger = 6.0  // a language that the encoding was not made for
	costTangle   = 7.0  // letters of two alphabets inside one word
	costLone     = 4.0  // one East Asian character glued to ASCII letters or digits
	maxAccent    = 8.0  // what the ASCII words of a text say against a language
)

// script is what letters belong to, as far as it matters here.
type script uint8

const (
	scriptNone script = iota
	scriptLatin
	scriptCyrillic
	scriptOther // Greek, Armenian and the like
	scriptEastAsian
	numScripts
)

func (s script) alphabetic() bool { return s != scriptNone && s != scriptEastAsian }

func scriptOf(r rune) script {
	switch {
	case r < 0x80:
		if 'a' <= r|0x20 && r|0x20 <= 'z' {
			return scriptLatin
		}
		return scriptNone
	case r < 0xc0 || r == '×' || r == '÷':
		return scriptNone
	case r < 0x250:
		return scriptLatin
	case 0x400 <= r && r < 0x530:
		return scriptCyrillic
	case r < 0x590:
		if unicode.IsLetter(r) {
			return scriptOther
		}
		return scriptNone
	case r == '々' || 0x3041 <= r && r <= 0x30fe || 0x3400 <= r && r <= 0x9fff ||
		0xac00 <= r && r <= 0xd7a3 || 0xf900 <= r && r <= 0xfaff || 0xff66 <= r && r <= 0xff9f || r >= 0x20000:
		return scriptEastAsian
	}
	return scriptNone
}

// profile counts what a text is made of.
type profile struct {
	// counts counts characters beyond ASCII; glyphs is what they are.
	counts tally
	glyphs []glyph
	// letters counts ASCII letters, folded to lower case, in words with letters
	// beyond ASCII; plain those in other words.
	letters, plain [26]int
	// runs counts stretches of letters by script.
	runs [numScripts]int
	// neutral is the cost that is the same under all languages.
	neutral float64
	// evidence is the number of characters in counts, total that of all.
	evidence, total int
}

// tally counts characters by pages of 256.
type tally struct {
	pages [(unicode.MaxRune + 1) >> 8]*[256]int
}

func (t *tally) add(r rune) {
	page := &t.pages[r>>8]
	if *page == nil {
		*page = new([256]int)
	}
	(*page)[r&0xff]++
}

// all yields the characters counted, in order, with their counts.
func (t *tally) all() iter.Seq2[rune, int] {
	return func(yield func(rune, int) bool) {
		for hi, page := range t.pages {
			if page == nil {
				continue
			}
			for lo, n := range page {
				if n > 0 && !yield(rune(hi<<8|lo), n) {
					return
				}
			}
		}
	}
}

// glyph is a character beyond ASCII and what all languages make of it.
type glyph struct {
	r, lower rune
	count    int
	script   script
	// mark is what it costs as a mark that any language may use, 0 if it is none.
	mark float64
}

// plausibility returns the cost of s under the likeliest language, and what a
// character costs on average in what is beyond ASCII and the words around it; 0
// when there is too little of that to judge. Languages that are not in the blank
// separated list natural count against the text unless the list is empty.
func plausibility(s, natural string) (cost, density float64) {
	p := new(profile)
	p.read(s)
	least := math.Inf(1)
	for _, l := range languages() {
		least = min(least, l.accent(p))
	}
	best := math.Inf(1)
	for _, l := range languages() {
		c := l.costOf(p) + min(maxAccent, max(0, l.accent(p)-least))
		if natural != "" && !strings.Contains(" "+natural+" ", " "+l.name+" ") {
			c += costStranger
		}
		best = min(best, c)
	}
	if p.evidence >= 8 && 10*p.evidence >= p.total {
		n := p.evidence
		for _, count := range p.letters {
			n += count
		}
		density = best / float64(n)
	}
	return p.neutral + p.mixture() + best, density
}

// mixture is the cost of the sequence of scripts, each at its own share.
func (p *profile) mixture() float64 {
	total, cost := 0, 0.0
	for _, n := range p.runs {
		total += n
	}
	for _, n := range p.runs {
		if n > 0 {
			cost += float64(n) * math.Log(float64(total)/float64(n))
		}
	}
	return cost
}

// read weighs s run by run.
func (p *profile) read(s string) {
	start, current, glued := 0, scriptNone, false
	var last rune
	for i, r := range s {
		p.total++
		if sc := scriptOf(r); sc != current {
			p.addRun(current, s[start:i], glued || isASCIIWord(r))
			if sc.alphabetic() && current.alphabetic() {
				p.neutral += costTangle
			}
			start, current, glued = i, sc, isASCIIWord(last)
		}
		if current == scriptNone {
			p.addOther(r)
		}
		last = r
	}
	p.addRun(current, s[start:], glued)
	for r, n := range p.counts.all() {
		if nonsense(r) {
			p.neutral += float64(n) * costNonsense
			continue
		}
		p.glyphs = append(p.glyphs, glyph{r, unicode.ToLower(r), n, scriptOf(r), typographic(r)})
	}
}

// isASCIIWord reports whether r is an ASCII letter or digit.
func isASCIIWord(r rune) bool {
	return r < 0x80 && ('a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9')
}

// addRun counts a stretch of letters of one script; glued says that an ASCII
// letter or digit touches it.
func (p *profile) addRun(sc script, run string, glued bool) {
	switch sc {
	case scriptNone:
		return
	case scriptEastAsian:
		n := 0
		for _, r := range run {
			p.counts.add(r)
			n++
		}
		if n == 1 && glued {
			p.neutral += costLone
		}
		p.evidence += n
	default:
		p.addWord(run)
	}
	p.runs[sc]++
}

// addOther counts a character that is no letter.
func (p *profile) addOther(r rune) {
	if r < 0x80 {
		p.neutral += asciiCost(r)
		return
	}
	p.counts.add(r)
	p.evidence++
}

// addWord counts the letters of one word.
func (p *profile) addWord(word string) {
	letters := &p.plain
	for i := range len(word) {
		if word[i] >= 0x80 {
			letters = &p.letters
			break
		}
	}
	lower := false
	for _, r := range word {
		upper := unicode.IsUpper(r)
		switch {
		case r >= 0x80:
			if lower && upper {
				p.neutral += costBreak
			}
			p.counts.add(r)
			p.evidence++
		case letters == &p.plain:
			p.neutral += asciiCost(r)
			letters[(r|0x20)-'a']++
		default:
			letters[(r|0x20)-'a']++
			if upper {
				p.neutral += costUpper
			}
		}
		lower = !upper
	}
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
	// latin languages are also known by their ASCII words.
	latin bool
	// letter is the cost of an ASCII letter inside a word that has others.
	letter func(c byte) float64
	// char is the cost of a character beyond ASCII.
	char func(g *glyph) float64
}

func (l language) costOf(p *profile) float64 {
	sum := 0.0
	for i := range p.glyphs {
		g := &p.glyphs[i]
		sum += float64(g.count) * l.char(g)
	}
	for i, n := range p.letters {
		if n > 0 {
			sum += float64(n) * l.letter(byte('a'+i))
		}
	}
	return sum
}

// accent is the cost of the plain ASCII words in a language of Latin script, 0
// in the others.
func (l language) accent(p *profile) float64 {
	if !l.latin {
		return 0
	}
	sum := 0.0
	for i, n := range p.plain {
		if n > 0 {
			sum += float64(n) * (l.letter(byte('a'+i)) - asciiCost('a'))
		}
	}
	return sum
}

// nonsense reports whether no language has r: C1 controls, private use, and what
// is not assigned.
func nonsense(r rune) bool {
	return r < 0xa0 || !unicode.In(r, unicode.L, unicode.P, unicode.S, unicode.N, unicode.M, unicode.Z, unicode.Cf)
}

// typographic is what a mark costs that any language may use, or 0.
func typographic(r rune) float64 {
	switch {
	case strings.ContainsRune("“”‘’—–…·", r):
		return 4.5
	case strings.ContainsRune("\u00a0\u00ad«»„€°§×→•±µ²³", r):
		return 6
	case strings.ContainsRune("©®™½¼¾£¡¿‰†‡←↑↓■□▲△●○◆★☆√≤≥≠①②③④⑤⑥⑦⑧⑨", r):
		return 8
	case r == 0xfeff || unicode.In(r, unicode.P, unicode.S, unicode.Z, unicode.N, unicode.M, unicode.Cf):
		return 11
	}
	return 0
}
