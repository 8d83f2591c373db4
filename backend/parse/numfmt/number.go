package numfmt

import (
	"math"
	"strconv"
	"strings"

	"ragdesk/backend/parse/count"
)

// numberShape is how a section lays out the digits of a number.
type numberShape struct {
	any                bool
	whole, decimals    int
	grouped            bool
	thousands, percent int
	exponent           bool
	fraction           bool
	// denominator is a fraction's fixed one, 0 for the nearest; places is how many
	// digits it may have.
	denominator, places int
}

// shape counts the places for digits. Commas were read as NUL: between digits they
// group, after the last one they divide by a thousand.
func (s *section) shape() {
	n := &s.number
	last := -1
	for i, t := range s.tokens {
		if t.kind == digit {
			last = i
			n.any = true
		}
	}
	afterPoint, inExponent, afterSlash := false, false, false
	for i, t := range s.tokens {
		switch t.kind {
		case digit:
			switch {
			case afterSlash:
				n.places++
			case inExponent:
			case afterPoint:
				n.decimals++
			default:
				n.whole++
			}
		case point:
			afterPoint = true
		case exponent:
			n.exponent, inExponent = true, true
		case percent:
			n.percent++
		case slash:
			afterSlash = n.any
		case literal:
			if commas := strings.Count(t.text, "\x00"); commas > 0 {
				before := i > 0 && (s.tokens[i-1].kind == digit || s.tokens[i-1].kind == point)
				switch {
				case !n.any || !before:
					s.tokens[i].text = strings.ReplaceAll(t.text, "\x00", ",")
					continue
				case i < last:
					n.grouped = n.grouped || !afterPoint
				default:
					n.thousands += commas
				}
				s.tokens[i].text = strings.ReplaceAll(t.text, "\x00", "")
			}
			if d, err := strconv.Atoi(strings.TrimSpace(t.text)); err == nil && afterSlash && d > 0 {
				n.denominator = d
			}
		}
	}
	n.fraction = afterSlash && (n.places > 0 || n.denominator > 0)
}

// numberText shows v in a section with places for digits.
func (s *section) numberText(v float64, signed bool) (string, bool) {
	n := s.number
	v = abs(v)
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return "", false
	}
	for range min(n.percent, 3) {
		v *= 100
	}
	for range min(n.thousands, 6) {
		v /= 1000
	}
	var out string
	switch {
	case n.fraction:
		out = fraction(v, n)
	case n.exponent:
		out = s.scientific(v)
	default:
		whole, decimals := round(v, n.decimals)
		out = s.fill(whole, decimals)
	}
	if s.numerals > 0 {
		out = chineseDigits(out, s.numerals)
	}
	if signed && strings.ContainsAny(out, "123456789一二三四五六七八九壹贰叁肆伍陆柒捌玖１２３４５６７８９") {
		out = "-" + out
	}
	return out, true
}

// round returns the digits of v before and after the point, rounded half up as
// its 15 significant decimal digits say. Zero has no digits before the point.
func round(v float64, decimals int) (whole, fraction string) {
	mantissa, exp, _ := strings.Cut(strconv.FormatFloat(v, 'e', 14, 64), "e")
	e, _ := strconv.Atoi(exp)
	digits := strings.Replace(mantissa, ".", "", 1)
	// The value is 0.digits × 10^(e+1); keep e+1+decimals of the digits.
	keep := e + 1 + decimals
	switch {
	case keep < 0:
		digits, keep = "0", 1+decimals
	case keep < len(digits):
		up := digits[keep] >= '5'
		digits = digits[:keep]
		if up {
			digits = increment(digits)
			e += len(digits) - keep
			keep = e + 1 + decimals
		}
	}
	if len(digits) < keep {
		digits += strings.Repeat("0", keep-len(digits))
	}
	if at := len(digits) - decimals; at >= 0 {
		whole, fraction = digits[:at], digits[at:]
	} else {
		fraction = strings.Repeat("0", -at) + digits
	}
	return strings.TrimLeft(whole, "0"), fraction
}

// increment adds one to a string of digits.
func increment(digits string) string {
	b := []byte(digits)
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] < '9' {
			b[i]++
			return string(b)
		}
		b[i] = '0'
	}
	return "1" + string(b)
}

// fill puts digits into their places.
func (s *section) fill(whole, decimals string) string {
	var b strings.Builder
	n := s.number
	place, after := 0, false
	shown := len(strings.TrimRight(decimals, "0"))
	for _, t := range s.tokens {
		switch t.kind {
		case digit:
			if after {
				if place < len(decimals) {
					writeDecimal(&b, decimals[place], t.text, place < shown)
				}
				place++
				continue
			}
			n.writeWhole(&b, whole, place, t.text)
			place++
		case point:
			if n.whole == 0 {
				b.WriteString(whole)
			}
			after, place = true, 0
			if shown > 0 || s.requires() {
				b.WriteByte('.')
			}
		case literal, slash:
			b.WriteString(t.text)
		case percent:
			b.WriteByte('%')
		}
	}
	return b.String()
}

// requires reports whether a place after the point shows a zero or a blank.
func (s *section) requires() bool {
	after := false
	for _, t := range s.tokens {
		if t.kind == point {
			after = true
		} else if after && t.kind == digit && t.text == "0" {
			return true
		}
	}
	return false
}

func writeDecimal(b *strings.Builder, d byte, place string, shown bool) {
	switch {
	case shown || place == "0":
		b.WriteByte(d)
	case place == "?":
		b.WriteByte(' ')
	}
}

// writeWhole writes the digit of the place-th place before the point; the first
// place takes all digits for which there is no place.
func (n numberShape) writeWhole(b *strings.Builder, whole string, place int, kind string) {
	first, end := len(whole)-n.whole+place, len(whole)-n.whole+place+1
	if place == 0 {
		first = 0
	}
	if end <= 0 {
		switch kind {
		case "0":
			b.WriteByte('0')
			n.separate(b, n.whole-place-1)
		case "?":
			b.WriteByte(' ')
		}
		return
	}
	for i := max(first, 0); i < end; i++ {
		b.WriteByte(whole[i])
		n.separate(b, len(whole)-i-1)
	}
}

// separate writes a comma when left digits follow in full groups.
func (n numberShape) separate(b *strings.Builder, left int) {
	if n.grouped && left > 0 && left%3 == 0 {
		b.WriteByte(',')
	}
}

// scientific shows v as 1.5E+03.
func (s *section) scientific(v float64) string {
	n := s.number
	step := max(n.whole, 1)
	e := 0
	if v != 0 {
		e = int(math.Floor(math.Log10(v)))
		if step > 1 {
			e = int(math.Floor(float64(e)/float64(step))) * step
		}
	}
	m := v / math.Pow(10, float64(e))
	whole, decimals := round(m, n.decimals)
	if step == 1 && len(whole) > 1 {
		e++
		whole, decimals = round(m/10, n.decimals)
	}
	if whole == "" {
		whole = "0"
	}
	out := whole
	if decimals != "" {
		out += "." + decimals
	}
	sign, width := "", 0
	in := false
	for _, t := range s.tokens {
		switch {
		case t.kind == exponent:
			in = true
			if strings.HasSuffix(t.text, "+") {
				sign = "+"
			}
		case in && t.kind == digit && t.text == "0":
			width++
		}
	}
	if e < 0 {
		sign, e = "-", -e
	}
	digits := strconv.Itoa(e)
	return out + "E" + sign + strings.Repeat("0", max(0, width-len(digits))) + digits
}

// fraction shows v as 1 3/4.
func fraction(v float64, n numberShape) string {
	whole, rest := math.Modf(v)
	if n.whole <= n.places && n.whole < 2 && n.places > 0 && n.whole == 0 {
		whole, rest = 0, v
	}
	num, den := 0, 1
	if n.denominator > 0 {
		num, den = int(math.Round(rest*float64(n.denominator))), n.denominator
	} else {
		most := int(math.Pow10(min(n.places, 3))) - 1
		best := math.Inf(1)
		for d := 1; d <= most; d++ {
			k := math.Round(rest * float64(d))
			if off := abs(rest - k/float64(d)); off < best-1e-12 {
				best, num, den = off, int(k), d
			}
		}
	}
	if num == den && den > 0 {
		whole, num = whole+1, 0
	}
	switch {
	case num == 0:
		return strconv.FormatFloat(whole, 'f', 0, 64)
	case whole == 0:
		return strconv.Itoa(num) + "/" + strconv.Itoa(den)
	}
	return strconv.FormatFloat(whole, 'f', 0, 64) + " " + strconv.Itoa(num) + "/" + strconv.Itoa(den)
}

// chineseDigits writes the digits of s one by one in the numerals of [DBNum…].
func chineseDigits(s string, numerals int) string {
	sets := map[int]string{1: "〇一二三四五六七八九", 2: "零壹贰叁肆伍陆柒捌玖", 3: "０１２３４５６７８９"}
	set, ok := sets[numerals]
	if !ok {
		return s
	}
	runes := []rune(set)
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return runes[r-'0']
		}
		return r
	}, s)
}

// chineseGeneral writes a number shown as General in full numerals when the
// section asks for them.
func (s *section) chineseGeneral(number string) string {
	if s.numerals == 0 || s.numerals == 3 {
		return chineseDigits(number, s.numerals)
	}
	whole, decimals, _ := strings.Cut(number, ".")
	n, err := strconv.Atoi(whole)
	if err != nil {
		return number
	}
	by := count.Plain()
	if s.numerals == 2 {
		by = count.Legal()
	}
	out := count.Chinese(n, by)
	if decimals != "" {
		out += "点" + chineseDigits(decimals, s.numerals)
	}
	return out
}
