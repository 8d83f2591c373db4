package tokenize_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
	"ragdesk/backend/tokenize"
)

// small is a tokenizer.json whose parts tests change.
func small() map[string]any {
	vocab := map[string]int{}
	for i, piece := range []string{
		"[PAD]", "[UNK]", "[CLS]", "[SEP]", "play", "##ing", "##ed", "un", "##play", "北", "京", "##京", "a", "##a", "i", "=", ".", "aa",
	} {
		vocab[piece] = i
	}
	return map[string]any{
		"added_tokens": []map[string]any{
			{"id": 3, "content": "[SEP]", "special": true}, {"id": 20, "content": "[SEP]+", "special": true},
		},
		"truncation": map[string]any{"max_length": 1},
		"padding":    map[string]any{"strategy": map[string]any{"Fixed": 64}},
		"normalizer": map[string]any{
			"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
			"strip_accents": nil, "lowercase": true,
		},
		"pre_tokenizer": map[string]any{"type": "BertPreTokenizer"},
		"model": map[string]any{
			"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
			"max_input_chars_per_word": 10, "vocab": vocab,
		},
	}
}

func build(tb testing.TB, f map[string]any) (tokenize.Encoder, error) {
	tb.Helper()
	raw, err := json.Marshal(f)
	if err != nil {
		tb.Fatal(err)
	}
	return tokenize.New(raw, tokenize.Options{})
}

func TestWordPieceRules(t *testing.T) {
	t.Parallel()
	set := func(section, key string, value any) func(map[string]any) {
		return func(f map[string]any) { f[section].(map[string]any)[key] = value }
	}
	for _, c := range []struct {
		name   string
		change func(map[string]any)
		text   string
		want   []rag.Token
	}{
		{"longest match", nil, "unplaying", []rag.Token{tok(7, 0, 2), tok(8, 2, 6), tok(5, 6, 9)}},
		{"one bad piece spoils the word", nil, "playxed a", []rag.Token{tok(1, 0, 7), tok(12, 8, 9)}},
		{"lower case keeps spans", nil, "PlayED", []rag.Token{tok(4, 0, 4), tok(6, 4, 6)}},
		{"case kept", set("normalizer", "lowercase", false), "Play play", []rag.Token{tok(1, 0, 4), tok(4, 5, 9)}},
		{"han stand alone", nil, "a北京a", []rag.Token{tok(12, 0, 1), tok(9, 1, 4), tok(10, 4, 7), tok(12, 7, 8)}},
		{
			"han as letters", set("normalizer", "handle_chinese_chars", false), "北京",
			[]rag.Token{tok(9, 0, 3), tok(11, 3, 6)},
		},
		{"accents go", nil, "á a\u0301a", []rag.Token{tok(12, 0, 2), tok(17, 3, 7)}},
		{"accents stay", set("normalizer", "strip_accents", false), "á", []rag.Token{tok(1, 0, 2)}},
		{"a sign decomposes into a word of its own", nil, "a≠a", []rag.Token{tok(12, 0, 1), tok(15, 1, 4), tok(12, 4, 5)}},
		{"dropped inside a word", nil, "pl\u200bay\u00ading", []rag.Token{tok(4, 0, 7), tok(5, 9, 12)}},
		{"bytes that are no UTF-8 are dropped", nil, "pl\xffay \xe5\x8c 北\xe5", []rag.Token{tok(4, 0, 5), tok(9, 9, 12)}},
		{"controls kept without clean_text", set("normalizer", "clean_text", false), "a\u200b", []rag.Token{tok(1, 0, 4)}},
		{"at most ten characters", nil, "aaaaaaaaaa", []rag.Token{
			tok(17, 0, 2), tok(13, 2, 3), tok(13, 3, 4), tok(13, 4, 5), tok(13, 5, 6), tok(13, 6, 7), tok(13, 7, 8), tok(13, 8, 9), tok(13, 9, 10),
		}},
		{"eleven are unknown", nil, "aaaaaaaaaaa aaaaaaaaaaá", []rag.Token{tok(1, 0, 11), tok(1, 12, 24)}},
		{"special literal, longest first", nil, "a[SEP]a[SEP]+", []rag.Token{tok(12, 0, 1), tok(3, 1, 6), tok(12, 6, 7), tok(20, 7, 13)}},
		{"no special literal", nil, "[sep]", []rag.Token{tok(1, 0, 1), tok(1, 1, 4), tok(1, 4, 5)}},
		{"no continuing pieces at all", set("model", "continuing_subword_prefix", "@@"), "aa aaa", []rag.Token{tok(17, 0, 2), tok(1, 3, 6)}},
		{"nothing", nil, " \t\u3000\u200b", []rag.Token{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := small()
			if c.change != nil {
				c.change(f)
			}
			wp, err := build(t, f)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, wp.Tokens(c.text)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func tok(id int32, start, end int) rag.Token {
	return rag.Token{ID: id, Span: rag.Span{Start: start, End: end}}
}

func TestEncodeAddsSpecialTokensAndCuts(t *testing.T) {
	t.Parallel()
	wp, err := build(t, small())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		limit, left int
		want        []int64
	}{
		{10, 0, []int64{2, 12, 9, 10, 3}},
		{5, 0, []int64{2, 12, 9, 10, 3}},
		{4, 1, []int64{2, 12, 9, 3}},
		{2, 3, []int64{2, 3}},
		{-1, 3, []int64{2, 3}},
	} {
		ids, left := wp.Encode("a 北京", c.limit)
		if diff := cmp.Diff(c.want, ids); diff != "" || left != c.left {
			t.Errorf("limit %d: %d left out, want %d; (-want +got)\n%s", c.limit, left, c.left, diff)
		}
	}
}

func TestFilesThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(f map[string]any){
		"another model":        func(f map[string]any) { f["model"].(map[string]any)["type"] = "Unigram" },
		"another normalizer":   func(f map[string]any) { f["normalizer"] = map[string]any{"type": "NFC"} },
		"no normalizer":        func(f map[string]any) { f["normalizer"] = nil },
		"another pre-splitter": func(f map[string]any) { f["pre_tokenizer"] = map[string]any{"type": "Whitespace"} },
		"no word length":       func(f map[string]any) { f["model"].(map[string]any)["max_input_chars_per_word"] = 0 },
		"no prefix":            func(f map[string]any) { f["model"].(map[string]any)["continuing_subword_prefix"] = "" },
		"unknown token absent": func(f map[string]any) { f["model"].(map[string]any)["unk_token"] = "<unk>" },
		"no vocabulary":        func(f map[string]any) { delete(f["model"].(map[string]any), "vocab") },
		"negative id":          func(f map[string]any) { f["model"].(map[string]any)["vocab"].(map[string]int)["a"] = -7 },
		"added token with options": func(f map[string]any) {
			f["added_tokens"] = []map[string]any{{"id": 9, "content": "[X]", "lstrip": true}}
		},
		"added token of letters": func(f map[string]any) {
			f["added_tokens"] = []map[string]any{{"id": 9, "content": "play"}}
		},
		"empty added token": func(f map[string]any) {
			f["added_tokens"] = []map[string]any{{"id": 9, "content": ""}}
		},
	} {
		f := small()
		change(f)
		if _, err := build(t, f); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	path := filepath.Join(t.TempDir(), "tokenizer.json")
	if err := os.WriteFile(path, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := tokenize.Open(path, tokenize.Options{})
	if !fault.Is(err, "tokenizer_invalid") || fault.Of(err).Params["path"] != path {
		t.Errorf("junk file: %v", err)
	}
}

func TestFingerprintFollowsTheFile(t *testing.T) {
	t.Parallel()
	first, err := build(t, small())
	if err != nil {
		t.Fatal(err)
	}
	again, err := build(t, small())
	if err != nil {
		t.Fatal(err)
	}
	f := small()
	f["normalizer"].(map[string]any)["lowercase"] = false
	other, err := build(t, f)
	if err != nil {
		t.Fatal(err)
	}
	if first.Fingerprint() != again.Fingerprint() || first.Fingerprint() == other.Fingerprint() {
		t.Errorf("fingerprints %s, %s, %s", first.Fingerprint(), again.Fingerprint(), other.Fingerprint())
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	wp, err := build(t, small())
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("Unplaying 北京 á [SEP] ", 20)
	want := wp.Tokens(text)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if diff := cmp.Diff(want, wp.Tokens(text)); diff != "" {
				t.Errorf("(-alone +beside others)\n%s", diff)
			}
		})
	}
	wait.Wait()
}

// invariants checks what the package promises of any text.
func invariants(t *testing.T, text string, tokens []rag.Token) {
	t.Helper()
	boundary := func(i int) bool { return i == len(text) || utf8.RuneStart(text[i]) || !utf8.ValidString(text) }
	var last rag.Span
	for i, tok := range tokens {
		s := tok.Span
		if s.Start < 0 || s.End > len(text) || s.Start >= s.End {
			t.Fatalf("token %d of %q: span %v", i, text, s)
		}
		if s.Start < last.Start || s.End < last.End {
			t.Fatalf("token %d of %q: span %v after %v", i, text, s, last)
		}
		if !boundary(s.Start) || !boundary(s.End) {
			t.Fatalf("token %d of %q: span %v is off a rune boundary", i, text, s)
		}
		last = s
	}
}

func FuzzTokens(f *testing.F) {
	for _, seed := range []string{
		"", "unplaying 北京", "á≠[SEP]+[SEP", "\xff\xfe北\xe5\x8c", "한국어 A\u0301\u0327", "\u0f73\u0344\u200d👩‍👩‍👧", "a\x00b\ufffd",
	} {
		f.Add(seed)
	}
	lower, err := build(f, small())
	if err != nil {
		f.Fatal(err)
	}
	file := small()
	file["normalizer"] = map[string]any{"type": "BertNormalizer"}
	raw, err := build(f, file)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, wp := range []tokenize.Encoder{lower, raw} {
			tokens := wp.Tokens(text)
			invariants(t, text, tokens)
			ids, left := wp.Encode(text, 8)
			if len(ids)+left != len(tokens)+2 || len(ids) > 8 {
				t.Fatalf("%q: %d ids and %d left out of %d tokens", text, len(ids), left, len(tokens))
			}
		}
	})
}

func FuzzNew(f *testing.F) {
	raw, err := json.Marshal(small())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add([]byte(`{"model":{"type":"WordPiece","vocab":{"":0}}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		wp, err := tokenize.New(raw, tokenize.Options{})
		if err != nil {
			return
		}
		invariants(t, "Unplaying 北京 á", wp.Tokens("Unplaying 北京 á"))
	})
}

func BenchmarkOpen(b *testing.B) {
	for _, name := range names() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				open(b, name)
			}
		})
	}
}
