package text

import (
	"strings"
	"unicode"

	english "github.com/blevesearch/snowballstem/english"

	"github.com/blevesearch/snowballstem"
)

// compound takes the words, numbers and the signs that join them in [i, end): the
// whole as one term if it has parts, then its parts.
func (a *analyzer) compound(i, end int) int {
	f := &a.folded
	var parts [][2]int
	for k := i; k < end; {
		if classOf(f.runes[k]) != alnumClass {
			k++
			continue
		}
		p := k + 1
		for p < end && classOf(f.runes[p]) == alnumClass && digit(f.runes[p]) == digit(f.runes[k]) {
			p++
		}
		parts = append(parts, [2]int{k, p})
		k = p
	}
	if possessive(f.slice(i, end)) {
		a.word(i, parts[0][1])
		return end
	}
	if len(parts) > 1 || parts[0][1] < end {
		t := f.term(i, end)
		if digitGroups(t.Term) {
			t.Term = strings.ReplaceAll(t.Term, ",", "")
			a.out.Words = append(a.out.Words, t)
			return end
		}
		a.out.Words = append(a.out.Words, t)
	}
	for _, p := range parts {
		a.word(p[0], p[1])
	}
	return end
}

// word adds a single word or number.
func (a *analyzer) word(i, j int) {
	t := a.folded.term(i, j)
	t.Stop = StopWord(t.Term)
	t.Term = Stem(t.Term)
	a.out.Words = append(a.out.Words, t)
}

// compoundEnd returns where the compound at i ends: letters and digits, single
// joining signs between them, and the plus and hash signs of names like C++.
func (f *indexed) compoundEnd(i int) int {
	j := i
	for j < len(f.runes) {
		switch r := f.runes[j]; {
		case classOf(r) == alnumClass:
			j++
		case j+1 < len(f.runes) && classOf(f.runes[j+1]) == alnumClass && joins(f.runes[j-1], r, f.runes[j+1]):
			j += 2
		default:
			return f.plusEnd(i, j)
		}
	}
	return j
}

// plusEnd extends a compound of one or two letters over "++", "+" or "#".
func (f *indexed) plusEnd(i, j int) int {
	if j-i > 2 || !unicode.IsLetter(f.runes[j-1]) {
		return j
	}
	k := j
	for k < len(f.runes) && k < j+2 && (f.runes[k] == '+' || f.runes[k] == '#') {
		k++
	}
	if k < len(f.runes) && classOf(f.runes[k]) == alnumClass {
		return j
	}
	return k
}

// joins reports whether a sign between two characters makes one compound.
func joins(before, sign, after rune) bool {
	switch sign {
	case '-', '_', '.', '@', '/', '&', '+', '\'', '’', '‐', '‑':
		return true
	case ',', ':':
		return digit(before) && digit(after)
	}
	return false
}

func digit(r rune) bool { return r >= '0' && r <= '9' || r > 0x80 && unicode.IsDigit(r) }

// possessive reports whether s is an English word with its 's or '.
func possessive(s string) bool {
	for _, suffix := range []string{"'s", "’s"} {
		if w, ok := strings.CutSuffix(s, suffix); ok {
			return w != "" && !strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsLetter(r) })
		}
	}
	return false
}

// digitGroups reports whether s is a number in groups of three, like 1,000,000.
func digitGroups(s string) bool {
	groups := strings.Split(s, ",")
	for i, g := range groups {
		if i > 0 && len(g) != 3 || g == "" || len(g) > 3 || strings.Trim(g, "0123456789") != "" {
			return false
		}
	}
	return len(groups) > 1
}

// Stem reduces an English word in lower case to its stem by the Porter2 rules;
// other words stay as they are.
func Stem(word string) string {
	if len(word) < 3 || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") != "" {
		return word
	}
	env := snowballstem.NewEnv(word)
	english.Stem(env)
	return env.Current()
}
