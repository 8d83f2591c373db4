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
func Analyze(s string) Analysis {
	dict, err := openDictionary()
	if err != nil {
		dict = nil // Ready reports it
	}
	a := analyzer{dict: dict, folded: foldIndexed(s)}
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

// analyzer walks a folded text once.
type analyzer struct {
	dict   *dictionary
	folded indexed
	out    Analysis
	ends   []int
}

func (a *analyzer) run() {
	f := &a.folded
	a.out.Words = make([]Term, 0, len(f.runes)/2)
	for i := 0; i < len(f.runes); {
		switch classOf(f.runes[i]) {
		case otherClass:
			i++
		case alnumClass:
			i = a.compound(i)
		default:
			i = a.ideographs(i)
		}
	}
}

// ideographs takes the run of Chinese, Japanese and Korean characters at i.
func (a *analyzer) ideographs(i int) int {
	f := &a.folded
	j := i
	for j < len(f.runes) {
		c := classOf(f.runes[j])
		if c == otherClass || c == alnumClass {
			break
		}
		k := j + 1
		for k < len(f.runes) && classOf(f.runes[k]) == c {
			k++
		}
		if c == hanClass {
			a.words(j, k)
			a.numerals(j, k)
		} else {
			a.out.Words = append(a.out.Words, f.term(j, k))
		}
		j = k
	}
	a.pairs(i, j)
	return j
}

// words cuts the Chinese run [i, j) into dictionary words.
func (a *analyzer) words(i, j int) {
	f := &a.folded
	a.ends = a.dict.segment(a.ends[:0], f.slice(i, j))
	base, from := f.at[i], i
	for _, end := range a.ends {
		to := from + 1
		for f.at[to] < base+int32(end) {
			to++
		}
		t := f.term(from, to)
		t.Stop = StopWord(t.Term)
		a.out.Words = append(a.out.Words, t)
		from = to
	}
}

// pairs adds the bigrams and single characters of the run [i, j), whose words
// were added last. A bigram or character stops if every word it touches does.
func (a *analyzer) pairs(i, j int) {
	f := &a.folded
	w := len(a.out.Words)
	for w > 0 && a.out.Words[w-1].Span.Start >= int(f.start[i]) {
		w--
	}
	if a.out.Chars == nil {
		a.out.Chars = make([]Term, 0, len(f.runes)-i)
		a.out.Bigrams = make([]Term, 0, len(f.runes)-i)
	}
	prevStop := false
	for k := i; k < j; k++ {
		for w < len(a.out.Words) && a.out.Words[w].Span.End <= int(f.start[k]) {
			w++
		}
		stop := w < len(a.out.Words) && a.out.Words[w].Stop
		t := f.term(k, k+1)
		t.Stop = stop
		a.out.Chars = append(a.out.Chars, t)
		if k > i {
			t := f.term(k-1, k+1)
			t.Stop = stop && prevStop
			a.out.Bigrams = append(a.out.Bigrams, t)
		}
		prevStop = stop
	}
}
