package grid_test

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/grid"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/rag"
)

var update = flag.Bool("update", false, "write the golden files")

// sheet reads rows separated by line ends and cells by bars; numbers are numbers.
func sheet(t *testing.T, l guard.Limits, picture string, merges ...grid.Range) *grid.Sheet {
	t.Helper()
	s := grid.New(l)
	for r, line := range strings.Split(strings.Trim(picture, "\n"), "\n") {
		for c, cell := range strings.Split(line, "|") {
			cell = strings.TrimSpace(cell)
			v := grid.Cell{Text: cell}
			if n, err := strconv.ParseFloat(cell, 64); err == nil {
				v.Kind, v.Year = grid.Number, n >= 1900 && n <= 2100 && n == float64(int(n))
			}
			if err := s.Set(r, c, v); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, m := range merges {
		s.Merge(m)
	}
	return s
}

func write(t *testing.T, s *grid.Sheet) rag.Document {
	t.Helper()
	var b doctext.Builder
	if err := s.Write(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	d, err := b.Document(rag.Input{Source: "s"}, guard.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestLayout(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for _, c := range []struct {
		name, picture string
		merges        []grid.Range
	}{
		{"one table", "姓名|天数\n张三|5\n李四|10", nil},
		{"title, unit, note", "各地人口|||\n||单位：万人\n地区|2021|2022\n北京|2188|2184\n上海|2489|2475\n注：年末常住人口。||", []grid.Range{{0, 0, 0, 3}}},
		{"two tables one above the other", "a|b\nx|1\n\n\nc|d\ny|2", nil},
		{"side by side", "a|b||c|d\nx|1||y|2\nz|3||w|4", nil},
		{"spacer columns", "项目||2021||2022\n收入||10.5||11.5\n支出||9.5||8.5", nil},
		{"a gap inside a table", "名|数\nx|1\ny|2\n\n合计|3", nil},
		{"two header rows", "地区|人口||面积\n|男|女|\n北京|1.5|2.5|3.5\n上海|4.5|5.5|6.5", []grid.Range{{0, 0, 1, 0}, {0, 1, 0, 2}, {0, 3, 1, 3}}},
		{"merged groups", "组|名|数\n甲|x|1\n|y|2\n乙|z|3", []grid.Range{{1, 0, 2, 0}}},
		{"no header", "1.5|2\n3.5|4", nil},
		{"months as header", "项目|1|2|3\n收入|10.5|20|30", nil},
		{"diagonal", "a|b||\nx|1||\n||c|d\n||y|2", nil},
		{"one line", "联系人|张三", nil},
		{"list", "名单\n张三\n李四", nil},
		{"missing corner", "|b|c\nx|1|2\ny|3|4", nil},
	} {
		fmt.Fprintf(&all, "=== %s\n%s\n", c.name, write(t, sheet(t, guard.Defaults(), c.picture, c.merges...)).Text)
	}
	const golden = "testdata/layout.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(all.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), all.String()); diff != "" {
		t.Errorf("layout (-want +got):\n%s", diff)
	}
}

func TestCellsAreBounded(t *testing.T) {
	t.Parallel()
	l := guard.Limits{Cells: 3}.Filled()
	s := grid.New(l)
	for i := range 3 {
		if err := s.Set(i, 1<<14, grid.Cell{Text: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Set(9, 0, grid.Cell{Text: "x"}); !fault.Is(err, "limit_cells") {
		t.Errorf("fourth cell: %v", err)
	}
	l.Cells = 1000
	s = grid.New(l)
	for i := range 100 {
		_ = s.Set(i, 0, grid.Cell{Text: "x"})
		_ = s.Set(i, 1000, grid.Cell{Text: "x"})
	}
	s.Merge(grid.Range{Top: 0, Left: 0, Bottom: 1 << 20, Right: 1 << 14})
	if err := s.Write(t.Context(), &doctext.Builder{}); !fault.Is(err, "limit_cells") {
		t.Errorf("a merged range over all: %v", err)
	}
}

func TestFarApartAndManyBlankRowsAreQuick(t *testing.T) {
	t.Parallel()
	s := grid.New(guard.Defaults())
	for i := range 30_000 {
		_ = s.Set(i*2, i%16_000, grid.Cell{Text: "x"})
		_ = s.Set(i*2, i%16_000+1, grid.Cell{Text: "1.5", Kind: grid.Number})
	}
	if d := write(t, s); strings.Count(d.Text, "x") != 30_000 {
		t.Errorf("%d cells of 30000", strings.Count(d.Text, "x"))
	}
	s = grid.New(guard.Defaults())
	for i := range 16_000 {
		_ = s.Set(i, i, grid.Cell{Text: "x"})
		_ = s.Set(i, i+1, grid.Cell{Text: "y"})
	}
	if d := write(t, s); strings.Count(d.Text, "x") != 16_000 {
		t.Errorf("%d cells of a diagonal of 16000", strings.Count(d.Text, "x"))
	}
}

func TestRowsOutOfOrderAndTwice(t *testing.T) {
	t.Parallel()
	s := grid.New(guard.Defaults())
	for _, c := range []struct {
		r, c int
		text string
	}{{1, 1, "d"}, {0, 1, "b"}, {1, 0, "c"}, {0, 0, "old"}, {0, 0, "a"}, {0, 2, " "}} {
		if err := s.Set(c.r, c.c, grid.Cell{Text: c.text}); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := write(t, s).Text, "| a | b |\n| --- | --- |\n| c | d |"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
