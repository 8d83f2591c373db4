package parse_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse"
	"ragdesk/backend/parse/charset"
	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// warned reports whether d says that its encoding is uncertain.
func warned(d rag.Document) bool {
	return slices.ContainsFunc(d.Warnings, func(n rag.Notice) bool { return n.Code == charset.WarnUncertain })
}

// cut returns the longest prefix of s of at most n bytes in the encoding.
func cut(encoding, s string, n int) string {
	size := 0
	for i, r := range s {
		b, _ := encode(encoding, string(r))
		if size += len(b); size > n {
			return s[:i]
		}
	}
	return s
}

func TestEncodings(t *testing.T) {
	t.Parallel()
	for _, name := range slices.Sorted(maps.Keys(sampleTexts)) {
		full := sampleTexts[name]
		sentence := full[:text.Sentences(full)[0].End]
		for _, encoding := range text.Charsets() {
			if strings.HasPrefix(encoding, "UTF-32") {
				continue // not told apart without a byte-order mark
			}
			for length, s := range map[string]string{
				"full": full, "sentence": sentence, "60": cut(encoding, full, 60), "25": cut(encoding, full, 25),
			} {
				b, ok := encode(encoding, s)
				if !ok {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%s", name, encoding, length), func(t *testing.T) {
					d := parseBytes(t, "a.txt", b)
					right := d.Text == s
					switch {
					case length == "full" && (!right || warned(d)):
						t.Errorf("read as %s with %v: %.40q", d.Encoding, d.Warnings, d.Text)
					case !right && !warned(d):
						t.Errorf("read as %s without a warning: %.40q", d.Encoding, d.Text)
					case !right:
						t.Logf("read as %s with %v: %.40q", d.Encoding, d.Warnings, d.Text)
					case warned(d):
						t.Logf("right, warned %v", d.Warnings)
					}
				})
			}
		}
	}
}

func TestByteOrderMarks(t *testing.T) {
	t.Parallel()
	const s = "第1章\r\nRAG 检索𠮷"
	marks := map[string]string{
		"UTF-8": "\xef\xbb\xbf", "UTF-16LE": "\xff\xfe", "UTF-16BE": "\xfe\xff", "UTF-32LE": "\xff\xfe\x00\x00",
		"UTF-32BE": "\x00\x00\xfe\xff", "GB18030": "\x84\x31\x95\x33",
	}
	for encoding, mark := range marks {
		b, _ := encode(encoding, s)
		d := parseBytes(t, "a.txt", append([]byte(mark), b...))
		if d.Text != s || d.Encoding != encoding || len(d.Warnings) > 0 {
			t.Errorf("%s: %s %q %v", encoding, d.Encoding, d.Text, d.Warnings)
		}
		for _, forced := range []string{encoding, strings.ToLower(encoding)} {
			d, err := parse.New(parse.Options{}).Parse(t.Context(), rag.Input{
				Source: "a.txt", Bytes: append([]byte(mark), b...), Encoding: forced,
			})
			if err != nil || d.Text != s || d.Encoding != encoding {
				t.Errorf("%s forced: %s %q %v", forced, d.Encoding, d.Text, err)
			}
		}
	}
	d := parseBytes(t, "a.txt", []byte("\xff\xfe\x00\x00a\x00"))
	if d.Text != "\x00a" || d.Encoding != "UTF-16LE" {
		t.Errorf("UTF-16LE text that begins with NUL: %s %q", d.Encoding, d.Text)
	}
}

// The detail of a doubt names both readings and what a byte costs in each.
func TestDoubtsNameBothReadings(t *testing.T) {
	t.Parallel()
	b, _ := encode("windows-1252", "naïve")
	d := parseBytes(t, "a.txt", b)
	detail := regexp.MustCompile(`^[\w-]+ \d+\.\d\d, [\w-]+ \d+\.\d\d$`)
	if len(d.Warnings) != 1 || d.Warnings[0].Code != charset.WarnUncertain || !detail.MatchString(d.Warnings[0].Detail) {
		t.Errorf("%s %v", d.Encoding, d.Warnings)
	}
}

func TestRareCharacters(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"作家周国平的朋友陶喆和朱镕基的同乡都来了，他们在吉野家（𠮷野家）吃饭。",
		"朱镕基，陶喆，李喆熙；旻昊、祎凡和堃哥在开会，商量明年的预算。\r\n第二行也一样。\r\n",
		"𠮷𠮷𠮷、㐀㐁㐂：这些字只有四字节编码才写得出来，但是文章的其他部分都很普通。",
	} {
		b, ok := encode("GB18030", s)
		if !ok {
			t.Fatalf("%q does not encode", s)
		}
		if d := parseBytes(t, "a.txt", b); d.Text != s || d.Encoding != "GB18030" || warned(d) {
			t.Errorf("%s %v %q", d.Encoding, d.Warnings, d.Text)
		}
	}
}

// Under 20 bytes no evidence but a mark or UTF-8 is enough to go without a
// warning, and none may mislead.
func TestShortTexts(t *testing.T) {
	t.Parallel()
	for name, full := range sampleTexts {
		for _, encoding := range text.Charsets() {
			for n := 2; n < 20; n++ {
				s := cut(encoding, full, n)
				b, ok := encode(encoding, s)
				if !ok || strings.HasPrefix(encoding, "UTF-32") || s == "" {
					continue
				}
				d, err := parse.New(parse.Options{}).Parse(t.Context(), rag.Input{Source: "a.txt", Bytes: b})
				if err == nil && (d.Text != s || d.Encoding != "UTF-8") && !warned(d) {
					t.Errorf("%s in %s, %d bytes: %s %q, want %q", name, encoding, n, d.Encoding, d.Text, s)
				}
			}
		}
	}
}

func TestASCIIStaysASCII(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"Bush hid the facts", "this app can break", "x", "ab", "key=value\n", strings.Repeat("no wide characters here. ", 40),
		"0123456789ABCDEF0123456789ABCDEF", "a\x00b\x00\x00c, some records", `{"a":[1,2,3],"b":"c"}`,
	} {
		if d := parseBytes(t, "a.txt", []byte(s)); d.Text != s || d.Encoding != "UTF-8" || warned(d) {
			t.Errorf("%q: %s %q %v", s, d.Encoding, d.Text, d.Warnings)
		}
	}
}

// A bad byte in the middle of a long text is reported where it is, not papered
// over by an encoding in which every byte is something.
func TestDamagedTexts(t *testing.T) {
	t.Parallel()
	for encoding, name := range map[string]string{
		"UTF-8": "zh-Hans notice", "GB18030": "zh-Hans notice", "Big5": "zh-Hant news", "Shift_JIS": "ja essay", "EUC-KR": "ko notice",
	} {
		b, _ := encode(encoding, strings.Repeat(sampleTexts[name], 4))
		half, _ := encode(encoding, strings.Repeat(sampleTexts[name], 3))
		b[len(half)] = 0xff
		_, err := parse.New(parse.Options{}).Parse(t.Context(), rag.Input{Source: "a.txt", Bytes: b})
		f := fault.Of(err)
		if f == nil || f.Code != "encoding" || f.Params["encoding"] != encoding || f.Params["offset"] != fmt.Sprint(len(half)) {
			t.Errorf("%s: %v, want a fault at %d", encoding, err, len(half))
		}
	}
}

func TestLargeTextIsDecidedByAllOfIt(t *testing.T) {
	t.Parallel()
	s := strings.Repeat("plain words. ", 200_000) + sampleTexts["zh-Hans notice"]
	b, _ := encode("GB18030", s)
	if d := parseBytes(t, "a.txt", b); d.Text != s || d.Encoding != "GB18030" {
		t.Errorf("read as %s", d.Encoding)
	}
}
