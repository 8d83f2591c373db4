package pdf

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/structs"

	"ragdesk/backend/parse/layout"
	"ragdesk/backend/text"
)

// maxNotes bounds the annotations read of one page.
const maxNotes = 5000

// openForm prepares the reading of the document's form, if it has one.
func (s *session) openForm() {
	kind, err := s.FPDF_GetFormType(&requests.FPDF_GetFormType{Document: s.doc})
	if err != nil || kind.FormType == enums.FPDF_FORMTYPE_NONE {
		return
	}
	opened, err := s.FPDFDOC_InitFormFillEnvironment(&requests.FPDFDOC_InitFormFillEnvironment{
		Document: s.doc,
		// PDFium calls these when a form changes what is shown; nothing is shown.
		FormFillInfo: structs.FPDF_FORMFILLINFO{
			FFI_Invalidate:         func(references.FPDF_PAGE, float64, float64, float64, float64) {},
			FFI_SetCursor:          func(enums.FXCT) {},
			FFI_SetTimer:           func(int, func(int)) int { return 0 },
			FFI_KillTimer:          func(int) {},
			FFI_GetLocalTime:       func() structs.FPDF_SYSTEMTIME { return structs.FPDF_SYSTEMTIME{} },
			FFI_GetPage:            func(references.FPDF_DOCUMENT, int) *references.FPDF_PAGE { return nil },
			FFI_GetRotation:        func(references.FPDF_PAGE) enums.FPDF_PAGE_ROTATION { return enums.FPDF_PAGE_ROTATION_NONE },
			FFI_ExecuteNamedAction: func(string) {},
		},
	})
	if err == nil {
		s.form = opened.FormHandle
	}
}

func (s *session) closeForm() {
	if s.form == "" {
		return
	}
	_, _ = s.FPDFDOC_ExitFormFillEnvironment(&requests.FPDFDOC_ExitFormFillEnvironment{FormHandle: s.form})
	s.form = ""
}

// notes returns what stands on page i in annotations and is content: the values
// of the form's fields and text written on the page. Comments are none.
func (s *session) notes(i int, f frame) []layout.Segment {
	n, err := s.FPDFPage_GetAnnotCount(&requests.FPDFPage_GetAnnotCount{Page: s.page(i)})
	if err != nil || n.Count == 0 {
		return nil
	}
	if s.form != "" {
		load := &requests.FORM_OnAfterLoadPage{Page: s.page(i), FormHandle: s.form}
		if _, err := s.FORM_OnAfterLoadPage(load); err == nil {
			defer func() {
				_, _ = s.FORM_OnBeforeClosePage(&requests.FORM_OnBeforeClosePage{Page: s.page(i), FormHandle: s.form})
			}()
		}
	}
	var out []layout.Segment
	for k := range min(n.Count, maxNotes) {
		got, err := s.FPDFPage_GetAnnot(&requests.FPDFPage_GetAnnot{Page: s.page(i), Index: k})
		if err != nil {
			continue
		}
		if value, ok := s.note(got.Annotation); ok {
			out = append(out, s.place(got.Annotation, value, f)...)
		}
		_, _ = s.FPDFPage_CloseAnnot(&requests.FPDFPage_CloseAnnot{Annotation: got.Annotation})
	}
	return out
}

// note returns what an annotation shows as text.
func (s *session) note(a references.FPDF_ANNOTATION) (string, bool) {
	kind, err := s.FPDFAnnot_GetSubtype(&requests.FPDFAnnot_GetSubtype{Annotation: a})
	if err != nil {
		return "", false
	}
	const unseen = enums.FPDF_ANNOT_FLAG_HIDDEN | enums.FPDF_ANNOT_FLAG_NOVIEW
	flags, err := s.FPDFAnnot_GetFlags(&requests.FPDFAnnot_GetFlags{Annotation: a})
	if err == nil && flags.Flags&unseen != 0 {
		return "", false
	}
	switch kind.Subtype {
	case enums.FPDF_ANNOT_SUBTYPE_FREETEXT:
		v, err := s.FPDFAnnot_GetStringValue(&requests.FPDFAnnot_GetStringValue{Annotation: a, Key: "Contents"})
		return value(v.Value, err)
	case enums.FPDF_ANNOT_SUBTYPE_WIDGET:
		return s.field(a)
	case enums.FPDF_ANNOT_SUBTYPE_FILEATTACHMENT:
		if len(s.files) == maxAttachments {
			s.leftOut++
			break
		}
		got, err := s.FPDFAnnot_GetFileAttachment(&requests.FPDFAnnot_GetFileAttachment{Document: s.doc, Annotation: a})
		if err == nil {
			s.files = append(s.files, s.attachment(got.Attachment, fmt.Sprintf("file-%d", len(s.files)+1)))
		}
	}
	return "", false
}

func value(s string, err error) (string, bool) {
	return s, err == nil && !text.IsBlank(s)
}

// field returns the value of a form's field.
func (s *session) field(a references.FPDF_ANNOTATION) (string, bool) {
	if s.form == "" {
		return "", false
	}
	kind, err := s.FPDFAnnot_GetFormFieldType(&requests.FPDFAnnot_GetFormFieldType{FormHandle: s.form, Annotation: a})
	if err != nil {
		return "", false
	}
	switch kind.FormFieldType {
	case enums.FPDF_FORMFIELD_TYPE_CHECKBOX, enums.FPDF_FORMFIELD_TYPE_RADIOBUTTON:
		checked, err := s.FPDFAnnot_IsChecked(&requests.FPDFAnnot_IsChecked{FormHandle: s.form, Annotation: a})
		if err != nil {
			return "", false
		}
		if checked.IsChecked {
			return "☑", true
		}
		return "☐", true
	case enums.FPDF_FORMFIELD_TYPE_TEXTFIELD, enums.FPDF_FORMFIELD_TYPE_COMBOBOX:
		// A choice has a label that is shown and a value that is sent.
		if label, ok := s.chosen(a); ok {
			return label, true
		}
		v, err := s.FPDFAnnot_GetFormFieldValue(&requests.FPDFAnnot_GetFormFieldValue{FormHandle: s.form, Annotation: a})
		if err != nil {
			return "", false
		}
		return value(v.FormFieldValue, nil)
	case enums.FPDF_FORMFIELD_TYPE_LISTBOX:
		return s.chosen(a)
	}
	return "", false
}

// chosen returns the entries of a list that are chosen.
func (s *session) chosen(a references.FPDF_ANNOTATION) (string, bool) {
	n, err := s.FPDFAnnot_GetOptionCount(&requests.FPDFAnnot_GetOptionCount{FormHandle: s.form, Annotation: a})
	if err != nil {
		return "", false
	}
	var labels []string
	for k := range min(n.OptionCount, maxNotes) {
		on, err := s.FPDFAnnot_IsOptionSelected(&requests.FPDFAnnot_IsOptionSelected{FormHandle: s.form, Annotation: a, Index: k})
		if err != nil || !on.IsOptionSelected {
			continue
		}
		l, err := s.FPDFAnnot_GetOptionLabel(&requests.FPDFAnnot_GetOptionLabel{FormHandle: s.form, Annotation: a, Index: k})
		if err == nil {
			labels = append(labels, l.OptionLabel)
		}
	}
	return value(strings.Join(labels, ", "), nil)
}

// place makes segments of an annotation's lines, from the top of its rectangle.
func (s *session) place(a references.FPDF_ANNOTATION, v string, f frame) []layout.Segment {
	got, err := s.FPDFAnnot_GetRect(&requests.FPDFAnnot_GetRect{Annotation: a})
	if err != nil {
		return nil
	}
	r := got.Rect
	b := f.box(float64(r.Left), float64(r.Bottom), float64(r.Right), float64(r.Top))
	lines := strings.FieldsFunc(v, func(r rune) bool { return r == '\r' || r == '\n' || r == '\u2028' })
	if len(lines) == 0 {
		return nil
	}
	height := min(b.Height()/float64(len(lines)), 14)
	var out []layout.Segment
	for i, l := range lines {
		l = strings.TrimSpace(strings.Map(printable, l))
		if l == "" {
			continue
		}
		n := utf8.RuneCountInString(l)
		at := layout.Box{X0: b.X0, Y0: b.Y0 + float64(i)*height, X1: min(b.X1, b.X0+float64(n)*height), Y1: b.Y0 + float64(i+1)*height}
		if len(lines) == 1 {
			// A single line stands in the middle of its field.
			at.Y0, at.Y1 = b.MidY()-height/2, b.MidY()+height/2
		}
		out = append(out, layout.Segment{Text: l, Box: at, Size: height * 0.8, Runes: n, RTL: rightToLeft(firstRune(l))})
	}
	return out
}

func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return ' '
	}
	return r
}
