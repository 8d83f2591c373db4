package count_test

import (
	"testing"

	"ragdesk/backend/parse/count"
)

func TestFormat(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		system string
		n      int
		want   string
	}{
		{"decimal", 12, "12"}, {"unknown", 3, "3"}, {"none", 3, ""}, {"decimalZero", 7, "07"}, {"ordinal", 22, "22nd"}, {"ordinal", 112, "112th"},
		{"upperRoman", 1994, "MCMXCIV"}, {"lowerRoman", 4, "iv"}, {"lowerRoman", 0, "0"}, {"lowerRoman", 1 << 40, "1099511627776"},
		{"upperLetter", 27, "AA"}, {"lowerLetter", 26, "z"}, {"lowerLetter", 0, "0"}, {"lowerLetter", 1 << 40, "1099511627776"},
		{"chineseCounting", 10, "十"}, {"chineseCounting", 15, "十五"}, {"chineseCounting", 20, "二十"}, {"chineseCounting", 99, "九十九"}, {"chineseCounting", 100, "一○○"},
		{"chineseCountingThousand", 101, "一百零一"}, {"chineseCountingThousand", 110, "一百一十"}, {"chineseCountingThousand", 1010, "一千零一十"},
		{"chineseCountingThousand", 10005, "一万零五"}, {"chineseCountingThousand", 100000, "十万"}, {"chineseCountingThousand", 200300, "二十万零三百"},
		{"chineseCountingThousand", 100000005, "一亿零五"}, {"chineseCountingThousand", 0, "零"}, {"chineseCountingThousand", -3, "-3"},
		{"chineseLegalSimplified", 12, "壹拾贰"}, {"ideographLegalTraditional", 23, "貳拾參"}, {"ideographDigital", 105, "一〇五"},
		{"ideographTraditional", 3, "丙"}, {"ideographTraditional", 11, "11"}, {"ideographZodiac", 12, "亥"},
		{"decimalEnclosedCircleChinese", 3, "③"}, {"decimalEnclosedCircle", 51, "51"}, {"decimalFullWidth", 12, "１２"}, {"aiueo", 2, "イ"}, {"numberInDash", 3, "- 3 -"},
	} {
		if got := count.Format(c.system, c.n); got != c.want {
			t.Errorf("%s of %d = %q, want %q", c.system, c.n, got, c.want)
		}
	}
}
