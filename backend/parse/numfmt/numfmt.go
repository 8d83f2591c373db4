// Package numfmt shows the numbers of spreadsheet cells as their number formats
// do: decimals, percent, dates in either date system, elapsed time, fractions,
// Chinese numerals. Colours and widths are left out, and so is what depends on the
// reader's computer: the short date of format 14 is written as 2024-01-31.
//
//	f := numfmt.Parse(`yyyy"年"m"月"d"日"`)
//	f.Number(45322, false) // 2024年1月31日
package numfmt

import (
	"strconv"
	"strings"
)

// Format is a number format. It is safe for concurrent use.
type Format struct {
	sections []section
}

// section is one of the up to four forms of a format.
type section struct {
	tokens []token
	// op and bound are a condition such as [>=100]; op is "" without.
	op    string
	bound float64
	// lang is the language of [$-804] in its low 16 bits, 0 without.
	lang int
	// numerals is the n of [DBNumn], 0 without.
	numerals int
	date     bool
	text     bool
	number   numberShape
}

// kind is what a token of a format stands for.
type kind int

const (
	literal kind = iota
	// digit is one of 0 # ?
	digit
	point
	percent
	exponent
	slash
	general
	at
	// calendar is a run of y, m, d, h, s, a, b, e or g, a fraction of a second, or
	// a half of the day.
	calendar
	// elapsed is [h], [m] or [s].
	elapsed
)

type token struct {
	kind kind
	text string
}

// Parse reads a format code. A code that is no format shows numbers as General
// does.
func Parse(code string) *Format {
	f := &Format{}
	for _, s := range split(code) {
		f.sections = append(f.sections, parseSection(s))
		if len(f.sections) == 4 {
			break
		}
	}
	return f
}

// split cuts a code at its semicolons, those in quotes and brackets aside.
func split(code string) []string {
	var parts []string
	start, quoted, bracket := 0, false, false
	for i := 0; i < len(code); i++ {
		switch c := code[i]; {
		case c == '"' && !bracket:
			quoted = !quoted
		case quoted:
		case c == '\\':
			i++
		case c == '[':
			bracket = true
		case c == ']':
			bracket = false
		case c == ';' && !bracket:
			parts = append(parts, code[start:i])
			start = i + 1
		}
	}
	return append(parts, code[start:])
}

// Builtin returns the code of a format that files name by number alone; "General"
// for those without meaning of their own. Dates of East Asian editions are in
// their Chinese form.
func Builtin(id int) string {
	if code, ok := builtins[id]; ok {
		return code
	}
	return "General"
}

var builtins = map[int]string{
	1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00",
	5: `"¥"#,##0;"¥"\-#,##0`, 6: `"¥"#,##0;"¥"\-#,##0`, 7: `"¥"#,##0.00;"¥"\-#,##0.00`, 8: `"¥"#,##0.00;"¥"\-#,##0.00`,
	9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??",
	14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM",
	20: "h:mm", 21: "h:mm:ss", 22: "yyyy-mm-dd h:mm",
	27: `yyyy"年"m"月"`, 28: `m"月"d"日"`, 29: `m"月"d"日"`, 30: "m-d-yy", 31: `yyyy"年"m"月"d"日"`,
	32: `h"时"mm"分"`, 33: `h"时"mm"分"ss"秒"`, 34: `上午/下午h"时"mm"分"`, 35: `上午/下午h"时"mm"分"ss"秒"`, 36: `yyyy"年"m"月"`,
	37: "#,##0;-#,##0", 38: "#,##0;-#,##0", 39: "#,##0.00;-#,##0.00", 40: "#,##0.00;-#,##0.00",
	41: "#,##0;-#,##0", 42: "#,##0;-#,##0", 43: "#,##0.00;-#,##0.00", 44: "#,##0.00;-#,##0.00",
	45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0", 49: "@",
	50: `yyyy"年"m"月"`, 51: `m"月"d"日"`, 52: `yyyy"年"m"月"`, 53: `m"月"d"日"`, 54: `m"月"d"日"`,
	55: `上午/下午h"时"mm"分"`, 56: `上午/下午h"时"mm"分"ss"秒"`, 57: `yyyy"年"m"月"`, 58: `m"月"d"日"`,
	59: "0", 60: "0.00", 61: "#,##0", 62: "#,##0.00", 67: "0%", 68: "0.00%", 69: "# ?/?", 70: "# ??/??",
	71: "yyyy-mm-dd", 72: "d-mmm-yy", 73: "d-mmm", 74: "mmm-yy", 75: "h:mm", 76: "h:mm:ss", 77: "yyyy-mm-dd h:mm",
	78: "mm:ss", 79: "[h]:mm:ss", 80: "mm:ss.0", 81: "d/m/yyyy",
}

// IsDate reports whether positive numbers are shown as dates or times.
func (f *Format) IsDate() bool { return len(f.sections) > 0 && f.sections[0].date }

// Number shows v; date1904 says that days are counted from 1904. What a format
// hides (";;;") is shown as General, since hidden content is read too.
func (f *Format) Number(v float64, date1904 bool) string {
	s, signed := f.choose(v)
	if s == nil || f.hidden() {
		return General(v)
	}
	if out, ok := s.show(v, signed, date1904); ok {
		return strings.TrimSpace(out)
	}
	return General(v)
}

// show shows v in the section; ok is false for numbers that it cannot show.
func (s *section) show(v float64, signed, date1904 bool) (out string, ok bool) {
	switch {
	case s.date:
		return s.dateText(v, date1904)
	case s.number.any:
		return s.numberText(v, signed)
	}
	return s.literalText(v, signed), true
}

// Text shows a text cell.
func (f *Format) Text(v string) string {
	var s *section
	switch {
	case len(f.sections) == 4:
		s = &f.sections[3]
	case len(f.sections) == 1 && f.sections[0].text:
		s = &f.sections[0]
	default:
		return v
	}
	var b strings.Builder
	found := false
	for _, t := range s.tokens {
		switch t.kind {
		case at:
			b.WriteString(v)
			found = true
		case literal:
			b.WriteString(t.text)
		}
	}
	if !found {
		return v
	}
	return b.String()
}

// hidden reports whether the format shows no number at all.
func (f *Format) hidden() bool {
	for _, s := range f.sections[:min(3, len(f.sections))] {
		if len(s.tokens) > 0 {
			return false
		}
	}
	return true
}

// choose picks the section for v; signed says that a minus must be shown.
func (f *Format) choose(v float64) (s *section, signed bool) {
	n := min(len(f.sections), 3)
	if len(f.sections) == 4 || n < 3 || f.sections[2].op == "" {
		// A section for text alone is none for numbers.
		for n > 1 && f.sections[n-1].text && n == len(f.sections) {
			n--
		}
	}
	if n == 0 {
		return nil, false
	}
	first := &f.sections[0]
	if first.op != "" || n > 1 && f.sections[1].op != "" {
		for i := range n {
			if f.sections[i].op == "" || f.sections[i].holds(v) {
				return &f.sections[i], v < 0
			}
		}
		return nil, false
	}
	switch {
	case n == 1:
		return first, v < 0
	case v < 0:
		return &f.sections[1], false
	case v == 0 && n > 2:
		return &f.sections[2], false
	}
	return first, false
}

func (s *section) holds(v float64) bool {
	switch s.op {
	case ">":
		return v > s.bound
	case ">=":
		return v >= s.bound
	case "<":
		return v < s.bound
	case "<=":
		return v <= s.bound
	case "=":
		return v == s.bound
	case "<>":
		return v != s.bound
	}
	return false
}

// literalText shows a section without places for digits: its literals, with the
// number where General or @ stands.
func (s *section) literalText(v float64, signed bool) string {
	if len(s.tokens) == 0 && s.op == "" && s.numerals == 0 {
		return ""
	}
	var b strings.Builder
	for _, t := range s.tokens {
		switch t.kind {
		case general, at:
			b.WriteString(s.chineseGeneral(General(abs(v))))
		case literal:
			b.WriteString(t.text)
		case percent:
			b.WriteString("%")
		}
	}
	out := b.String()
	if signed {
		out = "-" + out
	}
	return out
}

// General shows a number as a cell without a format does, but with all the digits
// of long integers: up to 15 significant ones.
func General(v float64) string {
	s := strconv.FormatFloat(v, 'g', 15, 64)
	if w, err := strconv.ParseFloat(s, 64); err == nil {
		v = w
	}
	if a := abs(v); a != 0 && (a >= 1e15 || a < 1e-9) {
		s = strconv.FormatFloat(v, 'E', -1, 64)
	} else {
		s = strconv.FormatFloat(v, 'f', -1, 64)
	}
	if s == "-0" {
		return "0"
	}
	return s
}

func abs(v float64) float64 {
	if v < 0 {
		return -v
	}
	return v
}
