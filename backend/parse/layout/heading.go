package layout

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// largerSize is by how much a heading's size exceeds the text's.
	largerSize = 1.12
	// maxHeading is how long a heading may be, wide characters counted double.
	maxHeading = 140
	// maxLevels is how deep headings go, lookLevels how many levels sizes and weight
	// may tell apart.
	maxLevels  = 6
	lookLevels = 4
	// headingShare is the share of paragraphs above which a look is no heading's.
	headingShare = 0.4
)

// look is what tells a heading from text.
type look struct {
	// size is in half points.
	size int
	bold bool
}

func lookOf(p para) look { return look{int(math.Round(p.size * 2)), p.bold} }

// levels sets the level of the paragraphs that are headings. Outline gives the
// levels of titles that the document's own outline lists.
func levels(pages [][]para, outline map[string]int) {
	body := bodyLook(pages)
	counts := map[look]int{}
	texts := 0
	for _, ps := range pages {
		for i := range ps {
			p := &ps[i]
			if p.table != nil {
				continue
			}
			texts++
			if l, ok := outline[FoldTitle(p.text)]; ok && titleLike(*p) {
				p.level = l
				continue
			}
			if body.outranked(*p) {
				counts[lookOf(*p)]++
			}
		}
	}
	rank := ranks(counts, texts)
	for _, ps := range pages {
		for i := range ps {
			p := &ps[i]
			if p.table == nil && p.level == 0 && body.outranked(*p) {
				p.level = rank[lookOf(*p)]
			}
		}
	}
}

// bodyLook is the look of most of the text.
func bodyLook(pages [][]para) look {
	weight := map[look]int{}
	var best look
	for _, ps := range pages {
		for _, p := range ps {
			if p.table != nil {
				continue
			}
			l := lookOf(p)
			weight[l] += utf8.RuneCountInString(p.text)
			if weight[l] > weight[best] || weight[l] == weight[best] && l.size < best.size {
				best = l
			}
		}
	}
	return best
}

// outranked reports whether p looks like a heading over text that looks like
// body.
func (body look) outranked(p para) bool {
	if !titleLike(p) || body.size == 0 {
		return false
	}
	l := lookOf(p)
	larger := float64(l.size) >= largerSize*float64(body.size) && l.size > body.size
	return larger || l.bold && !body.bold && l.size >= body.size-1
}

// titleLike reports whether p could be a heading: short, one thought, and no item
// of a list but a numbered title.
func titleLike(p para) bool {
	if p.aside || p.lines > 3 {
		return false
	}
	n, letters := 0, 0
	for _, r := range p.text {
		n++
		if r >= 0x2E80 {
			n++
		}
		if unicode.IsLetter(r) {
			letters++
		}
	}
	if letters < 2 || n > maxHeading || n < 2 || p.cells > 2 {
		return false
	}
	if leads(p.text) {
		return false
	}
	// Two cells are a title with its number before it.
	if number, _, ok := strings.Cut(p.text, "  "); ok && p.cells == 2 && utf8.RuneCountInString(number) > 14 {
		return false
	}
	switch r := lastRune(p.text); {
	case strings.ContainsRune("。；;，,", r), r == '.' && n > 60:
		return false
	case (r == ':' || r == '：') && p.lines > 1:
		return false
	}
	return !p.marked || isNumber(lead(p.text))
}

// ranks gives each look its level: the larger the higher, bold above regular. A
// look that too many paragraphs have is none.
func ranks(counts map[look]int, texts int) map[look]int {
	var looks []look
	for l, n := range counts {
		if float64(n) <= headingShare*float64(texts) || n <= 2 && texts <= 6 {
			looks = append(looks, l)
		}
	}
	slices.SortFunc(looks, func(a, b look) int {
		if a.size != b.size {
			return b.size - a.size
		}
		if a.bold != b.bold && a.bold {
			return -1
		}
		return 1
	})
	out := map[look]int{}
	level := 0
	var last look
	for i, l := range looks {
		// Sizes that differ little are one.
		if i == 0 || float64(last.size) > 1.08*float64(l.size) || last.bold != l.bold && last.size == l.size {
			level = min(level+1, lookLevels)
			last = l
		}
		out[l] = level
	}
	return out
}

// FoldTitle makes titles comparable: the outline and the page may differ in
// blanks and case.
func FoldTitle(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

func lowMedian(vs []float64) float64 {
	s := slices.Clone(vs)
	slices.Sort(s)
	return s[(len(s)-1)/2]
}
