package markup_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/markup"
	"ragdesk/backend/rag"
)

func parseXML(t *testing.T, s string) rag.Document {
	t.Helper()
	d, err := markup.ParseXML(t.Context(), rag.Input{Source: "x/a.xml", Bytes: []byte(s)}, guard.Env{})
	if err != nil {
		t.Fatal(err)
	}
	checkDocument(t, d)
	return d
}

func TestParseXML(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want, title string }{
		"alike records": {
			`<?xml version="1.0"?><员工><人 工号="1"><姓名>王芳</姓名><部门><名>市场</名></部门></人><人 工号="2"><姓名>赵敏</姓名><部门><名>采购</名></部门></人></员工>`,
			"# 人\n\n| 工号 | 姓名 | 部门.名 |\n| --- | --- | --- |\n| 1 | 王芳 | 市场 |\n| 2 | 赵敏 | 采购 |", "a.xml",
		},
		"settings":   {`<a xmlns="urn:x" x="1"><b>二</b><c d="3">四</c><e/></a>`, "x: 1\nb: 二\nc.d: 3\nc: 四\ne:", "a.xml"},
		"one text":   {`<a>年假 &lt;5&gt;<![CDATA[ <天> ]]></a>`, "年假 <5> <天>", "a.xml"},
		"properties": {`<plist><dict><key>名</key><string>甲</string><key>列</key><array><integer>1</integer><true/></array></dict></plist>`, "名: 甲\n列: 1, true", "a.xml"},
		"a feed": {
			`<rss xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>公告</title><description>d</description><item><title>放假&lt;b&gt;通知&lt;/b&gt;</title><pubDate>2024</pubDate><description>短</description><content:encoded><![CDATA[<h1>一</h1><p>放<b>假</b></p><script>x</script>]]></content:encoded></item><item><title>二</title><description>&lt;p&gt;文&lt;/p&gt;</description></item></channel></rss>`,
			"# 公告\n\nd\n\n## 放假通知\n\n2024\n\n### 一\n\n放假\n\n## 二\n\n文", "公告",
		},
		"Atom": {
			`<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><entry><title>E</title><updated>2024</updated><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>a <i>b</i></p></div></content></entry></feed>`,
			"# T\n\n## E\n\n2024\n\na b", "T",
		},
		"an outline": {
			`<opml><head><title>提纲</title></head><body><outline text="一"><outline text="二" _note="注"/></outline><outline text="三"/></body></opml>`,
			"# 提纲\n\n- 一\n  - 二\n    注\n- 三", "提纲",
		},
		"a drawing": {`<svg xmlns="http://www.w3.org/2000/svg"><title>图</title><style>x</style><g><text>收<tspan>入</tspan></text><text>2024</text></g></svg>`, "收入\n2024", "a.xml"},
		"a book": {
			`<book><title>手册</title><chapter><title>年假</title><para>每年<emphasis>五</emphasis>天。</para><itemizedlist><listitem><para>甲</para><itemizedlist><listitem><para>乙</para></listitem></itemizedlist></listitem></itemizedlist><section><title>细则</title><programlisting language="sh">a
b</programlisting><table><title>表</title><tgroup><thead><row><entry>名</entry><entry>数</entry></row></thead><tbody><row><entry>甲</entry><entry>1</entry></row></tbody></tgroup></table></section></chapter></book>`,
			"# 手册\n\n## 年假\n\n每年五天。\n\n- 甲\n  - 乙\n\n### 细则\n\n```sh\na\nb\n```\n\n表\n\n| 名 | 数 |\n| --- | --- |\n| 甲 | 1 |", "a.xml",
		},
		"an article": {
			`<article><front><article-meta><article-title>A Study</article-title></article-meta></front><body><sec><title>Methods</title><p>We <italic>did</italic> it<xref>1</xref>.</p><p>More text that is long enough.</p></sec></body></article>`,
			"# A Study\n\n# Methods\n\nWe did it1.\n\nMore text that is long enough.", "a.xml",
		},
		"Word's XML": {
			`<w:wordDocument xmlns:w="w"><w:fonts>Arial</w:fonts><w:body><w:p><w:r><w:t>年假</w:t></w:r><w:r><w:delText>旧</w:delText><w:t>规定</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr><w:tr><w:tc><w:p><w:r><w:t>1</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>2</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:body></w:wordDocument>`,
			"年假规定\n\n| a | b |\n| --- | --- |\n| 1 | 2 |", "a.xml",
		},
		"a web page": {`<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body><p>一</p></body></html>`, "一", "a.xml"},
		"nothing":    {" \n", "", "a.xml"},
		"empty":      {"<a/>", "", "a.xml"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := parseXML(t, c.in)
			if diff := cmp.Diff(c.want, d.Text); diff != "" {
				t.Error(diff)
			}
			if d.Title != c.title {
				t.Errorf("title %q, want %q", d.Title, c.title)
			}
		})
	}
}

func TestPicturesInProseAreCountedOnce(t *testing.T) {
	t.Parallel()
	d := parseXML(t, `<book><title>T</title><para>Words that are the most of it.</para><graphic fileref="a"/><para>x<graphic/></para>`+
		`<image>AAAA<caption>Under it</caption></image><binary>AAAA</binary></book>`)
	if d.Health.Images != 4 || d.Text != "# T\n\nWords that are the most of it.\n\nx\n\nUnder it" {
		t.Errorf("%d pictures in %q", d.Health.Images, d.Text)
	}
}

func TestXMLEncodings(t *testing.T) {
	t.Parallel()
	gbk := "<?xml version=\"1.0\" encoding=\"gb2312\"?>\n<a>\xc4\xea\xbc\xd9\xb9\xe6\xb6\xa8</a>"
	if d := parseXML(t, gbk); d.Text != "年假规定" || d.Encoding != "GB18030" {
		t.Errorf("%q in %s", d.Text, d.Encoding)
	}
	if d := parseXML(t, "<?xml version='1.1' encoding='gbk'?><a>年假规定：五天</a>"); d.Text != "年假规定：五天" || d.Encoding != "UTF-8" {
		t.Errorf("%q in %s", d.Text, d.Encoding)
	}
}

func TestBrokenXML(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, code, reason string }{
		"cut off":        {"<a>\n<b>年", "corrupt", "line 2"},
		"another end":    {"<a>\n\n<b></a>", "corrupt", "line 3"},
		"words":          {"just words", "corrupt", "root"},
		"no element":     {"<!-- c -->", "corrupt", "root"},
		"a bare sign":    {"<a>AT&T</a>", "corrupt", "line 1"},
		"entities":       {`<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]><a>&c;</a>`, "limit_entities", ""},
		"file of others": {`<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>`, "limit_entities", ""},
		"deep":           {strings.Repeat("<a>", 100_000), "limit_depth", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := markup.ParseXML(t.Context(), rag.Input{Source: "a.xml", Bytes: []byte(c.in)}, guard.Env{})
			if !fault.Is(err, c.code) || !strings.Contains(fault.Of(err).Params["reason"], c.reason) {
				t.Errorf("%v, want %s %q", err, c.code, c.reason)
			}
		})
	}
}

func TestSpreadsheetsAreReadAsSuch(t *testing.T) {
	t.Parallel()
	in := rag.Input{Source: "a.xml", Bytes: []byte(`<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"><Worksheet><Table><Row><Cell><Data>甲</Data></Cell></Row></Table></Worksheet></Workbook>`)}
	env := guard.Env{Nested: func(_ context.Context, in rag.Input) (rag.Document, error) {
		return rag.Document{Source: in.Source, Text: "as " + in.Source}, nil
	}}
	d, err := markup.ParseXML(t.Context(), in, env)
	if err != nil || d.Text != "as a.xml.xls" || d.Source != "a.xml" {
		t.Errorf("%+v (%v)", d, err)
	}
	env.Nested = func(context.Context, rag.Input) (rag.Document, error) {
		return rag.Document{}, fault.New("format_unsupported")
	}
	if d, err = markup.ParseXML(t.Context(), in, env); err != nil || !strings.Contains(d.Text, "甲") {
		t.Errorf("%q (%v)", d.Text, err)
	}
}

func FuzzXML(f *testing.F) {
	for _, s := range []string{
		`<a><b c="d">e</b><b>f</b></a>`, `<rss><channel><item><description>&lt;p&gt;x</description></item></channel></rss>`,
		`<book><para>a<table><row><entry>b</entry></row></table></para><list><item>c<list><item>d</item></list></item></list></book>`,
		`<plist><dict><key>a</key><array/></dict></plist>`, `<opml><body><outline text="a"/></body></opml>`, `<svg><text>a</text></svg>`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := markup.ParseXML(t.Context(), rag.Input{Source: "a.xml", Bytes: b}, guard.Env{})
		switch {
		case err == nil:
			checkDocument(t, d)
		case fault.Of(err).Code == "internal":
			t.Errorf("%v is no fault", err)
		}
	})
}
