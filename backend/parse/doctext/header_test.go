package doctext_test

import (
	"strings"
	"testing"

	"ragdesk/backend/parse/doctext"
)

func TestHeaderRows(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rows string
		want int
	}{
		"names over values":      {"部门 姓名 金额\n市场部 王芳 1,250.00\n采购部 赵敏 ￥3400", 1},
		"names over words":       {"name city\nWang Beijing\nLi Shanghai", 1},
		"years":                  {"项目 2023年 2024\n收入 5 6", 1},
		"values":                 {"1 2 3\na b c", 0},
		"a date first":           {"2024-01-02 a\n2024-01-03 b", 0},
		"one row":                {"name city", 0},
		"nothing":                {"", 0},
		"comes again":            {"yes no\nyes yes\nno no", 0},
		"the same over and over": {"a a a\n1 2 3", 0},
		"one name twice":         {"id 名称 名称\n1 甲 乙", 1},
		"repeated below":         {"id name\n1 a\nid name\n2 b", 1},
		"mostly blank":           {"title _ _ _\n1 2 3 4", 0},
		"the corner is blank":    {"_ 一月 二月\n甲 1 2", 1},
		"amounts with their sum": {"合计 12%\n甲 3", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var rows [][]string
			for _, line := range strings.Split(c.rows, "\n") {
				row := strings.Fields(line)
				for i := range row {
					row[i] = strings.Trim(row[i], "_")
				}
				rows = append(rows, row)
			}
			if got := doctext.HeaderRows(rows); got != c.want {
				t.Errorf("%d header rows, want %d", got, c.want)
			}
		})
	}
}
