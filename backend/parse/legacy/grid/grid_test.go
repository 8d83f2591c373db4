package grid_test

import (
	"context"
	"strings"
	"testing"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/legacy/grid"
	"ragdesk/backend/rag"
)

// sheet reads rows of cells parted by blanks; "_" is none, "=" before a value
// makes it data.
func sheet(t *testing.T, rows string, merges ...[4]int) string {
	t.Helper()
	s := grid.New("表", guard.Defaults())
	for i, line := range strings.Split(rows, "\n") {
		for j, v := range strings.Fields(line) {
			if v == "_" {
				continue
			}
			value, data := strings.CutPrefix(v, "=")
			if err := s.Set(i, j, value, data); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, m := range merges {
		s.Merge(m[0], m[1], m[2], m[3])
	}
	var b doctext.Builder
	if err := s.Write(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	d, err := b.Document(rag.Input{Source: "x"}, guard.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(d.Text, "# 表\n\n")
}

func TestLayout(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rows   string
		merges [][4]int
		want   string
	}{
		"header":         {"名称 数量\n笔 =3\n纸 =5", nil, "| 名称 | 数量 |\n| --- | --- |\n| 笔 | 3 |\n| 纸 | 5 |"},
		"data at once":   {"=1 =2\n=3 =4", nil, "|  |  |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |"},
		"years head":     {"项目 =2023 =2024\n收入 =5 =6", nil, "| 项目 | 2023 | 2024 |\n| --- | --- | --- |\n| 收入 | 5 | 6 |"},
		"title":          {"销售表 _ _\n名称 数量 价\n笔 =3 =1", [][4]int{{0, 0, 0, 2}}, "销售表\n\n| 名称 | 数量 | 价 |\n| --- | --- | --- |\n| 笔 | 3 | 1 |"},
		"two tables":     {"名称 数量\n笔 =3\n\n部门 人数 楼层\n销售 =9 =2", nil, "| 名称 | 数量 |\n| --- | --- |\n| 笔 | 3 |\n\n| 部门 | 人数 | 楼层 |\n| --- | --- | --- |\n| 销售 | 9 | 2 |"},
		"a gap":          {"名称 数量\n笔 =3\n\n纸 =4\n墨 =5", nil, "| 名称 | 数量 |\n| --- | --- |\n| 笔 | 3 |\n\n| 名称 | 数量 |\n| --- | --- |\n| 纸 | 4 |\n| 墨 | 5 |"},
		"a remark below": {"名称 数量\n笔 =3\n\n备注：含税", nil, "| 名称 | 数量 |\n| --- | --- |\n| 笔 | 3 |\n\n备注：含税"},
		"blank columns":  {"_ 名称 _ 数量\n_ 笔 _ =3", nil, "| 名称 | 数量 |\n| --- | --- |\n| 笔 | 3 |"},
		"group of rows":  {"组 名\n甲 a\n_ b\n_ c", [][4]int{{1, 0, 3, 0}}, "| 组 | 名 |\n| --- | --- |\n| 甲 | a |\n| 甲 | b |\n| 甲 | c |"},
		"header of two":  {"部门 上半年 _\n_ Q1 Q2\n销售 =1 =2", [][4]int{{0, 0, 1, 0}, {0, 1, 0, 2}}, "| 部门 | 上半年 | 上半年 |\n| --- | --- | --- |\n| 部门 | Q1 | Q2 |\n| 销售 | 1 | 2 |"},
		"all of it":      {"x y\n=1 =2", [][4]int{{0, 0, 1 << 20, 1 << 14}}, "| x | y |\n| --- | --- |\n| 1 | 2 |"},
		"merged nothing": {"x y\n=1 =2", [][4]int{{5, 5, 9, 9}, {1, 1, 0, 0}}, "| x | y |\n| --- | --- |\n| 1 | 2 |"},
		"one cell":       {"x", nil, "x"},
		"nothing":        {"", nil, ""},
		"list of one":    {"姓名\n张三\n李四", nil, "| 姓名 |\n| --- |\n| 张三 |\n| 李四 |"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := sheet(t, c.rows, c.merges...); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestLongTablesRepeatTheirHeader(t *testing.T) {
	t.Parallel()
	got := sheet(t, "名称 数量"+strings.Repeat("\n一种很长很长很长很长的东西 =3", 100))
	if n := strings.Count(got, "| 名称 | 数量 |"); n < 5 {
		t.Errorf("the header stands %d times", n)
	}
	if n := strings.Count(got, "东西"); n != 100 {
		t.Errorf("%d rows of 100", n)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	l := guard.Defaults()
	l.Cells, l.Text = 10, 100
	s := grid.New("S", l)
	for i := range 10 {
		if err := s.Set(i, i, "x", false); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Set(11, 0, " \u3000", false); err != nil {
		t.Errorf("a blank cell counts: %v", err)
	}
	if err := s.Set(11, 0, "x", false); !fault.Is(err, "limit_cells") {
		t.Errorf("an eleventh cell: %v", err)
	}
	var b doctext.Builder
	if err := s.Write(context.Background(), &b); !fault.Is(err, "limit_cells") {
		t.Errorf("ten cells over 100 places: %v", err)
	}
	if err := grid.New("S", l).Set(0, 0, strings.Repeat("x", 101), false); !fault.Is(err, "limit_text") {
		t.Errorf("101 bytes: %v", err)
	}
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		v      float64
		format string
		want   string
	}{
		{1234.5, "", "1234.5"}, {1234.5, "General", "1234.5"}, {0, "", "0"}, {1e15, "", "1000000000000000"}, {1e-7, "", "0.0000001"},
		{1.5e300, "", "1.5E+300"}, {123456789012345678, "", "123456789012346000"}, {-2, "@", "-2"},
		{1234.567, "#,##0.00", "1,234.57"}, {-1234.567, "#,##0.00", "-1,234.57"}, {-1234.5, "#,##0.00;(#,##0.00)", "(1,234.50)"},
		{1234567, "#,##0", "1,234,567"}, {0.5, "0", "1"}, {12, "000000", "000012"}, {1.005, "0.00", "1.01"}, {-0.001, "0.00", "0.00"},
		{0.125, "0.0%", "12.5%"}, {0.5, "0%", "50%"}, {5, `0"元"`, "5元"}, {5, `"¥"#,##0.00`, "¥5.00"}, {5, "[$€-407]#,##0.00", "€5.00"},
		{5, "[Red]0.0;[Blue]-0.0", "5.0"}, {0, `0;-0;"无"`, "0"}, {1500000, `0.0,,"M"`, "1.5M"}, {1e-3, "0.00E+00", "0.001"}, {0.5, "# ?/?", "0.5"},
		{5, `_ * #,##0.00_ ;_ * \-#,##0.00_ `, "5.00"}, {3, `0\件`, "3件"},
		{45366, "yyyy-mm-dd", "2024-03-15"}, {45366.75, "yyyy/m/d h:mm", "2024/3/15 18:00"}, {45366.75, "yyyy/m/d h:mm AM/PM", "2024/3/15 6:00 PM"},
		{45366, `[$-804]yyyy"年"m"月"d"日";@`, "2024年3月15日"}, {45366, "[$-804]aaaa", "星期五"}, {45366, "dddd, mmmm d", "Friday, March 15"},
		{0.5, "h:mm:ss", "12:00:00"}, {1.5, "[h]:mm:ss", "36:00:00"}, {0.0006944444, "mm:ss", "01:00"}, {0.999999, "h:mm:ss", "0:00:00"},
		{1, "yyyy-mm-dd", "1900-01-01"}, {59, "yyyy-mm-dd", "1900-02-28"}, {61, "yyyy-mm-dd", "1900-03-01"},
		{-1, "yyyy-mm-dd", "-1"}, {1e9, "yyyy-mm-dd", "1000000000"}, {0.5, "上午/下午h\"时\"mm\"分\"", "下午12时00分"}, {45366, "mmm-yy", "Mar-24"},
		{0.25, "mm:ss.000", "00:00.000"}, {45366, "yyyy\\-mm\\-dd\\ hh:mm", "2024-03-15 00:00"}, {45366, "[DBNum1][$-804]yyyy年m月d日", "2024年3月15日"},
	} {
		if got := grid.Number(c.v, c.format, false); got != c.want {
			t.Errorf("%v as %q is %q, want %q", c.v, c.format, got, c.want)
		}
	}
	if got := grid.Number(0, grid.BuiltinFormat(14), true); got != "1904-01-01" {
		t.Errorf("day 0 of 1904 is %q", got)
	}
}

func FuzzNumber(f *testing.F) {
	f.Add(45366.5, `[$-804]yyyy"年"m;@`)
	f.Add(-1.5, `_ * #,##0.00_ ;\`)
	f.Add(0.5, "[h]:mm:ss.000;[")
	f.Fuzz(func(t *testing.T, v float64, format string) {
		if s := grid.Number(v, format, v > 3); len(s) > 1000+4*len(format) {
			t.Errorf("%d bytes for %v as %q", len(s), v, format)
		}
	})
}
