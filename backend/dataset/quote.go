package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"

	"ragdesk/backend/rag"
)

// body is a document's text with what searching it for quotes needs, each made
// when first wanted.
type body struct {
	text string
	// points are the bytes where code points begin, and the end.
	points []int
	// squeezed is the text without blanks and differences of width; origin has,
	// for each of its bytes, where its character begins in text.
	squeezed string
	origin   []int
}

// hash is the SHA-256 of the text in hexadecimal, which tells whether a document
// changed.
func (b *body) hash() string {
	sum := sha256.Sum256([]byte(b.text))
	return hex.EncodeToString(sum[:])
}

// bytesOf converts code points to bytes; ok is false outside the text.
func (b *body) bytesOf(p rag.Span) (s rag.Span, ok bool) {
	if b.points == nil {
		b.points = make([]int, 0, len(b.text)/2+1)
		for i := range b.text {
			b.points = append(b.points, i)
		}
		b.points = append(b.points, len(b.text))
	}
	if p.Start < 0 || p.End <= p.Start || p.End >= len(b.points) {
		return rag.Span{}, false
	}
	return rag.Span{Start: b.points[p.Start], End: b.points[p.End]}, true
}

// find returns the occurrence of quote that begins nearest to the byte near, the
// first one when near is negative, and how many there are. Exact occurrences go
// before those that differ in blanks or width.
func (b *body) find(quote string, near int) (s rag.Span, count int) {
	if s, count = nearest(b.text, quote, near, func(at, n int) rag.Span { return rag.Span{Start: at, End: at + n} }); count > 0 {
		return s, count
	}
	if b.origin == nil {
		b.squeezed, b.origin = squeeze(b.text)
	}
	wanted, _ := squeeze(quote)
	return nearest(b.squeezed, wanted, near, func(at, n int) rag.Span {
		last := b.origin[at+n-1]
		_, size := utf8.DecodeRuneInString(b.text[last:])
		return rag.Span{Start: b.origin[at], End: last + size}
	})
}

// nearest looks for the occurrences of part in whole, which may overlap, and
// returns the place of the one that begins nearest to near.
func nearest(whole, part string, near int, place func(at, n int) rag.Span) (best rag.Span, count int) {
	if part == "" {
		return rag.Span{}, 0
	}
	for from := 0; ; {
		i := strings.Index(whole[from:], part)
		if i < 0 {
			return best, count
		}
		s := place(from+i, len(part))
		if count == 0 || near >= 0 && distance(s.Start, near) < distance(best.Start, near) {
			best = s
		}
		count++
		_, size := utf8.DecodeRuneInString(part)
		from += i + size
	}
}

func distance(a, b int) int { return max(a-b, b-a) }

// sameText reports whether two texts differ in blanks and width alone.
func sameText(a, b string) bool {
	if a == b {
		return true
	}
	a, _ = squeeze(a)
	b, _ = squeeze(b)
	return a == b
}

// squeeze leaves out blanks and invisible characters and makes full-width forms
// plain. origin has the place of each byte's character in s.
func squeeze(s string) (squeezed string, origin []int) {
	out := make([]byte, 0, len(s))
	origin = make([]int, 0, len(s))
	for i, r := range s {
		if unicode.IsSpace(r) || hidden(r) {
			continue
		}
		if r == utf8.RuneError && s[i] != "\ufffd"[0] {
			out = append(out, s[i]) // a byte that is no UTF-8 stands for itself
			origin = append(origin, i)
			continue
		}
		n := len(out)
		out = utf8.AppendRune(out, plainWidth(r))
		for range len(out) - n {
			origin = append(origin, i)
		}
	}
	return string(out), origin
}

// hidden reports characters that quotes lose or gain without anybody's seeing it.
func hidden(r rune) bool {
	switch r {
	case 0x00AD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF:
		return true
	}
	return false
}

// plainWidth maps full-width ASCII and signs, and half-width Chinese punctuation,
// to their ordinary forms (Unicode block "Halfwidth and Fullwidth Forms").
func plainWidth(r rune) rune {
	switch {
	case r < 0xFF01 || r > 0xFFE6:
		return r
	case r <= 0xFF5E:
		return r - 0xFEE0
	case r >= 0xFF61 && r <= 0xFF65:
		return []rune("。「」、・")[r-0xFF61]
	case r >= 0xFFE0:
		return []rune("¢£¬¯¦¥₩")[r-0xFFE0]
	}
	return r
}
