package pdf_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"
	"unicode/utf8"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/pdf"
	"ragdesk/backend/rag"
)

// FuzzParse reads damaged files: each ends with a document that keeps its
// promises or with a fault.
func FuzzParse(f *testing.F) {
	plain := &file{}
	plain.page(show("F1", 12, 72, 700, "Some words")+rule(72, 690, 300, 690)+plain.any("F3", 12, 72, 650, "一些文字𠮷ﻢ"), "/Rotate 90")
	note := plain.add("<< /Type /Annot /Subtype /FreeText /Rect [72 600 300 620] /Contents (note) >>")
	plain.page(show("F2", 20, 72, 700, "Title"), fmt.Sprintf("/Annots [%d 0 R]", note))
	f.Add(plain.bytes())
	form := &file{}
	w := form.add("<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Wang) /Rect [150 695 300 715] >>")
	form.page(show("F1", 12, 72, 700, "Name:"), fmt.Sprintf("/Annots [%d 0 R]", w))
	form.catalog = fmt.Sprintf("/AcroForm << /Fields [%d 0 R] /DA (/F1 10 Tf) >> /Outlines %d 0 R", w, w)
	f.Add(form.bytes())
	locked := &file{encrypted: true, ownKey: "o"}
	locked.page(show("F1", 12, 72, 700, "locked"), "")
	f.Add(locked.bytes())
	f.Add([]byte("%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 1 0 R/Kids[1 0 R]/Count 9>>endobj\ntrailer<</Root 1 0 R>>"))
	r := pdf.NewReader()
	f.Cleanup(func() { r.Close() })
	e := env(r)
	e.Limits.Pages = 50
	f.Fuzz(func(t *testing.T, b []byte) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		doc, err := r.Parse(ctx, rag.Input{Source: "x.pdf", Bytes: b}, e)
		if err != nil {
			var f *fault.Error
			if !errors.As(err, &f) && !errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("error %v is no fault", err)
			}
			return
		}
		check(t, doc)
		if !utf8.ValidString(doc.Text) {
			t.Fatal("text is no UTF-8")
		}
	})
}
