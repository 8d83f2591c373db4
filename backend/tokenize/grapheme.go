package tokenize

import (
	"sort"
	"unicode/utf8"
)

// joining is how a character takes part in a grapheme cluster, by the rules of
// Unicode Standard Annex 29, section 3.1.1, as far as they decide clusters
// shorter than shortCluster bytes.
type joining uint8

const (
	// apart characters join to nothing, except after a prepended one.
	apart joining = iota
	// extending characters join to what stands before them.
	extending
	// prepended characters join to what stands after them.
	prepended
	// control characters join to nothing at all.
	control
	// picture characters join to a picture and a joiner before them.
	picture
	hangulL
	hangulV
	hangulT
	hangulLV
	hangulLVT
)

const (
	zeroWidthJoiner = '\u200d'
	// shortCluster is the length in bytes from which the reference looks at a
	// cluster's characters alone.
	shortCluster = 6
)

// joinings gives a rune its joining: by table on the basic plane, by search
// above it.
type joinings struct {
	basic  []joining
	beyond []joined
}

type joined struct {
	runes
	joining joining
}

func newJoinings() *joinings {
	j := &joinings{basic: make([]joining, 1<<16)}
	j.set(pictureRunes(), picture)
	j.set([]runes{{0xa9, 0xa9}}, picture)
	j.set([]runes{{0x1100, 0x115f}, {0xa960, 0xa97c}}, hangulL)
	j.set([]runes{{0x1160, 0x11a7}, {0xd7b0, 0xd7c6}}, hangulV)
	j.set([]runes{{0x11a8, 0x11ff}, {0xd7cb, 0xd7fb}}, hangulT)
	j.set([]runes{{0xac00, 0xd7a3}}, hangulLVT)
	for r := rune(0xac00); r <= 0xd7a3; r += 28 {
		j.basic[r] = hangulLV
	}
	j.set(extendRunes(), extending)
	j.set(prependRunes(), prepended)
	j.set(controlRunes(), control)
	j.basic[0] = control
	sort.SliceStable(j.beyond, func(a, b int) bool { return j.beyond[a].lo < j.beyond[b].lo })
	return j
}

func (j *joinings) set(list []runes, k joining) {
	for _, r := range list {
		for i := r.lo; i <= r.hi && int(i) < len(j.basic); i++ {
			j.basic[i] = k
		}
		if int(r.hi) >= len(j.basic) {
			j.beyond = append(j.beyond, joined{r, k})
		}
	}
}

func (j *joinings) of(r rune) joining {
	if int(r) < len(j.basic) {
		return j.basic[r]
	}
	i := sort.Search(len(j.beyond), func(i int) bool { return j.beyond[i].hi >= r })
	if i < len(j.beyond) && j.beyond[i].lo <= r {
		return j.beyond[i].joining
	}
	return apart
}

// cluster returns the length in bytes of the grapheme cluster that s starts
// with. It is right for every cluster shorter than shortCluster; of longer ones
// it may return a part that is no shorter.
func (j *joinings) cluster(s []byte) int {
	r, n := utf8.DecodeRune(s)
	if n < len(s) && s[n] < utf8.RuneSelf && r != '\r' {
		if k := j.of(r); k != prepended {
			return n // ASCII joins to nothing before it, except the one after \r
		}
	}
	last := j.of(r)
	// base is the class before a run of extending characters, for pictures.
	base := last
	for n < len(s) {
		next, size := utf8.DecodeRune(s[n:])
		k := j.of(next)
		if !joins(last, k, base, r, next) {
			break
		}
		n += size
		if k != extending {
			base = k
		}
		last, r = k, next
	}
	return n
}

// joins reports whether no cluster ends between r, of joining last, and next, of
// joining k. base is the last joining before r that was not extending.
func joins(last, k, base joining, r, next rune) bool {
	switch {
	case r == '\r' && next == '\n':
		return true
	case last == control || k == control:
		return false
	case k == extending || last == prepended:
		return true
	case k == picture:
		return base == picture && r == zeroWidthJoiner
	case last == hangulL:
		return k == hangulL || k == hangulV || k == hangulLV || k == hangulLVT
	case last == hangulLV || last == hangulV:
		return k == hangulV || k == hangulT
	case last == hangulLVT || last == hangulT:
		return k == hangulT
	}
	return false
}
