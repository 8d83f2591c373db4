package answer

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"ragdesk/backend/text"
)

// terms are what a sentence says.
type terms struct {
	// words are those that are not too common, each once. A single Chinese character
	// says little, so it counts only beside another, as a pair.
	words []string
	// numbers are in Arabic digits.
	numbers []string
}

func termsOf(sentence string) terms {
	out := terms{numbers: numbersIn(text.Fold(sentence).Text)}
	all := text.Analyze(sentence).Words
	add := func(w string) {
		if !slices.Contains(out.words, w) {
			out.words = append(out.words, w)
		}
	}
	for i, t := range all {
		switch {
		case t.Stop:
		case !isChar(t.Term):
			add(t.Term)
		case i > 0 && isChar(all[i-1].Term) && !all[i-1].Stop && all[i-1].Span.End == t.Span.Start:
			add(all[i-1].Term + t.Term)
		}
	}
	for i := 0; len(out.words) == 0 && i < len(all); i++ { // nothing but common words
		out.words = append(out.words, all[i].Term)
	}
	return out
}

// isChar reports a single Chinese character.
func isChar(s string) bool {
	r, size := utf8.DecodeRuneInString(s)
	return size == len(s) && text.Han(r)
}

// numberPattern finds numbers in folded text, in Arabic digits or in Chinese.
var numberPattern = regexp.MustCompile(`[0-9]+(?:[.,][0-9]+)*|[〇零一二两三四五六七八九十百千万亿]+`)

// numbersIn lists the numbers of a folded text in Arabic digits. A lone 一 often
// counts nothing, as in 一个, and is left out.
func numbersIn(folded string) []string {
	var out []string
	for _, n := range numberPattern.FindAllString(folded, -1) {
		switch {
		case n[0] <= '9':
			out = append(out, strings.ReplaceAll(n, ",", ""))
		case n != "一":
			if value, ok := text.Number([]rune(n)); ok {
				out = append(out, value)
			}
		}
	}
	return out
}

// overlap is what a text holds of terms.
type overlap struct {
	// share is the share of the words, in [0, 1].
	share float64
	// numbers reports that no number is missing.
	numbers bool
}

// in looks the terms up in a text. A Chinese word also counts where the text is cut
// into other words there.
func (t terms) in(s string) overlap {
	out := overlap{numbers: true}
	if len(t.words) == 0 {
		return out
	}
	has := map[string]bool{}
	for _, term := range text.Analyze(s).Words {
		has[term.Term] = true
	}
	folded := text.Fold(s).Text
	numbers := numbersIn(folded)
	found := 0
	for _, w := range t.words {
		if has[w] || text.Han([]rune(w)[0]) && strings.Contains(folded, w) {
			found++
		}
	}
	for _, n := range t.numbers {
		out.numbers = out.numbers && slices.Contains(numbers, n)
	}
	out.share = float64(found) / float64(len(t.words))
	return out
}
