package office_test

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/office"
	"ragdesk/backend/rag"
)

func parseErr(tb testing.TB, source string, b []byte) (rag.Document, error) {
	tb.Helper()
	return office.Parse(tb.Context(), rag.Input{Source: source, Bytes: b}, env())
}

func wantFault(tb testing.TB, name string, err error, code string) {
	tb.Helper()
	if f := fault.Of(err); f == nil || f.Code != code {
		tb.Errorf("%s: %v, want %s", name, err, code)
	}
}

// ole is a compound file whose directory names the streams.
func ole(streams ...string) []byte {
	b := make([]byte, 512, 4096)
	copy(b, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
	for _, s := range streams {
		entry := make([]byte, 128)
		units := utf16.Encode([]rune(s))
		for i, u := range units {
			binary.LittleEndian.PutUint16(entry[2*i:], u)
		}
		entry[64], entry[66] = byte(2*len(units)+2), 2
		b = append(b, entry...)
	}
	return b
}

func TestContentDecides(tt *testing.T) {
	tt.Parallel()
	book := pack(tt, workbook([2]string{"S", `<sheetData><row><c><v>1</v></c></row></sheetData>`}))
	for name, c := range map[string]struct {
		source string
		bytes  []byte
		text   string
	}{
		"a workbook named as a document": {"x.docx", book, "# S\n\n1"},
		"a text named as a sheet":        {"x.xlsx", pack(tt, map[string]string{"content.xml": content("", `<office:text><text:p>文</text:p></office:text>`)}), "文"},
		"an older workbook":              {"x.xlsx", ole("WordDocument", "Workbook"), ".xls "},
		"an older document":              {"x.docx", ole("Workbook", "WordDocument"), ".doc "},
		"older slides":                   {"x.docx", ole("PowerPoint Document"), ".ppt "},
		"rich text":                      {"x.docx", []byte(`{\rtf1 x}`), `.rtf {\rtf1 x}`},
		"a web page":                     {"x.xlsx", []byte("\n<html><table>"), ".html "},
		"a printed page":                 {"x.docx", []byte("%PDF-1.7"), ".pdf %PDF-1.7"},
		"nothing":                        {"x.docx", nil, ""},
	} {
		d, err := parseErr(tt, c.source, c.bytes)
		if err != nil || !strings.HasPrefix(d.Text, strings.TrimSpace(c.text)) {
			tt.Errorf("%s: %q, %v, want %q", name, d.Text, err, c.text)
		}
		if d.Source != c.source || d.Title == "" {
			tt.Errorf("%s: source %q, title %q", name, d.Source, d.Title)
		}
	}
}

func TestFaults(tt *testing.T) {
	tt.Parallel()
	doc := word(p(t("正文")))
	bomb := `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>`
	for name, c := range map[string]struct {
		source string
		bytes  []byte
		code   string
	}{
		"encrypted":             {"x.xlsx", ole("EncryptionInfo", "EncryptedPackage"), "password"},
		"encrypted and older":   {"x.docx", ole("EncryptedPackage", "WordDocument"), "password"},
		"unknown compound file": {"x.docx", ole("Other"), "corrupt"},
		"noise":                 {"x.docx", []byte("\x01\x02\x03"), "corrupt"},
		"cut short":             {"x.docx", pack(tt, doc)[:300], "corrupt"},
		"another archive":       {"x.docx", pack(tt, map[string]string{"a.txt": "x"}), "corrupt"},
		"binary workbook":       {"x.xlsx", pack(tt, map[string]string{"_rels/.rels": rels([3]string{"r", "officeDocument", "xl/workbook.bin"}), "xl/workbook.bin": "x"}), "format_unsupported"},
		"no root":               {"x.docx", pack(tt, with(doc, map[string]string{"word/document.xml": "  "})), "corrupt"},
		"open element":          {"x.docx", pack(tt, with(doc, map[string]string{"word/document.xml": `<w:document ` + nsWord + `><w:body><w:p>`})), "corrupt"},
		"entities":              {"x.docx", pack(tt, with(doc, map[string]string{"word/document.xml": bomb + "<x/>"})), "limit_entities"},
		"entities in styles":    {"x.docx", pack(tt, with(doc, map[string]string{"word/styles.xml": bomb + "<x/>"})), "limit_entities"},
		"entities in relations": {"x.docx", pack(tt, with(doc, map[string]string{"word/_rels/document.xml.rels": bomb + "<x/>"})), "limit_entities"},
		"deep":                  {"x.docx", pack(tt, word(strings.Repeat("<w:ins>", 100_000))), "limit_depth"},
		"deep and skipped":      {"x.docx", pack(tt, word(strings.Repeat("<x>", 100_000))), "limit_depth"},
		"zip bomb":              {"x.docx", pack(tt, word(p(t(strings.Repeat("0", 1<<25))))), "limit_ratio"},
		"wide table":            {"x.docx", pack(tt, word(`<w:tbl>`+strings.Repeat(tr(strings.Repeat(tc(`<w:gridSpan w:val="9999999"/>`), 10)), 1000)+`</w:tbl>`)), "limit_cells"},
		"merged over all":       {"x.xlsx", pack(tt, workbook([2]string{"S", mergedAll()})), "limit_text"},
	} {
		_, err := parseErr(tt, c.source, c.bytes)
		wantFault(tt, name, err, c.code)
		if f := fault.Of(err); c.code == "corrupt" && f != nil && (f.Params["format"] != strings.TrimPrefix(filepath.Ext(c.source), ".") || f.Params["reason"] == "") {
			tt.Errorf("%s: params %v", name, f.Params)
		}
	}
}

// mergedAll is a sheet whose long first cell covers all the others.
func mergedAll() string {
	var b strings.Builder
	b.WriteString(`<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>` + strings.Repeat("长", 9000) + `</t></is></c></row>`)
	for i := 2; i < 500; i++ {
		b.WriteString(`<row r="` + n(i) + `"><c r="ZZ` + n(i) + `"><v>1</v></c></row>`)
	}
	return b.String() + `</sheetData><mergeCells><mergeCell ref="A1:ZY400"/></mergeCells>`
}

func TestCancelled(tt *testing.T) {
	tt.Parallel()
	ctx, cancel := context.WithCancel(tt.Context())
	cancel()
	for source, parts := range map[string]map[string]string{
		"x.docx": richWord(), "x.xlsx": rich(), "x.pptx": richDeck(), "x.odt": richText(),
	} {
		if _, err := office.Parse(ctx, rag.Input{Source: source, Bytes: pack(tt, parts)}, env()); !errors.Is(err, context.Canceled) {
			tt.Errorf("%s: %v", source, err)
		}
	}
}

// TestOtherProducers reads packages written in ways that the standard allows or
// programs have.
func TestOtherProducers(tt *testing.T) {
	tt.Parallel()
	const want = "# 题\n\n正文"
	body := styled("Heading1", "题") + p(t("正文"))
	base := word(body)
	main := base["word/document.xml"]
	utf16Part := func(order binary.AppendByteOrder, mark string) string {
		b := []byte(mark)
		for _, u := range utf16.Encode([]rune(strings.Replace(main, "UTF-8", "UTF-16", 1))) {
			b = order.AppendUint16(b, u)
		}
		return string(b)
	}
	move := func(from, to string) map[string]string {
		out := with(base, map[string]string{to: base[from]})
		delete(out, from)
		return out
	}
	for name, parts := range map[string]map[string]string{
		"case of names":        move("word/document.xml", "Word/Document.XML"),
		"backslashes":          move("word/document.xml", `word\document.xml`),
		"target from the root": with(base, map[string]string{"_rels/.rels": rels([3]string{"r", "officeDocument", "/word/document.xml"})}),
		"root left out":        with(base, map[string]string{"_rels/.rels": rels([3]string{"r", "officeDocument", "./word/../word/document.xml"})}),
		"no relations":         {"word/document.xml": main},
		"strict": with(base, map[string]string{
			"_rels/.rels":       strings.ReplaceAll(base["_rels/.rels"], relBase, "http://purl.oclc.org/ooxml/officeDocument/relationships/"),
			"word/document.xml": strings.ReplaceAll(main, "http://schemas.openxmlformats.org/wordprocessingml/2006/main", "http://purl.oclc.org/ooxml/wordprocessingml/main"),
		}),
		"another name by type": func() map[string]string {
			out := move("word/document.xml", "data/main.xml")
			out["_rels/.rels"] = rels([3]string{"r", "officeDocument", "data/main.xml"})
			out["[Content_Types].xml"] = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/data/main.xml" ContentType="application/vnd.ms-word.document.macroEnabled.main+xml"/></Types>`
			return out
		}(),
		"UTF-16 little-endian": with(base, map[string]string{"word/document.xml": utf16Part(binary.LittleEndian, "\xff\xfe")}),
		"UTF-16 big-endian":    with(base, map[string]string{"word/document.xml": utf16Part(binary.BigEndian, "\xfe\xff")}),
		"UTF-16 without mark":  with(base, map[string]string{"word/document.xml": utf16Part(binary.LittleEndian, "")}),
		"UTF-8 with mark":      with(base, map[string]string{"word/document.xml": "\xef\xbb\xbf" + main}),
		"UTF-16 in name alone": with(base, map[string]string{"word/document.xml": strings.Replace(main, "UTF-8", "utf-16", 1)}),
		"GBK":                  with(base, map[string]string{"word/document.xml": strings.NewReplacer("UTF-8", "GBK", "题", "\xcc\xe2", "正文", "\xd5\xfd\xce\xc4").Replace(main)}),
		"another prefix":       with(base, map[string]string{"word/document.xml": strings.NewReplacer("w:", "ns0:", "xmlns:w=", "xmlns:ns0=").Replace(main)}),
		"broken styles":        with(base, map[string]string{"word/styles.xml": "<w:styles"}),
	} {
		d, err := parseErr(tt, "x.docx", pack(tt, parts))
		if err != nil || d.Text != want {
			tt.Errorf("%s: %q, %v", name, d.Text, err)
		}
	}
	// Characters that XML forbids become blanks, bytes that are no UTF-8 marks of it.
	odd := strings.NewReplacer("题", "a\x01b&#11;c", "正文", "\xff").Replace(main)
	if d := parse(tt, "x.docx", pack(tt, with(base, map[string]string{"word/document.xml": odd}))); d.Text != "# a b c\n\n\uFFFD" {
		tt.Errorf("forbidden characters: %q", d.Text)
	}
}

// TestSharedFiles reads real files of other programs, when there are any.
func TestSharedFiles(tt *testing.T) {
	tt.Parallel()
	dir := os.Getenv("SHARED_FILES")
	if dir == "" {
		tt.Skip("SHARED_FILES names no folder of sample files")
	}
	manifest, err := os.ReadFile(filepath.Join(dir, "MANIFEST.tsv"))
	if err != nil {
		tt.Fatal(err)
	}
	read := 0
	for _, line := range strings.Split(string(manifest), "\n") {
		f := strings.Split(line, "\t")
		if len(f) < 7 || !strings.Contains(" .docx .pptx .xlsx ", " "+filepath.Ext(f[0])+" ") {
			continue
		}
		read++
		b, err := os.ReadFile(filepath.Join(dir, f[0]))
		if err != nil {
			tt.Fatal(err)
		}
		d, err := parseErr(tt, f[0], b)
		code, isError := strings.CutPrefix(f[5], "error:")
		switch {
		case isError:
			wantFault(tt, f[0], err, code)
		case f[5] == "safe":
		case err != nil:
			tt.Errorf("%s: %v", f[0], err)
		case !strings.Contains(d.Text, f[4]) && !strings.Contains(f[0], "altChunk") && !strings.Contains(f[0], "AltChunk"):
			tt.Errorf("%s: no %q in %q", f[0], f[4], d.Text)
		}
		check(tt, d)
	}
	if read == 0 {
		tt.Error("no sample file is an office file")
	}
}
