package text_test

import (
	"errors"
	"testing"

	"ragdesk/backend/text"
)

func TestLoose(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"gb2312", "\xc4\xe3\xba\xc3", "你好"},
		{"gb2312", "\xc4\xe3\xff\xba\xc3", "你\uFFFD好"},
		{"936", "\x87\xd6", "囍"},
		{"utf-8", "a\xffb", "a\uFFFDb"},
		{"65001", "é", "é"},
		{"iso-2022-jp", "\x1b$B$3$s\x1b(B", "こん"},
		{"50220", "\x1b$B$3$s\x1b(B", "こん"},
		{"koi8-r", "\xf0\xd2", "Пр"},
		{"windows-1256", "\xc7", "ا"},
		{"cp1253", "\xc1", "Α"},
		{"1254", "\xdd", "İ"},
		{"cp437", "\x81", "ü"},
		{"10000", "\x8e", "é"},
		{"ISO-8859-2", "\xb1", "ą"},
		{"utf-16le", "a\x00\x00\xd8b\x00\x3d\xd8\x00\xde\x01", "a\uFFFDb😀"},
		{"utf-16be", "\x00a\xd8\x00\x00b", "a\uFFFDb"},
		{"hz-gb-2312", "~{VPND~}", "中文"},
		{"macintosh", "\x80", "Ä"},
	} {
		got, err := text.Loose(c.name, []byte(c.in))
		if err != nil || got != c.want {
			t.Errorf("Loose(%s, %q) = %q, %v; want %q", c.name, c.in, got, err, c.want)
		}
	}
	for _, name := range []string{"", "x-unknown", "iso-2022-kr", "99999"} {
		if got, err := text.Loose(name, []byte("x")); !errors.Is(err, text.ErrCharset) {
			t.Errorf("Loose(%q) = %q, %v; want ErrCharset", name, got, err)
		}
	}
}
