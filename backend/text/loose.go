package text

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// looseTables are encodings that Decode does not know and labels on the web do
// not name either, by their keys.
func looseTables() map[string]encoding.Encoding {
	return map[string]encoding.Encoding{
		"cp437": charmap.CodePage437, "437": charmap.CodePage437, "ibm437": charmap.CodePage437,
		"cp850": charmap.CodePage850, "850": charmap.CodePage850, "ibm850": charmap.CodePage850,
		"cp852": charmap.CodePage852, "852": charmap.CodePage852,
		"cp855": charmap.CodePage855, "855": charmap.CodePage855,
		"cp860": charmap.CodePage860, "860": charmap.CodePage860,
		"cp862": charmap.CodePage862, "862": charmap.CodePage862,
		"cp863": charmap.CodePage863, "863": charmap.CodePage863,
		"cp865": charmap.CodePage865, "865": charmap.CodePage865,
		"cp866": charmap.CodePage866, "866": charmap.CodePage866,
		"cp874": charmap.Windows874, "874": charmap.Windows874,
		"1253": charmap.Windows1253, "1254": charmap.Windows1254, "1255": charmap.Windows1255,
		"1256": charmap.Windows1256, "1257": charmap.Windows1257, "1258": charmap.Windows1258,
		"10000": charmap.Macintosh, "10007": charmap.MacintoshCyrillic,
		"20866": charmap.KOI8R, "21866": charmap.KOI8U,
		"28592": charmap.ISO8859_2, "28595": charmap.ISO8859_5, "28597": charmap.ISO8859_7,
		"hzgb2312": simplifiedchinese.HZGB2312, "52936": simplifiedchinese.HZGB2312,
		"50220": japanese.ISO2022JP, "50221": japanese.ISO2022JP, "50222": japanese.ISO2022JP,
		"51932": japanese.EUCJP,
	}
}

// Loose returns the characters of b in the named encoding, with U+FFFD for what
// is no character: for bytes whose encoding is stated, such as a part of a mail.
// It knows the encodings of Decode, those of the web such as ISO-2022-JP and
// KOI8-R, and code pages by number. An unknown name is ErrCharset.
func Loose(name string, b []byte) (string, error) {
	if c, ok := findCharset(name); ok {
		if s, bad := c.decode(b); bad < 0 {
			return s, nil
		}
	}
	switch key := charsetKey(name); key {
	case "utf8", "ascii", "usascii", "65001", "20127":
		return strings.ToValidUTF8(string(b), "\uFFFD"), nil
	case "utf16le", "utf16", "1200", "utf16be", "1201":
		return looseUTF16(b, key == "utf16be" || key == "1201"), nil
	}
	table := tableOf(name)
	if table == nil {
		return "", fmt.Errorf("decode %q: %w", name, ErrCharset)
	}
	out, err := table.NewDecoder().Bytes(b)
	if err != nil {
		return "", fmt.Errorf("decode %s: %w", name, err)
	}
	return strings.ToValidUTF8(string(out), "\uFFFD"), nil
}

// tableOf returns the encoding of a name, nil when there is none.
func tableOf(name string) encoding.Encoding {
	if c, ok := findCharset(name); ok && c.table != nil {
		return c.table
	}
	key := charsetKey(name)
	if t := looseTables()[key]; t != nil {
		return t
	}
	if t := looseTables()[strings.TrimPrefix(strings.TrimPrefix(key, "windows"), "cp")]; t != nil {
		return t
	}
	t, err := htmlindex.Get(strings.TrimSpace(name))
	if err != nil || t == encoding.Replacement {
		return nil
	}
	return t
}

// looseUTF16 decodes UTF-16 with U+FFFD for lone surrogates; an odd last byte is
// left out.
func looseUTF16(b []byte, bigEndian bool) string {
	out := make([]byte, 0, len(b)+len(b)/2)
	unit := func(i int) rune {
		if bigEndian {
			return rune(b[i])<<8 | rune(b[i+1])
		}
		return rune(b[i+1])<<8 | rune(b[i])
	}
	for i := 0; i+1 < len(b); i += 2 {
		r := unit(i)
		if 0xd800 <= r && r < 0xdc00 && i+3 < len(b) {
			if low := unit(i + 2); 0xdc00 <= low && low < 0xe000 {
				r = (r-0xd800)<<10 | (low - 0xdc00) + 0x10000
				i += 2
			}
		}
		out = utf8.AppendRune(out, r) // a lone surrogate becomes U+FFFD
	}
	return string(out)
}
