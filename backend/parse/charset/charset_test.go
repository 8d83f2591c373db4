package charset_test

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/charset"
)

const (
	simplified  = "员工连续工作满一年以上的，享受带薪年休假。单位应当保证职工享受年休假。"
	traditional = "員工連續工作滿一年以上的，享受帶薪年休假。單位應當保證職工享受年休假。"
)

// as returns s in an encoding.
func as(t *testing.T, e encoding.Encoding, s string) []byte {
	t.Helper()
	b, err := e.NewEncoder().Bytes([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// warned reports whether a reading carries a warning.
func warned(r charset.Reading, code string) bool {
	for _, w := range r.Warnings {
		if w.Code == code {
			return true
		}
	}
	return false
}

func TestDeclared(t *testing.T) {
	t.Parallel()
	gbk, big5, sjis := simplifiedchinese.GBK, traditionalchinese.Big5, japanese.ShiftJIS
	for name, c := range map[string]struct {
		bytes    []byte
		declared string
		want     string
		encoding string
	}{
		"true":                             {as(t, gbk, simplified), "gbk", simplified, "GB18030"},
		"UTF-8 for GBK":                    {as(t, gbk, simplified), "utf-8", simplified, "GB18030"},
		"Big5 for GBK":                     {as(t, gbk, simplified), "big5", simplified, "GB18030"},
		"GBK for Big5":                     {as(t, big5, traditional), "gb2312", traditional, "Big5"},
		"GBK for UTF-8":                    {[]byte(simplified), "gb2312", simplified, "UTF-8"},
		"Latin-1 for UTF-8":                {[]byte(simplified), "iso-8859-1", simplified, "UTF-8"},
		"Shift-JIS for GBK":                {as(t, gbk, simplified), "shift_jis", simplified, "GB18030"},
		"unknown":                          {as(t, gbk, simplified), "x-none", simplified, "GB18030"},
		"unicode":                          {append([]byte("\xff\xfe"), "a\x00b\x00c\x00"...), "unicode", "abc", "UTF-16LE"},
		"a mark wins":                      {[]byte("\xef\xbb\xbf" + simplified), "gbk", simplified, "UTF-8"},
		"decides what evidence cannot":     {as(t, sjis, "髙橋"), "shift_jis", "髙橋", "Shift_JIS"},
		"decides a word of two characters": {as(t, gbk, "年假"), "gb2312", "年假", "GB18030"},
		"another word, Big5":               {as(t, big5, "年假"), "big5", "年假", "Big5"},
		"accents":                          {as(t, charmap.Windows1252, "café"), "windows-1252", "café", "windows-1252"},
		"Central Europe":                   {as(t, charmap.Windows1250, "žluťoučký kůň"), "windows-1250", "žluťoučký kůň", "windows-1250"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := charset.Read(c.bytes, charset.Hint{Declared: c.declared})
			if err != nil {
				t.Fatal(err)
			}
			if r.Text != c.want || r.Encoding != c.encoding {
				t.Errorf("%q in %s, want %q in %s", r.Text, r.Encoding, c.want, c.encoding)
			}
		})
	}
}

func TestDeclaredDoesNotOverruleAUser(t *testing.T) {
	t.Parallel()
	b := as(t, traditionalchinese.Big5, traditional)
	r, err := charset.Read(b, charset.Hint{Forced: "big5", Declared: "gbk"})
	if err != nil || r.Text != traditional {
		t.Errorf("%q (%v)", r.Text, err)
	}
	if _, err := charset.Read(b, charset.Hint{Forced: "utf-8", Declared: "big5"}); !fault.Is(err, "encoding") {
		t.Errorf("a wrong choice: %v", err)
	}
}

func TestConfidence(t *testing.T) {
	t.Parallel()
	gbk := simplifiedchinese.GBK
	read := func(b []byte, declared string) float64 {
		r, err := charset.Read(b, charset.Hint{Declared: declared})
		if err != nil {
			t.Fatalf("%q: %v", b, err)
		}
		if r.Confidence < 0 || r.Confidence > 1 {
			t.Fatalf("%q: confidence %g", b, r.Confidence)
		}
		return r.Confidence
	}
	for name, c := range map[string]struct {
		bytes     []byte
		low, high float64
	}{
		"nothing":       {nil, 1, 1},
		"ASCII":         {[]byte(strings.Repeat("plain text ", 30)), 1, 1},
		"UTF-8":         {[]byte(simplified), 1, 1},
		"a mark":        {[]byte("\xff\xfe\x74\x5e"), 1, 1},
		"a long text":   {as(t, gbk, strings.Repeat(simplified, 3)), 0.999, 1},
		"two bytes":     {as(t, gbk, "年"), 0, 0.999},
		"forced length": {as(t, gbk, simplified), 0.99, 1},
	} {
		if got := read(c.bytes, ""); got < c.low || got > c.high {
			t.Errorf("%s: confidence %g, want %g to %g", name, got, c.low, c.high)
		}
	}
	word := as(t, gbk, "年假")
	if with, without := read(word, "gbk"), read(word, ""); with <= without {
		t.Errorf("a fitting declaration: confidence %g, without it %g", with, without)
	}
	if long, short := read(as(t, gbk, simplified), ""), read(as(t, gbk, simplified[:6]), ""); long <= short {
		t.Errorf("a longer text: confidence %g, a shorter one %g", long, short)
	}
}

func TestUncertainReadingsSaySo(t *testing.T) {
	t.Parallel()
	r, err := charset.Read(as(t, simplifiedchinese.GBK, "年"), charset.Hint{})
	if err != nil || !warned(r, charset.WarnUncertain) {
		t.Errorf("%q %v (%v)", r.Text, r.Warnings, err)
	}
	r, err = charset.Read(as(t, simplifiedchinese.GBK, strings.Repeat(simplified, 3)), charset.Hint{Declared: "utf-8"})
	if err != nil || len(r.Warnings) > 0 {
		t.Errorf("a lie changes the warnings to %v (%v)", r.Warnings, err)
	}
}

func TestReadLoose(t *testing.T) {
	t.Parallel()
	gbk := as(t, simplifiedchinese.GBK, simplified)
	for name, c := range map[string]struct {
		bytes               string
		hint                charset.Hint
		want, code, warning string
	}{
		"sound":                 {string(gbk), charset.Hint{}, simplified, "", ""},
		"a broken character":    {simplified + "\xe5\xb9", charset.Hint{}, simplified + "\uFFFD", "", charset.WarnDamaged},
		"broken GBK":            {string(gbk) + "\xff" + string(gbk), charset.Hint{Declared: "utf-8"}, simplified + "\uFFFD" + simplified, "", charset.WarnDamaged},
		"half a unit of UTF-16": {"\xff\xfea\x00b\x00c", charset.Hint{}, "ab", "", ""},
		"a picture":             {"\x89PNG\r\n\x1a\n", charset.Hint{}, "", "binary_content", ""},
		"a user's choice":       {"a\xff", charset.Hint{Forced: "utf-8"}, "", "encoding", ""},
		"ISO-2022-JP":           {string(as(t, japanese.ISO2022JP, "年次休暇の日数")), charset.Hint{Declared: "iso-2022-jp"}, "年次休暇の日数", "", ""},
		"KOI8-R":                {string(as(t, charmap.KOI8R, "ежегодный отпуск")), charset.Hint{Declared: "koi8-r"}, "ежегодный отпуск", "", ""},
		"KOI8-R for UTF-8":      {simplified, charset.Hint{Declared: "koi8-r"}, simplified, "", ""},
		"KOI8-R for GBK":        {strings.Repeat(string(gbk), 3), charset.Hint{Declared: "koi8-r"}, strings.Repeat(simplified, 3), "", ""},
		"HZ":                    {string(as(t, simplifiedchinese.HZGB2312, "年假")), charset.Hint{Declared: "hz-gb-2312"}, "年假", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := charset.ReadLoose([]byte(c.bytes), c.hint)
			if c.code != "" {
				if !fault.Is(err, c.code) {
					t.Fatalf("error %v, want %s", err, c.code)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if r.Text != c.want || c.warning != "" && !warned(r, c.warning) {
				t.Errorf("%q in %s with %v, want %q", r.Text, r.Encoding, r.Warnings, c.want)
			}
		})
	}
}

func FuzzReadLoose(f *testing.F) {
	f.Add([]byte("\xc4\xea\xbc\xd9\xff"), "gbk")
	f.Add([]byte("\xff\xfe\x00\xd8"), "unicode")
	f.Add([]byte("\x1b$BG/\x1b(B"), "iso-2022-jp")
	f.Fuzz(func(t *testing.T, b []byte, declared string) {
		r, err := charset.ReadLoose(b, charset.Hint{Declared: declared})
		if err != nil {
			if fault.Of(err).Code == "internal" {
				t.Errorf("%v is no fault", err)
			}
			return
		}
		if strings.ToValidUTF8(r.Text, "") != r.Text || r.Confidence < 0 || r.Confidence > 1 {
			t.Errorf("%q with confidence %g", r.Text, r.Confidence)
		}
	})
}
