package tokenize

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// A sentencepiece model is a protocol buffer. Of its fields, numbered as in
// sentencepiece_model.proto, these are read.
const (
	fieldPieces     = 1
	fieldTrainer    = 2
	fieldNormalizer = 3

	fieldPiece = 1
	fieldScore = 2

	fieldModelType = 3
	fieldCharMap   = 2
)

// modelTypeUnigram is the model_type of a Unigram model.
const modelTypeUnigram = 1

// newSentencePiece reads a sentencepiece model with the rules and ids that
// XLM-RoBERTa gives it: <s>, <pad>, </s>, <unk>, the model's pieces after its own
// three special ones, and <mask> last; runs of blanks are one, blanks at the end
// none, and every word starts with the sign U+2581.
func newSentencePiece(raw []byte, o Options) (*Unigram, error) {
	if o.Lowercase {
		return nil, errors.New("a Unigram tokenizer has no rule to lower letters")
	}
	var own []scored
	var charMap []byte
	modelType := uint64(modelTypeUnigram)
	err := fields(raw, func(f field) error {
		switch f.number {
		case fieldPieces:
			p, err := pieceOf(f.bytes)
			own = append(own, p)
			return err
		case fieldTrainer:
			return fields(f.bytes, func(g field) error {
				if g.number == fieldModelType {
					modelType = g.value
				}
				return nil
			})
		case fieldNormalizer:
			return fields(f.bytes, func(g field) error {
				if g.number == fieldCharMap {
					charMap = g.bytes
				}
				return nil
			})
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("neither a tokenizer.json nor a sentencepiece model: %w", err)
	case modelType != modelTypeUnigram:
		return nil, fmt.Errorf("sentencepiece model of type %d is not Unigram", modelType)
	case len(own) < 4 || own[0].piece != "<unk>" || own[1].piece != "<s>" || own[2].piece != "</s>":
		return nil, errors.New("sentencepiece model without <unk>, <s>, </s> as its first pieces")
	}
	vocab := append([]scored{{"<s>", 0}, {"<pad>", 0}, {"</s>", 0}, {"<unk>", 0}}, own[3:]...)
	mask := int32(len(vocab))
	vocab = append(vocab, scored{"<mask>", 0})
	t := &Unigram{
		unknown: 3, simplify: o.Simplify, fingerprint: hashOf("sentencepiece", raw, o),
		words: wordRule{sign: []byte("\u2581"), always: true, atSign: true}, frame: robertaFrame(0, 2),
		raw: newLiterals([]addedToken{
			{ID: 0, Content: "<s>"}, {ID: 1, Content: "<pad>"}, {ID: 2, Content: "</s>"},
			{ID: 3, Content: "<unk>"}, {ID: mask, Content: "<mask>", LStrip: true},
		}),
		normal: newLiterals(nil),
	}
	if len(charMap) > 0 {
		m, err := newCharMap(charMap)
		if err != nil {
			return nil, err
		}
		t.steps = append(t.steps, m)
	}
	t.steps = append(t.steps, strip{right: true}, replace{content: []byte("\u2581"), blanks: true})
	return t, t.fill(vocab)
}

func pieceOf(raw []byte) (p scored, err error) {
	err = fields(raw, func(f field) error {
		switch f.number {
		case fieldPiece:
			p.piece = string(f.bytes)
		case fieldScore:
			p.score = float64(math.Float32frombits(uint32(f.value)))
		}
		return nil
	})
	return p, err
}

// field is one field of a protocol buffer: bytes for a length-delimited one,
// else value.
type field struct {
	number uint64
	value  uint64
	bytes  []byte
}

// fields hands every field of a message to use.
func fields(raw []byte, use func(field) error) error {
	for len(raw) > 0 {
		key, n := binary.Uvarint(raw)
		if n <= 0 || key>>3 == 0 {
			return errors.New("bad field")
		}
		raw = raw[n:]
		f := field{number: key >> 3}
		var size int
		switch key & 7 {
		case 0:
			if f.value, size = binary.Uvarint(raw); size <= 0 {
				return fmt.Errorf("field %d: bad number", f.number)
			}
		case 1:
			if size = 8; len(raw) >= size {
				f.value = binary.LittleEndian.Uint64(raw)
			}
		case 2:
			length, n := binary.Uvarint(raw)
			if n <= 0 || length > uint64(len(raw)-n) {
				return fmt.Errorf("field %d: bad length", f.number)
			}
			size = n + int(length)
			f.bytes = raw[n:size]
		case 5:
			if size = 4; len(raw) >= size {
				f.value = uint64(binary.LittleEndian.Uint32(raw))
			}
		default:
			return fmt.Errorf("field %d: wire type %d", f.number, key&7)
		}
		if size > len(raw) {
			return fmt.Errorf("field %d: cut short", f.number)
		}
		raw = raw[size:]
		if err := use(f); err != nil {
			return err
		}
	}
	return nil
}
