package tokenize

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"ragdesk/backend/rag"
)

// Unigram is the tokenizer of XLM-RoBERTa and its kin: of all ways to cut a text
// into pieces of the vocabulary it takes the likeliest one (Kudo, Subword
// Regularization, ACL 2018, §3.2), found by Viterbi's algorithm. It is immutable
// and safe for concurrent use.
type Unigram struct {
	pieces *trie
	// scores are the log probabilities by id.
	scores []float64
	// unknown stands for characters without a piece, each at unknownScore.
	unknown      int32
	unknownScore float64
	simplify     bool
	steps        []normaliser
	words        wordRule
	// raw literals are found in the text as written, normal ones after the steps.
	raw, normal *literals
	frame       frame
	fingerprint string
}

// unknownPenalty is how far an unknown character is below the unlikeliest piece.
const unknownPenalty = 10

// wordRule cuts normalised text into the words that pieces do not cross.
type wordRule struct {
	// atSpace cuts at white space, which vanishes.
	atSpace bool
	// sign replaces blanks and starts words; nil when blanks stay.
	sign []byte
	// always puts the sign before a word that does not start with it.
	always bool
	// atSign cuts before every sign.
	atSign bool
}

// Fingerprint names the rules and the vocabulary: it is made of the hash of the
// whole file.
func (t *Unigram) Fingerprint() string { return t.fingerprint }

// Tokens returns the content tokens of s in text order, without special tokens
// and without truncation. A literal such as "</s>" inside s is one token, as in
// the reference. A token for the start of a word alone has the span of the
// word's first character.
func (t *Unigram) Tokens(s string) []rag.Token {
	c := viterbi{t: t, out: make([]rag.Token, 0, len(s)/3+4)}
	at := 0
	for l := range matches(t.raw, s) {
		c.segment(s[at:l.start], at)
		c.emit(l.id, l.start, l.end)
		at = l.end
	}
	c.segment(s[at:], at)
	return c.out
}

// Encode implements Encoder.
func (t *Unigram) Encode(s string, limit int) (ids []int64, truncated int) {
	return t.frame.single(t.Tokens(s), limit)
}

// EncodePair implements Encoder.
func (t *Unigram) EncodePair(query, passage string, limit int) Pair {
	return t.frame.pair(t.Tokens(query), t.Tokens(passage), limit)
}

// viterbi is one pass over a text.
type viterbi struct {
	t   *Unigram
	out []rag.Token
	// word and at are the words of a segment with their signs; nodes[i] is the
	// best way to cut what lies before byte i of a word.
	word  []byte
	at    []source
	nodes []node
}

// node is the last piece of a way to cut a text, with the way's score. A node
// that no piece ends at has id unreached.
type node struct {
	score     float64
	start, id int32
}

const unreached = -2

// segment cuts what lies between two literals; start is its place in the text.
func (c *viterbi) segment(s string, start int) {
	if s == "" {
		return
	}
	a := alignedOf(s, start, c.t.simplify)
	for _, step := range c.t.steps {
		a = step.apply(a)
	}
	at := 0
	for l := range matches(c.t.normal, a.buf) {
		c.split(&aligned{a.buf[at:l.start], a.at[at:l.start]})
		c.emit(l.id, a.at[l.start].from, a.at[l.end-1].to)
		at = l.end
	}
	c.split(&aligned{a.buf[at:], a.at[at:]})
}

// split cuts at white space if the rule does.
func (c *viterbi) split(a *aligned) {
	if !c.t.words.atSpace {
		c.sign(a)
		return
	}
	for i := 0; i < len(a.buf); {
		n := bytes.IndexFunc(a.buf[i:], unicode.IsSpace)
		if n < 0 {
			n = len(a.buf) - i
		}
		if n > 0 {
			c.sign(&aligned{a.buf[i : i+n], a.at[i : i+n]})
			i += n
			continue
		}
		_, size := utf8.DecodeRune(a.buf[i:])
		i += size
	}
}

// sign puts the sign of a word's start where it belongs, and cuts before it.
func (c *viterbi) sign(a *aligned) {
	if len(a.buf) == 0 {
		return
	}
	rule := c.t.words
	if rule.sign == nil {
		c.cut(a.buf, a.at)
		return
	}
	c.word, c.at = c.word[:0], c.at[:0]
	if rule.always && a.buf[0] != ' ' && !bytes.HasPrefix(a.buf, rule.sign) {
		c.putSign(a.at[0])
	}
	for i, b := range a.buf {
		if b == ' ' {
			c.putSign(a.at[i])
			continue
		}
		c.word, c.at = append(c.word, b), append(c.at, a.at[i])
	}
	for i := 0; i < len(c.word); {
		n := -1
		if rule.atSign {
			// A sign that starts the word is at least one byte long.
			n = bytes.Index(c.word[i+1:], rule.sign)
		}
		end := i + 1 + n
		if n < 0 {
			end = len(c.word)
		}
		c.cut(c.word[i:end], c.at[i:end])
		i = end
	}
}

func (c *viterbi) putSign(at source) {
	c.word = append(c.word, c.t.words.sign...)
	for range c.t.words.sign {
		c.at = append(c.at, at)
	}
}

// cut emits the likeliest pieces of word. Of two equally likely ways the one
// found first stays: the one whose last piece is longer.
func (c *viterbi) cut(word []byte, at []source) {
	t := c.t
	c.nodes = c.nodes[:0]
	for range len(word) + 1 {
		c.nodes = append(c.nodes, node{id: unreached})
	}
	nodes := c.nodes
	for i := 0; i < len(word); {
		size := runeLen(word[i:])
		base, single := nodes[i].score, false
		state := int32(root)
		for j := i; j < len(word); j++ {
			if state = t.pieces.step(state, word[j]); state == 0 {
				break
			}
			id := t.pieces.ids[state]
			if id == absent {
				continue
			}
			nodes[j+1].offer(base+t.scores[id], i, id)
			single = single || j+1-i == size
		}
		if !single {
			nodes[i+size].offer(base+t.unknownScore, i, t.unknown)
		}
		i += size
	}
	c.walk(len(word), at)
}

// runeLen is the length of the character that s starts with.
func runeLen(s []byte) int {
	if s[0] < utf8.RuneSelf {
		return 1
	}
	_, n := utf8.DecodeRune(s)
	return n
}

func (n *node) offer(score float64, start int, id int32) {
	if n.id == unreached || score > n.score {
		*n = node{score, int32(start), id}
	}
}

// walk emits the pieces of the best way to cut the first end bytes. Neighbouring
// unknown characters are one token.
func (c *viterbi) walk(end int, at []source) {
	first := len(c.out)
	fused := 0 // where the unknown token that may grow ends, or 0
	for end > 0 {
		n := c.nodes[end]
		from, to := at[n.start].from, at[end-1].to
		switch {
		case n.id != c.t.unknown:
			fused = 0
			c.emit(n.id, from, to)
		case fused == 0:
			fused = to
			c.emit(n.id, from, to)
		default:
			c.out[len(c.out)-1].Span.Start = from
		}
		end = int(n.start)
	}
	for i, j := first, len(c.out)-1; i < j; i, j = i+1, j-1 {
		c.out[i], c.out[j] = c.out[j], c.out[i]
	}
}

func (c *viterbi) emit(id int32, from, to int) {
	c.out = append(c.out, rag.Token{ID: id, Span: rag.Span{Start: from, End: to}})
}
