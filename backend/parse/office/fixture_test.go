package office_test

import (
	"archive/zip"
	"bytes"
	"context"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/office"
	"ragdesk/backend/rag"
)

var update = flag.Bool("update", false, "write the golden files")

const (
	nsWord  = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" xmlns:v="urn:schemas-microsoft-com:vml" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture" xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"`
	nsSheet = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	nsSlide = `xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"`
	nsODF   = `xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:math="http://www.w3.org/1998/Math/MathML"`
	relBase = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
)

// pack makes a zip archive of parts, in order of their names.
func pack(t testing.TB, parts map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(parts[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// rels writes relations: id, kind, target.
func rels(all ...[3]string) string {
	var b strings.Builder
	b.WriteString(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`)
	for _, r := range all {
		b.WriteString(`<Relationship Id="` + r[0] + `" Type="` + relBase + r[1] + `" Target="` + r[2] + `"/>`)
	}
	b.WriteString(`</Relationships>`)
	return b.String()
}

// with adds parts to a copy of base.
func with(base, more map[string]string) map[string]string {
	out := maps.Clone(base)
	maps.Copy(out, more)
	return out
}

// word is a document of a body alone.
func word(body string) map[string]string {
	return map[string]string{
		"_rels/.rels":       rels([3]string{"r1", "officeDocument", "word/document.xml"}),
		"word/document.xml": `<?xml version="1.0" encoding="UTF-8"?><w:document ` + nsWord + `><w:body>` + body + `</w:body></w:document>`,
	}
}

// p is a paragraph of runs, t a run of text.
func p(runs ...string) string { return "<w:p>" + strings.Join(runs, "") + "</w:p>" }

func t(s string) string { return `<w:r><w:t xml:space="preserve">` + s + `</w:t></w:r>` }

// styled is a paragraph of a style.
func styled(style, s string) string {
	return `<w:p><w:pPr><w:pStyle w:val="` + style + `"/></w:pPr>` + t(s) + `</w:p>`
}

// workbook is a workbook of sheets by name, each with the content of its worksheet.
func workbook(sheets ...[2]string) map[string]string {
	parts := map[string]string{"_rels/.rels": rels([3]string{"r1", "officeDocument", "xl/workbook.xml"})}
	list, links := "", [][3]string{}
	for i, s := range sheets {
		n := string(rune('1' + i))
		list += `<sheet name="` + s[0] + `" sheetId="` + n + `" r:id="rId` + n + `"/>`
		links = append(links, [3]string{"rId" + n, "worksheet", "worksheets/sheet" + n + ".xml"})
		parts["xl/worksheets/sheet"+n+".xml"] = `<worksheet ` + nsSheet + `>` + s[1] + `</worksheet>`
	}
	parts["xl/workbook.xml"] = `<workbook ` + nsSheet + `><sheets>` + list + `</sheets></workbook>`
	parts["xl/_rels/workbook.xml.rels"] = rels(links...)
	return parts
}

// nested reads the few formats that tests put inside office files: text as it is.
func nested(_ context.Context, in rag.Input) (rag.Document, error) {
	return rag.Document{Source: in.Source, Title: filepath.Base(in.Source), Text: filepath.Ext(in.Source) + " " + strings.Map(printable, string(in.Bytes[:min(len(in.Bytes), 20)]))}, nil
}

func printable(r rune) rune {
	if r < ' ' {
		return -1
	}
	return r
}

func env() guard.Env { return guard.Env{Limits: guard.Defaults(), Nested: nested} }

func parse(tb testing.TB, source string, b []byte) rag.Document {
	tb.Helper()
	d, err := office.Parse(tb.Context(), rag.Input{Source: source, Bytes: b}, env())
	if err != nil {
		tb.Fatalf("parse %s: %v", source, err)
	}
	check(tb, d)
	return d
}

// check holds a document against what every document promises.
func check(tb testing.TB, d rag.Document) {
	tb.Helper()
	if !utf8.ValidString(d.Text) || strings.ContainsRune(d.Text, 0) {
		tb.Errorf("%s: text is not UTF-8 without NUL", d.Source)
	}
	at := 0
	for _, b := range d.Blocks {
		if b.Span.Start < at || b.Span.End > len(d.Text) || strings.TrimSpace(d.Text[at:b.Span.Start]) != "" {
			tb.Fatalf("%s: block %+v after %d", d.Source, b, at)
		}
		at = b.Span.End
	}
	for _, s := range d.Sections {
		if got := strings.TrimLeft(d.Text[s.Span.Start:s.Span.End], "# "); got != s.Title {
			tb.Errorf("%s: section %q stands at %q", d.Source, s.Title, got)
		}
	}
	if d.Health.PagesWithText > d.Health.Pages || d.Health.RowsKept > d.Health.RowsRead {
		tb.Errorf("%s: health %+v", d.Source, d.Health)
	}
}

// golden compares what a document says with the file of the name.
func golden(tb testing.TB, name string, d rag.Document) {
	tb.Helper()
	var b strings.Builder
	h := d.Health
	for _, w := range d.Warnings {
		b.WriteString("warning " + w.Code + " " + w.Detail + "\n")
	}
	b.WriteString(d.MediaType + ", " + d.ParsedBy + ", " + d.Title + "\n")
	b.WriteString(strings.Join([]string{"pages", n(h.PagesWithText), "of", n(h.Pages), "tables", n(h.Tables), "rows", n(h.RowsKept),
		"of", n(h.RowsRead), "images", n(h.Images), "repeated", n(h.Repeated)}, " ") + "\n\n" + d.Text + "\n")
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		tb.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func n(i int) string {
	if i < 10 {
		return string(rune('0' + i))
	}
	return n(i/10) + n(i%10)
}
