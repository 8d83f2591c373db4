package grid

import (
	"math"
	"strconv"
	"strings"
)

// Number writes v as the number format shows it: dates and times, percentages,
// decimals, thousands, and the words around them. Without a format, or with one
// that is not understood, it is the shortest number of at most 15 digits.
// date1904 says that day 0 is 1904-01-01.
func Number(v float64, format string, date1904 bool) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	section, negative := pick(format, v)
	switch {
	case section == "", strings.EqualFold(section, "general"), section == "@":
		return general(v)
	case isDate(section):
		if s, ok := dateTime(v, section, date1904); ok {
			return s
		}
		return general(v)
	}
	if s, ok := decimal(v, section, negative); ok {
		return s
	}
	return general(v)
}

// general writes v with at most 15 digits, as a spreadsheet keeps them.
func general(v float64) string {
	if a := math.Abs(v); a != 0 && (a >= 1e21 || a < 1e-9) {
		return strconv.FormatFloat(v, 'E', -1, 64)
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 15, 64), 64)
	if err != nil {
		rounded = v
	}
	if rounded == 0 {
		return "0"
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// pick returns the section of the format that is for v; negative says that it
// is one for negative numbers only, which shows the sign itself.
func pick(format string, v float64) (section string, negative bool) {
	sections := []string{}
	start, quoted := 0, false
	for i := 0; i < len(format); i++ {
		switch c := format[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '\\':
			i++
		case c == ';':
			sections = append(sections, format[start:i])
			start = i + 1
		}
	}
	sections = append(sections, format[min(start, len(format)):])
	switch {
	case v < 0 && len(sections) > 1:
		return sections[1], true
	case v == 0 && len(sections) > 2:
		return sections[2], false
	}
	return sections[0], false
}

// token is a piece of a format: a literal text, or a code.
type token struct {
	text    string
	literal bool
}

// tokens cuts a section into literals and codes; a run of one letter is a code.
func tokens(section string) []token {
	var out []token
	runes := []rune(section)
	for i := 0; i < len(runes); i++ {
		switch c := runes[i]; c {
		case '"':
			end := i + 1
			for end < len(runes) && runes[end] != '"' {
				end++
			}
			out = append(out, token{string(runes[i+1 : end]), true})
			i = end
		case '\\':
			if i++; i < len(runes) {
				out = append(out, token{string(runes[i]), true})
			}
		case '_', '*':
			i++ // the width of a character, or one to fill with
		case '[':
			end := i
			for end < len(runes) && runes[end] != ']' {
				end++
			}
			out = append(out, bracket(string(runes[i+1:end]))...)
			i = end
		default:
			end := i + 1
			for end < len(runes) && runes[end] == c && isCode(c) {
				end++
			}
			out = append(out, token{string(runes[i:end]), !isCode(c)})
			i = end - 1
		}
	}
	return out
}

// isCode reports whether a character outside quotes stands for something.
func isCode(c rune) bool { return strings.ContainsRune("yYmMdDhHsSeEgGaAbB0#?.,%@/\x01\x02", c) }

// bracket reads what stands in brackets: elapsed time is a code, a currency a
// literal, and colours, conditions and languages are nothing.
func bracket(inside string) []token {
	if strings.Trim(strings.ToLower(inside), "h") == "" || strings.Trim(strings.ToLower(inside), "m") == "" ||
		strings.Trim(strings.ToLower(inside), "s") == "" {
		if inside == "" {
			return nil
		}
		return []token{{"[" + strings.ToLower(inside) + "]", false}}
	}
	if currency, ok := strings.CutPrefix(inside, "$"); ok {
		currency, _, _ = strings.Cut(currency, "-")
		if currency != "" {
			return []token{{currency, true}}
		}
	}
	return nil
}

// isDate reports whether a section shows a date or a time.
func isDate(section string) bool {
	for _, t := range tokens(section) {
		if t.literal || t.text == "" {
			continue
		}
		switch t.text[0] {
		case 'y', 'Y', 'm', 'M', 'd', 'D', 'h', 'H', 's', 'S', '[':
			return true
		case 'a', 'A':
			if len(t.text) >= 3 {
				return true
			}
		case '0', '#', '?', '%':
			return false
		}
	}
	return false
}

// decimal writes v by a section of digits, point, commas, per cent and words.
func decimal(v float64, section string, negative bool) (s string, ok bool) {
	var before, after strings.Builder
	var whole, places int
	var point, grouped, digits bool
	commas := 0
	for _, t := range tokens(section) {
		c := t.text[:min(1, len(t.text))]
		switch {
		case t.literal && digits:
			after.WriteString(t.text)
		case t.literal:
			before.WriteString(t.text)
		case c == "0", c == "#", c == "?":
			if after.Len() > 0 {
				return "", false // words between digits
			}
			digits, grouped = true, grouped || commas > 0
			commas = 0
			switch {
			case point:
				places += len(t.text)
			case c == "0":
				whole += len(t.text)
			}
		case c == "." && !point:
			point = true
		case c == ",":
			commas += len(t.text)
		case c == "%":
			v *= 100
			after.WriteString("%")
		default:
			return "", false // fractions, exponents, eras
		}
	}
	if !digits || places > 15 {
		return "", false
	}
	v /= math.Pow(1000, float64(commas))
	number := fixed(math.Abs(v), places, whole, grouped)
	if v < 0 && !negative && strings.Trim(number, "0.,") != "" {
		number = "-" + number
	}
	return strings.TrimSpace(before.String() + number + after.String()), true
}

// fixed writes v ≥ 0 with places decimals and at least whole digits before them.
func fixed(v float64, places, whole int, grouped bool) string {
	s := strconv.FormatFloat(v+math.Copysign(v*1e-15, v), 'f', places, 64)
	integer, fraction, _ := strings.Cut(s, ".")
	if len(integer) < whole {
		integer = strings.Repeat("0", min(whole, 32)-min(len(integer), min(whole, 32))) + integer
	}
	if grouped {
		for at := len(integer) - 3; at > 0; at -= 3 {
			integer = integer[:at] + "," + integer[at:]
		}
	}
	if fraction == "" {
		return integer
	}
	return integer + "." + fraction
}

// BuiltinFormat returns the number format of a built-in number, those of Chinese
// Excel included, "" for the general one. Dates whose form depends on a user's
// settings are written year first.
func BuiltinFormat(id int) string {
	formats := map[int]string{
		1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00",
		5: "#,##0", 6: "#,##0", 7: "#,##0.00", 8: "#,##0.00",
		9: "0%", 10: "0.00%", 14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy",
		18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss", 22: "yyyy-mm-dd hh:mm",
		27: `yyyy"年"m"月"`, 28: `m"月"d"日"`, 29: `m"月"d"日"`, 30: "m-d-yy", 31: `yyyy"年"m"月"d"日"`,
		32: `h"时"mm"分"`, 33: `h"时"mm"分"ss"秒"`, 34: `上午/下午h"时"mm"分"`, 35: `上午/下午h"时"mm"分"ss"秒"`,
		36: `yyyy"年"m"月"`, 37: "#,##0;-#,##0", 38: "#,##0;-#,##0", 39: "#,##0.00;-#,##0.00", 40: "#,##0.00;-#,##0.00",
		41: "#,##0;-#,##0", 42: "#,##0;-#,##0", 43: "#,##0.00;-#,##0.00", 44: "#,##0.00;-#,##0.00",
		45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0",
		50: `yyyy"年"m"月"`, 51: `m"月"d"日"`, 52: `yyyy"年"m"月"`, 53: `m"月"d"日"`, 54: `m"月"d"日"`,
		55: `上午/下午h"时"mm"分"`, 56: `上午/下午h"时"mm"分"ss"秒"`, 57: `yyyy"年"m"月"`, 58: `m"月"d"日"`,
	}
	return formats[id]
}
