package charset

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"ragdesk/backend/rag"
)

// Codes of the warnings Odd gives.
const (
	// WarnControl: the text holds control characters; the detail counts them.
	WarnControl = "control_chars"
	// WarnReplacement: the text holds U+FFFD, a trace of damage done before.
	WarnReplacement = "replacement_chars"
)

// Odd warns of characters that a text normally does not hold.
func Odd(s string) []rag.Notice {
	var controls [0xa0]int
	replaced := 0
	for i := 0; i < len(s); i++ {
		switch b := s[i]; {
		case b < utf8.RuneSelf && isControl(rune(b)):
			controls[b]++
		case b == 0xc2 && isControl(rune(s[i+1])):
			controls[s[i+1]]++
		case b == 0xef && strings.HasPrefix(s[i:], "\uFFFD"):
			replaced++
		}
	}
	var notices []rag.Notice
	var found []string
	for r, n := range controls {
		if n > 0 {
			found = append(found, fmt.Sprintf("U+%04X ×%d", r, n))
		}
	}
	if len(found) > 0 {
		notices = append(notices, rag.Notice{Code: WarnControl, Detail: strings.Join(found, ", ")})
	}
	if replaced > 0 {
		notices = append(notices, rag.Notice{Code: WarnReplacement, Detail: fmt.Sprintf("U+FFFD ×%d", replaced)})
	}
	return notices
}

// isControl reports whether r is a control character that is no layout.
func isControl(r rune) bool {
	switch {
	case '\t' <= r && r <= '\r', r == 0x85:
		return false
	}
	return r < 0x20 || 0x7f <= r && r < 0xa0
}

// Garbled returns the share of a text's characters that mean nothing, in [0, 1]:
// U+FFFD, private use, unassigned code points and control characters. Blanks are
// not counted.
func Garbled(s string) float64 {
	bad, n := 0, 0
	for i, r := range s {
		switch {
		case unicode.IsSpace(r):
			continue
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"), r == '\uFFFD', isControl(r), meaningless(r):
			bad++
		}
		n++
	}
	if n == 0 {
		return 0
	}
	return float64(bad) / float64(n)
}

// meaningless reports whether r is for private use or assigned to nothing.
func meaningless(r rune) bool {
	if r < 0x370 {
		return false
	}
	return !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.Cf)
}
