package chunk

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"unicode/utf8"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// tokens packs a document into chunks of at most size content tokens.
//
// A chunk ends, looking back from the last token that fits, before a heading in
// its last half, else after a paragraph in its last third, else after a
// sentence in its last third, else after a clause in its last eighth, else
// between words, else between tokens. The next chunk repeats whole sentences of
// at most overlap tokens or, without a sentence that starts there, that many
// tokens; nothing is repeated before a heading. Fenced code that fits a chunk is
// not cut. Where two chunks take the rest of the document, it is divided near its
// middle, since a scrap of a few words is found too easily or not at all.
type tokens struct {
	size, overlap int
	tokenizer     rag.Tokenizer
}

// tokensName names the rule; a changed rule gets a new version.
const tokensName = "tokens/1"

// Fingerprint names the rule, its parameters and the tokenizer.
func (c tokens) Fingerprint() string {
	return fmt.Sprintf("%s size=%d overlap=%d tokenizer=%s", tokensName, c.size, c.overlap, c.tokenizer.Fingerprint())
}

// cut returns where the chunks of doc are. Tokens of a chunk is the count of its
// own text, which is what the embedder will read. A chunk exceeds size only if it
// is a single character.
func (c tokens) cut(ctx context.Context, doc rag.Document) ([]passage, error) {
	p := newPacker(c, doc)
	path := headingPath{sections: doc.Sections}
	var out []passage
	start, done := 0, 0 // pieces: where the chunk starts, what chunks cover so far
	for done < len(p.at) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		from, end, span, count := p.next(start, done)
		if span.Len() > 0 && !text.IsBlank(doc.Text[span.Start:span.End]) {
			out = append(out, passage{span: span, tokens: count, headings: path.at(span.Start)})
		}
		start, done = p.overlapStart(from, end), end
	}
	return out, nil
}

// packer makes chunks of a document's pieces.
type packer struct {
	tokens
	pieces
	breaks []strength
	fences []rag.Span
}

func newPacker(c tokens, doc rag.Document) *packer {
	p := &packer{tokens: c, pieces: weigh(c, doc.Text), fences: fences(doc)}
	p.breaks = breaks(doc, p.at)
	return p
}

// end returns the byte where piece i ends.
func (p *packer) end(i int) int {
	if i < len(p.at) {
		return p.at[i]
	}
	return len(p.text)
}

// fit returns where the chunk that begins with piece start best begins and
// ends; the end lies beyond done, which moves the start if need be.
func (p *packer) fit(start, done int) (from, to int) {
	last := p.last(start, p.size)
	if last <= done {
		start = done
		last = max(p.last(start, p.size), start+1)
	}
	if last >= len(p.at) {
		return start, len(p.at)
	}
	if to = p.balance(start, max(start, done)+1, last); to < 0 {
		to = p.best(max(start, done)+1, last)
	}
	if to >= len(p.at) {
		return start, to
	}
	fence, inside := p.whole(to)
	first := sort.SearchInts(p.at, fence.Start)
	switch {
	case inside && first > max(start, done):
		return start, first
	case inside && start < first && first == done:
		return p.fit(first, done) // without the overlap it fits
	}
	return start, to
}

// whole returns the fence that piece i lies inside, if it fits a chunk and so
// must not be cut.
func (p *packer) whole(i int) (fence rag.Span, inside bool) {
	fence, inside = fenceOf(p.fences, p.at[i])
	if !inside {
		return fence, false
	}
	first, after := sort.SearchInts(p.at, fence.Start), sort.SearchInts(p.at, fence.End)
	return fence, p.sum[after]-p.sum[first] <= p.size
}

// next returns the chunk that begins with piece start or, if need be, later but
// not after done: its pieces, its span without outer space, and its tokens.
func (p *packer) next(start, done int) (from, to int, span rag.Span, count int) {
	from, to = p.fit(start, done)
	for {
		span, count = p.measure(from, to)
		if count <= p.size {
			return from, to, span, count
		}
		f, t, ok := p.shrink(from, to, done, count-p.size)
		if !ok {
			return from, to, span, count
		}
		from, to = f, t
	}
}

// last returns the greatest end for which the pieces from start weigh at most
// budget.
func (p *packer) last(start, budget int) int {
	limit := p.sum[start] + budget
	n := sort.Search(len(p.sum)-start, func(i int) bool { return p.sum[start+i] > limit })
	return start + n - 1
}

// best returns the best place to end in [lowest, last].
func (p *packer) best(lowest, last int) int {
	depth := max(2, p.size/2)
	reach := [...]int{inWord: depth, word: max(2, p.size/4), clause: p.size / 8, sentence: p.size / 3,
		paragraph: p.size / 3, heading: p.size / 2}
	best, found := last, never
	for i := last; i >= lowest && p.sum[last]-p.sum[i] <= depth; i-- {
		s := p.breaks[i]
		if s > found && p.sum[last]-p.sum[i] <= reach[s] {
			best, found = i, s
		}
	}
	return best
}

// balance returns the place in [lowest, last] to end at such that what is left of
// the document makes one chunk, and not a scrap: of the strongest places the one
// nearest the middle, or -1 if there is none or more is left than that.
func (p *packer) balance(start, lowest, last int) int {
	left := p.sum[len(p.at)] - p.sum[start]
	if left > 2*p.size {
		return -1
	}
	best, found, nearest := -1, clause, 0
	for i := max(lowest, p.last(start, left/3)); i <= last; i++ {
		s, first := p.breaks[i], p.sum[i]-p.sum[start]
		overlap := p.overlap
		if s == heading {
			overlap = 0
		}
		distance := max(first-left/2, left/2-first)
		if left-first+overlap <= p.size && (s > found || s == found && s > clause && distance < nearest) {
			best, found, nearest = i, s, distance
		}
	}
	return best
}

// measure returns the span of pieces [start, end) without outer space, and how
// many tokens its text has on its own.
func (p *packer) measure(start, end int) (rag.Span, int) {
	span := trim(p.text, rag.Span{Start: p.at[start], End: p.end(end)}, false)
	return span, len(p.tokenizer.Tokens(p.text[span.Start:span.End]))
}

// shrink returns a smaller chunk than [start, end), which has excess tokens too
// many: a text's tokens may differ from those its parts had in the document. It
// gives up the overlap before it falls short of done, and cuts a single piece
// in two; ok is false when there is nothing left to cut.
func (p *packer) shrink(start, end, done, excess int) (from, to int, ok bool) {
	lowest := max(start, done) + 1
	if end > lowest {
		to = max(lowest, min(end-1, p.last(start, p.sum[end]-p.sum[start]-excess)))
		return start, p.best(lowest, to), true
	}
	if start < done {
		return done, end, true
	}
	return start, start + 1, p.halve(start)
}

// halve cuts piece i in two and reports whether it has two runes to cut between.
func (p *packer) halve(i int) bool {
	start, end := p.at[i], p.end(i+1)
	middle := start + (end-start)/2
	for middle > start && !utf8.RuneStart(p.text[middle]) {
		middle--
	}
	if middle == start {
		_, n := utf8.DecodeRuneInString(p.text[start:])
		middle = start + n
	}
	if middle >= end {
		return false
	}
	p.at = slices.Insert(p.at, i+1, middle)
	p.sum = slices.Insert(p.sum, i+1, p.sum[i]+(p.sum[i+1]-p.sum[i]+1)/2)
	p.breaks = slices.Insert(p.breaks, i+1, inWord)
	return true
}

// overlapStart returns the piece at which the chunk after [start, end) begins.
func (p *packer) overlapStart(start, end int) int {
	if p.overlap == 0 || end >= len(p.at) || p.breaks[end] == heading {
		return end
	}
	lowest := sort.SearchInts(p.sum, p.sum[end]-p.overlap)
	lowest = max(lowest, start+1)
	best, found := end, never
	for i := lowest; i < end; i++ {
		if s := min(p.breaks[i], sentence); s > found {
			if _, inside := p.whole(i); !inside {
				best, found = i, s
			}
		}
	}
	return best
}
