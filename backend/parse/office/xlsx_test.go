package office_test

import (
	"fmt"
	"strings"
	"testing"

	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/office"
	"ragdesk/backend/rag"
)

const sheetStyles = `<styleSheet ` + nsSheet + `><numFmts><numFmt numFmtId="164" formatCode="yyyy&quot;年&quot;m&quot;月&quot;d&quot;日&quot;"/><numFmt numFmtId="165" formatCode="[h]:mm"/></numFmts>
<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="10"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="4"/></cellXfs></styleSheet>`

const sharedStrings = `<sst ` + nsSheet + `><si><t>姓名</t></si><si><r><t>东</t></r><r><rPr><b/></rPr><t>京</t></r><rPh sb="0" eb="2"><t>トウキョウ</t></rPh></si><si><t xml:space="preserve">第一行_x000D_
第二行</t></si><si><t>_x005F_x0041_</t></si></sst>`

// rich is a workbook with one of everything.
func rich() map[string]string {
	first := `<dimension ref="A1:XFD1048576"/><sheetData>
<row r="1"><c r="A1" t="inlineStr"><is><t>二〇二四年度明细</t></is></c></row>
<row r="3"><c r="A3" t="s"><v>0</v></c><c r="B3" t="inlineStr"><is><t>日期</t></is></c><c r="C3" t="inlineStr"><is><t>比例</t></is></c><c r="D3" t="inlineStr"><is><t>用时</t></is></c><c r="E3" t="inlineStr"><is><t>金额</t></is></c><c r="F3" t="inlineStr"><is><t>对否</t></is></c></row>
<row r="4" hidden="1"><c r="A4" t="s"><v>1</v></c><c r="B4" s="1"><v>45322</v></c><c r="C4" s="2"><v>0.12345</v></c><c r="D4" s="4"><v>1.5</v></c><c r="E4" s="5"><f>1+1</f><v>1234.5</v></c><c r="F4" t="b"><v>1</v></c></row>
<row r="5"><c r="A5" t="s"><v>2</v></c><c r="B5" s="3"><v>45323</v></c><c r="C5" t="e"><v>#DIV/0!</v></c><c r="D5" t="d"><v>2024-01-31T00:00:00</v></c><c r="E5"><f>X()</f></c><c r="F5" t="str"><f>A()</f><v>文</v></c></row>
<row><c t="s"><v>3</v></c><c><v>7</v></c><c t="s"><v>99</v></c></row>
<row r="1048576"><c r="XFD1048576" t="inlineStr"><is><t>远处</t></is></c></row>
</sheetData><mergeCells><mergeCell ref="A1:F1"/></mergeCells><drawing r:id="rId1"/>`
	parts := workbook([2]string{"明细", first}, [2]string{"空", `<sheetData><row r="1"><c r="A1" s="1"/></row></sheetData>`},
		[2]string{`密" state="veryHidden`, `<sheetData><row r="1"><c r="A1"><v>42</v></c></row></sheetData>`})
	return with(parts, map[string]string{
		"xl/styles.xml":        sheetStyles,
		"xl/sharedStrings.xml": sharedStrings,
		"xl/worksheets/_rels/sheet1.xml.rels": rels([3]string{"rId1", "drawing", "../drawings/d.xml"},
			[3]string{"rId2", "comments", "../comments1.xml"}),
		"xl/comments1.xml": `<comments ` + nsSheet + `><commentList><comment ref="A1"><text><t>批注</t></text></comment></commentList></comments>`,
		"xl/drawings/d.xml": `<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">
<xdr:sp><xdr:txBody><a:p><a:r><a:t>文本框</a:t></a:r></a:p></xdr:txBody></xdr:sp><xdr:pic/><xdr:graphicFrame><a:graphic><a:graphicData><c:chart r:id="rId1"/></a:graphicData></a:graphic></xdr:graphicFrame></xdr:wsDr>`,
		"xl/drawings/_rels/d.xml.rels": rels([3]string{"rId1", "chart", "../charts/c.xml"}),
		"xl/charts/c.xml":              chartPart,
	})
}

func TestWorkbookGolden(tt *testing.T) {
	tt.Parallel()
	golden(tt, "xlsx.golden", parse(tt, "账/明细.xlsx", pack(tt, rich())))
}

func TestWorkbookDates(tt *testing.T) {
	tt.Parallel()
	parts := with(workbook([2]string{"S", `<sheetData><row><c s="1"><v>0.5</v></c><c s="1"><v>43860</v></c><c s="3"><v>-5</v></c><c s="77"><v>1.50</v></c></row></sheetData>`}),
		map[string]string{"xl/styles.xml": sheetStyles})
	for epoch, want := range map[string]string{
		"0": "1900-01-00 | 2020-01-30 | -5 | 1.5", "1": "1904-01-01 | 2024-01-31 | -5 | 1.5",
	} {
		parts["xl/workbook.xml"] = strings.Replace(parts["xl/workbook.xml"], "<sheets>", `<workbookPr date1904="`+epoch+`"/><sheets>`, 1)
		got := parse(tt, "x.xlsx", pack(tt, parts)).Text
		if epoch == "0" {
			// Day 0 is a spreadsheet's own; only what follows is a date.
			_, got, _ = strings.Cut(got, " | ")
			_, want, _ = strings.Cut(want, " | ")
		}
		if !strings.HasSuffix(got, want) {
			tt.Errorf("date1904=%s: %q, want %q", epoch, got, want)
		}
		parts["xl/workbook.xml"] = strings.Replace(parts["xl/workbook.xml"], `<workbookPr date1904="0"/>`, "", 1)
	}
}

func TestWorkbookRepeatsItsHeader(tt *testing.T) {
	tt.Parallel()
	var rows strings.Builder
	rows.WriteString(`<row><c t="inlineStr"><is><t>编号</t></is></c><c t="inlineStr"><is><t>名称</t></is></c></row>`)
	for i := range 200 {
		fmt.Fprintf(&rows, `<row><c><v>%d</v></c><c t="inlineStr"><is><t>名称%d</t></is></c></row>`, i, i)
	}
	d := parse(tt, "x.xlsx", pack(tt, workbook([2]string{"S", "<sheetData>" + rows.String() + "</sheetData>"})))
	if got := strings.Count(d.Text, "| 编号 | 名称 |"); got < 5 {
		tt.Errorf("the header stands %d times", got)
	}
	if d.Health.RowsRead != 201 || d.Health.RowsKept != 201 || d.Health.Tables != 1 {
		tt.Errorf("health %+v", d.Health)
	}
}

func TestWorkbookLarge(tt *testing.T) {
	tt.Parallel()
	var rows strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&rows, `<row r="%d">`, i+1)
		for j := range 10 {
			fmt.Fprintf(&rows, `<c r="%c%d"><v>%d.5</v></c>`, 'A'+j, i+1, i*j)
		}
		rows.WriteString(`</row>`)
	}
	d := parse(tt, "x.xlsx", pack(tt, workbook([2]string{"S", "<sheetData>" + rows.String() + "</sheetData>"})))
	if d.Health.RowsKept != 10_000 {
		tt.Errorf("%d rows of 10000", d.Health.RowsKept)
	}
}

func TestWorkbookSheetsMissing(tt *testing.T) {
	tt.Parallel()
	parts := workbook([2]string{"甲", `<sheetData><row><c><v>1</v></c></row></sheetData>`}, [2]string{"乙", ""})
	delete(parts, "xl/worksheets/sheet2.xml")
	d := parse(tt, "x.xlsx", pack(tt, parts))
	if d.Health.Pages != 2 || d.Health.PagesWithText != 1 || len(d.Warnings) != 1 || d.Warnings[0].Detail != "乙" {
		tt.Errorf("health %+v, warnings %v", d.Health, d.Warnings)
	}
}

func TestWorkbookPicturesInCells(tt *testing.T) {
	tt.Parallel()
	d := parse(tt, "x.xlsx", pack(tt, workbook([2]string{"S", `<sheetData><row><c t="e" vm="1"><v>#VALUE!</v></c><c t="str"><v>=DISPIMG("ID_1",1)</v></c><c t="e"><v>#VALUE!</v></c></row></sheetData>`})))
	if d.Text != "# S\n\n#VALUE!" || d.Health.Images != 2 {
		tt.Errorf("%q, %d pictures", d.Text, d.Health.Images)
	}
}

func TestWorkbookLimits(tt *testing.T) {
	tt.Parallel()
	parts := workbook([2]string{"甲", `<sheetData><row><c><v>1</v></c><c><v>2</v></c></row></sheetData>`}, [2]string{"乙", `<sheetData><row><c><v>1</v></c></row></sheetData>`})
	for code, l := range map[string]guard.Limits{
		"limit_cells": {Cells: 2}, "limit_pages": {Pages: 1}, "limit_text": {Text: 8}, "limit_depth": {Depth: 3}, "limit_inflated": {Inflated: 500},
	} {
		e := env()
		e.Limits = l.Filled()
		_, err := office.Parse(tt.Context(), rag.Input{Source: "x.xlsx", Bytes: pack(tt, parts)}, e)
		wantFault(tt, code, err, code)
	}
}
