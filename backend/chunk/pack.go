package chunk

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// structured cuts documents by their structure: a rule finds the units, and
// chunks are packed of whole units up to size tokens.
//
// No chunk reaches across cutAlways. Otherwise it ends, of the places in the last
// half of what fits, at the strongest and last; where two chunks take the rest up
// to the next cutAlways, at the strongest place near its middle. A unit that does
// not fit alone is split into finer units, and those, if need be, at tokens as
// chunks of kind tokens are.
type structured struct {
	tokens
	rule rule
}

// rule is how one kind of chunker sees a document.
type rule struct {
	// name and version, as in "headings/2": a changed rule gets a new version.
	name string
	// units finds the units; weights are those of the document's text.
	units func(doc rag.Document, p *pieces, c tokens) []unit
	// repeat: a chunk repeats whole units or sentences of at most overlap tokens of
	// the chunk before it, if no group starts in between.
	repeat bool
	// lines: chunks keep the indentation of their first line.
	lines bool
}

// Fingerprint names the rule, its parameters and the tokenizer.
func (c structured) Fingerprint() string {
	return fmt.Sprintf("%s size=%d overlap=%d tokenizer=%s", c.rule.name, c.size, c.overlap, c.tokenizer.Fingerprint())
}

// cut returns where the chunks of doc are.
func (c structured) cut(ctx context.Context, doc rag.Document) ([]passage, error) {
	p := weigh(c.tokens, doc.Text)
	return c.pack(ctx, &p, tidy(&p, c.rule.units(doc, &p, c.tokens)))
}

// pack makes chunks of tidy units.
func (c structured) pack(ctx context.Context, p *pieces, units []unit) ([]passage, error) {
	b := packing{structured: c, pieces: p, rest: units}
	var out []passage
	start, done := 0, 0 // units: where the chunk starts, what chunks cover so far
	for b.load(done); done < len(b.units); b.load(done) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		from, to, span, count := b.next(start, done)
		if !text.IsBlank(p.text[b.units[done].start:span.End]) {
			out = append(out, passage{span: span, tokens: count, headings: b.path(from, to)})
		}
		start, done = b.overlapStart(from, to)
	}
	return out, nil
}

// packing is the state of one document being packed.
type packing struct {
	structured
	*pieces
	// units are those packed so far and a window after them, so that putting finer
	// ones in moves few; rest are the others.
	units, rest []unit
}

// load takes units into the window until it holds all that the next chunk, which
// begins at done or before, may depend on.
func (b *packing) load(done int) {
	ahead := 0
	for i := done; i < len(b.units) && ahead <= 3*b.size; i++ {
		ahead += b.units[i].weight
	}
	for ; len(b.rest) > 0 && ahead <= 3*b.size; b.rest = b.rest[1:] {
		b.units = append(b.units, b.rest[0])
		ahead += b.rest[0].weight
	}
}

// end returns where unit i ends.
func (b *packing) end(i int) int {
	if i+1 == len(b.units) && len(b.rest) > 0 {
		return b.rest[0].start
	}
	return unitEnd(b.units, i, len(b.text))
}

// next returns the chunk that begins with unit start or, if need be, later but
// not after done: its units, its span and its tokens.
func (b *packing) next(start, done int) (from, to int, span rag.Span, count int) {
	from, to = b.fit(start, done)
	for {
		span, count = b.measure(from, to)
		lowest := max(from, done) + 1
		switch {
		case count <= b.size:
			return from, to, span, count
		case to > lowest:
			to = b.best(lowest, max(lowest, min(to-1, b.shorter(from, to, count-b.size))))
		case from < done:
			from, to = b.fit(done, done)
		case b.refine(from):
		default:
			span = trim(b.text, span, false)
			return from, to, span, len(b.tokenizer.Tokens(b.text[span.Start:span.End]))
		}
	}
}

// shorter returns the last end before to that is at least excess tokens shorter.
func (b *packing) shorter(from, to, excess int) int {
	for to > from && excess > 0 {
		to--
		excess -= b.units[to].weight
	}
	return to
}

// fit returns where the chunk that begins with unit start best begins and ends;
// the end lies beyond done, which moves the start if need be.
func (b *packing) fit(start, done int) (from, to int) {
	last := b.last(start)
	if last <= done {
		start = done
		for last = b.last(start); last == start; last = b.last(start) {
			if !b.refine(start) {
				return start, start + 1
			}
		}
	}
	for last < len(b.units) && b.units[last].cut != cutAlways && b.units[last].weight > b.size {
		if !b.refine(last) {
			break
		}
		last = b.last(start)
	}
	if last == len(b.units) || b.units[last].cut == cutAlways {
		return start, last
	}
	lowest := max(start, done) + 1
	if to = b.balance(start, lowest, last); to < 0 {
		to = b.best(lowest, last)
	}
	return start, to
}

// last returns the greatest end for which the units from start fit a chunk.
func (b *packing) last(start int) int {
	sum, i := 0, start
	for ; i < len(b.units); i++ {
		sum += b.units[i].weight
		if sum > b.size || i > start && b.units[i].cut == cutAlways {
			break
		}
	}
	return i
}

// best returns the best place to end in [lowest, last].
func (b *packing) best(lowest, last int) int {
	best, given := last, 0
	for i := last; i >= lowest && given <= b.size/2; i-- {
		if b.units[i].cut > b.units[best].cut {
			best = i
		}
		given += b.units[i-1].weight
	}
	return best
}

// balance returns the place in [lowest, last] to end at such that what is left up
// to the next cutAlways makes one chunk, and not a scrap: of the strongest places
// the one nearest the middle, or -1 if there is none or more is left than that.
func (b *packing) balance(start, lowest, last int) int {
	left := 0
	for i := start; i < len(b.units) && (i == start || b.units[i].cut != cutAlways); i++ {
		if left += b.units[i].weight; left > 2*b.size || b.units[i].weight > b.size {
			return -1
		}
	}
	best, nearest, first := -1, 0, 0
	for i := start; i <= last; i++ {
		overlap := b.overlap
		if !b.rule.repeat || b.units[i].cut >= cutGroup {
			overlap = 0
		}
		distance := max(first-left/2, left/2-first)
		if i >= lowest && first >= left/4 && left-first+overlap <= b.size {
			if best < 0 || b.units[i].cut > b.units[best].cut || b.units[i].cut == b.units[best].cut && distance < nearest {
				best, nearest = i, distance
			}
		}
		first += b.units[i].weight
	}
	return best
}

// measure returns the span of the units [from, to) without the space around it,
// and how many tokens its text has on its own.
func (b *packing) measure(from, to int) (rag.Span, int) {
	span := trim(b.text, rag.Span{Start: b.units[from].start, End: b.end(to - 1)}, b.rule.lines)
	return span, len(b.tokenizer.Tokens(b.text[span.Start:span.End]))
}

// trim returns span without the space around it, but for the indentation of its
// first line if lines.
func trim(s string, span rag.Span, lines bool) rag.Span {
	part := s[span.Start:span.End]
	visible := strings.TrimLeftFunc(part, unicode.IsSpace)
	if visible == "" {
		return rag.Span{Start: span.Start, End: span.Start}
	}
	start := len(part) - len(visible)
	if lines {
		start = strings.LastIndexAny(part[:start], "\n\r") + 1
	}
	return rag.Span{Start: span.Start + start, End: span.End - len(part) + len(strings.TrimRightFunc(part, unicode.IsSpace))}
}

// path returns the headings that all units of [from, to) are under.
func (b *packing) path(from, to int) []string {
	path := b.units[from].path
	for _, u := range b.units[from+1 : to] {
		n := 0
		for n < min(len(path), len(u.path)) && path[n] == u.path[n] {
			n++
		}
		path = path[:n:n]
	}
	if path == nil {
		return []string{}
	}
	return path
}

// refine puts finer units in the place of unit i, and reports whether there are
// any.
func (b *packing) refine(i int) bool {
	u := b.units[i]
	span := rag.Span{Start: u.start, End: b.end(i)}
	var finer []unit
	if u.split != nil {
		finer = b.tidied(u.split(b.text, span), span)
	}
	if len(finer) < 2 {
		finer = b.hard(span)
	}
	if len(finer) < 2 {
		return false
	}
	finer[0].cut, finer[0].level = u.cut, u.level
	for k := range finer {
		finer[k].path = u.path
	}
	b.units = slices.Replace(b.units, i, i+1, finer...)
	return true
}

// tidied returns units, which tile span, without blank ones, and their weights.
func (b *packing) tidied(units []unit, span rag.Span) []unit {
	out := units[:0]
	for i, u := range units {
		end := unitEnd(units, i, span.End)
		if len(out) > 0 && text.IsBlank(b.text[u.start:end]) {
			out[len(out)-1].weight += b.weight(u.start, end)
			continue
		}
		u.weight = b.weight(u.start, end)
		out = append(out, u)
	}
	return out
}

// hard cuts span where chunks of kind tokens would be cut.
func (b *packing) hard(span rag.Span) []unit {
	c := b.tokens
	c.overlap = 0
	p := newPacker(c, rag.Document{Text: b.text[span.Start:span.End]})
	var out []unit
	for done := 0; done < len(p.at); {
		from, to, _, count := p.next(done, done)
		out = append(out, unit{start: span.Start + p.at[from], weight: count})
		done = to
	}
	return out
}

// overlapStart returns the unit at which the chunk after [from, to) begins, and
// to, which moves when units before it are split for the sake of the overlap.
func (b *packing) overlapStart(from, to int) (start, done int) {
	if !b.rule.repeat || b.overlap == 0 || to == len(b.units) || b.units[to].cut >= cutGroup {
		return to, to
	}
	start = to
	sum := 0
	for i := to - 1; i >= from; i-- {
		u := b.units[i]
		if sum+u.weight > b.overlap || i == from {
			before := len(b.units)
			if !u.prose || sum > 0 || !b.refine(i) {
				break
			}
			added := len(b.units) - before
			start, to, i = start+added, to+added, i+added+1
			continue
		}
		sum += u.weight
		if u.cut >= cutFine {
			start = i
		}
		if u.cut >= cutGroup {
			break
		}
	}
	return start, to
}
