package office_test

import (
	"bytes"
	"testing"

	"ragdesk/backend/parse/office"
	"ragdesk/backend/rag"
)

// fuzz reads packages whose named part is mutated, and whole mutated packages.
func fuzz(f *testing.F, source, main string, parts map[string]string) {
	f.Add([]byte(parts[main]))
	f.Add(pack(f, parts))
	f.Fuzz(func(tt *testing.T, b []byte) {
		e := env()
		e.Limits.Inflated, e.Limits.Text, e.Limits.Cells = 8<<20, 1<<20, 100_000
		if !bytes.HasPrefix(b, []byte("PK")) {
			b = pack(tt, with(parts, map[string]string{main: string(b)}))
		}
		if d, err := office.Parse(tt.Context(), rag.Input{Source: source, Bytes: b}, e); err == nil {
			check(tt, d)
		}
	})
}

func FuzzWord(f *testing.F)      { fuzz(f, "x.docx", "word/document.xml", richWord()) }
func FuzzNumbering(f *testing.F) { fuzz(f, "x.docx", "word/numbering.xml", richWord()) }
func FuzzWorkbook(f *testing.F)  { fuzz(f, "x.xlsx", "xl/worksheets/sheet1.xml", rich()) }
func FuzzSlides(f *testing.F)    { fuzz(f, "x.pptx", "ppt/slides/slide1.xml", richDeck()) }
func FuzzText(f *testing.F)      { fuzz(f, "x.odt", "content.xml", richText()) }
func FuzzSheets(f *testing.F)    { fuzz(f, "x.ods", "content.xml", richSheets()) }

func FuzzContent(f *testing.F) {
	f.Add("x.docx", ole("WordDocument"))
	f.Add("x.fodt", []byte(content("", `<office:text><text:p>x</text:p></office:text>`)))
	f.Add("x.xlsx", []byte("{\\rtf1"))
	f.Fuzz(func(tt *testing.T, source string, b []byte) {
		if d, err := office.Parse(tt.Context(), rag.Input{Source: source, Bytes: b}, env()); err == nil {
			check(tt, d)
		}
	})
}
