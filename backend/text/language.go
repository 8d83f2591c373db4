package text

import "unicode"

// Weights of letters in the languages of a text: a Chinese character is about as
// much as four Latin letters, and kana and Hangul speak against Chinese.
const (
	hanLetters  = 4
	kanaLetters = 3
)

// letters counts what tells a text's language.
type letters struct{ chinese, latin, others int }

func lettersOf(s string) letters {
	var n letters
	for _, r := range s {
		switch {
		case r < 0x80:
			if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
				n.latin++
			}
		case Han(r):
			n.chinese++
		case kana(r), hangul(r):
			n.others += kanaLetters
		case unicode.Is(unicode.Latin, r):
			n.latin++
		case unicode.IsLetter(r):
			n.others++
		}
	}
	return n
}

// Language returns "zh" or "en", whichever script the text shows more of, or ""
// when it shows neither or another one. A Chinese character weighs as much as
// four Latin letters. Text with many kana or Hangul letters is not Chinese.
func Language(s string) string {
	n := lettersOf(s)
	switch most := max(n.chinese*hanLetters, n.latin, n.others); {
	case most == 0, most == n.others:
		return ""
	case n.others > n.chinese && n.chinese*hanLetters == most:
		return ""
	case most == n.latin:
		return "en"
	}
	return "zh"
}

// Languages returns the shares of Chinese ("zh") and Latin script ("en") in the
// text's letters, by the same weights; a text without letters has none.
func Languages(s string) map[string]float64 {
	n := lettersOf(s)
	sum := float64(n.chinese*hanLetters + n.latin + n.others)
	if sum == 0 {
		return nil
	}
	return map[string]float64{"zh": float64(n.chinese*hanLetters) / sum, "en": float64(n.latin) / sum}
}
