package tokenize

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"

	"ragdesk/backend/fault"
)

// file is the part of a tokenizer.json that decides ids. What depends on the
// kind of model stays raw until the kind is known.
type file struct {
	AddedTokens   []addedToken    `json:"added_tokens"`
	Normalizer    json.RawMessage `json:"normalizer"`
	PreTokenizer  json.RawMessage `json:"pre_tokenizer"`
	PostProcessor *postProcessor  `json:"post_processor"`
	Model         struct {
		Type         string          `json:"type"`
		Unknown      string          `json:"unk_token"`
		Prefix       string          `json:"continuing_subword_prefix"`
		MaxChars     int             `json:"max_input_chars_per_word"`
		UnknownID    *int32          `json:"unk_id"`
		ByteFallback bool            `json:"byte_fallback"`
		Vocab        json.RawMessage `json:"vocab"`
	} `json:"model"`
}

// Options change rules of a tokenizer's file that are known to be wrong.
type Options struct {
	// Lowercase lowers letters, and strips accents unless the file says otherwise,
	// although the file does not ask for it. Only WordPiece has it.
	Lowercase bool
	// Simplify reads traditional Chinese characters as the simplified ones that
	// stand for them, for a vocabulary or a model that knows those better.
	Simplify bool
}

// Open reads the tokenizer at path: a tokenizer.json, or a sentencepiece model
// with the ids of XLM-RoBERTa. A file that is neither, or that asks for rules
// that this package does not have, is a fault "tokenizer_invalid" with the path
// and the reason.
func Open(path string, o Options) (Encoder, error) {
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

// New builds a tokenizer from the content of its file.
func New(raw []byte, o Options) (Encoder, error) {
	if start := bytes.TrimLeft(raw, " \t\r\n"); len(start) == 0 || start[0] != '{' {
		return newSentencePiece(raw, o)
	}
	var f file
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, fmt.Errorf("parse tokenizer.json: %w", err)
	}
	for _, a := range f.AddedTokens {
		if a.Content == "" {
			return nil, fmt.Errorf("an added token is empty")
		}
	}
	switch f.Model.Type {
	case "WordPiece":
		return f.wordPiece(hashOf("wordpiece", raw, o), o)
	case "Unigram":
		return f.unigram(hashOf("unigram", raw, o), o)
	case "BPE":
		return f.bpe(raw, hashOf("bpe", raw, o), o)
	}
	return nil, fmt.Errorf("model type %q is neither WordPiece, Unigram nor BPE", f.Model.Type)
}

// hashOf is the fingerprint of a tokenizer of the given kind.
func hashOf(kind string, raw []byte, o Options) string {
	sum := sha256.Sum256(append(raw[:len(raw):len(raw)], fmt.Sprint(o)...))
	return kind + "-" + hex.EncodeToString(sum[:8])
}
