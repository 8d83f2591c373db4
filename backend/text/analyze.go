package text

import (
	"strings"
	"unicode"

	"ragdesk/backend/rag"
)

// Term is an entry of an index and the bytes of the text it was found in.
type Term struct {
	// Term is folded and, for an English word, stemmed.
	Term string
	// Span covers the term in the text as it was given.
	Span rag.Span
	// Stop marks a term too common to ask for.
	Stop bool
	// out marks a term that the lexicon leaves out.
	out bool
}

// Analysis holds the terms of a text in three streams, each in text order.
type Analysis struct {
	// Words are dictionary words of Chinese and the words, numbers and compounds
	// of other scripts. A compound such as "bge-small-zh-v1.5" is there whole and
	// in its parts, the whole first. Chinese numbers are there in Arabic digits
	// too, after the words they are made of.
	Words []Term
	// Bigrams are pairs of neighbouring Chinese, Japanese or Korean characters.
	Bigrams []Term
	// Chars are the single Chinese, Japanese and Korean characters.
	Chars []Term
}

// Analyze returns the terms of s. Text and query go through the same analysis.
func Analyze(s string) Analysis { return (*Lexicon)(nil).Analyze(s) }

// Analyze is the function Analyze with a library's own words. A nil lexicon has
// none.
func (l *Lexicon) Analyze(s string) Analysis {
	dict, err := openDictionary()
	if err != nil {
		dict = nil // Ready reports it
	}
	a := analyzer{dict: dict, lexicon: l, folded: foldIndexed(s)}
	a.run()
	return a.out
}

// indexed is a folded text with the origin of each character.
type indexed struct {
	text  string
	runes []rune
	// at[i] is the byte of text where character i starts; one more at the end.
	at []int32
	// start and end are the bytes of the origin behind each character.
	start, end []int32
}

func foldIndexed(s string) indexed {
	n := len(s)/2 + 1
	f := indexed{runes: make([]rune, 0, n), at: make([]int32, 0, n+1), start: make([]int32, 0, n), end: make([]int32, 0, n)}
	var b strings.Builder
	b.Grow(len(s))
	foldClusters(s, func(cluster []rune, start, end int) {
		for _, r := range cluster {
			f.runes = append(f.runes, r)
			f.at = append(f.at, int32(b.Len()))
			f.start = append(f.start, int32(start))
			f.end = append(f.end, int32(end))
			b.WriteRune(r)
		}
	})
	f.at = append(f.at, int32(b.Len()))
	f.text = b.String()
	return f
}

// slice returns the folded characters [i, j).
func (f *indexed) slice(i, j int) string { return f.text[f.at[i]:f.at[j]] }

// term returns the characters [i, j) as a term.
func (f *indexed) term(i, j int) Term {
	return Term{Term: f.slice(i, j), Span: rag.Span{Start: int(f.start[i]), End: int(f.end[j-1])}}
}

// class sorts characters into those that form terms together.
type class uint8

const (
	otherClass class = iota
	hanClass
	hiraganaClass
	katakanaClass
	hangulClass
	alnumClass
)

func classOf(r rune) class {
	switch {
	case r < 0x80:
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return alnumClass
		}
		return otherClass
	case Han(r):
		return hanClass
	case r == 'ー' || unicode.Is(unicode.Katakana, r):
		return katakanaClass
	case unicode.Is(unicode.Hiragana, r):
		return hiraganaClass
	case hangul(r):
		return hangulClass
	case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r):
		return alnumClass
	}
	return otherClass
}

// analyzer takes the terms of a folded text: its words first, then the pairs and
// single characters, which stop where their words do.
type analyzer struct {
	dict    *dictionary
	lexicon *Lexicon
	folded  indexed
	out     Analysis
	ends    []int
	// own are the words of the lexicon that are no plain run of Chinese characters,
	// by the characters they take, and done is where the last of them that was taken
	// ends.
	own  [][2]int
	done int
	// at is the word that pairs has come to.
	at int
}

func (a *analyzer) run() {
	f := &a.folded
	a.own = a.lexicon.find(f)
	a.out.Words = make([]Term, 0, len(f.runes)/2)
	for i := 0; i < len(f.runes); {
		switch c := classOf(f.runes[i]); {
		case a.takeOwn(i):
			i = a.done
		case c == otherClass:
			i++
		case c == alnumClass:
			end := f.compoundEnd(i)
			if next := a.bound(end); next < end {
				for end = next; classOf(f.runes[end-1]) != alnumClass; {
					end-- // a sign that would join the lexicon's word
				}
			}
			i = a.compound(i, end)
		default:
			i = a.ideographs(i, c)
		}
	}
	for i := 0; i < len(f.runes); {
		if !ideograph(classOf(f.runes[i])) {
			i++
			continue
		}
		j := i + 1
		for j < len(f.runes) && ideograph(classOf(f.runes[j])) {
			j++
		}
		a.pairs(i, j)
		i = j
	}
	a.lexicon.leaveOut(&a.out)
}

// ideograph reports whether characters of a class form pairs.
func ideograph(c class) bool { return c != otherClass && c != alnumClass }

// takeOwn takes a word of the lexicon that begins at i, if one does.
func (a *analyzer) takeOwn(i int) bool {
	if len(a.own) == 0 || a.own[0][0] != i {
		return false
	}
	t := a.folded.term(i, a.own[0][1])
	t.out = a.lexicon.stops(t.Term)
	a.out.Words = append(a.out.Words, t)
	a.done, a.own = a.own[0][1], a.own[1:]
	return true
}

// bound ends what would go on to end before the next word of the lexicon.
func (a *analyzer) bound(end int) int {
	if len(a.own) > 0 && a.own[0][0] < end {
		return a.own[0][0]
	}
	return end
}

// ideographs takes the characters of one class at i.
func (a *analyzer) ideographs(i int, c class) int {
	f := &a.folded
	j := i + 1
	for j < len(f.runes) && classOf(f.runes[j]) == c {
		j++
	}
	j = a.bound(j)
	if c == hanClass {
		a.words(i, j)
		a.numerals(i, j)
	} else {
		t := f.term(i, j)
		t.out = a.lexicon.stops(t.Term)
		a.out.Words = append(a.out.Words, t)
	}
	return j
}

// words cuts the Chinese run [i, j) into words of the dictionary and the lexicon.
func (a *analyzer) words(i, j int) {
	f := &a.folded
	a.ends = a.dict.segment(a.ends[:0], f.slice(i, j), a.lexicon)
	base, from := f.at[i], i
	for _, end := range a.ends {
		to := from + 1
		for f.at[to] < base+int32(end) {
			to++
		}
		t := f.term(from, to)
		t.out = a.lexicon.stops(t.Term)
		t.Stop = StopWord(t.Term) && !a.lexicon.has(t.Term)
		a.out.Words = append(a.out.Words, t)
		from = to
	}
}

// pairs adds the bigrams and single characters of the run [i, j). A bigram or
// character stops, or is left out, if every word it touches is.
func (a *analyzer) pairs(i, j int) {
	f := &a.folded
	if a.out.Chars == nil {
		a.out.Chars = make([]Term, 0, len(f.runes)-i)
		a.out.Bigrams = make([]Term, 0, len(f.runes)-i)
	}
	var prev Term
	for k := i; k < j; k++ {
		for a.at < len(a.out.Words) && a.out.Words[a.at].Span.End <= int(f.start[k]) {
			a.at++
		}
		t := f.term(k, k+1)
		if a.at < len(a.out.Words) {
			t.Stop, t.out = a.out.Words[a.at].Stop, a.out.Words[a.at].out
		}
		a.out.Chars = append(a.out.Chars, t)
		if k > i {
			pair := f.term(k-1, k+1)
			pair.Stop, pair.out = t.Stop && prev.Stop, t.out && prev.out
			a.out.Bigrams = append(a.out.Bigrams, pair)
		}
		prev = t
	}
}
