package text

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"ragdesk/backend/rag"
)

// listCount is how many words of running text the frequencies of the word list, and
// of a library's own words, are counted in.
const listCount = 60e6

// Lexicon holds a library's own words and stop words beside those of the program.
// Each of its words is one term wherever it is found, neither cut nor stemmed; what
// is left of it in pairs and single characters is found as before. Its stop words,
// and the pairs and characters in them, are in no analysis. A nil lexicon is empty. It
// is safe for concurrent use.
type Lexicon struct {
	// words tells the words from the stop words, by their folded forms.
	words map[string]bool
	// han has the costs of those that are Chinese characters throughout, mixed all
	// others; prefixes of words have the cost prefixOnly.
	han, mixed map[string]int32
	print      string
}

// prefixOnly marks what begins a word and is none.
const prefixOnly = -1

// NewLexicon makes a lexicon. Of words that fold to the same the last counts. No words
// make a nil lexicon.
func NewLexicon(words []rag.Word) *Lexicon {
	if len(words) == 0 {
		return nil
	}
	dict, err := openDictionary()
	if err != nil {
		dict = nil // Ready reports it
	}
	l := &Lexicon{words: map[string]bool{}, han: map[string]int32{}, mixed: map[string]int32{}}
	byTerm := map[string]rag.Word{}
	for _, w := range words {
		term := Fold(w.Word).Text
		byTerm[term] = w
		l.words[term] = !w.Stop
	}
	terms := make([]string, 0, len(byTerm))
	for term, w := range byTerm {
		terms = append(terms, term)
		l.add(dict, term, w.Freq)
	}
	l.print = wordsPrint(byTerm, terms)
	return l
}

// add enters a folded word where it is looked for.
func (l *Lexicon) add(dict *dictionary, term string, freq int64) {
	into, cost := l.mixed, int32(0)
	if plainHan(term) {
		into, cost = l.han, wordCost(dict, term, freq)
	}
	for i := range term {
		if _, known := into[term[:i]]; i > 0 && !known {
			into[term[:i]] = prefixOnly
		}
	}
	into[term] = cost
}

// wordCost is the cost of a folded Chinese word in the program's word list, or what
// cutting it apart costs, at which the whole wins; a frequency overrules both.
func wordCost(dict *dictionary, term string, freq int64) int32 {
	if freq > 0 {
		return int32(max(math.Round(math.Log(listCount/float64(freq))*CostScale), 1))
	}
	return dict.cost(term)
}

func plainHan(s string) bool {
	for _, r := range s {
		if !Han(r) {
			return false
		}
	}
	return true
}

// wordsPrint is a hash of the words in the order of their folded forms.
func wordsPrint(byTerm map[string]rag.Word, terms []string) string {
	slices.Sort(terms)
	h := sha256.New()
	for _, t := range terms {
		fmt.Fprintf(h, "%s\x00%d\x00%t\n", t, byTerm[t].Freq, byTerm[t].Stop)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Print is a hash of the words, "" of none.
func (l *Lexicon) Print() string {
	if l == nil {
		return ""
	}
	return l.print
}

// Fingerprint is that of the program's analysis with the lexicon's words added.
func (l *Lexicon) Fingerprint() string {
	if l == nil {
		return Fingerprint()
	}
	return Fingerprint() + "+" + l.print
}

// has reports whether a folded word is one of the lexicon's, but no stop word.
func (l *Lexicon) has(word string) bool { return l != nil && l.words[word] }

// stops reports whether a folded word is one of the lexicon's stop words.
func (l *Lexicon) stops(word string) bool {
	if l == nil {
		return false
	}
	isWord, known := l.words[word]
	return known && !isWord
}

// relax is the relax of dictionaries for the words of the lexicon, after theirs.
func (l *Lexicon) relax(best, step []int32, run string, i int) {
	if l == nil {
		return
	}
	for j := i; j < len(run); {
		_, size := utf8.DecodeRuneInString(run[j:])
		j += size
		cost, known := l.han[run[i:j]]
		if !known {
			return
		}
		if cost == prefixOnly {
			continue
		}
		c, length := cost+best[j], int32(j-i)
		if c < best[i] || c == best[i] && length > step[i] {
			best[i], step[i] = c, length
		}
	}
}

// find returns the characters of the words that are not Chinese throughout, from left
// to right and the longest at each place. None begins or ends inside a word or number
// of letters and digits.
func (l *Lexicon) find(f *indexed) [][2]int {
	if l == nil || len(l.mixed) == 0 {
		return nil
	}
	var out [][2]int
	for i := 0; i < len(f.runes); {
		end := l.longest(f, i)
		if end > i {
			out = append(out, [2]int{i, end})
		}
		i = max(end, i+1)
	}
	return out
}

// longest returns where the longest word at i ends, or i.
func (l *Lexicon) longest(f *indexed, i int) int {
	if i > 0 && sameRun(f.runes[i-1], f.runes[i]) {
		return i
	}
	found := i
	for j := i + 1; j <= len(f.runes); j++ {
		cost, known := l.mixed[f.slice(i, j)]
		if !known {
			break
		}
		if cost != prefixOnly && (j == len(f.runes) || !sameRun(f.runes[j-1], f.runes[j])) {
			found = j
		}
	}
	return found
}

// sameRun reports whether neighbours are of one word of letters or of one number.
func sameRun(a, b rune) bool {
	return classOf(a) == alnumClass && classOf(b) == alnumClass && digit(a) == digit(b)
}

// leaveOut drops the stop words of the lexicon.
func (l *Lexicon) leaveOut(a *Analysis) {
	if l == nil {
		return
	}
	for _, stream := range []*[]Term{&a.Words, &a.Bigrams, &a.Chars} {
		*stream = slices.DeleteFunc(*stream, func(t Term) bool { return t.out })
	}
}

// SortWords orders words by their folded forms and leaves of those that fold to the
// same the last.
func SortWords(words []rag.Word) []rag.Word {
	byTerm := make(map[string]int, len(words))
	for i, w := range words {
		byTerm[Fold(w.Word).Text] = i
	}
	out := make([]rag.Word, 0, len(byTerm))
	for i, w := range words {
		if byTerm[Fold(w.Word).Text] == i {
			out = append(out, w)
		}
	}
	slices.SortFunc(out, func(a, b rag.Word) int { return cmp.Compare(Fold(a.Word).Text, Fold(b.Word).Text) })
	return out
}
