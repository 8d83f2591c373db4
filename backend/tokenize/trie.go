package tokenize

// absent marks a rune or a trie node that is no vocabulary entry.
const absent = -1

// trie finds the longest vocabulary entry at the start of a word. Its edges
// stand in one open-addressed table keyed by (node, byte), which makes a step
// one multiplication and, nearly always, one comparison.
type trie struct {
	edges []edge
	shift uint
	// ids holds each node's vocabulary id, or absent.
	ids []int32
	// inner is the node below the continuing prefix, where a piece that does not
	// start its word is looked up; nowhere when no piece has the prefix.
	inner int32
}

// edge leads from key>>8 by byte key&255 to child. Node 0 is the root, which is
// nobody's child, so child 0 marks a free slot.
type edge struct {
	key   uint32
	child int32
}

const (
	root = 0
	// nowhere is a node without edges.
	nowhere = -1
)

func newTrie(vocab map[string]int32, prefix string) *trie {
	bytes := 0
	for piece := range vocab {
		bytes += len(piece)
	}
	t := newEmptyTrie(bytes)
	for piece, id := range vocab {
		t.insert(piece, id)
	}
	if t.inner = t.find(prefix); t.inner == root {
		t.inner = nowhere
	}
	return t
}

// newEmptyTrie returns a trie for pieces of about size bytes together.
func newEmptyTrie(size int) *trie {
	t := &trie{ids: make([]int32, 1, size/2+1), inner: nowhere}
	t.ids[root] = absent
	t.grow(1 << 12)
	return t
}

func (t *trie) insert(piece string, id int32) {
	node := int32(root)
	for i := 0; i < len(piece); i++ {
		next := t.step(node, piece[i])
		if next == 0 {
			if 2*len(t.ids) > len(t.edges) {
				t.grow(2 * len(t.edges))
			}
			next = int32(len(t.ids))
			t.ids = append(t.ids, absent)
			t.put(edge{key(node, piece[i]), next})
		}
		node = next
	}
	t.ids[node] = id
}

// find returns the node at the end of s, or 0.
func (t *trie) find(s string) int32 {
	node := int32(root)
	for i := 0; i < len(s); i++ {
		if node = t.step(node, s[i]); node == 0 {
			return 0
		}
	}
	return node
}

func key(node int32, b byte) uint32 { return uint32(node)<<8 | uint32(b) }

// slot spreads keys by Fibonacci hashing (Knuth, TAOCP 3, 6.4).
func (t *trie) slot(k uint32) uint32 { return k * 2654435769 >> t.shift }

func (t *trie) step(node int32, b byte) int32 {
	k := key(node, b)
	mask := uint32(len(t.edges) - 1)
	for s := t.slot(k); ; s = (s + 1) & mask {
		e := t.edges[s&mask]
		if e.key == k || e.child == 0 {
			return e.child
		}
	}
}

func (t *trie) put(e edge) {
	mask := uint32(len(t.edges) - 1)
	s := t.slot(e.key)
	for t.edges[s&mask].child != 0 {
		s = (s + 1) & mask
	}
	t.edges[s&mask] = e
}

// grow rehashes into size slots; size is a power of two.
func (t *trie) grow(size int) {
	old := t.edges
	t.edges = make([]edge, size)
	t.shift = 32
	for n := size; n > 1; n >>= 1 {
		t.shift--
	}
	for _, e := range old {
		if e.child != 0 {
			t.put(e)
		}
	}
}

// longest returns the id and length in bytes of the longest entry that word
// starts with, below node start; n is 0 when there is none.
func longest[S string | []byte](t *trie, start int32, word S) (id int32, n int) {
	node := start
	for i := 0; i < len(word); i++ {
		if node = t.step(node, word[i]); node == 0 {
			break
		}
		if found := t.ids[node]; found != absent {
			id, n = found, i+1
		}
	}
	return id, n
}
