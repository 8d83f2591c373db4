package lexical_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/lexical"
)

func TestQueryTerms(t *testing.T) {
	t.Parallel()
	for query, want := range map[string][]string{
		"":                        {},
		"，。？":                     {},
		"故宫建于哪一年？":                {"故宫", "建于", "哪一年"},
		"機器學習的演算法":                {"机器", "学习", "演算法"},
		"How are RUNNERS running": {"runner", "run"},
		"的":                       {"的"},
		"what is the":             {"what", "is", "the"},
		"猫":                       {"猫"},
		"猫 the cats 猫":            {"猫", "cat"},
		"BM25 算法":                 {"bm25", "bm", "25", "算法"},
	} {
		if diff := cmp.Diff(want, (lexical.Analyzer{}).QueryTerms(query)); diff != "" {
			t.Errorf("QueryTerms(%q) (-want +got):\n%s", query, diff)
		}
	}
}

func TestMatches(t *testing.T) {
	t.Parallel()
	// Marked text stands in brackets.
	for _, c := range []struct{ query, marked string }{
		{"北京", "在[北京]，不是北方的京剧"},
		{"机器学习", "談[機器][學習]的書，[機器]很貴"},
		{"running", "He [runs], she ranks [RUNNING]!"},
		{"ＡＢＣ", "an [abc] and ＡＢＤ"},
		{"猫", "喜欢[猫]咪"},
		{"bge-small-zh", "the [bge-small-zh] model, a [small] one"},
		{"沸流国的王", "高句丽灭[沸流国]，其[王]逃"},
		{"北京大学", "去[北京大学]和[北京大学]城，不去[北京]和北大"},
		{"café", "[Cafe\u0301] [CAFE]"},
		{"的", "我[的]书"},
		{"苹果", ""},
		{"", "什么都没有"},
	} {
		var plain []byte
		var want []string
		at := -1
		for _, b := range []byte(c.marked) {
			switch b {
			case '[':
				at = len(plain)
			case ']':
				want = append(want, string(plain[at:]))
			default:
				plain = append(plain, b)
			}
		}
		chunk := string(plain)
		var got []string
		end := 0
		for _, m := range (lexical.Analyzer{}).Matches(c.query, chunk) {
			if m.Span.Start < end || m.Term == "" {
				t.Errorf("Matches(%q, %q): %v after %d", c.query, chunk, m, end)
			}
			end = m.Span.End
			got = append(got, chunk[m.Span.Start:m.Span.End])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Matches(%q, %q) (-want +got):\n%s", c.query, chunk, diff)
		}
	}
}
