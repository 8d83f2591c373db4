package parse

import (
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// parsePlain reads plain text: its characters are the document.
func parsePlain(in rag.Input) (rag.Document, error) {
	d, err := readText(in)
	if err != nil {
		return rag.Document{}, err
	}
	d.MediaType, d.ParsedBy = "text/plain", "text/1"
	return d, nil
}

// readText decodes in and fills what every text format shares.
func readText(in rag.Input) (rag.Document, error) {
	r, err := decode(in.Bytes, in.Encoding)
	if err != nil {
		return rag.Document{}, err
	}
	return rag.Document{
		Source:   in.Source,
		Title:    path.Base(in.Source),
		Encoding: r.encoding,
		Language: text.Language(r.text),
		Text:     r.text,
		Warnings: append(r.warnings, oddCharacters(r.text)...),
	}, nil
}

// oddCharacters warns of characters that a text normally does not hold.
func oddCharacters(s string) []rag.Notice {
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
