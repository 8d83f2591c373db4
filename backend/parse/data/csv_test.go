package data_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/simplifiedchinese"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/data"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/rag"
)

func parseCSV(t *testing.T, source, s string) rag.Document {
	t.Helper()
	d, err := data.ParseCSV(t.Context(), rag.Input{Source: source, Bytes: []byte(s)}, guard.Env{})
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	checkDocument(t, d)
	return d
}

// warnings renders a document's warnings, a line each.
func warnings(d rag.Document) string {
	var s []string
	for _, w := range d.Warnings {
		s = append(s, w.Code+" "+w.Detail)
	}
	return strings.Join(s, "\n")
}

func TestParseCSV(t *testing.T) {
	t.Parallel()
	const plain = "| id | t |\n| --- | --- |\n| 1 | a |\n| 2 | c |"
	for _, c := range []struct {
		name, source, in string
		want, warns      string
		read, kept       int
	}{
		{"comma", "a.csv", "id,t\n1,a\n2,c\n", plain, "", 3, 3},
		{"semicolon", "a.csv", "id;t\r\n1;a\r\n2;c", plain, "", 3, 3},
		{"tab", "a.tsv", "id\tt\n1\ta\n2\tc", plain, "", 3, 3},
		{"tabs in a csv", "a.csv", "id\tt\n1\ta\n2\tc", plain, "", 3, 3},
		{"commas in a tsv", "a.tsv", "id,t\n1,a\n2,c", plain, "", 3, 3},
		{"bar", "a.csv", "id|t\r1|a\r2|c\r", plain, "", 3, 3},
		{"sep line", "a.csv", "sep=^\r\nid^t\r\n1^a\r\n2^c\r\n", plain, "", 3, 3},
		{"mark", "a.csv", "\xef\xbb\xbf\"id\",\"t\"\n1,a\n2,c", plain, "", 3, 3},
		{"blank rows", "a.csv", "id,t\n\n1,a\n,\n2,c\n,\n", plain, "", 3, 3},
		{"blank columns", "a.csv", "id,t,,\n1,a,,\n2,c,,\n", plain, "", 3, 3},
		{
			"line breaks in quotes", "a.csv", "id,t\r\n1,\"a\r\nb\"\r\n2,c\r\n",
			"| id | t |\n| --- | --- |\n| 1 | a<br>b |\n| 2 | c |", "", 3, 3,
		},
		{
			"quotes and bars", "a.csv", "id,t\n1,\"say \"\"hi\"\", a|b\"\n2,5\" wide\n3,\"x\"y \n",
			"| id | t |\n| --- | --- |\n| 1 | say \"hi\", a\\|b |\n| 2 | 5\" wide |\n| 3 | xy |", "", 4, 4,
		},
		{
			"decimal commas", "a.csv", "Datum;Wert\n1,5;2,5\n3,5;4,5\n",
			"| Datum | Wert |\n| --- | --- |\n| 1,5 | 2,5 |\n| 3,5 | 4,5 |", "", 3, 3,
		},
		{
			"rows too long", "a.csv", "id,t\n1,hello, world\n2,c\n3,d\n",
			"| id | t |\n| --- | --- |\n| 2 | c |\n| 3 | d |\n\n1,hello, world", "csv_ragged 1: 2", 4, 4,
		},
		{
			"rows too short", "a.csv", "id,t,u\n1\n2,c,d\n3,e,f\n",
			"| id | t | u |\n| --- | --- | --- |\n| 1 |  |  |\n| 2 | c | d |\n| 3 | e | f |", "csv_ragged 1: 2", 4, 4,
		},
		{
			"a title above", "a.csv", "2024年报销,,\n制表：王芳\n部门,姓名,金额\n市场部,王芳,5\n采购部,赵敏,6\n",
			"2024年报销\n\n制表：王芳\n\n| 部门 | 姓名 | 金额 |\n| --- | --- | --- |\n| 市场部 | 王芳 | 5 |\n| 采购部 | 赵敏 | 6 |", "", 5, 5,
		},
		{
			"row names of R", "a.csv", "\"mpg\",\"cyl\"\n\"Mazda\",21,6\n\"Fiat\",32,4\n",
			"|  | mpg | cyl |\n| --- | --- | --- |\n| Mazda | 21 | 6 |\n| Fiat | 32 | 4 |", "", 3, 3,
		},
		{
			"names twice and none", "a.csv", "名称,名称,\n甲,乙,1\n丙,丁,2\n",
			"| 名称 | 名称 |  |\n| --- | --- | --- |\n| 甲 | 乙 | 1 |\n| 丙 | 丁 | 2 |", "", 3, 3,
		},
		{
			"no header", "a.csv", "1,2\n3,4\n",
			"|  |  |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |", "", 2, 2,
		},
		{
			"one column", "a.csv", "text\nhello, world\nfoo\n\"a\nb\"\n",
			"| text |\n| --- |\n| hello, world |\n| foo |\n| a<br>b |", "", 4, 4,
		},
		{
			"a quote that never closes", "a.csv", "id,t\n1,\"a\n2,\"b\"\n3,c\n",
			"| id | t |\n| --- | --- |\n| 1 | a<br>2,b\" |\n| 3 | c |", "", 3, 3,
		},
		{
			"a quote open to the end", "a.csv", "id,t\n1,\"a, b\n2,c\n3,\"d\"\n4,\"e\n5,f",
			"| id | t |\n| --- | --- |\n| 1 | a, b<br>2,c<br>3,d\" |\n| 4 | \"e |\n| 5 | f |", "csv_unclosed_quote 5", 4, 4,
		},
		{"a NUL", "a.csv", "id,t\n1,a\x00\n2,c\n", plain, "control_chars U+0000 ×1", 3, 3},
		{"empty", "a.csv", "", "", "", 0, 0},
		{"blank", "a.csv", " \n,,\n\"\"\n", "", "", 0, 0},
		{"a word", "a.csv", "x", "|  |\n| --- |\n| x |", "", 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := parseCSV(t, c.source, c.in)
			if diff := cmp.Diff(c.want, d.Text); diff != "" {
				t.Error(diff)
			}
			if got := warnings(d); got != c.warns {
				t.Errorf("warnings %q, want %q", got, c.warns)
			}
			if d.Health.RowsRead != c.read || d.Health.RowsKept != c.kept || d.Title != c.source {
				t.Errorf("title %q, health %+v", d.Title, d.Health)
			}
		})
	}
}

func TestCSVEncodings(t *testing.T) {
	t.Parallel()
	const s = "部门,姓名,报销金额（元）\r\n市场部,王芳,\"1,250.00\"\r\n采购部,赵敏,￥3400\r\n"
	gbk, err := simplifiedchinese.GBK.NewEncoder().String(s)
	if err != nil {
		t.Fatal(err)
	}
	d := parseCSV(t, "a.csv", gbk)
	if !strings.Contains(d.Text, "| 市场部 | 王芳 | 1,250.00 |") || d.Encoding != "GB18030" {
		t.Errorf("%s: %s", d.Encoding, d.Text)
	}
	d = parseCSV(t, "a.csv", s+"\xe5\xb9,a,b\r\n")
	if !strings.Contains(d.Text, "| \uFFFD | a | b |") || !strings.Contains(warnings(d), "encoding_damaged UTF-8") {
		t.Errorf("%s: %s", d.Text, warnings(d))
	}
}

func TestLongTablesRepeatTheirHeader(t *testing.T) {
	t.Parallel()
	var s strings.Builder
	s.WriteString("编号,内容\n")
	for i := range 1000 {
		fmt.Fprintf(&s, "%d,第%d条记录的内容\n", i, i)
	}
	d := parseCSV(t, "a.csv", s.String())
	if n := strings.Count(d.Text, "| 编号 | 内容 |"); n < 20 || n != len(d.Blocks) {
		t.Errorf("%d headers in %d blocks", n, len(d.Blocks))
	}
	if d.Health.Tables != 1 || d.Health.RowsRead != 1001 || d.Health.RowsKept != 1001 {
		t.Errorf("%+v", d.Health)
	}
}

func TestCSVLimits(t *testing.T) {
	t.Parallel()
	in := rag.Input{Source: "a.csv", Bytes: []byte(strings.Repeat("a,b\n", 100))}
	for code, l := range map[string]guard.Limits{"limit_cells": {Cells: 150}, "limit_text": {Text: 200}} {
		if _, err := data.ParseCSV(t.Context(), in, guard.Env{Limits: l}); !fault.Is(err, code) {
			t.Errorf("%v, want %s", err, code)
		}
	}
	// Every row opens a quote: a reader that went back each time would not end.
	open := "id,t\n" + strings.Repeat("1,\"a\n", 20_001)
	if d := parseCSV(t, "a.csv", open); !strings.Contains(warnings(d), "csv_unclosed_quote") {
		t.Errorf("warnings %q", warnings(d))
	}
}

func TestAwkwardCSV(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("SHARED_FILES")
	if dir == "" {
		t.Skip("SHARED_FILES names no folder with sample files")
	}
	for name, phrase := range map[string]string{
		"csv-semicolon.csv": "| Rasmussen Group |", "csv-too-many-columns.csv": "a,b,c,d", "test_mskanji.csv": "名前", "gen_gbk.csv": "采购部",
	} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if d := parseCSV(t, name, string(b)); !strings.Contains(d.Text, phrase) {
			t.Errorf("%s: no %q in\n%s", name, phrase, d.Text)
		}
	}
}

func FuzzCSV(f *testing.F) {
	for _, s := range []string{"a,b\n1,\"x\ny\"\n", "sep=;\na;b", "a\t\"b\n", "\"\"\"\"\r\r\n\"", "a,b\r\"c\"d,e\n,,,\n"} {
		f.Add([]byte(s), "a.csv")
	}
	f.Fuzz(func(t *testing.T, b []byte, source string) {
		d, err := data.ParseCSV(t.Context(), rag.Input{Source: source, Bytes: b}, guard.Env{})
		if err == nil {
			checkDocument(t, d)
		}
	})
}
