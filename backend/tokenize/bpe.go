package tokenize

import (
	"container/heap"
	"unicode"
	"unicode/utf8"

	"ragdesk/backend/rag"
)

// BPE is the byte-level tokenizer of RoBERTa, GPT-2 and ModernBERT: the bytes of a word
// are joined pair by pair, the pair that was learned first before all others (Sennrich
// et al., Neural Machine Translation of Rare Words with Subword Units, ACL 2016; Radford
// et al., Language Models are Unsupervised Multitask Learners, 2019, §2.2). It is
// immutable and safe for concurrent use.
type BPE struct {
	// bytes are the ids of single bytes.
	bytes [256]int32
	// merges say what a pair of ids becomes, and how early.
	merges map[[2]int32]merge
	// whole finds words that need no merges; nil unless the file ignores merges for
	// words that the vocabulary has.
	whole map[string]int32
	// prefix puts a blank before a text that starts with none.
	prefix   bool
	simplify bool
	steps    []normaliser
	// raw literals are found in the text as written, normal ones after the steps.
	raw, normal *literals
	frame       frame
	fingerprint string
}

// merge is what a pair of tokens becomes; of several pairs the lowest rank goes first.
type merge struct{ rank, id int32 }

// Fingerprint names the rules and the vocabulary: it is made of the hash of the
// whole file.
func (t *BPE) Fingerprint() string { return t.fingerprint }

// Tokens returns the content tokens of s in text order, without special tokens and
// without truncation. A token of some bytes of a character has the span of all of it, so
// that neighbours may share a span; a blank before a word belongs to its first token.
func (t *BPE) Tokens(s string) []rag.Token {
	j := joiner{t: t, out: make([]rag.Token, 0, len(s)/3+4)}
	at := 0
	for l := range matches(t.raw, s) {
		j.segment(s[at:l.start], at)
		j.emit(l.id, l.start, l.end)
		at = l.end
	}
	j.segment(s[at:], at)
	return j.out
}

// Encode implements Encoder.
func (t *BPE) Encode(s string, limit int) (ids []int64, truncated int) {
	return t.frame.single(t.Tokens(s), limit)
}

// EncodePair implements Encoder.
func (t *BPE) EncodePair(query, passage string, limit int) Pair {
	return t.frame.pair(t.Tokens(query), t.Tokens(passage), limit)
}

// joiner is one pass over a text.
type joiner struct {
	t       *BPE
	out     []rag.Token
	symbols []symbol
	queue   merging
}

// segment cuts what lies between two literals; start is its place in the text.
func (j *joiner) segment(s string, start int) {
	if s == "" {
		return
	}
	a := alignedOf(s, start, j.t.simplify)
	for _, step := range j.t.steps {
		a = step.apply(a)
	}
	at := 0
	for l := range matches(j.t.normal, a.buf) {
		j.split(&aligned{a.buf[at:l.start], a.at[at:l.start]})
		j.emit(l.id, a.at[l.start].from, a.at[l.end-1].to)
		at = l.end
	}
	j.split(&aligned{a.buf[at:], a.at[at:]})
}

// split cuts normalised text into words.
func (j *joiner) split(a *aligned) {
	if len(a.buf) == 0 {
		return
	}
	if j.t.prefix && a.buf[0] != ' ' {
		a = &aligned{append([]byte{' '}, a.buf...), append([]source{a.at[0]}, a.at...)}
	}
	for i := 0; i < len(a.buf); {
		n := wordLen(a.buf[i:])
		j.join(a.buf[i:i+n], a.at[i:i+n])
		i += n
	}
}

// wordLen is how many bytes the first word of s has, by the rule of GPT-2: a contraction
// of English; or letters, digits or other signs, with the blank before them; or white
// space, without its last character where something follows.
func wordLen(s []byte) int {
	if s[0] == '\'' {
		for _, c := range contractions {
			if len(s) >= len(c) && string(s[:len(c)]) == c {
				return len(c)
			}
		}
	}
	start := 0
	if s[0] == ' ' && len(s) > 1 {
		start = 1
	}
	r, _ := utf8.DecodeRune(s[start:])
	if kind := kindOf(r); kind != spaceRune {
		return start + runOf(s[start:], kind)
	}
	n := runOf(s, spaceRune)
	if n == len(s) {
		return n
	}
	if _, last := utf8.DecodeLastRune(s[:n]); n > last {
		return n - last
	}
	return n
}

// contractions of English are words of their own.
var contractions = []string{"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}

// runeKind is what words are made of.
type runeKind int

const (
	letterRune runeKind = iota
	numberRune
	spaceRune
	otherRune
)

func kindOf(r rune) runeKind {
	switch {
	case unicode.IsSpace(r):
		return spaceRune
	case unicode.IsLetter(r):
		return letterRune
	case unicode.IsNumber(r):
		return numberRune
	}
	return otherRune
}

// runOf is how many bytes of s from its start are of one kind.
func runOf(s []byte, kind runeKind) int {
	n := 0
	for n < len(s) {
		r, size := utf8.DecodeRune(s[n:])
		if kindOf(r) != kind {
			break
		}
		n += size
	}
	return n
}

// symbol is a token in the making: a link of a word's chain. A size of 0 is a symbol
// that was joined to the one before it.
type symbol struct {
	id         int32
	at, size   int32
	prev, next int32
}

// candidate is a pair that can be joined; left is the place of its first symbol, and
// size what both had together when it was found.
type candidate struct {
	merge
	left, size int32
}

// merging yields candidates, the lowest rank first and of those the leftmost.
type merging []candidate

func (m merging) Len() int      { return len(m) }
func (m merging) Swap(i, k int) { m[i], m[k] = m[k], m[i] }
func (m merging) Less(i, k int) bool {
	if m[i].rank != m[k].rank {
		return m[i].rank < m[k].rank
	}
	return m[i].left < m[k].left
}

// Push implements heap.Interface.
func (m *merging) Push(x any) { *m = append(*m, x.(candidate)) }

// Pop implements heap.Interface.
func (m *merging) Pop() any {
	last := (*m)[len(*m)-1]
	*m = (*m)[:len(*m)-1]
	return last
}

// join emits the tokens of a word.
func (j *joiner) join(word []byte, at []source) {
	if id, ok := j.t.whole[string(word)]; ok {
		j.emit(id, at[0].from, at[len(at)-1].to)
		return
	}
	j.symbols, j.queue = j.symbols[:0], j.queue[:0]
	for i, b := range word {
		j.symbols = append(j.symbols, symbol{j.t.bytes[b], int32(i), 1, int32(i) - 1, int32(i) + 1})
	}
	j.symbols[len(word)-1].next = -1
	for i := range len(word) - 1 {
		j.offer(int32(i))
	}
	for len(j.queue) > 0 {
		c := heap.Pop(&j.queue).(candidate)
		left := &j.symbols[c.left]
		if left.size == 0 || left.next < 0 {
			continue
		}
		right := &j.symbols[left.next]
		if m, ok := j.t.merges[[2]int32{left.id, right.id}]; !ok || m != c.merge || left.size+right.size != c.size {
			continue // one of them was joined to another in the meantime
		}
		left.id, left.size, left.next = c.id, c.size, right.next
		right.size = 0
		if left.next >= 0 {
			j.symbols[left.next].prev = c.left
			j.offer(c.left)
		}
		if left.prev >= 0 {
			j.offer(left.prev)
		}
	}
	for i := int32(0); i >= 0; i = j.symbols[i].next {
		s := j.symbols[i]
		j.emit(s.id, at[s.at].from, at[s.at+s.size-1].to)
	}
}

// offer puts a symbol and the next one into the queue, if they can be joined.
func (j *joiner) offer(left int32) {
	a := j.symbols[left]
	b := j.symbols[a.next]
	if m, ok := j.t.merges[[2]int32{a.id, b.id}]; ok {
		heap.Push(&j.queue, candidate{m, left, a.size + b.size})
	}
}

func (j *joiner) emit(id int32, from, to int) {
	j.out = append(j.out, rag.Token{ID: id, Span: rag.Span{Start: from, End: to}})
}
