package data_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/data"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/rag"
)

type parser func(context.Context, rag.Input, guard.Env) (rag.Document, error)

func parseAs(t *testing.T, p parser, source, s string) rag.Document {
	t.Helper()
	d, err := p(t.Context(), rag.Input{Source: source, Bytes: []byte(s)}, guard.Env{})
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	checkDocument(t, d)
	return d
}

func TestParseJSON(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("年假规定的说明。", 60)
	for _, c := range []struct{ name, in, want, warns string }{
		{"lines", `{"公司":"甲","人数":12345678901234567890,"上市":false,"x":null,"e":[],"o":{}}`, "公司: 甲\n人数: 12345678901234567890\n上市: false\nx: null\ne: []\no: {}", ""},
		{"numbers as written", `[1.50, 1e400, -0]`, "1.50, 1e400, -0", ""},
		{"names twice", `{"a":1,"a":2}`, "a: 1\na: 2", ""},
		{"escapes", `"\u5e74\n\ud842\udfb7\ud800 \"\\\/"`, "年\n𠮷\uFFFD \"\\/", "replacement_chars U+FFFD ×1"},
		{"a list of words", `{"城市":["北京","上海"]}`, "城市: 北京, 上海", ""},
		{"a small object", `{"地址":{"省":"浙江","市":"杭州","位置":[{"x":1},{"x":2}]}}`, "地址.省: 浙江\n地址.市: 杭州\n地址.位置[0].x: 1\n地址.位置[1].x: 2", ""},
		{
			"a table", `[{"姓名":"王芳","部门":{"名":"市场"},"标签":["a","b"]},{"姓名":"赵敏","部门":{"名":"采购"},"年龄":30}]`,
			"| 姓名 | 部门.名 | 标签 | 年龄 |\n| --- | --- | --- | --- |\n| 王芳 | 市场 | a, b |  |\n| 赵敏 | 采购 |  | 30 |", "",
		},
		{
			"a table of named records", `{"u1":{"n":"甲","k":1},"u2":{"n":"乙","k":2},"u3":{"n":"丙","k":3}}`,
			"|  | n | k |\n| --- | --- | --- |\n| u1 | 甲 | 1 |\n| u2 | 乙 | 2 |\n| u3 | 丙 | 3 |", "",
		},
		{"a matrix", `[[1,2],[3,4]]`, "|  |  |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |", ""},
		{
			"sections", `{"年假":{"说明":"` + long + `","细则":{"一":"` + long + long + `","二":{"三":"四"}}},"附则":"无"}`,
			"# 年假\n\n说明: " + long + "\n\n## 细则\n\n一: " + long + long + "\n二.三: 四\n\n附则: 无", "",
		},
		{
			"long records", `[{"问题":"一","答案":"` + long + `"},{"问题":"二","答案":"` + long + `"}]`,
			"问题: 一\n答案: " + long + "\n\n问题: 二\n答案: " + long, "",
		},
		{"unlike records", `[{"a":1},[2],3,{"b":{"c":[{"d":4}]}}]`, "a: 1\n\n2\n\n3\n\nb.c[0].d: 4", ""},
		{"texts of paragraphs", `{"a":"x\n\ny","b":"p\nq","c":1}`, "a:\nx\n\ny\n\nb:\np\nq\nc: 1", ""},
		{"a picture", `{"a":"data:image/png;base64,` + strings.Repeat("A", 500) + `","b":"data:x"}`, "a: [image/png]\nb: data:x", ""},
		{"comments", "{\n  // 注释\n  \"a\": 1, /* x */\n}", "a: 1", "json_invalid line 2, column 3: comment"},
		{"as JavaScript", `{a: 'it"s', $b: [1,2,], c: .5, "d": True}`, "a: it\"s\n$b: 1, 2\nc: .5\nd: True", "json_invalid line 1, column 2: name without quotes"},
		{"a line break in a text", "{\"a\": \"x\ny\"}", "a:\nx\ny", "json_invalid line 1, column 9: control character in a text"},
		{"values one after the other", "{\"a\":1}\n{\"a\":2}\n", "| a |\n| --- |\n| 1 |\n| 2 |", ""},
		{"values in several lines", "{\"a\":\n1}{\"a\":2}", "| a |\n| --- |\n| 1 |\n| 2 |", ""},
		{"lines, one bad", "{\"a\":1}\n{\"a\":2}\n{\"a\":3\n", "| a |\n| --- |\n| 1 |\n| 2 |\n\n{\"a\":3", "jsonl_bad_lines 1: 3"},
		{"mark", "\xef\xbb\xbf{\"a\":1}", "a: 1", ""},
		{"nothing", " \n", "", ""},
		{"an empty object", "{}", "{}", ""},
		{"a name of nothing", `{"":1,"a":{"":"` + long + long + `"}}`, "1\n\n# a\n\n" + long + long, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := parseAs(t, data.ParseJSON, "a.json", c.in)
			if diff := cmp.Diff(c.want, d.Text); diff != "" {
				t.Error(diff)
			}
			if got := warnings(d); got != c.warns {
				t.Errorf("warnings %q, want %q", got, c.warns)
			}
		})
	}
}

func TestBrokenJSON(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, code, reason string }{
		"cut off":      {"{\n  \"年假\": [1, 2", "corrupt", "line 2, column 14: unexpected end"},
		"in a text":    {`{"a": "b`, "corrupt", "line 1, column 7: text without an end"},
		"no comma":     {`{"a": 1 "b": 2}`, "corrupt", "line 1, column 9: no comma after a value"},
		"no colon":     {`{"a" 1}`, "corrupt", "line 1, column 6: no colon after a name"},
		"words":        {"just some words", "corrupt", "line 1, column 1: no value"},
		"more after":   {`{"a": 1} x`, "corrupt", "line 1, column 10: more after the value"},
		"a comment":    {"/* {", "corrupt", "line 1, column 1: unclosed comment"},
		"one bad line": {"[1}\n", "corrupt", "line 1, column 3: no comma after a value"},
		"deep":         {strings.Repeat("[", 100_000), "limit_depth", ""},
		"deep objects": {strings.Repeat(`{"a":`, 100_000), "limit_depth", ""},
		"deep lines":   {strings.Repeat(strings.Repeat("[", 100_000)+"\n", 3), "limit_depth", ""},
		"values":       {"[" + strings.Repeat("1,", 2000) + "1]", "limit_cells", ""},
		"a picture":    {"\x89PNG\r\n\x1a\n", "binary_content", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := data.ParseJSON(t.Context(), rag.Input{Source: "a.json", Bytes: []byte(c.in)}, guard.Env{Limits: guard.Limits{Cells: 1000}})
			if !fault.Is(err, c.code) || c.reason != "" && fault.Of(err).Params["reason"] != c.reason {
				t.Errorf("%v, want %s %q", err, c.code, c.reason)
			}
		})
	}
}

func TestParseJSONLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in, want, warns string
		rows                  int
	}{
		{"records", "{\"q\":\"一\",\"a\":1}\r\n\r\n{\"q\":\"二\",\"a\":2}", "| q | a |\n| --- | --- |\n| 一 | 1 |\n| 二 | 2 |", "", 2},
		{"messages", `{"messages":[{"role":"user","content":"几天年假？"},{"role":"assistant","content":"五天"}]}`, "messages[0].role: user\nmessages[0].content: 几天年假？\nmessages[1].role: assistant\nmessages[1].content: 五天", "", 1},
		{"bad lines", "{\"q\":1}\n坏行\n{\"q\":2}\n{\"q\":", "| q |\n| --- |\n| 1 |\n| 2 |\n\n坏行\n{\"q\":", "jsonl_bad_lines 2: 2, 4", 4},
		{"no line is good", "a\nb", "a\nb", "jsonl_bad_lines 2: 1, 2", 2},
		{"nothing", "\n", "", "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := parseAs(t, data.ParseJSONLines, "a.jsonl", c.in)
			if diff := cmp.Diff(c.want, d.Text); diff != "" {
				t.Error(diff)
			}
			if got := warnings(d); got != c.warns || d.Health.RowsRead != c.rows || d.Health.RowsKept != c.rows {
				t.Errorf("warnings %q, want %q; health %+v", got, c.warns, d.Health)
			}
		})
	}
}

func TestLongNamesAreNotRepeated(t *testing.T) {
	t.Parallel()
	name := strings.Repeat("n", 10_000)
	var s strings.Builder
	for i := range 200 {
		fmt.Fprintf(&s, `{"k%d":[{"%s":[[%d]]}]},`, i, name, i)
	}
	in := `{"a":[{"` + name + `":{"b":[` + strings.TrimSuffix(s.String(), ",") + `]}}]}`
	if d := parseAs(t, data.ParseJSON, "a.json", in); len(d.Text) > 3*len(in) {
		t.Errorf("%d bytes of text from %d", len(d.Text), len(in))
	}
}

func TestParseNotebook(t *testing.T) {
	t.Parallel()
	const in = `{"cells":[
		{"cell_type":"markdown","source":["# 年假\n","\n","说明 **五天**"]},
		{"cell_type":"code","source":"print(1)","outputs":[
			{"output_type":"stream","text":["1\n"]},
			{"output_type":"execute_result","data":{"text/plain":["   a\n0  1"],"text/html":"<table><tr><th>a</th></tr></table>"}},
			{"output_type":"display_data","data":{"image/png":"AAAA","text/plain":"<Figure>"}},
			{"output_type":"error","ename":"ValueError","evalue":"\u001b[31mbad\u001b[0m","traceback":["x"]}]},
		{"cell_type":"raw","source":"raw"}],
		"metadata":{"language_info":{"name":"python"}},"nbformat":4}`
	nested := func(_ context.Context, in rag.Input) (rag.Document, error) {
		return rag.Document{Text: in.Source + " " + string(in.Bytes), Sections: nil}, nil
	}
	d, err := data.ParseNotebook(t.Context(), rag.Input{Source: "x/a.ipynb", Bytes: []byte(in)}, guard.Env{Nested: nested})
	if err != nil {
		t.Fatal(err)
	}
	want := "cell.md # 年假\n\n说明 **五天**\n\n```python\nprint(1)\n```\n\n```\n1\n```\n\noutput.html <table><tr><th>a</th></tr></table>\n\n```\n<Figure>\n```\n\n```\nValueError: bad\n```\n\nraw"
	if diff := cmp.Diff(want, d.Text); diff != "" {
		t.Error(diff)
	}
	if d.Health.Images != 1 || d.Title != "a.ipynb" {
		t.Errorf("title %q, %+v", d.Title, d.Health)
	}
	old := `{"worksheets":[{"cells":[{"cell_type":"heading","level":2,"source":"二"},{"cell_type":"code","input":["a\n","b"],"outputs":[{"output_type":"pyout","text":["7"]}]}]}]}`
	if d := parseAs(t, data.ParseNotebook, "a.ipynb", old); d.Text != "## 二\n\n```\na\nb\n```\n\n```\n7\n```" {
		t.Errorf("%q", d.Text)
	}
	for name, in := range map[string]string{"cut off": `{"cells":[`, "no cells": `{"a":1}`} {
		if _, err := data.ParseNotebook(t.Context(), rag.Input{Source: "a.ipynb", Bytes: []byte(in)}, guard.Env{}); !fault.Is(err, "corrupt") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzJSON(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,{"b":null}],"c":"\u5e74\ud842\udfb7"}`, "{\"a\":1}\n{\"b\":[[1],[2]]}\nx", `{a:'b',/*c*/d:+.5e3,}`, `[{"a":1},{"a":2},{"b":{"c":3}}]`,
		`{"cells":[{"cell_type":"code","source":["a"],"outputs":[{"data":{"text/html":"<table>"}}]}]}`, `"\`, "[\"\\\n\"]",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, p := range []parser{data.ParseJSON, data.ParseJSONLines, data.ParseNotebook} {
			d, err := p(t.Context(), rag.Input{Source: "a.json", Bytes: b}, guard.Env{})
			switch {
			case err == nil:
				checkDocument(t, d)
			case fault.Of(err).Code == "internal":
				t.Errorf("%v is no fault", err)
			}
		}
	})
}
