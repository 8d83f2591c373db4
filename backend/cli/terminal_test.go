package cli

import "testing"

func TestATerminalObeysNoFileName(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a\x1b]0;title\x07b.md":      "a�]0;title�b.md",
		"\x1b[1mbold\x1b[0m":         "\x1b[1mbold\x1b[0m",
		"\r\x1b[Kline\n\tok":         "\r\x1b[Kline\n\tok",
		"\x1b[2J\x9b2J\u009b2J.\x7f": "�[2J\x9b2J�2J.�",
		"表格 – 🌊":                     "表格 – 🌊",
	} {
		if got := string(harmless([]byte(in))); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
}
