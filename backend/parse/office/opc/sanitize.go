package opc

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"ragdesk/backend/text"
)

// declaration matches an XML declaration.
var declaration = regexp.MustCompile(`^\s*<\?xml\s[^>]*?\?>`)

// encodingLabel matches the encoding an XML declaration names.
var encodingLabel = regexp.MustCompile(`encoding\s*=\s*["']([^"']*)["']`)

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
	stated := declaration.Find(b[:min(len(b), 1024)])
	if label := encodingLabel.FindSubmatch(stated); name == "" && label != nil && !unicodeLabel(string(label[1])) {
		return b, nil
	}
	return legal(b[len(stated):]), nil
}

// unicodeLabel reports whether a label says nothing of how bytes are to be read
// that are no UTF-16 by their look: they are UTF-8.
func unicodeLabel(label string) bool {
	switch strings.ToLower(label) {
	case "utf-8", "utf8", "utf-16", "utf-16le", "utf-16be", "ucs-2", "iso-10646-ucs-2", "us-ascii", "ascii":
		return true
	}
	return false
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
