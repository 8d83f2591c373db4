package tokenize_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/models/modelstest"
	"ragdesk/backend/rag"
	"ragdesk/backend/tokenize"
)

// unigrams are the files that build/standin/xlmr.py and reference_tokens.py
// write, by the names of their fixtures.
func unigrams() map[string]string {
	return map[string]string{
		"xlmr": "tokenizer.json", "xlmr-spm": "sentencepiece.bpe.model", "xlmr-trap": "trap.json",
	}
}

func openUnigram(tb testing.TB, name string) tokenize.Encoder {
	tb.Helper()
	t, err := tokenize.Open(filepath.Join(modelstest.RealVocabulary(tb), unigrams()[name]), tokenize.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

func TestUnigramEqualsReference(t *testing.T) {
	t.Parallel()
	for name := range unigrams() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			equalReference(t, openUnigram(t, name), name)
		})
	}
}

// equalReference checks the ids of hard texts and of every code point.
func equalReference(t *testing.T, tok tokenize.Encoder, name string) {
	t.Helper()
	var cases []struct {
		Text string  `json:"text"`
		IDs  []int32 `json:"ids"`
	}
	readJSON(t, name+".texts.json", &cases)
	for _, c := range cases {
		got := []int32{}
		tokens := tok.Tokens(c.Text)
		for _, one := range tokens {
			got = append(got, one.ID)
		}
		if diff := cmp.Diff(c.IDs, got); diff != "" {
			t.Errorf("%q: (-reference +ours)\n%s", c.Text, diff)
		}
		invariants(t, c.Text, tokens)
	}
	want := readDigests(t, name+".points")
	for b := range want {
		var s strings.Builder
		for c := rune(b * 256); c < rune(b*256+256); c++ {
			if c < 0xd800 || c > 0xdfff {
				fmt.Fprintf(&s, "a%cb %c1\n", c, c)
			}
		}
		if got := digest(tok.Tokens(s.String())); got != want[b] {
			t.Errorf("code points %04x to %04x: ids differ", b*256, b*256+255)
		}
	}
}

func TestUnigramDataSetsEqualReference(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("EVAL_DATA")
	if dir == "" {
		t.Skip("needs the evaluation sets: set EVAL_DATA to their folder")
	}
	for name, sets := range map[string][]string{
		"xlmr":     {"cmrc2018", "drcd", "xquad_zh_en", "scifact", "clapnq"},
		"xlmr-spm": {"xquad_zh_en"}, "xlmr-trap": {"xquad_zh_en"},
	} {
		u := openUnigram(t, name)
		for _, set := range sets {
			t.Run(name+"/"+set, func(t *testing.T) {
				t.Parallel()
				equalDigests(t, u, setTexts(t, filepath.Join(dir, set)), name+"."+set+".digests")
			})
		}
	}
}

func TestPairsEqualReference(t *testing.T) {
	t.Parallel()
	for _, name := range append(names(), "xlmr") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var tok tokenize.Encoder
			if name == "xlmr" {
				tok = openUnigram(t, name)
			} else {
				tok = open(t, name)
			}
			equalPairs(t, tok, name)
		})
	}
}

// equalPairs checks what a query and a passage become under limits.
func equalPairs(t *testing.T, tok tokenize.Encoder, name string) {
	t.Helper()
	var cases []struct {
		Query, Passage string
		Limit          int
		IDs, Types     []int64
	}
	readJSON(t, name+".pairs.json", &cases)
	for _, c := range cases {
		got := tok.EncodePair(c.Query, c.Passage, c.Limit)
		if diff := cmp.Diff([][]int64{c.IDs, c.Types}, [][]int64{got.IDs, got.Types}); diff != "" {
			t.Errorf("%q, %.40q, limit %d: (-reference +ours)\n%s", c.Query, c.Passage, c.Limit, diff)
		}
	}
}

func BenchmarkUnigram(b *testing.B) {
	benchmarkTokens(b, func() tokenizer { return openUnigram(b, "xlmr") })
}

// tokenizer cuts a text.
type tokenizer interface{ Tokens(s string) []rag.Token }

// benchmarkTokens times a tokenizer on real texts of both languages.
func benchmarkTokens(b *testing.B, open func() tokenizer) {
	b.Helper()
	dir := os.Getenv("EVAL_DATA")
	if dir == "" {
		b.Skip("needs the evaluation sets: set EVAL_DATA to their folder")
	}
	t := open()
	for _, set := range []string{"cmrc2018", "scifact"} {
		b.Run(set, func(b *testing.B) {
			texts := setTexts(b, filepath.Join(dir, set))
			tokens := 0
			b.ReportAllocs()
			for b.Loop() {
				for _, s := range texts {
					tokens += len(t.Tokens(s))
				}
			}
			b.ReportMetric(float64(tokens)/b.Elapsed().Seconds()/1e6, "Mtokens/s")
		})
	}
}

func BenchmarkOpenUnigram(b *testing.B) {
	for name := range unigrams() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				openUnigram(b, name)
			}
		})
	}
}
