package text

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"ragdesk/backend/rag"
)

// Folded is a text in the form that is searched, with the way back to the text
// it was made from.
type Folded struct {
	// Text has full-width and other compatibility characters in their plain
	// forms (NFKC, Unicode Standard Annex 15), letters in lower case and, in
	// Latin script, without accents, traditional Chinese characters as their
	// simplified ones, and no invisible characters.
	Text  string
	marks []mark
}

// mark starts a stretch of the folded text. The bytes of a plain stretch stand
// for one byte each from origin on; any other stretch stands as a whole for
// [origin, end), as the three characters of a folded "½" do.
type mark struct {
	folded, origin, end int
	plain               bool
}

// Fold returns s folded. Folding what is folded changes nothing.
func Fold(s string) Folded {
	var b strings.Builder
	b.Grow(len(s))
	var marks []mark
	foldClusters(s, func(cluster []rune, start, end int) {
		at := mark{folded: b.Len(), origin: start, end: end}
		for _, r := range cluster {
			b.WriteRune(r)
		}
		at.plain = len(cluster) == 1 && b.Len()-at.folded == end-start
		if n := len(marks); n > 0 && at.plain && marks[n-1].plain && marks[n-1].end == start {
			marks[n-1].end = end
			return
		}
		marks = append(marks, at)
	})
	return Folded{Text: b.String(), marks: marks}
}

// Origin returns the bytes of the original text that the span of f.Text was made
// from. Part of a character that folds to several stands for the whole of it.
func (f Folded) Origin(span rag.Span) rag.Span {
	if len(f.marks) == 0 {
		return rag.Span{}
	}
	m := f.at(span.Start)
	start := m.origin
	if m.plain {
		start = min(m.origin+span.Start-m.folded, m.end)
	}
	if span.Len() <= 0 {
		return rag.Span{Start: start, End: start}
	}
	m = f.at(span.End - 1)
	end := m.end
	if m.plain {
		end = m.origin + span.End - m.folded
	}
	return rag.Span{Start: start, End: end}
}

// at returns the stretch that holds the byte of f.Text.
func (f Folded) at(folded int) mark {
	i := sort.Search(len(f.marks), func(i int) bool { return f.marks[i].folded > folded })
	return f.marks[max(i-1, 0)]
}

// foldClusters calls emit for each group of characters of s that fold together,
// in order, with the folded characters, none if the group is invisible, and the
// bytes of the group. The slice is valid during the call.
func foldClusters(s string, emit func(cluster []rune, start, end int)) {
	var buf [8]rune
	latin := false // whether the last character was a Latin letter
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		cluster := buf[:0]
		switch {
		case r < utf8.RuneSelf && !accentFollows(s[i+1:]):
			if 'A' <= r && r <= 'Z' {
				r += 'a' - 'A'
			}
			cluster = append(cluster, r)
			latin = 'a' <= r && r <= 'z'
		case isPlainHan(r):
			cluster = append(cluster, Simplified(r))
			latin = false
		default:
			size = max(norm.NFKC.NextBoundaryInString(s[i:], true), size)
			for _, r := range norm.NFKC.String(s[i : i+size]) {
				cluster, latin = foldRune(cluster, r, latin)
			}
		}
		if len(cluster) > 0 {
			emit(cluster, i, i+size)
		}
		i += size
	}
}

// accentFollows reports whether s starts with a combining diacritical mark.
func accentFollows(s string) bool {
	if len(s) < 2 || s[0] != 0xCC && s[0] != 0xCD {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s)
	return r >= 0x300 && r <= 0x36F
}

// foldRune appends the folded form of a character in NFKC to dst; afterLatin
// says whether it follows a Latin letter, and the result whether it is one.
func foldRune(dst []rune, r rune, afterLatin bool) ([]rune, bool) {
	switch {
	case Han(r):
		return append(dst, Simplified(r)), false
	case invisible(r):
		return dst, afterLatin
	case afterLatin && unicode.Is(unicode.Mn, r):
		return dst, true
	case r == 'ß' || r == 'ẞ':
		return append(dst, 's', 's'), true
	}
	if r >= 0xC0 && unicode.Is(unicode.Latin, r) {
		if d := norm.NFD.PropertiesString(string(r)).Decomposition(); d != nil {
			r, _ = utf8.DecodeRune(d)
		}
	}
	r = unicode.ToLower(unicode.ToUpper(r))
	return append(dst, r), unicode.Is(unicode.Latin, r)
}
