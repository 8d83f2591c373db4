package opc

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"unicode/utf8"

	"ragdesk/backend/text"
)

// utf8Label matches an XML declaration that names UTF-8, UTF-16 or no encoding:
// one that says nothing of how bytes that are valid UTF-8 are to be read.
var utf8Label = regexp.MustCompile(`(?i)^\s*<\?xml(?:[^>]*?encoding\s*=\s*["'](?:utf-?8|utf-?16(?:le|be)?|ucs-?2|iso-10646-ucs-2|us-ascii)["'])?[^>]*?\?>`)

// otherLabel matches an XML declaration that names an encoding.
var otherLabel = regexp.MustCompile(`(?i)^\s*<\?xml[^>]*?encoding\s*=`)

// sanitize makes a part readable: UTF-8 from UTF-16, without characters that XML
// forbids. Parts in other encodings are left to their declaration.
func sanitize(b []byte) ([]byte, error) {
	name, rest := sniff(b)
	if name != "" {
		s, err := text.Decode(name, rest)
		if err != nil {
			return nil, fmt.Errorf("decode %s: %w", name, err)
		}
		b = []byte(s)
	}
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	head := b[:min(len(b), 256)]
	switch decl := utf8Label.Find(head); {
	case decl != nil:
		b = b[len(decl):]
	case name != "" && otherLabel.Match(head):
		b = b[bytes.Index(b, []byte("?>"))+2:]
	case otherLabel.Match(head):
		return b, nil
	}
	return legal(b), nil
}

// sniff tells UTF-16 by its mark or by its first character, and returns what
// follows the mark; name is "" for all else.
func sniff(b []byte) (name string, rest []byte) {
	switch {
	case bytes.HasPrefix(b, []byte{0xff, 0xfe}):
		return "UTF-16LE", b[2:]
	case bytes.HasPrefix(b, []byte{0xfe, 0xff}):
		return "UTF-16BE", b[2:]
	case bytes.HasPrefix(b, []byte{'<', 0}):
		return "UTF-16LE", b
	case bytes.HasPrefix(b, []byte{0, '<'}):
		return "UTF-16BE", b
	}
	return "", b
}

// reference matches a numeric character reference.
var reference = regexp.MustCompile(`&#(x[0-9A-Fa-f]{1,8}|[0-9]{1,10});`)

// legal replaces bytes that are no UTF-8 by U+FFFD, and characters that XML
// forbids, written out or as references, by blanks. Bytes that need nothing are
// returned as they are.
func legal(b []byte) []byte {
	if !utf8.Valid(b) {
		b = bytes.ToValidUTF8(b, []byte("\uFFFD"))
	}
	if bytes.IndexFunc(b, forbidden) >= 0 {
		b = bytes.Map(func(r rune) rune {
			if forbidden(r) {
				return ' '
			}
			return r
		}, b)
	}
	if !bytes.Contains(b, []byte("&#")) {
		return b
	}
	return reference.ReplaceAllFunc(b, func(ref []byte) []byte {
		digits, base := string(ref[2:len(ref)-1]), 10
		if digits[0] == 'x' {
			digits, base = digits[1:], 16
		}
		n, err := strconv.ParseInt(digits, base, 64)
		if err != nil || n > utf8.MaxRune || !utf8.ValidRune(rune(n)) || forbidden(rune(n)) {
			return []byte(" ")
		}
		return ref
	})
}

// forbidden reports whether XML 1.0 does not allow r.
func forbidden(r rune) bool {
	return r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF
}
