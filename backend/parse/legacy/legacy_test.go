package legacy_test

import (
	"archive/zip"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/legacy"
	"ragdesk/backend/parse/legacy/ole/oletest"
	"ragdesk/backend/rag"
)

// env is what a parser gets; a file inside the file gives its name as text.
func env() guard.Env {
	return guard.Env{Limits: guard.Defaults(), Nested: func(_ context.Context, in rag.Input) (rag.Document, error) {
		name := filepath.Base(in.Source)
		return rag.Document{Source: in.Source, Title: name, Text: "read as " + filepath.Ext(name)}, nil
	}}
}

// archive is a zip with one entry.
func archive(t *testing.T, name string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	if _, err := w.Create(name); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestContentDecides(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		content []byte
		xls     string
		doc     string
	}{
		"RTF":                 {[]byte(`{\rtf1 x}`), "rtf", "rtf"},
		"a page":              {[]byte("\ufeff<html><table>"), "html", "html"},
		"a table alone":       {[]byte(" <TABLE border=1>"), "html", "html"},
		"a page after a note": {[]byte("<!-- x --><!doctype html>"), "html", "html"},
		"a page in UTF-16":    {[]byte("\xff\xfe<\x00h\x00t\x00m\x00l\x00>\x00"), "html", "html"},
		"XHTML":               {[]byte(`<?xml version="1.0"?><html xmlns="x">`), "html", "html"},
		"other XML":           {[]byte(`<?xml version="1.0"?><w:wordDocument>`), "xml", "xml"},
		"an archived page":    {[]byte("From: x\nMIME-Version: 1.0\nContent-Type: multipart/related"), "mht", "mht"},
		"values":              {[]byte("a,b\n1,2"), "csv", "txt"},
		"docx":                {archive(t, "word/document.xml"), "docx", "docx"},
		"xlsx":                {archive(t, "xl/workbook.xml"), "xlsx", "xlsx"},
		"pptx":                {archive(t, "ppt/presentation.xml"), "pptx", "pptx"},
		"odt":                 {archive(t, "content.xml"), "odt", "odt"},
		"PDF":                 {[]byte("%PDF-1.4"), "pdf", "pdf"},
		"a message":           {oletest.File(map[string][]byte{"__properties_version1.0": []byte("x")}), "msg", "msg"},
		"nothing":             {nil, "csv", "txt"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := rag.Input{Source: "dir/旧.xls", Bytes: c.content}
			d, err := legacy.ParseXLS(context.Background(), in, env())
			if err != nil || d.Text != "read as ."+c.xls || d.Source != in.Source || d.Title != "旧.xls" {
				t.Errorf("xls: %q, source %q, title %q (%v); want %s", d.Text, d.Source, d.Title, err, c.xls)
			}
			if len(d.Warnings) != 1 || d.Warnings[0] != (rag.Notice{Code: guard.WarnExtension, Detail: "xls: " + c.xls}) {
				t.Errorf("warnings %v", d.Warnings)
			}
			d, err = legacy.ParseDOC(context.Background(), in, env())
			if err != nil || d.Text != "read as ."+c.doc {
				t.Errorf("doc: %q (%v), want %s", d.Text, err, c.doc)
			}
		})
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		content []byte
		code    string
	}{
		"encrypted OOXML":  {oletest.File(map[string][]byte{"EncryptedPackage": []byte("x"), "EncryptionInfo": nil}), "password"},
		"another document": {oletest.File(map[string][]byte{"HwpSummaryInformation": []byte("x")}), "corrupt"},
		"a header alone":   {[]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "corrupt"},
		"a picture":        {[]byte("\x89PNG\r\n\x1a\n"), "corrupt"},
		"no archive":       {[]byte("PK\x03\x04...."), "corrupt"},
		"an empty book":    {oletest.File(map[string][]byte{"Workbook": nil}), "corrupt"},
		"an empty show":    {oletest.File(map[string][]byte{"PowerPoint Document": nil}), "corrupt"},
		"an empty text":    {oletest.File(map[string][]byte{"WordDocument": nil}), "corrupt"},
	} {
		if d, err := legacy.ParseDOC(context.Background(), rag.Input{Bytes: c.content}, env()); !fault.Is(err, c.code) {
			t.Errorf("%s: %q, %v; want %s", name, d.Text, err, c.code)
		}
	}
}

const xmlBook = `<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?>
<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet" xmlns:x="urn:schemas-microsoft-com:office:excel">
<Styles><Style ss:ID="d"><NumberFormat ss:Format="Short Date"/></Style><Style ss:ID="p"><NumberFormat ss:Format="0.0%"/></Style></Styles>
<Worksheet ss:Name="报价"><Table>
<Row><Cell ss:MergeAcross="2"><Data ss:Type="String">二〇二四</Data></Cell></Row>
<Row><Cell><Data ss:Type="String">名称</Data></Cell><Cell><Data ss:Type="String">日期</Data></Cell><Cell><Data ss:Type="String">折扣</Data></Cell></Row>
<Row ss:Index="3"><Cell ss:MergeDown="1"><ss:Data ss:Type="String">笔<B>芯</B></ss:Data><Comment><ss:Data>批注</ss:Data></Comment></Cell><Cell ss:StyleID="d"><Data ss:Type="DateTime">2024-03-15T00:00:00.000</Data></Cell><Cell ss:StyleID="p"><Data ss:Type="Number">0.125</Data></Cell></Row>
<Row><Cell ss:Index="3"><Data ss:Type="Boolean">1</Data></Cell></Row>
</Table><WorksheetOptions xmlns="urn:schemas-microsoft-com:office:excel"/></Worksheet>
<Worksheet ss:Name="藏"><Table><Row><Cell><Data ss:Type="String">x</Data></Cell></Row></Table><x:WorksheetOptions><x:Visible>SheetHidden</x:Visible></x:WorksheetOptions></Worksheet>
</Workbook>`

func TestXMLSpreadsheet(t *testing.T) {
	t.Parallel()
	d, err := legacy.ParseXLS(context.Background(), rag.Input{Source: "b.xls", Bytes: []byte(xmlBook)}, env())
	if err != nil {
		t.Fatal(err)
	}
	want := "# 报价\n\n二〇二四\n\n| 名称 | 日期 | 折扣 |\n| --- | --- | --- |\n| 笔芯 | 2024-03-15 | 12.5% |\n| 笔芯 |  | TRUE |\n\n# 藏\n\nx"
	if d.Text != want {
		t.Errorf("got\n%s\nwant\n%s", d.Text, want)
	}
	codes := map[string]string{}
	for _, w := range d.Warnings {
		codes[w.Code] = w.Detail
	}
	if codes["hidden_content"] != "藏" || codes[guard.WarnExtension] == "" {
		t.Errorf("warnings %v", d.Warnings)
	}
	bomb := strings.Replace(xmlBook, "<Workbook", `<!DOCTYPE x [<!ENTITY a "b">]><Workbook`, 1)
	if _, err := legacy.ParseXLS(context.Background(), rag.Input{Bytes: []byte(bomb)}, env()); !fault.Is(err, "limit_entities") {
		t.Errorf("entities: %v", err)
	}
	deep := strings.Replace(xmlBook, "<Styles>", strings.Repeat("<a>", 100_000), 1)
	if _, err := legacy.ParseXLS(context.Background(), rag.Input{Bytes: []byte(deep)}, env()); !fault.Is(err, "limit_depth") {
		t.Errorf("nesting: %v", err)
	}
}

// TestSharedFiles reads files made by Office itself.
func TestSharedFiles(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("SHARED_FILES")
	if dir == "" {
		t.Skip("SHARED_FILES names no folder with sample files")
	}
	b, err := os.ReadFile(filepath.Join(dir, "incorrect_slide_order.ppt"))
	if err != nil {
		t.Fatal(err)
	}
	d, err := legacy.ParsePPT(context.Background(), rag.Input{Source: "s.ppt", Bytes: b}, env())
	if err != nil {
		t.Fatal(err)
	}
	want := "# Slide 1\n\nFirst slide I added\n\n# Slide 2\n\nThird slide I added\n\n# Slide 3\n\nSecond slide I added"
	if d.Text != want || d.Health.Pages != 3 {
		t.Errorf("text %q, health %+v", d.Text, d.Health)
	}
}
