// Package count writes the numbers of lists and headings in the systems that
// office files name: 1, iv, C, 三, 叁, ③, 甲, ア and others.
//
//	count.Format("chineseCounting", 12) // 十二
package count

import (
	"fmt"
	"strconv"
	"strings"
)

// Format writes n, which counts from 1 (0 is allowed), in the system with the
// name WordprocessingML gives it. Unknown systems and numbers beyond a system's
// range are written in decimal; "none" is "".
func Format(system string, n int) string {
	if s, ok := special(system, n); ok {
		return s
	}
	if set := series(system); set != "" {
		runes := []rune(set)
		if n >= 1 && n <= len(runes) {
			return string(runes[n-1])
		}
	}
	return strconv.Itoa(n)
}

func special(system string, n int) (string, bool) {
	switch system {
	case "none", "bullet":
		return "", true
	case "decimalZero":
		return fmt.Sprintf("%02d", n), true
	case "ordinal":
		return ordinal(n), true
	case "hex":
		return fmt.Sprintf("%X", n), true
	case "numberInDash":
		return fmt.Sprintf("- %d -", n), true
	case "decimalEnclosedParen":
		return fmt.Sprintf("(%d)", n), true
	case "decimalEnclosedFullstop":
		return fmt.Sprintf("%d.", n), true
	case "decimalFullWidth", "decimalFullWidth2":
		return digits(n, "０１２３４５６７８９"), true
	case "upperRoman":
		return strings.ToUpper(roman(n)), n > 0 && n < 5000
	case "lowerRoman":
		return roman(n), n > 0 && n < 5000
	case "upperLetter":
		return letter(n, 'A', 26), n > 0
	case "lowerLetter":
		return letter(n, 'a', 26), n > 0
	}
	return chinese(system, n)
}

func chinese(system string, n int) (string, bool) {
	switch system {
	case "chineseCounting", "taiwaneseCounting":
		if n < 100 {
			return Chinese(n, plain), true
		}
		return digits(n, "○一二三四五六七八九"), true
	case "chineseCountingThousand", "taiwaneseCountingThousand", "japaneseCounting", "koreanCounting":
		return Chinese(n, plain), true
	case "ideographDigital", "japaneseDigitalTenThousand", "taiwaneseDigital", "koreanDigital2":
		return digits(n, "〇一二三四五六七八九"), true
	case "chineseLegalSimplified":
		return Chinese(n, legalSimplified), true
	case "ideographLegalTraditional":
		return Chinese(n, legalTraditional), true
	case "japaneseLegal":
		return Chinese(n, legalJapanese), true
	}
	return "", false
}

// series are systems that are a row of characters.
func series(system string) string {
	switch system {
	case "ideographTraditional":
		return "甲乙丙丁戊己庚辛壬癸"
	case "ideographZodiac":
		return "子丑寅卯辰巳午未申酉戌亥"
	case "decimalEnclosedCircle", "decimalEnclosedCircleChinese":
		return "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳㉑㉒㉓㉔㉕㉖㉗㉘㉙㉚㉛㉜㉝㉞㉟㊱㊲㊳㊴㊵㊶㊷㊸㊹㊺㊻㊼㊽㊾㊿"
	case "ideographEnclosedCircle":
		return "㊀㊁㊂㊃㊄㊅㊆㊇㊈㊉"
	case "aiueo", "aiueoFullWidth":
		return "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
	case "iroha", "irohaFullWidth":
		return "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン"
	case "ganada":
		return "가나다라마바사아자차카타파하"
	case "russianLower":
		return "абвгдежзиклмнопрстуфхцчшщыэюя"
	case "russianUpper":
		return "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЫЭЮЯ"
	case "chicago":
		return "*†‡§"
	}
	return ""
}

func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}

// letter is a, …, z, aa, bb, …: a letter repeated once more each time round.
func letter(n int, first rune, size int) string {
	if n < 1 || n > 100*size {
		return strconv.Itoa(n)
	}
	return strings.Repeat(string(first+rune((n-1)%size)), (n-1)/size+1)
}

func roman(n int) string {
	var b strings.Builder
	for _, r := range []struct {
		value int
		sign  string
	}{{1000, "m"}, {900, "cm"}, {500, "d"}, {400, "cd"}, {100, "c"}, {90, "xc"}, {50, "l"}, {40, "xl"},
		{10, "x"}, {9, "ix"}, {5, "v"}, {4, "iv"}, {1, "i"}} {
		for n >= r.value && n < 5000 {
			b.WriteString(r.sign)
			n -= r.value
		}
	}
	return b.String()
}

// digits writes n digit by digit with the ten characters of set.
func digits(n int, set string) string {
	runes := []rune(set)
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return runes[r-'0']
		}
		return r
	}, strconv.Itoa(n))
}

// Numerals are the characters of a Chinese way of writing numbers: ten digits,
// then the units 10, 100, 1000, 10⁴ and 10⁸.
type Numerals struct {
	Digits, Units string
	// Bare says that 10 to 19 begin with the unit, as in 十二.
	Bare bool
}

var (
	plain            = Numerals{"零一二三四五六七八九", "十百千万亿", true}
	legalSimplified  = Numerals{"零壹贰叁肆伍陆柒捌玖", "拾佰仟万亿", false}
	legalTraditional = Numerals{"零壹貳參肆伍陸柒捌玖", "拾佰仟萬億", false}
	legalJapanese    = Numerals{"零壱弐参四伍六七八九", "拾百阡萬億", false}
)

// Plain returns the everyday numerals, Legal those of cheques.
func Plain() Numerals { return plain }

// Legal returns the simplified numerals of cheques.
func Legal() Numerals { return legalSimplified }

// Chinese writes 0 ≤ n < 10¹² in full, such as 一百零二; other numbers in decimal.
func Chinese(n int, by Numerals) string {
	digit, unit := []rune(by.Digits), []rune(by.Units)
	switch {
	case n < 0 || n >= 1_000_000_000_000:
		return strconv.Itoa(n)
	case n == 0:
		return string(digit[0])
	}
	var b strings.Builder
	gap := false
	for _, group := range []struct {
		size int
		unit string
	}{{100_000_000, string(unit[4])}, {10_000, string(unit[3])}, {1, ""}} {
		part := n / group.size
		n %= group.size
		if part == 0 {
			gap = b.Len() > 0
			continue
		}
		for i, size := range []int{1000, 100, 10, 1} {
			d := part / size
			part %= size
			if d == 0 {
				gap = gap || b.Len() > 0
				continue
			}
			if gap {
				b.WriteRune(digit[0])
				gap = false
			}
			if !by.Bare || b.Len() > 0 || size != 10 || d != 1 {
				b.WriteRune(digit[d])
			}
			if size > 1 {
				b.WriteRune(unit[2-i])
			}
		}
		gap = false
		b.WriteString(group.unit)
	}
	return b.String()
}

// Digits writes the decimal digits of s with the characters 〇一二…, as years are
// written.
func Digits(s string) string {
	runes := []rune("〇一二三四五六七八九")
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return runes[r-'0']
		}
		return r
	}, s)
}
