package office_test

import (
	"strings"
	"testing"
)

// content is the content.xml of a body.
func content(styles, body string) string {
	return `<office:document-content ` + nsODF + `><office:automatic-styles>` + styles + `</office:automatic-styles><office:body>` + body + `</office:body></office:document-content>`
}

const odfStyles = `<office:document-styles ` + nsODF + `><office:styles>
<style:style style:name="Standard" style:family="paragraph"/>
<style:style style:name="Title" style:family="paragraph"/>
<style:style style:name="Contents_20_2" style:display-name="Contents 2" style:family="paragraph"/>
<text:outline-style><text:outline-level-style text:level="1" style:num-format="一, 二, 三, ..." style:num-prefix="第" style:num-suffix="章"/><text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/></text:outline-style>
</office:styles><office:master-styles><style:master-page><style:header><text:p>页眉文字</text:p></style:header><style:footer><text:p>第 <text:page-number>1</text:page-number> 页</text:p></style:footer></style:master-page></office:master-styles></office:document-styles>`

func richText() map[string]string {
	styles := `<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/><text:list-level-style-bullet text:level="2"/></text:list-style>
<style:style style:name="hid" style:family="text"><style:text-properties text:display="none"/></style:style>
<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Title"/>
<style:style style:name="plain" style:family="paragraph" style:list-style-name=""/>`
	cell := func(attr, s string) string {
		return `<table:table-cell ` + attr + `><text:p>` + s + `</text:p></table:table-cell>`
	}
	body := `<office:text><text:tracked-changes><text:changed-region><text:deletion><text:p>删去的</text:p></text:deletion></text:changed-region></text:tracked-changes>
<text:p text:style-name="P1">文档标题</text:p>
<text:table-of-content><text:index-body><text:index-title><text:p>目录</text:p></text:index-title><text:p text:style-name="Contents_20_2">第一章<text:tab/>1</text:p></text:index-body></text:table-of-content>
<text:h text:outline-level="1">总则</text:h><text:h text:outline-level="2">范围</text:h><text:h text:outline-level="2" text:style-name="plain">不编号</text:h><text:h text:outline-level="1">附则</text:h>
<text:p>一段<text:span>文</text:span>字  with
   blanks<text:s text:c="2"/>two<text:change-start/><text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body><text:p>脚注</text:p></text:note-body></text:note>。<office:annotation><text:p>批注</text:p></office:annotation><text:note text:note-class="endnote"><text:note-body><text:p>尾注</text:p></text:note-body></text:note><text:span text:style-name="hid">隐藏</text:span></text:p>
<text:p><text:ruby><text:ruby-base>汉</text:ruby-base><text:ruby-text>hàn</text:ruby-text></text:ruby>字<text:line-break/>下行，<text:a xlink:href="http://x">链接</text:a></text:p>
<text:list text:style-name="L1"><text:list-item><text:p>甲</text:p><text:p>甲续</text:p><text:list><text:list-item><text:p>子</text:p></text:list-item></text:list></text:list-item><text:list-item><text:p>乙</text:p></text:list-item></text:list>
<text:p>隔</text:p>
<text:list text:style-name="L1" text:continue-numbering="true"><text:list-item><text:p>丙</text:p></text:list-item></text:list>
<table:table><table:table-header-rows><table:table-row>` + cell(`table:number-columns-spanned="2"`, "头") + `<table:covered-table-cell/></table:table-row></table:table-header-rows>
<table:table-row>` + cell(`table:number-rows-spanned="2"`, "竖") + cell("", "1") + `</table:table-row><table:table-row><table:covered-table-cell/>` + cell("", "2") + `</table:table-row>
<table:table-row table:number-rows-repeated="900000"><table:table-cell table:number-columns-repeated="900000"/></table:table-row></table:table>
<text:p>框<draw:frame><draw:text-box><text:p>框内</text:p></draw:text-box></draw:frame><draw:frame><draw:image/></draw:frame><draw:frame><draw:object xlink:href="./Object 1"/><draw:image/></draw:frame></text:p>
<text:section text:display="none"><text:p>隐藏节</text:p></text:section></office:text>`
	return map[string]string{
		"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content(styles, body), "styles.xml": odfStyles,
		"META-INF/manifest.xml": `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry/></manifest:manifest>`,
		"Object 1/content.xml":  `<math:math xmlns:math="http://www.w3.org/1998/Math/MathML"><math:semantics><math:mfrac><math:mrow><math:mi>a</math:mi><math:mo>+</math:mo><math:mi>b</math:mi></math:mrow><math:mn>2</math:mn></math:mfrac><math:annotation>a+b over 2</math:annotation></math:semantics></math:math>`,
	}
}

func TestTextGolden(tt *testing.T) {
	tt.Parallel()
	golden(tt, "odt.golden", parse(tt, "文.odt", pack(tt, richText())))
}

// richSheets is a spreadsheet with one of everything.
func richSheets() map[string]string {
	cell := func(kind, s string) string {
		return `<table:table-cell office:value-type="` + kind + `"><text:p>` + s + `</text:p></table:table-cell>`
	}
	body := `<office:spreadsheet><table:table table:name="表一"><table:table-column table:number-columns-repeated="16384"/>
<table:table-row>` + cell("string", "名") + cell("string", "数") + `<table:table-cell table:number-columns-repeated="16382"/></table:table-row>
<table:table-row><table:table-cell office:value-type="string" table:number-rows-spanned="2"><office:annotation><text:p>批注</text:p></office:annotation><text:p>甲</text:p></table:table-cell>` + cell("percentage", "12%") + `</table:table-row>
<table:table-row><table:covered-table-cell/><table:table-cell office:value-type="float" office:value="2.5"/><table:table-cell table:formula="of:=X()"/></table:table-row>
<table:table-row table:number-rows-repeated="3">` + cell("string", "同") + cell("float", "1") + `</table:table-row>
<table:table-row table:number-rows-repeated="1048570"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table>
<table:table table:name="藏" table:style-name="ta2"><table:table-row table:number-rows-repeated="2000">` + cell("string", "满") + `</table:table-row></table:table></office:spreadsheet>`
	styles := `<style:style style:name="ta2" style:family="table"><style:table-properties table:display="false"/></style:style>`
	return map[string]string{"content.xml": content(styles, body)}
}

func TestSheetsGolden(tt *testing.T) {
	tt.Parallel()
	d := parse(tt, "表.ods", pack(tt, richSheets()))
	if got := strings.Count(d.Text, "满"); got < 1000 || got > 1200 {
		tt.Errorf("a row of 2000 stands %d times", got)
	}
	d.Text, _, _ = strings.Cut(d.Text, "# 藏")
	golden(tt, "ods.golden", d)
}

func TestPagesGolden(tt *testing.T) {
	tt.Parallel()
	frame := func(class, place, s string) string {
		f := strings.Fields(place)
		return `<draw:frame presentation:class="` + class + `" svg:x="` + f[0] + `cm" svg:y="` + f[1] + `cm" svg:width="5cm" svg:height="1cm"><draw:text-box>` + s + `</draw:text-box></draw:frame>`
	}
	body := `<office:presentation><draw:page draw:name="page1" presentation:presentation-page-layout-name="AL1T0">` + frame("title", "1 1", "<text:p>总题</text:p>") + frame("subtitle", "1 3", "<text:p>副题</text:p>") + `</draw:page>
<draw:page draw:name="page2" draw:style-name="dp2">` + frame("", "1 9", "<text:p>下</text:p>") + frame("outline", "1 3", "<text:list><text:list-item><text:p>要点</text:p></text:list-item></text:list>") +
		frame("title", "1 1", "<text:p>次题</text:p>") + frame("footer", "1 20", "<text:p>页脚</text:p>") +
		`<draw:frame presentation:class="outline" presentation:placeholder="true"><draw:text-box><text:p>单击添加</text:p></draw:text-box></draw:frame>
<draw:g><draw:custom-shape svg:x="9cm" svg:y="6cm" svg:width="1cm" svg:height="1cm"><text:p>右</text:p></draw:custom-shape><draw:custom-shape svg:x="1cm" svg:y="6cm" svg:width="1cm" svg:height="1cm"><text:p>左</text:p></draw:custom-shape></draw:g>
<draw:frame svg:x="1cm" svg:y="7.5cm" svg:width="1cm" svg:height="1cm"><draw:image/></draw:frame>
<presentation:notes>` + frame("notes", "1 1", "<text:p>讲者的备注</text:p>") + `</presentation:notes></draw:page></office:presentation>`
	styles := `<style:style style:name="dp2" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>`
	golden(tt, "odp.golden", parse(tt, "稿.odp", pack(tt, map[string]string{"content.xml": content(styles, body)})))
}

func TestFlat(tt *testing.T) {
	tt.Parallel()
	body := content("", `<office:text><text:p>平</text:p></office:text>`)
	flat := `<?xml version="1.0"?>` + strings.ReplaceAll(body, "document-content", "document")
	if d := parse(tt, "x.fodt", []byte(flat)); d.Text != "平" {
		tt.Errorf("%q", d.Text)
	}
}

func TestEncryptedPackage(tt *testing.T) {
	tt.Parallel()
	parts := richText()
	parts["META-INF/manifest.xml"] = `<m><file-entry><encryption-data/></file-entry></m>`
	parts["content.xml"] = "\x01\x02"
	_, err := parseErr(tt, "x.odt", pack(tt, parts))
	wantFault(tt, "encrypted odt", err, "password")
}
