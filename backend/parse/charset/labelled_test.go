package charset_test

import (
	"testing"

	"ragdesk/backend/parse/charset"
)

func TestLabelled(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in, label, want string
		warns           string
	}{
		"as labelled":             {"\xc4\xe3\xba\xc3\xa3\xac\xca\xc0\xbd\xe7\xa1\xa3\xce\xd2\xc3\xc7\xd4\xda\xd5\xe2\xc0\xef\xa1\xa3", "gb2312", "你好，世界。我们在这里。", ""},
		"utf-8 called gb2312":     {"你好，世界。我们在这里。欢迎大家。", "gb2312", "你好，世界。我们在这里。欢迎大家。", ""},
		"only a label can tell":   {"\x1b$B$3$s$K$A$O\x1b(B", "ISO-2022-JP", "こんにちは", ""},
		"no label":                {"plain", "", "plain", ""},
		"unknown label":           {"plain", "x-nothing", "plain", ""},
		"a broken character":      {"\xc4\xe3\xba\xc3\xa3\xac\xff\xca\xc0\xbd\xe7\xa1\xa3\xce\xd2\xc3\xc7", "gb2312", "你好，\uFFFD世界。我们", charset.WarnDamaged},
		"broken UTF-8":            {"caf\xc3\xa9 \xff and more words here", "utf-8", "café \uFFFD and more words here", charset.WarnDamaged},
		"a picture does not fail": {"\x89PNG\r\n\x1a\n", "", "\uFFFDPNG\r\n\x1a\n", charset.WarnDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := charset.Labelled([]byte(c.in), c.label)
			if r.Text != c.want {
				t.Errorf("text %q, want %q", r.Text, c.want)
			}
			warned := ""
			for _, w := range r.Warnings {
				warned = w.Code
			}
			if warned != c.warns {
				t.Errorf("warning %q, want %q", warned, c.warns)
			}
		})
	}
}
