package tokenize_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ragdesk/backend/tokenize"
)

// bpes are the files that build/standin/bpe.py writes, by the names of their fixtures.
func bpes() map[string]string {
	return map[string]string{"bpe": "../../build/standin/bpe.json", "bpe-trap": "testdata/bpe-trap.tokenizer.json"}
}

func openBPE(tb testing.TB, name string) tokenize.Encoder {
	tb.Helper()
	t, err := tokenize.Open(filepath.FromSlash(bpes()[name]), tokenize.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

func TestBPEEqualsReference(t *testing.T) {
	t.Parallel()
	for name := range bpes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			equalReference(t, openBPE(t, name), name)
			equalPairs(t, openBPE(t, name), name)
		})
	}
}

func TestBPEDataSetsEqualReference(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("EVAL_DATA")
	if dir == "" {
		t.Skip("needs the evaluation sets: set EVAL_DATA to their folder")
	}
	for name, sets := range map[string][]string{
		"bpe":      {"cmrc2018", "drcd", "xquad_zh_en", "scifact", "clapnq"},
		"bpe-trap": {"xquad_zh_en"},
	} {
		b := openBPE(t, name)
		for _, set := range sets {
			t.Run(name+"/"+set, func(t *testing.T) {
				t.Parallel()
				equalDigests(t, b, setTexts(t, filepath.Join(dir, set)), name+"."+set+".digests")
			})
		}
	}
}

// A word without blanks costs no more a byte than a short one does.
func TestBPEOfALongWord(t *testing.T) {
	t.Parallel()
	b := openBPE(t, "bpe")
	s := strings.Repeat("abcdefgh", 50_000)
	tokens := b.Tokens(s)
	invariants(t, s, tokens)
	if n := len(tokens); n == 0 || tokens[n-1].Span.End != len(s) {
		t.Errorf("%d tokens", n)
	}
}

func TestBPERefusesOtherRules(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.FromSlash(bpes()["bpe"]))
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string][2]string{
		"rule of its own": {`"use_regex":true`, `"use_regex":false`},
		"bytes missing":   {`"Ā":`, `"ĀĀĀ":`},
		"other words":     {`"type":"ByteLevel","add_prefix_space":false`, `"type":"Whitespace","add_prefix_space":false`},
		"lower case":      {`"type":"NFC"`, `"type":"Lowercase"`},
		"fallback":        {`"byte_fallback":false`, `"byte_fallback":true`},
		"dropout":         {`"dropout":null`, `"dropout":0.1`},
		"merges":          {`"merges":[`, `"merges":[["x","yzyzy"],`},
		"no frame":        {`"post_processor":{`, `"post":{`},
	} {
		changed := strings.Replace(string(raw), change[0], change[1], 1)
		if changed == string(raw) {
			t.Errorf("%s: nothing to change", name)
		}
		if _, err := tokenize.New([]byte(changed), tokenize.Options{}); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	if _, err := tokenize.New(raw, tokenize.Options{Lowercase: true}); err == nil {
		t.Error("a rule to lower letters is taken")
	}
}

func FuzzBPE(f *testing.F) {
	for _, s := range []string{"", "it's a  test\n\n", "北京e\u0301 [MASK]", "\xff\xfe a"} {
		f.Add(s)
	}
	b := openBPE(f, "bpe")
	f.Fuzz(func(t *testing.T, s string) { invariants(t, s, b.Tokens(s)) })
}

func BenchmarkBPE(b *testing.B) { benchmarkTokens(b, func() tokenizer { return openBPE(b, "bpe") }) }
