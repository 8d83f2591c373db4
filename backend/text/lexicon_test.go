package text_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// own are words, or stop words after a minus.
func own(t *testing.T, lines ...string) *text.Lexicon {
	t.Helper()
	var words []rag.Word
	for _, line := range lines {
		stop := strings.HasPrefix(line, "-")
		w, err := text.ParseWord(strings.TrimPrefix(line, "-"))
		if err != nil {
			t.Fatal(err)
		}
		w.Stop = stop
		words = append(words, w)
	}
	return text.NewLexicon(words)
}

func TestLexiconWords(t *testing.T) {
	t.Parallel()
	if err := text.Ready(); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		lines        []string
		s, bare, own string
	}{
		{[]string{"灵犀三号"}, "灵犀三号发布了", "灵犀 三号 3 发布 (了)", "灵犀三号 发布 (了)"},
		{[]string{"靈犀三號"}, "灵犀三号与靈犀三號", "灵犀 三号 3 (与) 灵犀 三号 3", "灵犀三号 (与) 灵犀三号"},
		{[]string{"灵犀3号"}, "新的灵犀3号，灵犀33号", "新 (的) 灵犀 3 号 灵犀 33 号", "新 (的) 灵犀3号 灵犀 33 号"},
		{[]string{"T恤", "Ｋ8s集群"}, "买T恤和K8S集群", "买 (t) 恤 (和) k8s k 8 (s) 集群", "买 t恤 (和) k8s集群"},
		{[]string{"Windows"}, "windows-10 in Windows's x-windows", "windows-10 window 10 (in) window x-windows x window", "windows 10 (in) windows (s) x windows"},
		{[]string{"C++"}, "C++, c++11 c", "c++ c c 11 c", "c++ c++ 11 c"},
		{[]string{"关于"}, "关于它", "(关于) (它)", "关于 (它)"},
		{[]string{"-公司", "-http"}, "母公司的公司 http://x", "母公司 (的) 公司 http x", "母公司 (的) x"},
		{[]string{"-贵司"}, "贵司同意", "贵 司 同意", "同意"},
		// A frequency decides between a word and its neighbours.
		{[]string{"研究生 1"}, "研究生命", "研究 生命", "研究 生命"},
		{[]string{"研究生 60000000"}, "研究生命", "研究 生命", "研究生 命"},
		{[]string{"长江大桥 1 n"}, "长江大桥", "长江大桥", "长江 大桥"},
	} {
		if diff := cmp.Diff(c.bare, terms(text.Analyze(c.s).Words)); diff != "" {
			t.Errorf("words of %q (-want +got):\n%s", c.s, diff)
		}
		if diff := cmp.Diff(c.own, terms(own(t, c.lines...).Analyze(c.s).Words)); diff != "" {
			t.Errorf("words of %q under %q (-want +got):\n%s", c.s, c.lines, diff)
		}
	}
}

// TestLexiconPairs holds that bigrams and characters are those of the text whatever
// its words, and that only those inside stop words are left out.
func TestLexiconPairs(t *testing.T) {
	t.Parallel()
	if err := text.Ready(); err != nil {
		t.Skip(err)
	}
	s := "母公司的灵犀3号属于公司"
	bare, named := text.Analyze(s), own(t, "灵犀3号", "灵犀").Analyze(s)
	if diff := cmp.Diff(terms(bare.Bigrams)+"|"+terms(bare.Chars), terms(named.Bigrams)+"|"+terms(named.Chars)); diff != "" {
		t.Errorf("pairs with words (-bare +own):\n%s", diff)
	}
	stopped := own(t, "-公司", "-灵犀3号").Analyze(s)
	if diff := cmp.Diff("母公 公司 司的 的灵 号属 属于 于公|母 公 司 (的) 属 于", terms(stopped.Bigrams)+"|"+terms(stopped.Chars)); diff != "" {
		t.Errorf("pairs with stop words (-want +got):\n%s", diff)
	}
}

func TestLexiconFingerprint(t *testing.T) {
	t.Parallel()
	none := text.NewLexicon(nil)
	if none.Fingerprint() != text.Fingerprint() || none.Print() != "" {
		t.Error("no words have a fingerprint of their own")
	}
	if own(t, "甲乙", "丙丁").Fingerprint() != own(t, "丙丁", "甲乙").Fingerprint() {
		t.Error("the order of words shows in the fingerprint")
	}
	seen := map[string]string{none.Fingerprint(): "none"}
	for _, l := range []string{"甲乙", "甲乙 3", "甲乙 4", "-甲乙", "甲乙丙"} {
		p := own(t, l).Fingerprint()
		if seen[p] != "" {
			t.Errorf("%q and %q have one fingerprint", l, seen[p])
		}
		seen[p] = l
	}
}

func TestParseWord(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"灵犀三号":                  "灵犀三号 0 ",
		"  云边协同\t5 n\r":         "云边协同 5 ",
		"云边协同 nz":               "云边协同 0 ",
		"k8s 60000000":          "k8s 60000000 ",
		"":                      " 0 word_blank",
		"，。":                    "，。 0 word_blank",
		"a\xff":                 "a\uFFFD 0 word_blank",
		"a\u0000":               "a\u0000 0 word_blank",
		"\u200b":                "\u200b 0 word_blank",
		"云 0":                   "云 0 word_frequency",
		"云 -3":                  "云 0 word_frequency",
		"云 2.5":                 "云 0 word_frequency",
		"云 60000001":            "云 0 word_frequency",
		"New York":              "New 0 word_fields",
		"云 3 n n":               "云 3 word_fields",
		"云 n 3":                 "云 0 word_fields",
		strings.Repeat("长", 51): strings.Repeat("长", 51) + " 0 word_long",
	} {
		w, err := text.ParseWord(line)
		code := ""
		if err != nil {
			code = fault.Of(err).Code
		}
		if got := fmt.Sprintf("%s %d %s", w.Word, w.Freq, code); got != want {
			t.Errorf("ParseWord(%q) = %q, want %q", line, got, want)
		}
	}
}

func FuzzLexicon(f *testing.F) {
	for _, s := range []string{"灵犀三号", "灵犀3号-x T恤", "x-windows's", "𠮷野家", "c++b", "三百三"} {
		f.Add(s, "灵犀3号", "windows")
		f.Add(s, "三", "犀三")
	}
	f.Fuzz(func(t *testing.T, s, word, stop string) {
		w, err := text.ParseWord(word)
		x, err2 := text.ParseWord(stop)
		if err != nil || err2 != nil {
			return
		}
		x.Stop = true
		a := text.NewLexicon([]rag.Word{w, x}).Analyze(s)
		forbidden := text.Fold(x.Word).Text
		for name, stream := range map[string][]text.Term{"words": a.Words, "bigrams": a.Bigrams, "chars": a.Chars} {
			at := 0
			for _, term := range stream {
				if term.Term == "" || term.Span.Start < at || term.Span.End <= term.Span.Start || term.Span.End > len(s) {
					t.Fatalf("%s of %q: %+v after %d", name, s, term, at)
				}
				at = term.Span.Start
			}
		}
		if text.Fold(w.Word).Text == forbidden {
			return
		}
		// A stop word that stands alone leaves nothing, a word that does is one term.
		if left := text.NewLexicon([]rag.Word{x}).Analyze(x.Word); len(left.Words)+len(left.Bigrams)+len(left.Chars) > 0 {
			t.Fatalf("of the stop word %q there is %+v", x.Word, left)
		}
		if w.Freq == 0 {
			if alone := text.NewLexicon([]rag.Word{w}).Analyze(w.Word); len(alone.Words) != 1 || alone.Words[0].Term != text.Fold(w.Word).Text {
				t.Fatalf("the word %q is %+v", w.Word, alone.Words)
			}
		}
	})
}
