package chunk

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// pieces are a text cut into mostly tokens with the space after them, each with
// its weight in tokens.
type pieces struct {
	text string
	// at is where each piece starts; pieces tile the text.
	at []int
	// sum[i] is the weight in tokens of the pieces before i.
	sum []int
}

// weigh tokenizes s once.
func weigh(c tokens, s string) pieces {
	found := c.tokenizer.Tokens(s)
	p := pieces{text: s, at: make([]int, 0, len(found)+1), sum: make([]int, 1, len(found)+2)}
	start, weight := 0, 0
	for i, t := range found {
		if at := t.Span.Start; i > 0 && at > start && utf8.RuneStart(s[at]) {
			p.add(start, at, weight, c.size)
			start, weight = at, 0
		}
		weight++
	}
	p.add(start, len(s), weight, c.size)
	return p
}

// minLong is the length in runes from which a token may be cut: an unknown word
// is one token however long it is, and its parts may be many.
const minLong = 200

// add appends the piece [start, end) of the given weight or, if it is overlong,
// parts of it of at most size runes, each as heavy as it might become.
func (p *pieces) add(start, end, weight, size int) {
	piece := p.text[start:end]
	total := p.sum[len(p.sum)-1]
	if long := max(minLong, 2*size); len(piece) <= long || utf8.RuneCountInString(strings.TrimSpace(piece)) <= long {
		p.at = append(p.at, start)
		p.sum = append(p.sum, total+weight)
		return
	}
	runes := 0
	for i := range piece {
		if runes%size == 0 {
			p.at = append(p.at, start+i)
			p.sum = append(p.sum, total+runes)
		}
		runes++
		p.sum[len(p.sum)-1]++
	}
}

// weight returns how many tokens start in the bytes [start, end).
func (p *pieces) weight(start, end int) int {
	return p.sum[sort.SearchInts(p.at, end)] - p.sum[sort.SearchInts(p.at, start)]
}
