package tokenize

import (
	"unicode/utf8"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// WordPiece is a BERT tokenizer. It is immutable and safe for concurrent use.
type WordPiece struct {
	lower, strip bool
	simplify     bool
	maxChars     int
	unknown      int32
	frame        frame
	pieces       *trie
	singles      []int32
	class        *classes
	added        *literals
	// accents is nil when accents stay.
	accents     *decompositions
	fingerprint string
}

// Fingerprint names the rules and the vocabulary: it is made of the hash of the
// whole tokenizer.json.
func (t *WordPiece) Fingerprint() string { return t.fingerprint }

// Tokens returns the content tokens of s in text order, without special tokens
// and without truncation. A literal such as "[SEP]" inside s is one token, as in
// the reference.
func (t *WordPiece) Tokens(s string) []rag.Token {
	c := cutter{t: t, text: s, out: make([]rag.Token, 0, len(s)/3+4)}
	c.cut()
	return c.out
}

// Encode implements Encoder.
func (t *WordPiece) Encode(s string, limit int) (ids []int64, truncated int) {
	return t.frame.single(t.Tokens(s), limit)
}

// EncodePair implements Encoder.
func (t *WordPiece) EncodePair(query, passage string, limit int) Pair {
	return t.frame.pair(t.Tokens(query), t.Tokens(passage), limit)
}

// cutter is one pass over a text. It normalises and splits as it goes: words
// that stay as they are written are cut in place, others in a buffer.
type cutter struct {
	t    *WordPiece
	text string
	out  []rag.Token
	// buf is the current word, normalised; from and to give, for each of its
	// bytes, the range of the text it comes from. chars counts its characters.
	buf      []byte
	from, to []int
	chars    int
}

func (c *cutter) cut() {
	for i := 0; i < len(c.text); {
		if lit, ok := starting(c.t.added, c.text[i:]); ok {
			c.flush()
			c.emit(lit.ID, i, i+len(lit.Content))
			i += len(lit.Content)
			continue
		}
		if b := c.text[i]; b < utf8.RuneSelf {
			i = c.ascii(i)
			continue
		}
		r, size := utf8.DecodeRuneInString(c.text[i:])
		c.rune(r, i, i+size)
		i += size
	}
	c.flush()
}

// ascii handles the ASCII character at i and returns where to go on.
func (c *cutter) ascii(i int) int {
	b := c.text[i]
	switch c.t.class.basic[b] {
	case space:
		c.flush()
	case punct:
		c.flush()
		c.single(rune(b), i, i+1)
	case word:
		if len(c.buf) > 0 {
			c.keep(b, i)
			break
		}
		end := c.wordEnd(i)
		if end < 0 {
			c.keep(b, i)
			break
		}
		c.plain(i, end)
		return end
	}
	return i + 1
}

// wordEnd returns where the word that starts at i ends when it is ASCII, as
// written already normalised, and so cut in place; else −1.
func (c *cutter) wordEnd(i int) int {
	for ; i < len(c.text); i++ {
		b := c.text[i]
		if b >= utf8.RuneSelf {
			r, _ := utf8.DecodeRuneInString(c.text[i:])
			if c.t.class.of(r) == han {
				return i
			}
			return -1
		}
		switch c.t.class.basic[b] {
		case space, punct:
			return i
		case dropped:
			return -1
		}
		if c.t.lower && 'A' <= b && b <= 'Z' {
			return -1
		}
	}
	return i
}

// keep adds the ASCII character b at i to the word.
func (c *cutter) keep(b byte, i int) {
	if c.t.lower && 'A' <= b && b <= 'Z' {
		b += 'a' - 'A'
	}
	c.buf, c.from, c.to = append(c.buf, b), append(c.from, i), append(c.to, i+1)
	c.chars++
}

// rune handles a character beyond ASCII.
func (c *cutter) rune(r rune, from, to int) {
	k := c.t.class.of(r)
	if r == utf8.RuneError && to-from == 1 {
		k = dropped
	}
	switch k {
	case dropped:
		return
	case space:
		c.flush()
		return
	case han:
		c.flush()
		if c.t.simplify {
			r = text.Simplified(r)
		}
		if c.t.strip && r >= 0xf900 {
			c.fold(r, from, to)
			c.flush()
			return
		}
		c.single(r, from, to)
		return
	}
	c.fold(r, from, to)
}

// fold strips r of accents, lowers it, and joins or splits what is left.
func (c *cutter) fold(r rune, from, to int) {
	if !c.t.strip || !decomposes(r) {
		c.lowered(r, from, to)
		return
	}
	for _, d := range c.t.accents.of(r) {
		c.lowered(d, from, to)
	}
}

func (c *cutter) lowered(r rune, from, to int) {
	if !c.t.lower {
		c.join(r, from, to)
		return
	}
	var room [utf8.UTFMax * 2]byte
	for _, l := range string(appendLower(room[:0], r)) {
		c.join(l, from, to)
	}
}

// join adds one normalised rune to the word, or ends the word at it.
func (c *cutter) join(r rune, from, to int) {
	switch c.t.class.of(r) {
	case space:
		c.flush()
		return
	case punct:
		c.flush()
		c.single(r, from, to)
		return
	}
	n := len(c.buf)
	c.buf = utf8.AppendRune(c.buf, r)
	for range c.buf[n:] {
		c.from, c.to = append(c.from, from), append(c.to, to)
	}
	c.chars++
}

// single emits a one-character word.
func (c *cutter) single(r rune, from, to int) {
	id := int32(absent)
	if int(r) < len(c.t.singles) {
		id = c.t.singles[r]
	} else if node := c.t.pieces.find(string(r)); node != 0 {
		id = c.t.pieces.ids[node]
	}
	if id == absent {
		id = c.t.unknown
	}
	c.emit(id, from, to)
}

// plain cuts the word text[start:end] in place.
func (c *cutter) plain(start, end int) {
	before := len(c.out)
	if end-start > c.t.maxChars {
		c.emit(c.t.unknown, start, end)
		return
	}
	node := int32(root)
	for i := start; i < end; {
		id, n := longest(c.t.pieces, node, c.text[i:end])
		if n == 0 {
			c.out = c.out[:before]
			c.emit(c.t.unknown, start, end)
			return
		}
		c.emit(id, i, i+n)
		i += n
		node = c.t.pieces.inner
	}
}

// flush cuts the buffered word, if any, and empties the buffer.
func (c *cutter) flush() {
	if len(c.buf) == 0 {
		return
	}
	before := len(c.out)
	known := c.chars <= c.t.maxChars
	node := int32(root)
	for i := 0; known && i < len(c.buf); {
		id, n := longest(c.t.pieces, node, c.buf[i:])
		if n == 0 {
			known = false
			break
		}
		c.emit(id, c.from[i], c.to[i+n-1])
		i += n
		node = c.t.pieces.inner
	}
	if !known {
		c.out = c.out[:before]
		c.emit(c.t.unknown, c.from[0], c.to[len(c.to)-1])
	}
	c.buf, c.from, c.to, c.chars = c.buf[:0], c.from[:0], c.to[:0], 0
}

func (c *cutter) emit(id int32, from, to int) {
	c.out = append(c.out, rag.Token{ID: id, Span: rag.Span{Start: from, End: to}})
}
