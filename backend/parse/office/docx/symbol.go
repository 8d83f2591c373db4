package docx

import (
	"strconv"
	"strings"
)

// symbol returns the character of a symbol font that stands for code, which is
// hexadecimal; a character of a font that is not known is left out.
func symbol(font, code string) string {
	n, err := strconv.ParseUint(code, 16, 32)
	if err != nil {
		return ""
	}
	r := rune(n)
	if r < 0xF000 || r > 0xF0FF {
		if r >= 0xE000 && r <= 0xF8FF {
			return ""
		}
		return string(r)
	}
	r -= 0xF000
	switch font = strings.ToLower(font); {
	case font == "symbol":
		return greek(r)
	case font == "wingdings":
		return dingbat(r)
	case font == "wingdings 2":
		return map[rune]string{0x50: "✓", 0x4F: "✗", 0x52: "☑", 0x53: "☒", 0xA3: "☐", 0x2A: "☐"}[r]
	case font == "wingdings 3" || font == "webdings":
		return ""
	case r >= 0x20 && r < 0x7F:
		return string(r)
	}
	return ""
}

// unprivate replaces the private characters that stand for those of a symbol font.
func unprivate(font, s string) string {
	if !strings.ContainsFunc(s, private) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if private(r) {
			b.WriteString(symbol(font, strconv.FormatInt(int64(r), 16)))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// private reports whether r stands for a character of a symbol font.
func private(r rune) bool { return r >= 0xF020 && r <= 0xF0FF }

// greek maps the font Symbol, from 0x20 and from 0xA0 on.
func greek(r rune) string {
	const low = " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
	const high = "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑"
	set, at := []rune(low), int(r)-0x20
	if r >= 0xA0 {
		set, at = []rune(high), int(r)-0xA0
	}
	if at < 0 || at >= len(set) {
		return ""
	}
	return string(set[at])
}

// dingbat maps the signs of the font Wingdings that stand in texts: boxes, ticks,
// bullets, arrows, circled numbers.
func dingbat(r rune) string {
	switch {
	case r >= 0x81 && r <= 0x8A:
		return string('①' + r - 0x81)
	case r >= 0x8C && r <= 0x95:
		return string('❶' + r - 0x8C)
	}
	return map[rune]string{
		0x28: "☎", 0x2A: "✉", 0x4A: "☺", 0x4C: "☹", 0x6C: "●", 0x6E: "■", 0x6F: "□", 0x71: "❑", 0x75: "◆", 0x76: "❖",
		0x9F: "•", 0xA1: "○", 0xA7: "▪", 0xA8: "☐", 0xAB: "★", 0xD8: "➢", 0xDF: "←", 0xE0: "→", 0xE1: "↑", 0xE2: "↓",
		0xE8: "➔", 0xEF: "⇦", 0xF0: "⇨", 0xF3: "⇔", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑",
	}[r]
}
