package tokenize

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"unicode/utf8"

	"ragdesk/backend/fault"
)

// file is the part of a tokenizer.json that decides ids.
type file struct {
	AddedTokens []struct {
		ID         int32  `json:"id"`
		Content    string `json:"content"`
		SingleWord bool   `json:"single_word"`
		LStrip     bool   `json:"lstrip"`
		RStrip     bool   `json:"rstrip"`
		Normalized bool   `json:"normalized"`
	} `json:"added_tokens"`
	Normalizer struct {
		Type         string `json:"type"`
		CleanText    bool   `json:"clean_text"`
		ChineseChars bool   `json:"handle_chinese_chars"`
		StripAccents *bool  `json:"strip_accents"`
		Lowercase    bool   `json:"lowercase"`
	} `json:"normalizer"`
	PreTokenizer struct {
		Type string `json:"type"`
	} `json:"pre_tokenizer"`
	Model struct {
		Type     string           `json:"type"`
		Unknown  string           `json:"unk_token"`
		Prefix   string           `json:"continuing_subword_prefix"`
		MaxChars int              `json:"max_input_chars_per_word"`
		Vocab    map[string]int32 `json:"vocab"`
	} `json:"model"`
}

// Options change rules of a tokenizer.json that are known to be wrong.
type Options struct {
	// Lowercase lowers letters, and strips accents unless the file says otherwise,
	// although the file does not ask for it.
	Lowercase bool
	// Simplify reads traditional Chinese characters as the simplified ones that
	// stand for them, for a vocabulary or a model that knows those better.
	Simplify bool
}

// Open reads the tokenizer.json at path. A file that is not one, or that asks
// for rules other than BERT's, is a fault "tokenizer_invalid" with the path and
// the reason.
func Open(path string, o Options) (*WordPiece, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read tokenizer: %w", err)
	}
	t, err := New(raw, o)
	if err != nil {
		return nil, fault.Wrap(err, "tokenizer_invalid", fault.P("path", path), fault.P("reason", err))
	}
	return t, nil
}

// New builds a tokenizer from the content of a tokenizer.json.
func New(raw []byte, o Options) (*WordPiece, error) {
	var f file
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, fmt.Errorf("parse tokenizer.json: %w", err)
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(append(raw[:len(raw):len(raw)], fmt.Sprint(o)...))
	f.Normalizer.Lowercase = f.Normalizer.Lowercase || o.Lowercase
	t := &WordPiece{
		lower:       f.Normalizer.Lowercase,
		strip:       f.Normalizer.Lowercase,
		simplify:    o.Simplify,
		maxChars:    f.Model.MaxChars,
		fingerprint: "wordpiece-" + hex.EncodeToString(sum[:8]),
	}
	if s := f.Normalizer.StripAccents; s != nil {
		t.strip = *s
	}
	for _, special := range []struct {
		name string
		id   *int32
	}{{f.Model.Unknown, &t.unknown}, {"[CLS]", &t.cls}, {"[SEP]", &t.sep}} {
		id, ok := f.Model.Vocab[special.name]
		if !ok {
			return nil, fmt.Errorf("special token %q is not in the vocabulary", special.name)
		}
		*special.id = id
	}
	t.pieces = newTrie(f.Model.Vocab, f.Model.Prefix)
	t.singles = singles(f.Model.Vocab)
	t.class = newClasses(f.Normalizer.CleanText, f.Normalizer.ChineseChars)
	t.added = newAdded(f)
	if t.strip {
		t.accents = newDecompositions()
	}
	return t, nil
}

// check refuses what WordPiece would tokenize differently from the reference.
func (f *file) check() error {
	switch {
	case f.Model.Type != "WordPiece":
		return fmt.Errorf("model type %q is not WordPiece", f.Model.Type)
	case f.Normalizer.Type != "BertNormalizer":
		return fmt.Errorf("normalizer type %q is not BertNormalizer", f.Normalizer.Type)
	case f.PreTokenizer.Type != "BertPreTokenizer":
		return fmt.Errorf("pre-tokenizer type %q is not BertPreTokenizer", f.PreTokenizer.Type)
	case f.Model.MaxChars < 1:
		return fmt.Errorf("max_input_chars_per_word is %d", f.Model.MaxChars)
	case f.Model.Prefix == "":
		return fmt.Errorf("continuing_subword_prefix is empty")
	}
	for _, a := range f.AddedTokens {
		if a.SingleWord || a.LStrip || a.RStrip || a.Normalized {
			return fmt.Errorf("added token %q has matching options", a.Content)
		}
		if a.Content == "" || !isASCIIPunct(a.Content[0]) {
			return fmt.Errorf("added token %q does not start with an ASCII symbol", a.Content)
		}
	}
	for piece, id := range f.Model.Vocab {
		if id < 0 || !utf8.ValidString(piece) {
			return fmt.Errorf("vocabulary entry %q with id %d", piece, id)
		}
	}
	return nil
}

// singles maps every rune of the basic plane to the id of the word that it is
// alone, or to absent.
func singles(vocab map[string]int32) []int32 {
	ids := make([]int32, 1<<16)
	for i := range ids {
		ids[i] = absent
	}
	for piece, id := range vocab {
		r, size := utf8.DecodeRuneInString(piece)
		if size == len(piece) && size > 0 && int(r) < len(ids) {
			ids[r] = id
		}
	}
	return ids
}

// added are the literal tokens that are found in raw text before anything else.
type added struct {
	// byFirst holds, for each first byte, the tokens that start with it, longest
	// first.
	byFirst [256][]literal
}

type literal struct {
	text string
	id   int32
}

func newAdded(f file) *added {
	a := &added{}
	for _, tok := range f.AddedTokens {
		list := &a.byFirst[tok.Content[0]]
		at := 0
		for at < len(*list) && len((*list)[at].text) >= len(tok.Content) {
			at++
		}
		*list = append(*list, literal{})
		copy((*list)[at+1:], (*list)[at:])
		(*list)[at] = literal{tok.Content, tok.ID}
	}
	return a
}

// match returns the longest added token that text starts with.
func (a *added) match(text string) (literal, bool) {
	for _, l := range a.byFirst[text[0]] {
		if len(text) >= len(l.text) && text[:len(l.text)] == l.text {
			return l, true
		}
	}
	return literal{}, false
}
