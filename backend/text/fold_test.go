package text_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

func TestFold(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"":                  "",
		"ＡＢＣ１２３！":           "abc123!",
		"ﾊﾝｶｸｶﾞ":            "ハンカクガ",
		"Café NAÏVE Straße": "cafe naive strasse",
		"cafe\u0301":        "cafe",
		"ΣΊΣΥΦΟΣ σίσυφος":   "σίσυφοσ σίσυφοσ",
		"İstanbul ı":        "istanbul i",
		"ﬁne ½ ① ㈱ ㎏":       "fine 1⁄2 1 (株) kg",
		"機器學習、後來、乾隆、裡面":          "机器学习、后来、干隆、里面",
		"看著著名的瞭望臺":               "看着着名的了望台",
		"豈更":                     "岂更", // compatibility ideographs
		"𠮷野家":                    "𠮷野家",
		"a\u200bb\ufeffc\u00add": "abcd",
		"葛\U000E0100城":           "葛城", // a variation selector
		"\xff\xfe":               "\ufffd\ufffd",
		"サーバー":                   "サーバー",
		"か\u3099":                "が",
		"한글":                     "한글",
	} {
		if got := text.Fold(s).Text; got != want {
			t.Errorf("Fold(%q) = %q, want %q", s, got, want)
		}
	}
}

// One character folds to one, so that lengths in characters stay comparable.
func TestFoldKeepsTheCountOfTraditionalCharacters(t *testing.T) {
	t.Parallel()
	s := "傳統漢字轉為簡體之後，每個字仍舊是一個字：髮發、鍾鐘、乾幹干、餘余、臺台檯、鬱郁。"
	got := text.Fold(s).Text
	if a, b := utf8.RuneCountInString(s), utf8.RuneCountInString(got); a != b {
		t.Errorf("%d characters fold to %d", a, b)
	}
	if strings.ContainsAny(got, "傳統漢轉為簡體後個舊髮發鍾鐘餘臺檯鬱") {
		t.Errorf("traditional characters are left in %q", got)
	}
}

func TestOrigin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ origin, find, want string }{
		{"他說：ＡＢＣ。", "abc", "ＡＢＣ"},
		{"他說：ＡＢＣ。", "bc", "ＢＣ"},
		{"他說：ＡＢＣ。", "说", "說"},
		{"价½元", "1⁄2", "½"},
		{"价½元", "⁄", "½"},
		{"价½元", "2元", "½元"},
		{"价½元", "元", "元"},
		{"机\u200b器学习", "机器", "机\u200b器"},
		{"机\u200b器学习", "器学习", "器学习"},
		{"a cafe\u0301 b", "cafe", "cafe\u0301"},
		{"Straße 1", "ss", "ß"},
		{"Straße 1", "e 1", "e 1"},
		{"\ufeff开头", "开", "开"},
	} {
		f := text.Fold(c.origin)
		at := strings.Index(f.Text, c.find)
		if at < 0 {
			t.Errorf("%q folds to %q, without %q", c.origin, f.Text, c.find)
			continue
		}
		s := f.Origin(rag.Span{Start: at, End: at + len(c.find)})
		if got := c.origin[s.Start:s.End]; got != c.want {
			t.Errorf("%q in %q comes from %q, want %q", c.find, c.origin, got, c.want)
		}
	}
	if got := text.Fold("").Origin(rag.Span{}); got != (rag.Span{}) {
		t.Errorf("Origin in nothing = %v", got)
	}
}

func FuzzFold(f *testing.F) {
	for _, s := range []string{"", "ＡＢＣ½", "cafe\u0301", "\u0301x", "機\u200b器", "\xff\xc3", "ﾊﾞ", "ǅ ẞ ŉ", "각", "𠮷\U000E0100"} {
		f.Add(s, 0, 1)
	}
	f.Fuzz(func(t *testing.T, s string, start, end int) {
		folded := text.Fold(s)
		if again := text.Fold(folded.Text).Text; again != folded.Text {
			t.Fatalf("Fold(%q) = %q, which folds to %q", s, folded.Text, again)
		}
		if start < 0 || end < start || end > len(folded.Text) {
			return
		}
		o := folded.Origin(rag.Span{Start: start, End: end})
		if o.Start < 0 || o.End < o.Start || o.End > len(s) {
			t.Fatalf("Origin of [%d,%d) in %q = %v", start, end, s, o)
		}
		whole := folded.Origin(rag.Span{Start: 0, End: len(folded.Text)})
		if len(folded.Text) > 0 && !whole.Contains(o) && o.Len() > 0 {
			t.Fatalf("%v is not within %v", o, whole)
		}
	})
}

func TestIsBlank(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"": true, " \t\r\n": true, "\u3000": true, "\u200b\u200d\ufeff": true, "\x00\x07": true, "\u00a0\u2003": true,
		"\u00ad\u2060": true, "\u3164": true, ".": false, "。": false, "一": false, " a ": false, "😀": false, "\xff": false,
	} {
		if got := text.IsBlank(s); got != want {
			t.Errorf("IsBlank(%q) = %t", s, got)
		}
	}
}

func TestHan(t *testing.T) {
	t.Parallel()
	for _, r := range "一龥㐀𠮷〇々豈鿿" {
		if !text.Han(r) {
			t.Errorf("Han(%q) = false", r)
		}
	}
	for _, r := range "aあア한。，１é\u3000" {
		if text.Han(r) {
			t.Errorf("Han(%q) = true", r)
		}
	}
}

func TestNFD(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{"é": "e\u0301", "が": "か\u3099", "中": "中", "\xff": "\xff", "각": "\u1100\u1161\u11a8"} {
		if got := text.NFD(s); got != want {
			t.Errorf("NFD(%q) = %q, want %q", s, got, want)
		}
	}
}
