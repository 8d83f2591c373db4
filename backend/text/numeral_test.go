package text_test

import (
	"testing"

	"ragdesk/backend/text"
)

func TestNumber(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"二〇二四": "2024", "一九九八": "1998", "十": "10", "十五": "15", "二十": "20", "二十三": "23", "一百零五": "105", "一百一十": "110",
		"三百五": "350", "三千五百": "3500", "三千零五": "3005", "一万二": "12000", "一万零二": "10002", "十二万": "120000", "三千万": "30000000",
		"一亿": "100000000", "一亿二千万": "120000000", "三万五千亿": "3500000000000", "两千": "2000", "五": "5", "零": "0", "贰仟": "2000",
		"四万八千二百": "48200", "一二三": "123",
	} {
		if got, ok := text.Number([]rune(s)); !ok || got != want {
			t.Errorf("Number(%s) = %q, %t, want %s", s, got, ok, want)
		}
	}
	for _, s := range []string{"", "万一", "百", "千万", "百百", "一百二百", "十一二十", "一万一万", "二三百", "亿", "一一一一一一一一一一一一一一一一一一一一一"} {
		if got, ok := text.Number([]rune(s)); ok {
			t.Errorf("Number(%s) = %s, want none", s, got)
		}
	}
}

func TestNumeralsAreFoundInBothScripts(t *testing.T) {
	t.Parallel()
	if err := text.Ready(); err != nil {
		t.Skip(err)
	}
	has := func(s, term string) bool {
		for _, w := range text.Analyze(s).Words {
			if w.Term == term {
				return true
			}
		}
		return false
	}
	for term, texts := range map[string][]string{
		"2024":  {"二〇二四年", "2024年", "二零二四年", "２０２４年"},
		"3500":  {"三千五百元", "3,500元", "3500 元", "叁仟伍佰元"},
		"35000": {"3.5万元", "三万五千元", "35,000"},
		"15":    {"十五天", "15天"},
		"3":     {"第三条", "第3条", "三月", "3月"},
		"20":    {"满二十年", "20年"},
		"1":     {"满一年", "1年", "第一条"},
	} {
		for _, s := range texts {
			if !has(s, term) {
				t.Errorf("%s is not among the terms of %s", term, s)
			}
		}
	}
	for s, term := range map[string]string{"万一下雨": "10000", "一个人": "1", "三心二意": "3", "千万小心": "10000000", "一一说明": "11", "三四个": "34", "哪一年": "1", "每一天一年": "9"} {
		if has(s, term) {
			t.Errorf("%s is among the terms of %s", term, s)
		}
	}
}
