package text

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/transform"
)

// ErrCharset is returned for the name of a character encoding that is not known.
var ErrCharset = errors.New("unknown character encoding")

// DecodeError says where bytes stopped making sense in an encoding.
type DecodeError struct {
	// Charset is the encoding's canonical name.
	Charset string
	// Offset is the first byte that does not belong to a character.
	Offset int
}

// Error names the encoding and the offset.
func (e *DecodeError) Error() string {
	return fmt.Sprintf("byte %d is not %s", e.Offset, e.Charset)
}

// charset is an encoding that can be decoded strictly.
type charset struct {
	name    string
	aliases []string
	// order and unit decode the Unicode encoding forms; table the others.
	order binary.ByteOrder
	unit  int
	table encoding.Encoding
	// length gives the bytes of the character that b starts with.
	length func(b []byte) int
}

// charsets is the closed list of what can be read. Names are those of the IANA
// registry, except GB18030's subsets GBK and GB2312, which are read as GB18030,
// and the names that Windows code pages 932 and 949 extend.
func charsets() []charset {
	return []charset{
		{name: "UTF-8", unit: 1, aliases: []string{"utf8", "unicode11utf8", "ascii", "usascii"}},
		{name: "UTF-16LE", unit: 2, order: binary.LittleEndian, aliases: []string{"utf16"}},
		{name: "UTF-16BE", unit: 2, order: binary.BigEndian},
		{name: "UTF-32LE", unit: 4, order: binary.LittleEndian, aliases: []string{"utf32"}},
		{name: "UTF-32BE", unit: 4, order: binary.BigEndian},
		{name: "GB18030", table: simplifiedchinese.GB18030, length: gbLength,
			aliases: []string{"gbk", "gb2312", "cp936", "windows936", "euccn", "936"}},
		{name: "Big5", table: traditionalchinese.Big5, length: pairLength(0x81, 0xfe, 0, 0),
			aliases: []string{"big5hkscs", "cp950", "windows950", "950"}},
		{name: "Shift_JIS", table: japanese.ShiftJIS, length: pairLength(0x81, 0xfc, 0xa0, 0xdf),
			aliases: []string{"sjis", "cp932", "windows31j", "mskanji", "932"}},
		{name: "EUC-JP", table: japanese.EUCJP, length: eucJPLength, aliases: []string{"ujis"}},
		{name: "EUC-KR", table: korean.EUCKR, length: pairLength(0x81, 0xfe, 0, 0),
			aliases: []string{"cp949", "uhc", "windows949", "ksc5601", "949"}},
		{name: "windows-1250", table: charmap.Windows1250, length: singleLength,
			aliases: []string{"cp1250", "1250"}},
		{name: "windows-1251", table: charmap.Windows1251, length: singleLength,
			aliases: []string{"cp1251", "1251"}},
		{name: "windows-1252", table: charmap.Windows1252, length: singleLength,
			aliases: []string{"cp1252", "1252", "latin1", "iso88591"}},
	}
}

// Charsets returns the canonical names that Decode accepts.
func Charsets() []string {
	var names []string
	for _, c := range charsets() {
		names = append(names, c.name)
	}
	return names
}

// Charset returns the canonical name for name, which may be an alias and is
// read without regard to case, '-', '_' and blanks. GBK and GB2312 are subsets
// of GB18030 and read as it; Latin-1 is read as windows-1252; "UTF-16" without
// a byte order is little-endian, as on the web.
func Charset(name string) (canonical string, ok bool) {
	c, ok := findCharset(name)
	return c.name, ok
}

func findCharset(name string) (charset, bool) {
	c, ok := charsetIndex()[charsetKey(name)]
	return c, ok
}

// charsetIndex finds an encoding by the key of its name or of an alias.
var charsetIndex = sync.OnceValue(func() map[string]charset {
	index := map[string]charset{}
	for _, c := range charsets() {
		index[charsetKey(c.name)] = c
		for _, a := range c.aliases {
			index[a] = c
		}
	}
	return index
})

// charsetKey folds what people spell differently in the name of an encoding.
func charsetKey(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		case strings.ContainsRune("-_ .", r):
			return -1
		}
		return r
	}, name)
}

// Decode returns the characters of b in the named encoding. It is strict: bytes
// that are no character are a *DecodeError, never a replacement character. A
// byte-order mark is a character like any other and stays. An unknown name is
// ErrCharset.
func Decode(name string, b []byte) (string, error) {
	c, ok := findCharset(name)
	if !ok {
		return "", fmt.Errorf("decode %q: %w", name, ErrCharset)
	}
	s, bad := c.decode(b)
	if bad >= 0 {
		return "", &DecodeError{Charset: c.name, Offset: bad}
	}
	return s, nil
}

// decode returns the text, and the offset of the first bad byte or -1.
func (c charset) decode(b []byte) (string, int) {
	switch {
	case c.table != nil:
		return c.decodeTable(b)
	case c.unit == 1:
		return decodeUTF8(b)
	case c.unit == 2:
		return decodeUTF16(b, c.order)
	default:
		return decodeUTF32(b, c.order)
	}
}

func decodeUTF8(b []byte) (string, int) {
	if utf8.Valid(b) {
		return string(b), -1
	}
	for i := 0; ; {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n <= 1 {
			return "", i
		}
		i += n
	}
}

func decodeUTF16(b []byte, order binary.ByteOrder) (string, int) {
	out := make([]byte, 0, len(b)+len(b)/2)
	for i := 0; i < len(b); i += 2 {
		if i+1 == len(b) {
			return "", i
		}
		r := rune(order.Uint16(b[i:]))
		if utf16.IsSurrogate(r) {
			if i+3 >= len(b) {
				return "", i
			}
			r = utf16.DecodeRune(r, rune(order.Uint16(b[i+2:])))
			if r == utf8.RuneError {
				return "", i
			}
			i += 2
		}
		out = utf8.AppendRune(out, r)
	}
	return string(out), -1
}

func decodeUTF32(b []byte, order binary.ByteOrder) (string, int) {
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i += 4 {
		if i+3 >= len(b) {
			return "", i
		}
		r := order.Uint32(b[i:])
		if r > utf8.MaxRune || !utf8.ValidRune(rune(r)) {
			return "", i
		}
		out = utf8.AppendRune(out, rune(r))
	}
	return string(out), -1
}

// decodeTable decodes block by block, so that bytes in another encoding are
// refused early and the bad one is looked for in one block only.
func (c charset) decodeTable(b []byte) (string, int) {
	var out strings.Builder
	out.Grow(len(b) + len(b)/2)
	block := make([]byte, min(32<<10, 4*len(b)+utf8.UTFMax))
	decoder := c.table.NewDecoder()
	for at := 0; at < len(b); {
		n, read, err := decoder.Transform(block, b[at:], true)
		if hasReplacement(block[:n]) {
			if bad := c.firstBad(b[at : at+read]); bad >= 0 {
				return "", at + bad
			}
		}
		if err != nil && !errors.Is(err, transform.ErrShortDst) || read == 0 {
			return "", at + read
		}
		out.Write(block[:n])
		at += read
	}
	return out.String(), -1
}

// hasReplacement reports whether b holds U+FFFD or a C1 control.
func hasReplacement(b []byte) bool {
	if bytes.Contains(b, []byte("\uFFFD")) {
		return true
	}
	for {
		i := bytes.IndexByte(b, 0xc2)
		if i < 0 || i+1 == len(b) {
			return false
		}
		if b[i+1] < 0xa0 {
			return true
		}
		b = b[i+2:]
	}
}

// firstBad decodes b character by character and returns the offset of the
// first that has no meaning, or -1. The tables give U+FFFD for such, and C1
// controls for the free places of the Windows code pages.
func (c charset) firstBad(b []byte) int {
	var buf [2 * utf8.UTFMax]byte
	decoder := c.table.NewDecoder()
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf {
			i++
			continue
		}
		size := min(c.length(b[i:]), len(b)-i)
		n, read, err := decoder.Transform(buf[:], b[i:i+size], true)
		r, _ := utf8.DecodeRune(buf[:n])
		bad := err != nil || read != size || r == utf8.RuneError || size == 1 && 0x80 <= r && r < 0xa0
		if bad && !bytes.Equal(b[i:i+size], gbReplacement) {
			return i
		}
		i += size
	}
	return -1
}

// gbReplacement is U+FFFD itself in GB18030, the one table that has it.
var gbReplacement = []byte{0x84, 0x31, 0xa4, 0x37}

func singleLength([]byte) int { return 1 }

// pairLength is for encodings whose lead bytes lie in [lo, hi] but outside
// [loneLo, loneHi], which are characters of one byte.
func pairLength(lo, hi, loneLo, loneHi byte) func([]byte) int {
	return func(b []byte) int {
		if b[0] < lo || b[0] > hi || loneLo <= b[0] && b[0] <= loneHi {
			return 1
		}
		return 2
	}
}

func gbLength(b []byte) int {
	switch {
	case b[0] == 0x80 || b[0] == 0xff:
		return 1
	case len(b) > 1 && '0' <= b[1] && b[1] <= '9':
		return 4
	}
	return 2
}

func eucJPLength(b []byte) int {
	if b[0] == 0x8f {
		return 3
	}
	return 2
}
