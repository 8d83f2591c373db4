package charset

import "bytes"

// signatures are the first bytes of formats that are never text, whatever the
// file's name says.
var signatures = []struct{ kind, magic string }{
	{"png", "\x89PNG\r\n\x1a\n"},
	{"jpeg", "\xff\xd8\xff"},
	{"gif", "GIF87a"},
	{"gif", "GIF89a"},
	{"pdf", "%PDF-"},
	{"zip", "PK\x03\x04"},
	{"zip", "PK\x05\x06"},
	{"gzip", "\x1f\x8b\x08"},
	{"bzip2", "BZh91AY&SY"},
	{"xz", "\xfd7zXZ\x00"},
	{"zstd", "\x28\xb5\x2f\xfd"},
	{"7z", "7z\xbc\xaf\x27\x1c"},
	{"rar", "Rar!\x1a\x07"},
	{"ole", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"},
	{"elf", "\x7fELF"},
	{"sqlite", "SQLite format 3\x00"},
	{"wasm", "\x00asm"},
	{"ogg", "OggS\x00"},
	{"mp3", "ID3\x03\x00"},
	{"mp3", "ID3\x04\x00"},
	{"tiff", "II*\x00"},
	{"tiff", "MM\x00*"},
}

// Signature returns the kind of binary format b starts as, or "".
func Signature(b []byte) string {
	for _, s := range signatures {
		if bytes.HasPrefix(b, []byte(s.magic)) {
			return s.kind
		}
	}
	return ""
}

// Shares of a text's characters above which it is no text: controls other than
// NUL, and NUL, which padded records hold in numbers.
const (
	maxControlShare = 0.05
	maxNULShare     = 0.30
)

// binary reports whether the decoded text s is the look of bytes that are none.
func binary(s string) bool {
	nuls, controls, n := 0, 0, 0
	for _, r := range s {
		n++
		switch {
		case r == 0:
			nuls++
		case isControl(r) && r != 0x1b:
			controls++
		}
	}
	return float64(controls) > maxControlShare*float64(n) || float64(nuls) > maxNULShare*float64(n)
}
