package office

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
)

// oleMagic begins a compound file, the container of the older binary formats and of
// encrypted files of the newer ones.
const oleMagic = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

// entrySize is the size of an entry in a compound file's directory, to multiples
// of which entries are aligned.
const entrySize = 128

// sniffOLE tells what a compound file is by the streams its directory names:
// "encrypted", or the extension of a binary format. The format that belongs to ext
// is preferred, since one document may hold another; "" when nothing is known.
//
// The directory is looked for in all of the file rather than followed through its
// sectors, so that a damaged one is told too.
func sniffOLE(b []byte, ext string) string {
	found := make(map[string]bool)
	for _, s := range oleStreams {
		found[s.kind] = found[s.kind] || hasEntry(b, s.name)
	}
	if found["encrypted"] {
		return "encrypted"
	}
	older := map[byte]string{'d': "doc", 'o': "doc", 'x': "xls", 'p': "ppt"}
	if ext != "" && found[older[ext[0]]] {
		return older[ext[0]]
	}
	for _, s := range oleStreams {
		if found[s.kind] {
			return s.kind
		}
	}
	return ""
}

var oleStreams = []struct{ name, kind string }{
	{"EncryptedPackage", "encrypted"},
	{"PowerPoint Document", "ppt"},
	{"Workbook", "xls"},
	{"Book", "xls"},
	{"WordDocument", "doc"},
	{"__properties_version1.0", "msg"},
}

// hasEntry reports whether a directory entry of a stream has the name.
func hasEntry(b []byte, name string) bool {
	var want []byte
	for _, u := range utf16.Encode([]rune(name)) {
		want = binary.LittleEndian.AppendUint16(want, u)
	}
	want = append(want, 0, 0)
	for at := 0; ; {
		i := bytes.Index(b[at:], want)
		if i < 0 {
			return false
		}
		at += i
		// The name begins an aligned entry, whose byte 64 is the name's length and
		// byte 66 the kind: 2 is a stream.
		if at%entrySize == 0 && at+67 <= len(b) && int(b[at+64]) == len(want) && b[at+66] == 2 {
			return true
		}
		at++
	}
}
