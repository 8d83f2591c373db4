package tokenize

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

// scored is a piece with its log probability.
type scored struct {
	piece string
	score float64
}

func (f *file) unigram(fingerprint string, o Options) (*Unigram, error) {
	if o.Lowercase {
		return nil, errors.New("a Unigram tokenizer has no rule to lower letters")
	}
	if f.Model.ByteFallback {
		return nil, errors.New("byte_fallback is not supported")
	}
	if f.Model.UnknownID == nil {
		return nil, errors.New("unk_id is missing")
	}
	vocab, err := parseVocab(f.Model.Vocab)
	if err != nil {
		return nil, fmt.Errorf("vocabulary: %w", err)
	}
	t := &Unigram{unknown: *f.Model.UnknownID, simplify: o.Simplify, fingerprint: fingerprint}
	if t.steps, err = parseSteps(f.Normalizer); err != nil {
		return nil, fmt.Errorf("normalizer: %w", err)
	}
	if err := t.words.parse(f.PreTokenizer); err != nil {
		return nil, fmt.Errorf("pre-tokenizer: %w", err)
	}
	if err := t.fill(vocab); err != nil {
		return nil, err
	}
	if t.raw, t.normal, err = literalsOf(f.AddedTokens, t.steps); err != nil {
		return nil, err
	}
	frame, ok, err := f.PostProcessor.frame()
	if err != nil {
		return nil, err
	}
	if t.frame = frame; !ok {
		open, shut := t.id("<s>"), t.id("</s>")
		if open == absent || shut == absent {
			return nil, errors.New("the vocabulary has no <s> and </s>, and no post-processor names others")
		}
		t.frame = robertaFrame(open, shut)
	}
	return t, nil
}

// fill takes the vocabulary, whose index is the id.
func (t *Unigram) fill(vocab []scored) error {
	if t.unknown < 0 || int(t.unknown) >= len(vocab) {
		return fmt.Errorf("the unknown token's id %d is not among %d pieces", t.unknown, len(vocab))
	}
	size := 0
	for _, p := range vocab {
		size += len(p.piece)
	}
	t.pieces = newEmptyTrie(size)
	t.scores = make([]float64, len(vocab))
	least := math.Inf(1)
	for id, p := range vocab {
		if !utf8.ValidString(p.piece) || math.IsNaN(p.score) || math.IsInf(p.score, 0) {
			return fmt.Errorf("piece %q with score %g", p.piece, p.score)
		}
		t.scores[id] = p.score
		least = min(least, p.score)
		if p.piece != "" {
			t.pieces.insert(p.piece, int32(id))
		}
	}
	t.unknownScore = least - unknownPenalty
	return nil
}

// id returns a piece's id, or absent.
func (t *Unigram) id(piece string) int32 {
	if n := t.pieces.find(piece); n != root {
		return t.pieces.ids[n]
	}
	return absent
}

// part is a normalizer or a pre-tokenizer of a tokenizer.json.
type part struct {
	Type          string `json:"type"`
	Normalizers   []part `json:"normalizers"`
	Pretokenizers []part `json:"pretokenizers"`
	CharMap       string `json:"precompiled_charsmap"`
	Pattern       struct {
		String, Regex string
	} `json:"pattern"`
	Content    string `json:"content"`
	StripLeft  bool   `json:"strip_left"`
	StripRight bool   `json:"strip_right"`
	// Replacement, Prefix, Prepend and Split belong to Metaspace.
	Replacement string `json:"replacement"`
	Prefix      *bool  `json:"add_prefix_space"`
	Prepend     string `json:"prepend_scheme"`
	Split       *bool  `json:"split"`
}

// parseSteps reads a normalizer; null is none.
func parseSteps(raw json.RawMessage) ([]normaliser, error) {
	var p *part
	if err := json.Unmarshal(raw, &p); len(raw) > 0 && err != nil {
		return nil, err
	}
	if p == nil {
		return nil, nil
	}
	return p.steps()
}

func (p *part) steps() (steps []normaliser, err error) {
	switch p.Type {
	case "Sequence":
		for _, n := range p.Normalizers {
			more, err := n.steps()
			if err != nil {
				return nil, err
			}
			steps = append(steps, more...)
		}
		return steps, nil
	case "NFC":
		return []normaliser{composition{}}, nil
	case "Precompiled":
		blob, err := base64.StdEncoding.DecodeString(p.CharMap)
		if err != nil {
			return nil, fmt.Errorf("precompiled_charsmap: %w", err)
		}
		m, err := newCharMap(blob)
		if err != nil {
			return nil, err
		}
		return []normaliser{m}, nil
	case "Strip":
		return []normaliser{strip{p.StripLeft, p.StripRight}}, nil
	case "Replace":
		switch {
		case p.Pattern.Regex == " {2,}":
			return []normaliser{replace{content: []byte(p.Content), blanks: true}}, nil
		case p.Pattern.String != "":
			return []normaliser{replace{literal: []byte(p.Pattern.String), content: []byte(p.Content)}}, nil
		}
		return nil, fmt.Errorf("pattern %q of Replace is not supported", p.Pattern.Regex)
	}
	return nil, fmt.Errorf("type %q is not supported", p.Type)
}

// parse reads a pre-tokenizer: WhitespaceSplit, Metaspace, or the first and then
// the second.
func (w *wordRule) parse(raw json.RawMessage) error {
	var p part
	if err := json.Unmarshal(raw, &p); len(raw) > 0 && err != nil {
		return err
	}
	parts := []part{p}
	if p.Type == "Sequence" {
		parts = p.Pretokenizers
	}
	for _, q := range parts {
		switch {
		case q.Type == "WhitespaceSplit" && w.sign == nil:
			w.atSpace = true
		case q.Type == "Metaspace" && w.sign == nil:
			if err := w.metaspace(q); err != nil {
				return err
			}
		case q.Type == "" && len(parts) == 1:
		default:
			return fmt.Errorf("type %q is not supported here", q.Type)
		}
	}
	return nil
}

func (w *wordRule) metaspace(p part) error {
	if utf8.RuneCountInString(p.Replacement) != 1 {
		return fmt.Errorf("replacement %q of Metaspace", p.Replacement)
	}
	w.sign = []byte(p.Replacement)
	w.atSign = p.Split == nil || *p.Split
	switch {
	case p.Prepend == "always", p.Prepend == "" && (p.Prefix == nil || *p.Prefix):
		w.always = true
	case p.Prepend == "never", p.Prepend == "":
	default:
		return fmt.Errorf("prepend_scheme %q of Metaspace is not supported", p.Prepend)
	}
	return nil
}

// parseVocab reads [["piece", score], …]. A vocabulary has 250,000 entries, for
// which encoding/json takes many times as long.
func parseVocab(raw []byte) ([]scored, error) {
	r := vocabReader{rest: raw}
	if !r.skip('[') {
		return nil, errors.New("it is no array")
	}
	vocab := make([]scored, 0, len(raw)/24)
	for !r.skip(']') {
		if len(vocab) > 0 && !r.skip(',') {
			return nil, fmt.Errorf("entry %d: no comma before it", len(vocab))
		}
		p, err := r.entry()
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", len(vocab), err)
		}
		vocab = append(vocab, p)
	}
	return vocab, nil
}

type vocabReader struct{ rest []byte }

// skip takes c after white space, if it is next.
func (r *vocabReader) skip(c byte) bool {
	r.rest = bytes.TrimLeft(r.rest, " \t\r\n")
	if len(r.rest) == 0 || r.rest[0] != c {
		return false
	}
	r.rest = r.rest[1:]
	return true
}

func (r *vocabReader) entry() (p scored, err error) {
	if !r.skip('[') || !r.skip('"') {
		return scored{}, errors.New("no piece")
	}
	end := 0
	for end < len(r.rest) && r.rest[end] != '"' {
		if r.rest[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(r.rest) {
		return scored{}, errors.New("a piece without end")
	}
	if bytes.IndexByte(r.rest[:end], '\\') < 0 {
		p.piece = string(r.rest[:end])
	} else if err := json.Unmarshal(append(append([]byte{'"'}, r.rest[:end]...), '"'), &p.piece); err != nil {
		return scored{}, err
	}
	r.rest = r.rest[end+1:]
	if !r.skip(',') {
		return scored{}, fmt.Errorf("piece %q without score", p.piece)
	}
	if end = bytes.IndexByte(r.rest, ']'); end < 0 {
		return scored{}, fmt.Errorf("piece %q without end", p.piece)
	}
	p.score, err = strconv.ParseFloat(string(bytes.TrimSpace(r.rest[:end])), 64)
	r.rest = r.rest[end+1:]
	return p, err
}
