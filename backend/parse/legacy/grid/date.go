package grid

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// maxSerial is the day after 9999-12-31 in days since 1899-12-30.
const maxSerial = 2958466

// dateTime writes a day number by a section of date and time codes; ok is false
// for a value that is no date.
func dateTime(v float64, section string, date1904 bool) (s string, ok bool) {
	if v < 0 || v >= maxSerial {
		return "", false
	}
	list := tokens(joinAMPM(section))
	at := instant(v, date1904, finest(list))
	twelve := false
	for _, t := range list {
		twelve = twelve || !t.literal && isAMPM(t.text)
	}
	var out strings.Builder
	for i, t := range list {
		if t.literal {
			out.WriteString(t.text)
			continue
		}
		out.WriteString(dateCode(t.text, at, v, twelve, minutes(list, i)))
	}
	return strings.TrimSpace(out.String()), true
}

// instant is the time that a day number stands for, rounded to the unit shown.
// In the system of 1900 the numbers below 60 are one day behind, for a leap day
// that the year did not have.
func instant(v float64, date1904 bool, unit time.Duration) time.Time {
	epoch := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	if date1904 {
		epoch = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	} else if v < 60 {
		epoch = epoch.AddDate(0, 0, 1)
	}
	day, fraction := math.Modf(v)
	within := time.Duration(math.Round(fraction*86400e3)) * time.Millisecond
	return epoch.AddDate(0, 0, int(day)).Add(within.Round(unit))
}

// finest is the unit that a time is rounded to.
func finest(list []token) time.Duration {
	for i, t := range list {
		if !t.literal && strings.HasPrefix(t.text, "0") && i > 0 && list[i-1].text == "." {
			return time.Millisecond
		}
	}
	return time.Second
}

// Marks of one character for the half of the day, which no format holds.
const (
	ampm   = "\x01"
	ampmZh = "\x02"
)

// joinAMPM puts a mark of one character in place of AM/PM and its kin.
func joinAMPM(section string) string {
	return strings.NewReplacer("AM/PM", ampm, "am/pm", ampm, "A/P", ampm, "上午/下午", ampmZh).Replace(section)
}

func isAMPM(s string) bool { return s == ampm || s == ampmZh }

// minutes reports whether the code m at list[i] stands for minutes: after hours
// or before seconds.
func minutes(list []token, i int) bool {
	kind := func(t token) byte { return strings.ToLower(strings.Trim(t.text, "[]") + " ")[0] }
	for j := i - 1; j >= 0; j-- {
		if k := kind(list[j]); !list[j].literal && strings.IndexByte("hymds", k) >= 0 {
			if k == 'h' {
				return true
			}
			break
		}
	}
	for j := i + 1; j < len(list); j++ {
		if k := kind(list[j]); !list[j].literal && strings.IndexByte("hymds", k) >= 0 {
			return k == 's'
		}
	}
	return false
}

// dateCode writes one code of a date format.
func dateCode(code string, at time.Time, v float64, twelve, minute bool) string {
	n := len(code)
	switch code[0] {
	case 'y', 'Y':
		if n <= 2 {
			return at.Format("06")
		}
		return at.Format("2006")
	case 'e', 'E':
		return at.Format("2006")
	case 'm', 'M':
		if minute {
			return padded(at.Minute(), n)
		}
		return month(at, n)
	case 'd', 'D':
		switch {
		case n <= 2:
			return padded(at.Day(), n)
		case n == 3:
			return at.Format("Mon")
		}
		return at.Format("Monday")
	case 'a', 'A':
		day := string([]rune("日一二三四五六")[at.Weekday()])
		if n >= 4 {
			return "星期" + day
		}
		return day
	case 'h', 'H':
		hour := at.Hour()
		if twelve {
			hour = (hour+11)%12 + 1
		}
		return padded(hour, n)
	case 's', 'S':
		return padded(at.Second(), n)
	case '0':
		return fmt.Sprintf("%03d", at.Nanosecond()/int(time.Millisecond))[:min(n, 3)]
	case '[':
		return elapsed(code, v)
	case ampm[0], ampmZh[0]:
		return half(code, at)
	case '.', ',', '/', '%':
		return code
	}
	return ""
}

func month(at time.Time, n int) string {
	switch n {
	case 1, 2:
		return padded(int(at.Month()), n)
	case 3:
		return at.Format("Jan")
	case 5:
		return at.Format("Jan")[:1]
	}
	return at.Format("January")
}

// half names the half of the day.
func half(code string, at time.Time) string {
	names := [2]string{"AM", "PM"}
	if code == ampmZh {
		names = [2]string{"上午", "下午"}
	}
	return names[at.Hour()/12]
}

// elapsed writes a span of time in whole units of its first code.
func elapsed(code string, v float64) string {
	unit := map[byte]float64{'h': 24, 'm': 1440, 's': 86400}[code[1]]
	return padded(int(v*unit+1e-6), len(code)-2)
}

func padded(v, n int) string {
	if s := strconv.Itoa(v); len(s) >= n {
		return s
	}
	return "0" + strconv.Itoa(v)
}
