package text_test

import (
	"errors"
	"testing"

	"ragdesk/backend/text"
)

func TestDecode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, bytes, want string
		// bad is the offset of the first bad byte, -1 for none.
		bad int
	}{
		{"utf-8", "a检\xef\xbb\xbf", "a检\uFEFF", -1},
		{"UTF_8", "ab\xed\xa0\x80", "", 2},
		{"UTF-8", "检\xe7\x83", "", 3},
		{"UTF-16LE", "a\x00\x42\xd8\xb7\xdf", "a𠮷", -1},
		{"UTF-16BE", "\x00a\xd8\x42", "", 2},
		{"UTF-16BE", "\x00a\x00", "", 2},
		{"UTF-16LE", "a\x00\xb7\xdf", "", 2},
		{"UTF-32BE", "\x00\x02\x0b\xb7", "𠮷", -1},
		{"UTF-32LE", "a\x00\x00\x00\x00\x00\x11\x00", "", 4},
		{"gbk", "\xd6\xd0\x80", "中€", -1},
		{"GB2312", "\x95\x32\xb7\x3a", "", 0},
		{"gb18030", "\x84\x31\xa5\x30a", "", 0},
		{"gb18030", "\x95\x32\x82\x36\x84\x31\xa4\x37", "𠀀\uFFFD", -1},
		{"gb18030", "\xd6\xd0\xff", "", 2},
		{"gb18030", "a\xd6", "", 1},
		{"cp950", "\xa4\xa4\xa4\xe5\x88\x62", "中文Ê̄", -1},
		{"big5", "\xa4\xa4\xff\x40", "", 2},
		{"sjis", "\x93\xfa\x96\x7b\xb1", "日本ｱ", -1},
		{"Shift_JIS", "\x93\xfa\x80", "", 2},
		{"EUC-JP", "\xc6\xfc\x8e\xb1\x8f\xb0\xa1", "日ｱ丂", -1},
		{"euc-jp", "\xc6\xfc\x8f\xb0", "", 2},
		{"uhc", "\xc7\xd1\x81\x41", "한갂", -1},
		{"Windows-1252", "caf\xe9 \x96", "café –", -1},
		{"latin1", "a\x81", "", 1},
		{"cp1251", "\xcf\xf0\xe8\xe2\xe5\xf2", "Привет", -1},
		{"windows-1250", "\xb3\xf3d\x9f", "łódź", -1},
	} {
		got, err := text.Decode(c.name, []byte(c.bytes))
		var bad *text.DecodeError
		at := -1
		if errors.As(err, &bad) {
			at = bad.Offset
		}
		if got != c.want || at != c.bad || (err != nil) != (c.bad >= 0) {
			t.Errorf("Decode(%s, %q) = %q, %v; want %q, bad byte %d", c.name, c.bytes, got, err, c.want, c.bad)
		}
	}
	if _, err := text.Decode("ebcdic", nil); !errors.Is(err, text.ErrCharset) {
		t.Errorf("unknown name: %v", err)
	}
}

// Long content is decoded in blocks; a character must not be lost at a border,
// and a bad byte is found wherever it lies.
func TestDecodeAcrossBlocks(t *testing.T) {
	t.Parallel()
	for shift := range 4 {
		content := make([]byte, shift)
		for i := range content {
			content[i] = 'x'
		}
		for len(content) < 200_000 {
			content = append(content, 0xd6, 0xd0, 0x95, 0x32, 0x82, 0x36, '.')
		}
		s, err := text.Decode("GB18030", content)
		if err != nil || len([]rune(s)) != shift+(len(content)-shift)/7*3 {
			t.Errorf("shift %d: %d runes, %v", shift, len([]rune(s)), err)
		}
		content[150_000-150_000%7+shift] = 0xff
		_, err = text.Decode("GB18030", content)
		var bad *text.DecodeError
		if !errors.As(err, &bad) || bad.Offset != 150_000-150_000%7+shift {
			t.Errorf("shift %d: %v", shift, err)
		}
	}
}

func TestCharsetNames(t *testing.T) {
	t.Parallel()
	for _, name := range text.Charsets() {
		if got, ok := text.Charset(name); !ok || got != name {
			t.Errorf("Charset(%q) = %q, %v", name, got, ok)
		}
		if s, err := text.Decode(name, nil); s != "" || err != nil {
			t.Errorf("%s: nothing decodes to %q, %v", name, s, err)
		}
	}
	for alias, want := range map[string]string{
		"GBK": "GB18030", "gb_2312": "GB18030", "utf8": "UTF-8", "ISO-8859-1": "windows-1252", "big5-hkscs": "Big5",
		"CP932": "Shift_JIS", "utf-16": "UTF-16LE", "ks_c_5601": "EUC-KR",
	} {
		if got, ok := text.Charset(alias); !ok || got != want {
			t.Errorf("Charset(%q) = %q, %v; want %s", alias, got, ok, want)
		}
	}
	if _, ok := text.Charset(""); ok {
		t.Error("no name is known")
	}
}
