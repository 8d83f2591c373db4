package text

import (
	"strings"
	"unicode"
)

// Han reports whether r is a Chinese character, rare ones and 〇 and 々 among
// them.
func Han(r rune) bool {
	if isPlainHan(r) {
		return true
	}
	return r >= 0x2E80 && unicode.Is(unicode.Han, r)
}

// isPlainHan reports whether r is a unified ideograph of the blocks that no
// normalisation changes.
func isPlainHan(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FFF || r >= 0x3400 && r <= 0x4DBF || r >= 0x20000 && r <= 0x2F7FF
}

func kana(r rune) bool {
	return r == 'ー' || r >= 0x3040 && unicode.In(r, unicode.Hiragana, unicode.Katakana)
}

func hangul(r rune) bool { return r >= 0x1100 && unicode.Is(unicode.Hangul, r) }

// invisible reports whether r shows nothing and separates nothing: joiners,
// direction and variation marks, the byte-order mark, the soft hyphen.
func invisible(r rune) bool {
	switch {
	case r < 0xAD:
		return false
	case r == 0xAD, r == 0x34F, r == 0x61C, r == 0x180E, r == 0xFEFF:
		return true
	case r >= 0x200B && r <= 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x206F:
		return true
	case r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0000 && r <= 0xE0FFF:
		return true
	}
	return false
}

// IsBlank reports whether s shows nothing: it is empty or holds only space,
// control and invisible characters.
func IsBlank(s string) bool {
	for _, r := range s {
		if !unicode.IsSpace(r) && !unicode.IsControl(r) && !invisible(r) && !hangulFiller(r) {
			return false
		}
	}
	return true
}

// hangulFiller reports whether r is a letter of no width, as blank names are
// made with.
func hangulFiller(r rune) bool {
	return r == 0x115F || r == 0x1160 || r == 0x3164 || r == 0xFFA0 || r == 0x2800
}

// Letters returns the letters and digits of s, folded: what is left when blanks
// and marks are of no account.
func Letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return r
		}
		return -1
	}, Fold(s).Text)
}
