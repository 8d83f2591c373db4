package cli

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"unicode"
	"unicode/utf8"
)

// shown is a terminal. Names and texts come from files of anybody, and a terminal obeys
// control characters: they are shown as "�", but for line ends, tabs and our own styles.
type shown struct{ *os.File }

// ours are the sequences that style text or clear a line.
var ours = regexp.MustCompile(`^\x1b\[[0-9;]*[mK]`)

// Write writes b and reports it written whole, or not at all.
func (s shown) Write(b []byte) (int, error) {
	if _, err := s.File.Write(harmless(b)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// harmless returns b without control characters that are not ours.
func harmless(b []byte) []byte {
	var out bytes.Buffer
	for len(b) > 0 {
		if style := ours.Find(b); style != nil {
			out.Write(style)
			b = b[len(style):]
			continue
		}
		r, n := utf8.DecodeRune(b)
		switch {
		case r == '\n' || r == '\t' || r == '\r' || !unicode.IsControl(r):
			out.Write(b[:n])
		default:
			out.WriteRune(utf8.RuneError)
		}
		b = b[n:]
	}
	return out.Bytes()
}

// onTerminal returns v, as a shown one where it is a terminal.
func onTerminal(v io.Writer) io.Writer {
	if f, ok := v.(*os.File); ok && isTerminal(f) {
		return shown{f}
	}
	return v
}
