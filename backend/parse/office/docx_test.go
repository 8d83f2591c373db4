package office_test

import (
	"strings"
	"testing"
)

const wordStyles = `<w:styles ` + nsWord + `>
<w:style w:type="paragraph" w:default="1" w:styleId="a"><w:name w:val="Normal"/></w:style>
<w:style w:type="paragraph" w:styleId="T"><w:name w:val="Title"/><w:basedOn w:val="a"/></w:style>
<w:style w:type="paragraph" w:styleId="1"><w:name w:val="heading 1"/><w:basedOn w:val="a"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr><w:outlineLvl w:val="0"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="2"><w:name w:val="heading 2"/><w:basedOn w:val="1"/><w:pPr><w:numPr><w:ilvl w:val="1"/></w:numPr><w:outlineLvl w:val="1"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="own"><w:name w:val="我的节"/><w:basedOn w:val="2"/></w:style>
<w:style w:type="paragraph" w:styleId="kai"><w:name w:val="标题 3"/></w:style>
<w:style w:type="paragraph" w:styleId="toc1"><w:name w:val="toc 1"/></w:style>
<w:style w:type="character" w:styleId="secret"><w:name w:val="secret"/><w:rPr><w:vanish/></w:rPr></w:style>
</w:styles>`

const wordNumbering = `<w:numbering ` + nsWord + `>
<w:abstractNum w:abstractNumId="0">
 <w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="chineseCountingThousand"/><w:pStyle w:val="1"/><w:lvlText w:val="第%1章"/></w:lvl>
 <w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:pStyle w:val="2"/><w:isLgl/><w:lvlText w:val="%1.%2"/></w:lvl>
</w:abstractNum>
<w:abstractNum w:abstractNumId="1">
 <w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
 <w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="(%2)"/></w:lvl>
</w:abstractNum>
<w:abstractNum w:abstractNumId="2"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val=""/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
<w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>
<w:num w:numId="3"><w:abstractNumId w:val="2"/></w:num>
<w:num w:numId="4"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride></w:num>
</w:numbering>`

// item is a paragraph of a list.
func item(list, level, s string) string {
	return `<w:p><w:pPr><w:numPr><w:ilvl w:val="` + level + `"/><w:numId w:val="` + list + `"/></w:numPr></w:pPr>` + t(s) + `</w:p>`
}

// tc is a cell with properties, tr a row.
func tc(properties string, content ...string) string {
	return `<w:tc><w:tcPr>` + properties + `</w:tcPr>` + strings.Join(content, "") + `</w:tc>`
}

func tr(cells ...string) string { return `<w:tr>` + strings.Join(cells, "") + `</w:tr>` }

const textBox = `<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><a:graphic><a:graphicData><wps:wsp><wps:txbx><w:txbxContent><w:p><w:r><w:t>框中文字</w:t></w:r></w:p></w:txbxContent></wps:txbx></wps:wsp></a:graphicData></a:graphic></w:drawing></mc:Choice>
<mc:Fallback><w:pict><v:shape><v:textbox><w:txbxContent><w:p><w:r><w:t>框中文字</w:t></w:r></w:p></w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r>`

const field = `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> PAGEREF x </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>12</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`

const formula = `<m:oMath><m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f><m:r><m:t>=</m:t></m:r><m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/><m:e><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:e></m:rad></m:oMath>`

const chartPart = `<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>各季销量</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart>
<c:ser><c:tx><c:strRef><c:f>A!B1</c:f><c:strCache><c:pt idx="0"><c:v>甲</c:v></c:pt></c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache><c:pt idx="0"><c:v>一季度</c:v></c:pt><c:pt idx="1"><c:v>二季度</c:v></c:pt></c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache><c:formatCode>0.0%</c:formatCode><c:pt idx="0"><c:v>0.25</c:v></c:pt><c:pt idx="1"><c:v>0.5</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser>
<c:ser><c:tx><c:v>乙</c:v></c:tx><c:cat><c:strRef><c:strCache><c:pt idx="0"><c:v>一季度</c:v></c:pt><c:pt idx="1"><c:v>二季度</c:v></c:pt></c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache><c:pt idx="1"><c:v>3</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser>
</c:barChart><c:valAx><c:title><c:tx><c:rich><a:p><a:r><a:t>轴</a:t></a:r></a:p></c:rich></c:tx></c:title></c:valAx></c:plotArea></c:chart></c:chartSpace>`

const diagramPart = `<dgm:dataModel xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><dgm:ptLst><dgm:pt modelId="0" type="doc"/><dgm:pt modelId="2"><dgm:t><a:p><a:r><a:t>下级</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:pt modelId="1"><dgm:t><a:p><a:r><a:t>上级</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:pt modelId="9" type="pres"><dgm:t><a:p><a:r><a:t>布局</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst><dgm:cxnLst><dgm:cxn modelId="5" srcId="0" destId="1" srcOrd="0"/><dgm:cxn modelId="6" srcId="1" destId="2" srcOrd="0"/></dgm:cxnLst></dgm:dataModel>`

// richWord has one of everything.
func richWord() map[string]string {
	body := styled("T", "员工手册") +
		styled("toc1", "第一章 总则\t3") +
		styled("1", "总则") +
		p(t("第一"), `<w:r><w:rPr><w:b/></w:rPr><w:t>段</w:t></w:r>`, t("落，有脚注"), `<w:r><w:footnoteReference w:id="2"/></w:r>`,
			t("和尾注"), `<w:r><w:endnoteReference w:id="2"/></w:r>`, t("。")) +
		styled("2", "适用范围") +
		styled("own", "例外") +
		styled("kai", "不编号的三级") +
		item("2", "0", "其一") + item("2", "1", "其一之甲") + item("2", "1", "其一之乙") + item("2", "0", "其二") +
		item("4", "0", "从五起") + item("3", "0", "圆点") +
		p(`<w:ins w:id="1">`+t("新增")+`</w:ins>`, `<w:del w:id="2"><w:r><w:delText>删去</w:delText></w:r></w:del>`, t("文字")) +
		`<w:p><w:pPr><w:rPr><w:del w:id="3"/></w:rPr></w:pPr>` + t("前半") + `</w:p>` + p(t("后半")) +
		p(`<w:moveFrom w:id="4">`+t("搬走")+`</w:moveFrom>`, t("原处")) + p(`<w:moveTo w:id="5">`+t("搬来")+`</w:moveTo>`) +
		p(t("见第 "), field, t(" 页，"), `<w:hyperlink r:id="rH">`+t("链接")+`</w:hyperlink>`, t("，"),
			`<w:fldSimple w:instr="DATE">`+t("今日")+`</w:fldSimple>`) +
		p(t("看得见"), `<w:r><w:rPr><w:vanish/></w:rPr><w:t>看不见</w:t></w:r>`, `<w:r><w:rPr><w:rStyle w:val="secret"/></w:rPr><w:t>密</w:t></w:r>`) +
		p(t("符号"), `<w:r><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>`, `<w:r><w:sym w:font="Symbol" w:char="F061"/></w:r>`,
			`<w:r><w:t>软</w:t><w:softHyphen/><w:t>连</w:t><w:noBreakHyphen/><w:t>字</w:t><w:tab/><w:t>符</w:t><w:br/><w:t>换行</w:t></w:r>`) +
		p(t("注音："), `<w:r><w:ruby><w:rt><w:r><w:t>hàn</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>汉</w:t></w:r></w:rubyBase></w:ruby></w:r>`, t("字")) +
		p(t("公式 "), formula) +
		p(t("图前"), textBox, t("图后")) +
		`<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>` + p(t("单击此处输入文字")) + `</w:sdtContent></w:sdt>` +
		`<w:sdt><w:sdtPr/><w:sdtContent>` + p(t("控件内容")) + `</w:sdtContent></w:sdt>` +
		p(`<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox></w:ffData></w:fldChar></w:r><w:r><w:instrText>FORMCHECKBOX</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`, t("同意")) +
		`<w:tbl>` +
		tr(tc(`<w:vMerge w:val="restart"/>`, p(t("地区"))), tc(`<w:gridSpan w:val="2"/>`, p(t("人口")))) +
		tr(tc(`<w:vMerge/>`, p()), tc("", p(t("男"))), tc("", p(t("女")))) +
		tr(tc("", p(t("北|京"))), tc("", item("3", "0", "甲"), item("2", "0", "乙")), tc("", `<w:tbl>`+tr(tc("", p(t("内1"))), tc("", p(t("内2"))))+`</w:tbl>`, p())) +
		`<w:tr><w:trPr><w:del w:id="7"/></w:trPr>` + tc("", p(t("删行"))) + `</w:tr>` +
		`</w:tbl>` +
		`<w:tbl>` + tr(tc("", p(t("独格")), styled("2", "格内标题"))) + `</w:tbl>` +
		p(`<w:r><w:drawing><pic:pic/></w:drawing></w:r>`, `<w:r><w:object><v:shape><v:imagedata r:id="x"/></v:shape></w:object></w:r>`) +
		p(`<w:r><w:drawing><c:chart r:id="rC"/></w:drawing></w:r>`, `<w:r><w:drawing><dgm:relIds r:dm="rD"/></w:drawing></w:r>`) +
		`<w:altChunk r:id="rA"/>` +
		p(`<w:commentRangeStart w:id="0"/>`, t("有批注"), `<w:r><w:commentReference w:id="0"/></w:r>`)
	return with(word(body), map[string]string{
		"word/styles.xml":    wordStyles,
		"word/numbering.xml": wordNumbering,
		"word/comments.xml":  `<w:comments ` + nsWord + `><w:comment w:id="0">` + p(t("批注内容")) + `</w:comment></w:comments>`,
		"word/footnotes.xml": `<w:footnotes ` + nsWord + `><w:footnote w:type="separator" w:id="0">` + p(t("线")) + `</w:footnote><w:footnote w:id="2">` + p(`<w:r><w:footnoteRef/></w:r>`, t(" 脚注内容")) + `</w:footnote></w:footnotes>`,
		"word/endnotes.xml":  `<w:endnotes ` + nsWord + `><w:endnote w:id="2">` + p(t("尾注内容")) + `</w:endnote></w:endnotes>`,
		"word/header1.xml":   `<w:hdr ` + nsWord + `>` + p(t("公司机密")) + p() + `</w:hdr>`,
		"word/footer1.xml":   `<w:ftr ` + nsWord + `>` + p(t("第 1 页")) + p(`<w:r><w:drawing><pic:pic/></w:drawing></w:r>`) + `</w:ftr>`,
		"word/chart1.xml":    chartPart,
		"word/data1.xml":     diagramPart,
		"word/part.html":     "<p>外来</p>",
		"word/_rels/document.xml.rels": rels([3]string{"rC", "chart", "chart1.xml"}, [3]string{"rD", "diagramData", "/word/data1.xml"},
			[3]string{"rA", "aFChunk", "part.html"}, [3]string{"rh", "header", "header1.xml"}, [3]string{"rf", "footer", "footer1.xml"},
			[3]string{"rs", "styles", "styles.xml"}),
	})
}

func TestWordGolden(tt *testing.T) {
	tt.Parallel()
	golden(tt, "docx.golden", parse(tt, "手册.docx", pack(tt, richWord())))
}

func TestWordText(tt *testing.T) {
	tt.Parallel()
	for name, c := range map[string]struct {
		body, want string
	}{
		"empty":                             {"", ""},
		"runs join without blanks":          {p(t("中"), t("文"), t(" and "), t("En"), t("glish")), "中文 and English"},
		"indented file":                     {"<w:p>\n <w:r>\n  <w:t>\n   中文\n  </w:t>\n </w:r>\n</w:p>", "中文"},
		"field never closed":                {p(`<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>TOC</w:instrText></w:r>`) + p(t("正文")), "正文"},
		"nested fields":                     {p(`<w:r><w:fldChar w:fldCharType="begin"/></w:r>`, field, `<w:r><w:fldChar w:fldCharType="separate"/></w:r>`, t("果"), `<w:r><w:fldChar w:fldCharType="end"/></w:r>`), "果"},
		"outline level of a paragraph":      {`<w:p><w:pPr><w:outlineLvl w:val="2"/></w:pPr>` + t("小节") + `</w:p>`, "### 小节"},
		"heading of several lines":          {`<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:r><w:t>中国</w:t><w:br/><w:t>银行</w:t></w:r></w:p>`, "# 中国银行"},
		"style without styles part":         {styled("Heading2", "Intro"), "## Intro"},
		"nested wrappers":                   {`<w:ins><w:customXml><w:p><w:smartTag>` + t("内") + `</w:smartTag></w:p></w:customXml></w:ins>`, "内"},
		"style separator":                   {`<w:p><w:pPr><w:rPr><w:vanish/><w:specVanish/></w:rPr></w:pPr>` + t("标题。") + `</w:p>` + p(t("正文")), "标题。正文"},
		"deleted end of the last paragraph": {`<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr>` + t("末") + `</w:p>`, "末"},
		"private characters":                {p(`<w:r><w:rPr><w:rFonts w:ascii="Wingdings"/></w:rPr><w:t>`+"\uF0FC"+`</w:t></w:r>`, t("完成")), "✓完成"},
		"first letter over lines":           {`<w:p><w:pPr><w:framePr w:dropCap="drop"/></w:pPr>` + t("O") + `</w:p>` + p(t("nce upon a ti"+"\u00AD"+"me")), "Once upon a time"},
		"word art":                          {p(`<w:r><w:pict><v:shape><v:textpath string="艺术字"/></v:shape></w:pict></w:r>`), "艺术字"},
		"old horizontal merging": {`<w:tbl>` + tr(tc(`<w:hMerge w:val="restart"/>`, p(t("a"))), tc(`<w:hMerge/>`, p()), tc("", p(t("b")))) + tr(tc("", p(t("1"))), tc("", p(t("2"))), tc("", p(t("3")))) + `</w:tbl>`,
			"| a | a | b |\n| --- | --- | --- |\n| 1 | 2 | 3 |"},
		"rows that start late": {`<w:tbl>` + tr(tc("", p(t("a"))), tc("", p(t("b")))) + `<w:tr><w:trPr><w:gridBefore w:val="1"/></w:trPr>` + tc("", p(t("2"))) + `</w:tr></w:tbl>`,
			"| a | b |\n| --- | --- |\n|  | 2 |"},
		"stated header rows": {`<w:tbl><w:tr><w:trPr><w:tblHeader/></w:trPr>` + tc("", p(t("a"))) + tc("", p(t("b"))) + `</w:tr><w:tr><w:trPr><w:tblHeader/></w:trPr>` + tc("", p(t("c"))) + tc("", p(t("d"))) + `</w:tr>` + tr(tc("", p(t("1"))), tc("", p(t("2")))) + `</w:tbl>`,
			"| a | b |\n| --- | --- |\n| c | d |\n| 1 | 2 |"},
		"formulas": {p(`<m:oMath><m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub><m:r><m:t>i=1</m:t></m:r></m:sub><m:sup><m:r><m:t>n</m:t></m:r></m:sup><m:e><m:d><m:e><m:r><m:t>x</m:t></m:r></m:e></m:d></m:e></m:nary></m:oMath>`), "∑_(i=1)^n (x)"},
	} {
		if got := parse(tt, "x.docx", pack(tt, word(c.body))).Text; got != c.want {
			tt.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestWordLevelOfStyle: a style's place in a list may be stated by the list alone,
// and holds for the styles based on it.
func TestWordLevelOfStyle(tt *testing.T) {
	tt.Parallel()
	numbered := func(id, based string) string {
		return `<w:style w:type="paragraph" w:styleId="` + id + `"><w:name w:val="x` + id + `"/><w:basedOn w:val="` + based + `"/><w:pPr>`
	}
	parts := with(word(styled("A", "一")+styled("C", "二")+styled("B", "三")+styled("D", "无号")), map[string]string{
		"word/styles.xml": `<w:styles ` + nsWord + `>` + numbered("A", "") + `<w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>` +
			numbered("B", "") + `<w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>` + numbered("C", "B") + `</w:pPr></w:style>` +
			numbered("D", "B") + `<w:numPr><w:numId w:val="0"/></w:numPr></w:pPr></w:style></w:styles>`,
		"word/numbering.xml": `<w:numbering ` + nsWord + `><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:pStyle w:val="A"/><w:lvlText w:val="%1"/></w:lvl><w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:pStyle w:val="B"/><w:lvlText w:val="%1.%2"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`,
	})
	if got, want := parse(tt, "x.docx", pack(tt, parts)).Text, "1 一\n  1.1 二\n  1.2 三\n\n无号"; got != want {
		tt.Errorf("%q, want %q", got, want)
	}
}
