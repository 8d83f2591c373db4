package text_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/text"
)

func TestSentences(t *testing.T) {
	t.Parallel()
	// A bar stands where one sentence ends and the next begins.
	for name, marked := range map[string]string{
		"zh stops":             "你好。|他来了！|真的吗？|好；|再见……|完",
		"zh quotes close":      "他说：“走吧。”|然后走了。",
		"zh brackets close":    "（见下文。）|第二句。",
		"zh stacked stops":     "什么？！|不会吧！！！|好。",
		"zh title keeps stop":  "电影《你好，李焕英！》很好看。|《谁？》也是。",
		"zh ascii marks":       "你是谁?|我不知道!|好",
		"zh ascii semicolon":   "一是甲;|二是乙",
		"zh decimal":           "增长了3.5%。|圆周率为3.14。",
		"zh full-width period": "第一句．|第二句",
		"zh lines":             "第一章 总则\n|第一条 内容。\n\n|第二条",
		"zh ellipsis":          "我想……|算了。",
		"blanks go back":       "一。  |二。\t\n　|三",
		"blanks at the start":  "\n\n  你好。|再见",
		"blanks only":          " \n\t",
		"crlf":                 "一行\r\n|二行\r\n",
		"en plain":             "It rains. |We stay. |Why? |Because!",
		"en abbreviations":     "Dr. Smith met Mr. Li in the U.S. on Jan. 5. |They talked.",
		"en e.g.":              "Use fruit, e.g. apples, i.e. pomes. |Done.",
		"en decimal":           "Version 1.5 costs 3.50 dollars. |Fine.",
		"en initials":          "J. K. Rowling wrote it. |It sold.",
		"en company":           "He left Apple Inc. The firm grew."[:18] + " |The firm grew.",
		"en etc inside":        "Apples, pears, etc. are fruit. |Yes.",
		"en quotes":            "“Stop!” |He left. |\"Why?\" she asked.",
		"en spaced quotes":     "It is “ necrosis. ” |It results. |( See below. )",
		"en Greek letter":      "We studied it. |β-catenin binds.",
		"en ellipsis goes on":  "Well... maybe not. |Wait... |No.",
		"en wrapped lines":     "This line is\nwrapped, as\nmail is. |Next one.",
		"en heading":           "Introduction\n|This is it.",
		"en list numbers":      "1. First item\n|2. Second item",
		"en url":               "See https://a.b/c?d=e!f for more. |Done.",
		"en file name":         "Open main.go now. |Then run it.",
		"mixed":                "BM25是什么？|It is a ranking function. |它由Robertson等人提出。",
		"no stop":              "没有句号的文字",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := strings.ReplaceAll(marked, "|", "")
			var got []string
			for _, span := range text.Sentences(s) {
				got = append(got, s[span.Start:span.End])
			}
			if diff := cmp.Diff(strings.Split(marked, "|"), got); diff != "" {
				t.Errorf("Sentences(%q) (-want +got):\n%s", s, diff)
			}
		})
	}
	if got := text.Sentences(""); len(got) != 0 {
		t.Errorf("Sentences of nothing = %v", got)
	}
}

func FuzzSentences(f *testing.F) {
	for _, s := range []string{"", "你好。Dr. X!", "a.\n\nb", "\xff。\xfe", "《！》", "...\r\n…", "1. a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		at := 0
		for _, span := range text.Sentences(s) {
			if span.Start != at || span.End <= span.Start {
				t.Fatalf("span %v after %d", span, at)
			}
			at = span.End
		}
		if at != len(s) {
			t.Fatalf("spans end at %d of %d", at, len(s))
		}
	})
}

func TestLanguage(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"":                      "",
		"123, 456!":             "",
		"故宫建于明代。":               "zh",
		"故宮建於明代。":               "zh",
		"使用 PyTorch 训练 BERT 模型": "zh",
		"The Forbidden City (故宫) is a palace in Beijing.": "en",
		"Der schnelle Fuchs": "en", // by script alone
		"東京は日本の首都であり、とても大きい":      "",
		"서울은 대한민국의 수도이다":          "",
		"Москва — столица России": "",
	} {
		if got := text.Language(s); got != want {
			t.Errorf("Language(%q) = %q, want %q", s, got, want)
		}
	}
}
