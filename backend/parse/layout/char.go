package layout

import (
	"unicode/utf8"

	"ragdesk/backend/parse/doctext"
)

func firstRune(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }

func lastRune(s string) rune { r, _ := utf8.DecodeLastRuneInString(s); return r }

// wide reports whether r is of a script written without blanks.
func wide(r rune) bool { return doctext.Unspaced(r) }
