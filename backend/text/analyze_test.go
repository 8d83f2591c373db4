package text_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/text"
)

// terms joins terms with blanks, stop words in parentheses.
func terms(in []text.Term) string {
	out := make([]string, len(in))
	for i, t := range in {
		out[i] = t.Term
		if t.Stop {
			out[i] = "(" + t.Term + ")"
		}
	}
	return strings.Join(out, " ")
}

func TestAnalyzeWords(t *testing.T) {
	t.Parallel()
	if err := text.Ready(); err != nil {
		t.Skip(err)
	}
	for s, want := range map[string]string{
		"":                           "",
		"。，！ \n":                     "",
		"我来到北京清华大学":                  "(我) 来到 北京 清华大学",
		"结婚的和尚未结婚的":                  "结婚 (的) (和) 尚未 结婚 (的)",
		"研究生命的起源":                    "研究 生命 (的) 起源",
		"南京市长江大桥":                    "南京市 长江大桥",
		"乒乓球拍卖完了":                    "乒乓球 拍卖 完 (了)",
		"機器學習與資料庫":                   "机器 学习 (与) 资料库",
		"北京，东京":                      "北京 东京",
		"猫":                          "猫",
		"𠮷野家":                        "𠮷 野 家",
		"2024年3月5日":                  "2024 年 3 月 5 日",
		"增长3.5%":                     "增长 3.5 3 5",
		"共1,000,000元":                "共 1000000 元",
		"1,2,3":                      "1,2,3 1 2 3",
		"C++ 与 C# 和 C":               "c++ c (与) c# c (和) c",
		"a++b":                       "(a) b",
		"iPhone15":                   "iphone15 iphon 15",
		"bge-small-zh-v1.5":          "bge-small-zh-v1.5 bge small zh v 1 5",
		"snake_case_name":            "snake_case_name snake case name",
		"Dr. Smith's dogs don't run": "dr smith dog don't don (t) run",
		"runs running runner ran":    "run run runner ran",
		"The cats of the house":      "(the) cat (of) (the) hous",
		"a@b.com":                    "a@b.com (a) b com",
		"end. Next":                  "end next",
		"T恤和卡拉OK":                    "(t) 恤 (和) 卡拉 ok",
		"コンピュータは速い":                  "コンピュータ は 速 い",
		"서울은 수도":                     "서울은 수도",
		"Москва река":                "москва река",
		"½杯 ＡＢＣ①":                    "1 2 杯 abc1 abc 1",
		"😀🎉":                         "",
	} {
		if diff := cmp.Diff(want, terms(text.Analyze(s).Words)); diff != "" {
			t.Errorf("words of %q (-want +got):\n%s", s, diff)
		}
	}
}

func TestAnalyzeBigramsAndChars(t *testing.T) {
	t.Parallel()
	if err := text.Ready(); err != nil {
		t.Skip(err)
	}
	for s, want := range map[string][2]string{
		"喜欢猫咪":    {"喜欢 欢猫 猫咪", "喜 欢 猫 咪"},
		"北京，东京":   {"北京 东京", "北 京 东 京"},
		"猫 狗":     {"", "猫 狗"},
		"𠮷野家で食べる": {"𠮷野 野家 家で で食 食べ べる", "𠮷 野 家 で 食 べ る"},
		"機器":      {"机器", "机 器"},
		"我的的确":    {"(我的) 的的 的确", "(我) (的) 的 确"},
		"abc 12":  {"", ""},
		"한글":      {"한글", "한 글"},
		"X光":      {"", "光"},
	} {
		a := text.Analyze(s)
		if diff := cmp.Diff(want, [2]string{terms(a.Bigrams), terms(a.Chars)}); diff != "" {
			t.Errorf("bigrams and characters of %q (-want +got):\n%s", s, diff)
		}
	}
}

func TestAnalyzeSpans(t *testing.T) {
	t.Parallel()
	s := "機\u200b器學習：ＢＭ２５ cafe\u0301 John's ½"
	want := map[string]string{"机器": "機\u200b器", "bm25": "ＢＭ２５", "cafe": "cafe\u0301", "john": "John", "习": "習"}
	a := text.Analyze(s)
	got := map[string]string{}
	for _, t := range append(append(a.Words, a.Bigrams...), a.Chars...) {
		if _, ask := want[t.Term]; ask {
			got[t.Term] = s[t.Span.Start:t.Span.End]
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("spans in %q (-want +got):\n%s", s, diff)
	}
}

func FuzzAnalyze(f *testing.F) {
	for _, s := range []string{"", "我来到北京。C++ 1,000", "\xff的\xc3", "a-b_c.d@e's", "½ㄱ가ー々", "++--", "9’s", "한\u1161"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a := text.Analyze(s)
		for name, stream := range map[string][]text.Term{"words": a.Words, "bigrams": a.Bigrams, "chars": a.Chars} {
			at := 0
			for _, term := range stream {
				if term.Term == "" || term.Span.Start < at || term.Span.End <= term.Span.Start || term.Span.End > len(s) {
					t.Fatalf("%s of %q: %+v after %d", name, s, term, at)
				}
				at = term.Span.Start
			}
		}
		// What is folded has the same terms.
		folded := text.Analyze(text.Fold(s).Text)
		if terms(folded.Words) != terms(a.Words) || terms(folded.Chars) != terms(a.Chars) {
			t.Fatalf("%q and its folded form differ:\n%s\n%s", s, terms(a.Words), terms(folded.Words))
		}
	})
}

func TestStem(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"running": "run", "studies": "studi", "study": "studi", "generalization": "general", "is": "is", "bm25": "bm25", "café": "café", "学习": "学习",
	} {
		if got := text.Stem(word); got != want {
			t.Errorf("Stem(%q) = %q, want %q", word, got, want)
		}
	}
}
