package numfmt

import (
	"math"
	"strconv"
	"strings"
	"time"

	"ragdesk/backend/parse/count"
)

// Languages of [$-…] whose names of months and days are known beside English.
const (
	langTaiwan   = 0x404
	langJapanese = 0x411
	langChinese  = 0x804
	langHongKong = 0xc04
	// langSystem is the long date of the reader's computer.
	langSystem = 0xf800
)

// lastDay is the serial number after the last day that spreadsheets know.
const lastDay = 2_958_466

// Date returns the moment a serial number stands for, in UTC and whole
// milliseconds; ok is false for numbers that are no date. The day 1900-02-29,
// which spreadsheets have and the calendar has not, becomes 1900-02-28.
func Date(v float64, date1904 bool) (t time.Time, ok bool) {
	if math.IsNaN(v) || v < 0 || v >= lastDay {
		return time.Time{}, false
	}
	day, part := math.Modf(v)
	ms := math.Round(part * 86_400_000)
	base := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case date1904:
		base = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case day < 60:
		base = base.AddDate(0, 0, 1)
	}
	return base.AddDate(0, 0, int(day)).Add(time.Duration(ms) * time.Millisecond), true
}

// dateText shows v as a date or a time.
func (s *section) dateText(v float64, date1904 bool) (string, bool) {
	t, ok := Date(v, date1904)
	if !ok {
		if v < 0 && s.elapsed() {
			out, ok := s.dateText(-v, date1904)
			return "-" + out, ok
		}
		return "", false
	}
	if s.lang == langSystem {
		return t.Format(time.DateOnly), true
	}
	t = t.Round(s.precision())
	half := s.half()
	seconds := math.Round(v * 86_400)
	var b strings.Builder
	for _, tok := range s.tokens {
		switch tok.kind {
		case calendar:
			b.WriteString(s.calendar(tok.text, t, half))
		case elapsed:
			per := map[byte]float64{'h': 3600, 'm': 60, 's': 1}[tok.text[0]]
			b.WriteString(pad(int(seconds/per), len(tok.text)))
		case literal, slash:
			b.WriteString(tok.text)
		case point:
			b.WriteByte('.')
		case digit:
			b.WriteString(tok.text)
		case at, general, percent, exponent:
		}
	}
	return b.String(), true
}

func (s *section) elapsed() bool {
	for _, t := range s.tokens {
		if t.kind == elapsed {
			return true
		}
	}
	return false
}

// precision is the smallest part of a time that is shown, at most a second.
func (s *section) precision() time.Duration {
	step := time.Second
	for _, t := range s.tokens {
		if t.kind == calendar && t.text[0] == '.' {
			for range len(t.text) - 1 {
				step /= 10
			}
		}
	}
	return step
}

// half reports whether hours are counted to twelve.
func (s *section) half() bool {
	for _, t := range s.tokens {
		if t.kind == calendar && strings.Contains(t.text, "/") {
			return true
		}
	}
	return false
}

// calendar shows one part of a date.
func (s *section) calendar(letters string, t time.Time, half bool) string {
	n := len(letters)
	if am, pm, ok := strings.Cut(letters, "/"); ok {
		if t.Hour() < 12 {
			return am
		}
		return pm
	}
	switch letters[0] {
	case 'y':
		if n <= 2 {
			return s.digits(pad(t.Year()%100, 2))
		}
		return s.digits(strconv.Itoa(t.Year()))
	case 'e':
		return s.digits(strconv.Itoa(t.Year()))
	case 'b':
		return strconv.Itoa(t.Year() + 543)
	case 'm':
		return s.month(t.Month(), n)
	case 'd':
		if n >= 3 {
			return s.weekday(t.Weekday(), n == 3, false)
		}
		return s.numeral(t.Day(), n)
	case 'a':
		return s.weekday(t.Weekday(), n <= 3, true)
	case 'h':
		hour := t.Hour()
		if half {
			hour = (hour+11)%12 + 1
		}
		return s.numeral(hour, n)
	case 'n':
		return s.numeral(t.Minute(), n)
	case 's':
		return s.numeral(t.Second(), n)
	case '.':
		return "." + pad(t.Nanosecond()/1_000_000, 3)[:n-1]
	}
	return ""
}

// digits writes a year's digits in the section's numerals.
func (s *section) digits(year string) string { return chineseDigits(year, s.numerals) }

// numeral writes a number of at least width digits in the section's numerals.
func (s *section) numeral(n, width int) string {
	switch s.numerals {
	case 1:
		return count.Chinese(n, count.Plain())
	case 2:
		return count.Chinese(n, count.Legal())
	}
	return chineseDigits(pad(n, width), s.numerals)
}

// chinese reports whether names are those of Chinese or Japanese.
func (s *section) chinese() bool {
	switch s.lang {
	case langTaiwan, langJapanese, langChinese, langHongKong:
		return true
	}
	return false
}

func (s *section) month(m time.Month, n int) string {
	switch {
	case n <= 2:
		return s.numeral(int(m), n)
	case s.chinese() && n == 4:
		return count.Chinese(int(m), count.Plain()) + "月"
	case s.chinese():
		return strconv.Itoa(int(m)) + "月"
	case n == 3:
		return m.String()[:3]
	case n == 5:
		return m.String()[:1]
	}
	return m.String()
}

// weekday names a day; east is for the letters a, which are Chinese or Japanese
// by themselves.
func (s *section) weekday(d time.Weekday, short, east bool) string {
	switch {
	case s.lang == langJapanese:
		name := string([]rune("日月火水木金土")[d])
		if short {
			return name
		}
		return name + "曜日"
	case east || s.chinese():
		name := string([]rune("日一二三四五六")[d])
		switch {
		case !short:
			return "星期" + name
		case east:
			return name
		}
		return "周" + name
	case short:
		return d.String()[:3]
	}
	return d.String()
}

// pad writes n with at least width digits.
func pad(n, width int) string {
	s := strconv.Itoa(n)
	return strings.Repeat("0", max(0, width-len(s))) + s
}
