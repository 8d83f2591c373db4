package tokenize

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// bertNormalizer is the normaliser of a WordPiece tokenizer.json.
type bertNormalizer struct {
	Type         string `json:"type"`
	CleanText    bool   `json:"clean_text"`
	ChineseChars bool   `json:"handle_chinese_chars"`
	StripAccents *bool  `json:"strip_accents"`
	Lowercase    bool   `json:"lowercase"`
}

func (f *file) wordPiece(fingerprint string, o Options) (*WordPiece, error) {
	var normal bertNormalizer
	if err := json.Unmarshal(f.Normalizer, &normal); len(f.Normalizer) > 0 && err != nil {
		return nil, fmt.Errorf("normalizer: %w", err)
	}
	var vocab map[string]int32
	if err := json.Unmarshal(f.Model.Vocab, &vocab); len(f.Model.Vocab) > 0 && err != nil {
		return nil, fmt.Errorf("vocabulary: %w", err)
	}
	if err := f.checkWordPiece(normal, vocab); err != nil {
		return nil, err
	}
	lower := normal.Lowercase || o.Lowercase
	t := &WordPiece{
		lower: lower, strip: lower, simplify: o.Simplify,
		maxChars: f.Model.MaxChars, fingerprint: fingerprint,
	}
	if s := normal.StripAccents; s != nil {
		t.strip = *s
	}
	var cls, sep int32
	for _, special := range []struct {
		name string
		id   *int32
	}{{f.Model.Unknown, &t.unknown}, {"[CLS]", &cls}, {"[SEP]", &sep}} {
		id, ok := vocab[special.name]
		if !ok {
			return nil, fmt.Errorf("special token %q is not in the vocabulary", special.name)
		}
		*special.id = id
	}
	frame, ok, err := f.PostProcessor.frame()
	if err != nil {
		return nil, err
	}
	if t.frame = frame; !ok {
		t.frame = bertFrame(cls, sep)
	}
	t.pieces = newTrie(vocab, f.Model.Prefix)
	t.singles = singles(vocab)
	t.class = newClasses(normal.CleanText, normal.ChineseChars)
	t.added = newLiterals(f.AddedTokens)
	if t.strip {
		t.accents = newDecompositions()
	}
	return t, nil
}

// checkWordPiece refuses what WordPiece would tokenize differently from the
// reference.
func (f *file) checkWordPiece(normal bertNormalizer, vocab map[string]int32) error {
	var split struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(f.PreTokenizer, &split); len(f.PreTokenizer) > 0 && err != nil {
		return fmt.Errorf("pre-tokenizer: %w", err)
	}
	switch {
	case normal.Type != "BertNormalizer":
		return fmt.Errorf("normalizer type %q is not BertNormalizer", normal.Type)
	case split.Type != "BertPreTokenizer":
		return fmt.Errorf("pre-tokenizer type %q is not BertPreTokenizer", split.Type)
	case f.Model.MaxChars < 1:
		return fmt.Errorf("max_input_chars_per_word is %d", f.Model.MaxChars)
	case f.Model.Prefix == "":
		return fmt.Errorf("continuing_subword_prefix is empty")
	}
	for _, a := range f.AddedTokens {
		if a.SingleWord || a.LStrip || a.RStrip || a.Normalized {
			return fmt.Errorf("added token %q has matching options", a.Content)
		}
		if !isASCIIPunct(a.Content[0]) {
			return fmt.Errorf("added token %q does not start with an ASCII symbol", a.Content)
		}
	}
	for piece, id := range vocab {
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
