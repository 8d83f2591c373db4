package tokenize

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"ragdesk/backend/text"
)

// composition is the step to the canonical composition, NFC.
type composition struct{}

func (composition) apply(in *aligned) *aligned {
	out := newAligned(len(in.buf))
	i := 0
	for n, part := range text.NFC(in.buf) {
		if string(part) == string(in.buf[i:i+n]) {
			out.buf, out.at = append(out.buf, part...), append(out.at, in.at[i:i+n]...)
		} else {
			out.put(part, in.at[i].from, in.at[i+n-1].to)
		}
		i += n
	}
	return out
}

// byteLevel is the pre-tokenizer of a byte-level vocabulary.
type byteLevel struct {
	Type     string `json:"type"`
	Prefix   bool   `json:"add_prefix_space"`
	UseRegex *bool  `json:"use_regex"`
}

// bpeModel is what a BPE vocabulary has besides its pieces.
type bpeModel struct {
	Model struct {
		Merges json.RawMessage `json:"merges"`
		Suffix string          `json:"end_of_word_suffix"`
		// IgnoreMerges says that a word of the vocabulary is one token.
		IgnoreMerges bool     `json:"ignore_merges"`
		Dropout      *float64 `json:"dropout"`
	} `json:"model"`
}

func (f *file) bpe(raw []byte, fingerprint string, o Options) (*BPE, error) {
	if o.Lowercase {
		return nil, errors.New("a BPE tokenizer has no rule to lower letters")
	}
	var m bpeModel
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, fmt.Errorf("merges: %w", err)
	}
	words, err := f.byteLevel()
	if err != nil {
		return nil, err
	}
	if f.Model.ByteFallback || f.Model.Prefix != "" || m.Model.Suffix != "" || m.Model.Dropout != nil && *m.Model.Dropout > 0 {
		return nil, errors.New("a BPE model with byte_fallback, a subword prefix, a word suffix or dropout is not supported")
	}
	var vocab map[string]int32
	if err := json.Unmarshal(f.Model.Vocab, &vocab); err != nil {
		return nil, fmt.Errorf("vocabulary: %w", err)
	}
	t := &BPE{prefix: words.Prefix, simplify: o.Simplify, fingerprint: fingerprint}
	if t.steps, err = parseSteps(f.Normalizer); err != nil {
		return nil, fmt.Errorf("normalizer: %w", err)
	}
	if err := t.fill(vocab, m); err != nil {
		return nil, err
	}
	if t.raw, t.normal, err = literalsOf(f.AddedTokens, t.steps); err != nil {
		return nil, err
	}
	frame, ok, err := f.PostProcessor.frame()
	if err == nil && !ok {
		err = errors.New("no post-processor names the special tokens")
	}
	t.frame = frame
	return t, err
}

// byteLevel reads the pre-tokenizer.
func (f *file) byteLevel() (b byteLevel, err error) {
	if err := json.Unmarshal(f.PreTokenizer, &b); len(f.PreTokenizer) > 0 && err != nil {
		return b, fmt.Errorf("pre-tokenizer: %w", err)
	}
	if b.Type != "ByteLevel" || b.UseRegex != nil && !*b.UseRegex {
		return b, fmt.Errorf("pre-tokenizer type %q with a rule of its own for words is not ByteLevel", b.Type)
	}
	return b, nil
}

// fill takes the vocabulary and what was learned of it.
func (t *BPE) fill(vocab map[string]int32, m bpeModel) error {
	for b := range t.bytes {
		id, ok := vocab[string(byteRune(byte(b)))]
		if !ok {
			return fmt.Errorf("the vocabulary lacks the byte %#x", b)
		}
		t.bytes[b] = id
	}
	pairs, err := parseMerges(m.Model.Merges)
	if err != nil {
		return err
	}
	t.merges = make(map[[2]int32]merge, len(pairs))
	for rank, p := range pairs {
		left, okLeft := vocab[p[0]]
		right, okRight := vocab[p[1]]
		both, okBoth := vocab[p[0]+p[1]]
		if !okLeft || !okRight || !okBoth {
			return fmt.Errorf("merge %d, %q and %q, is not of the vocabulary", rank, p[0], p[1])
		}
		t.merges[[2]int32{left, right}] = merge{int32(rank), both}
	}
	if m.Model.IgnoreMerges {
		t.whole = make(map[string]int32, len(vocab))
		for piece, id := range vocab {
			if word, ok := bytesOf(piece); ok {
				t.whole[word] = id
			}
		}
	}
	return nil
}

// parseMerges reads ["a b", …] or [["a", "b"], …].
func parseMerges(raw json.RawMessage) ([][2]string, error) {
	var split [][2]string
	if json.Unmarshal(raw, &split) == nil {
		return split, nil
	}
	var lines []string
	if err := json.Unmarshal(raw, &lines); err != nil {
		return nil, fmt.Errorf("merges: %w", err)
	}
	pairs := make([][2]string, 0, len(lines))
	for i, line := range lines {
		left, right, ok := strings.Cut(line, " ")
		if !ok || strings.Contains(right, " ") {
			return nil, fmt.Errorf("merge %d is %q", i, line)
		}
		pairs = append(pairs, [2]string{left, right})
	}
	return pairs, nil
}

// byteRune is the character that stands for a byte in the pieces of a byte-level
// vocabulary: itself where it can be seen, and the next free one from U+0100 on where
// not.
func byteRune(b byte) rune {
	seen := func(b int) bool { return b >= '!' && b <= '~' || b >= 0xa1 && b <= 0xac || b >= 0xae }
	if seen(int(b)) {
		return rune(b)
	}
	r := rune(0x100)
	for before := range int(b) {
		if !seen(before) {
			r++
		}
	}
	return r
}

// bytesOf is what a piece stands for; ok is false for one that is not of bytes.
func bytesOf(piece string) (s string, ok bool) {
	var out []byte
	for _, r := range piece {
		b, ok := runeByte[r]
		if !ok {
			return "", false
		}
		out = append(out, b)
	}
	return string(out), true
}

// runeByte turns byteRune round.
var runeByte = func() map[rune]byte {
	out := map[rune]byte{}
	for b := range 256 {
		out[byteRune(byte(b))] = byte(b)
	}
	return out
}()
