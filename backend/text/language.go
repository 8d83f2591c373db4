package text

import "unicode"

// Language returns "zh" or "en", whichever script the text shows more of, or ""
// when it shows neither or another one. A Chinese character weighs as much as
// four Latin letters. Text with many kana or Hangul letters is not Chinese.
func Language(s string) string {
	var chinese, latin, others int
	for _, r := range s {
		switch {
		case r < 0x80:
			if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
				latin++
			}
		case Han(r):
			chinese++
		case kana(r), hangul(r):
			others += 3
		case unicode.Is(unicode.Latin, r):
			latin++
		case unicode.IsLetter(r):
			others++
		}
	}
	switch most := max(chinese*4, latin, others); {
	case most == 0, most == others:
		return ""
	case others > chinese && chinese*4 == most:
		return ""
	case most == latin:
		return "en"
	}
	return "zh"
}
