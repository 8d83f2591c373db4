package layout

import (
	"math"
	"strconv"
	"strings"
	"unicode"
)

const (
	// edgeLines is how many lines from the top and from the bottom of a page may be
	// its header and footer, margin the share of its height they may take.
	edgeLines = 4
	margin    = 0.16
	// repeatPages and repeatShare are on how many pages, and on which share of
	// them, a line must stand to be one. Books have two headers, one for each side.
	repeatPages = 3
	repeatShare = 0.3
	// chapterShare is on which share of the pages from its first to its last a line
	// must stand to be the header of a chapter.
	chapterShare = 0.4
	// sameHeight is how far its places on the pages may differ, in points.
	sameHeight = 12.0
)

// spot is a line of a page that may be its header or footer.
type spot struct {
	page, region, item int
	key, text          string
	// height is measured from the nearer edge of the page.
	height float64
	top    bool
}

// DropRepeated takes headers, footers and page numbers out of the pages and
// returns how many lines it took.
func DropRepeated(pages []Page) int {
	if len(pages) < repeatPages {
		return 0
	}
	groups := map[string][]spot{}
	for i := range pages {
		for _, s := range spots(pages[i], i) {
			groups[s.key] = append(groups[s.key], s)
		}
	}
	drop := map[[2]int]map[int]bool{}
	n := 0
	for _, g := range groups {
		g = steady(g, len(pages))
		if !alike(g) {
			continue
		}
		for _, s := range g {
			at := [2]int{s.page, s.region}
			if drop[at] == nil {
				drop[at] = map[int]bool{}
			}
			drop[at][s.item] = true
			n++
		}
	}
	for at, items := range drop {
		r := &pages[at[0]].regions[at[1]]
		var kept []item
		for i, it := range r.items {
			if !items[i] {
				kept = append(kept, it)
			}
		}
		r.items = kept
	}
	return n
}

// steady returns the spots that stand at the height where most of them do, when
// they are on enough pages.
func steady(g []spot, pages int) []spot {
	var best []spot
	for _, s := range g {
		var same []spot
		for _, o := range g {
			if o.top == s.top && math.Abs(o.height-s.height) <= sameHeight {
				same = append(same, o)
			}
		}
		if len(same) > len(best) && often(same, pages) {
			best = same
		}
		if len(same)*2 > len(g) {
			break
		}
	}
	return best
}

// often reports whether the spots are on enough of the file's pages: on a good
// share of all, or of those that a chapter takes, or with numbers that grow with
// the page.
func often(g []spot, pages int) bool {
	on := map[int]bool{}
	first, last := g[0].page, g[0].page
	for _, s := range g {
		on[s.page] = true
		first, last = min(first, s.page), max(last, s.page)
	}
	n := float64(len(on))
	switch {
	case len(on) < repeatPages:
		return false
	case n >= repeatShare*float64(pages), n > repeatPages && n >= chapterShare*float64(last-first+1):
		return true
	}
	return growing(g)
}

// growing reports whether a number in the lines grows with the page.
func growing(g []spot) bool {
	grows := map[int]map[int]int{}
	for _, s := range g {
		for i, n := range numbers(s.text) {
			if grows[i] == nil {
				grows[i] = map[int]int{}
			}
			grows[i][n-s.page]++
		}
	}
	for _, counts := range grows {
		if most(counts)*5 >= len(g)*4 {
			return true
		}
	}
	return false
}

// alike reports whether the lines differ in nothing but page numbers: each number
// in them is the same on all pages or grows with the page. Without letters, such
// as "3-12", they are page numbers in any case.
func alike(g []spot) bool {
	if len(g) == 0 || !strings.ContainsFunc(g[0].key, unicode.IsLetter) {
		return true
	}
	same := map[int]map[int]int{}
	grows := map[int]map[int]int{}
	for _, s := range g {
		for i, n := range numbers(s.text) {
			if same[i] == nil {
				same[i], grows[i] = map[int]int{}, map[int]int{}
			}
			same[i][n]++
			grows[i][n-s.page]++
		}
	}
	for i := range same {
		if most(same[i])*5 < len(g)*4 && most(grows[i])*5 < len(g)*4 {
			return false
		}
	}
	return true
}

func most(counts map[int]int) int {
	n := 0
	for _, c := range counts {
		n = max(n, c)
	}
	return n
}

// numbers returns the runs of digits in s.
func numbers(s string) []int {
	var out []int
	for _, f := range strings.FieldsFunc(s, func(r rune) bool { return r < '0' || r > '9' }) {
		n, err := strconv.Atoi(f)
		if err != nil {
			n = -1 // longer than any page number
		}
		out = append(out, n)
	}
	return out
}

// spots returns the lines at the edges of a page, and those of turned text, which
// is often a mark on every page.
func spots(p Page, number int) []spot {
	var out []spot
	for r, region := range p.regions {
		for i, it := range region.items {
			if it.table != nil {
				continue
			}
			key := shapeOf(it.line.text)
			if key == "" {
				continue
			}
			s := spot{page: number, region: r, item: i, key: key, text: it.line.text}
			b := it.line.box
			switch {
			case region.aside:
				s.top, s.height = true, b.MidY()
			case b.MidY() < p.height*margin && above(p, b) < edgeLines:
				s.top, s.height = true, b.MidY()
			case b.MidY() > p.height*(1-margin) && below(p, b) < edgeLines:
				s.height = p.height - b.MidY()
			default:
				continue
			}
			out = append(out, s)
		}
	}
	return out
}

// above counts the lines of the page that stand wholly above b.
func above(p Page, b Box) int { return count(p, func(o Box) bool { return o.Y1 <= b.Y0+1 }) }

// below counts the lines of the page that stand wholly below b.
func below(p Page, b Box) int { return count(p, func(o Box) bool { return o.Y0 >= b.Y1-1 }) }

func count(p Page, holds func(Box) bool) int {
	n := 0
	for _, r := range p.regions {
		if r.aside {
			continue
		}
		for _, it := range r.items {
			if it.table == nil && holds(it.line.box) {
				n++
			}
		}
	}
	return n
}

// shapeOf makes equal what differs from page to page in a header: numbers and the
// blanks around them.
func shapeOf(s string) string {
	var b strings.Builder
	digit := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
		case unicode.IsDigit(r):
			if !digit {
				b.WriteByte('#')
			}
			digit = true
		default:
			b.WriteRune(unicode.ToLower(r))
			digit = false
		}
	}
	key := b.String()
	if romanNumber(key) {
		return "#"
	}
	return key
}

// romanNumber reports whether s is a page number in small Roman numerals.
func romanNumber(s string) bool {
	return s != "" && len(s) <= 7 && strings.Trim(s, "ivxl") == ""
}
