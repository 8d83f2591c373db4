package doctext_test

import (
	"testing"

	"ragdesk/backend/parse/doctext"
)

func TestJoinReadsAcrossLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ a, b, want string }{
		{"", "x", "x"},
		{"one", "two", "one two"},
		{"one ", "two", "one two"},
		{"infor-", "mation", "information"},
		{"infor\u00AD", "mation", "information"},
		{"well-", "Known", "well-Known"},
		{"333-", "230217", "333-230217"},
		{"a -", "b", "a - b"},
		{"更换", "润滑油", "更换润滑油"},
		{"他说“", "好", "他说“好"},
		{"结束。", "Next", "结束。 Next"},
		{"版本", "2", "版本 2"},
		{"said “", "x", "said “ x"},
	} {
		if got := doctext.Join(c.a, c.b); got != c.want {
			t.Errorf("Join(%q, %q) = %q, want %q", c.a, c.b, got, c.want)
		}
	}
}
