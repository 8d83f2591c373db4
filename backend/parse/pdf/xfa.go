package pdf

import (
	"bytes"
	"encoding/xml"
	"strings"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/requests"

	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/text"
)

// writeXFA adds the text of a form whose pages are made by XFA: PDFium sees only
// a page that asks for another program. The template holds its words, the data
// sets its values.
func (s *session) writeXFA(b *doctext.Builder, l guard.Limits) {
	kind, err := s.FPDF_GetFormType(&requests.FPDF_GetFormType{Document: s.doc})
	if err != nil || kind.FormType != enums.FPDF_FORMTYPE_XFA_FULL {
		return
	}
	n, err := s.FPDF_GetXFAPacketCount(&requests.FPDF_GetXFAPacketCount{Document: s.doc})
	if err != nil || n.Count <= 0 {
		return
	}
	b.Warn(WarnXFA, "")
	for k := range min(n.Count, maxNotes) {
		name, err := s.FPDF_GetXFAPacketName(&requests.FPDF_GetXFAPacketName{Document: s.doc, Index: k})
		if err != nil {
			continue
		}
		packet, err := s.FPDF_GetXFAPacketContent(&requests.FPDF_GetXFAPacketContent{Document: s.doc, Index: k})
		if err != nil {
			continue
		}
		switch strings.ToLower(strings.TrimSpace(name.Name)) {
		case "template":
			b.Paragraph(xfaTemplate(packet.Content, l))
		case "datasets":
			b.Paragraph(xfaData(packet.Content, l))
		}
	}
}

// xfaTemplate returns the words of a template, a text a line. Scripts are none.
func xfaTemplate(packet []byte, l guard.Limits) string {
	x := guard.NewXML(bytes.NewReader(packet), l)
	var out strings.Builder
	inside := 0
	for {
		t, err := x.Token()
		if err != nil {
			return out.String()
		}
		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "script", "event", "calculate", "validate", "items":
				if x.Skip() != nil {
					return out.String()
				}
			case "text", "exData":
				inside++
			}
		case xml.EndElement:
			if (t.Name.Local == "text" || t.Name.Local == "exData") && inside > 0 {
				inside--
				out.WriteByte('\n')
			}
		case xml.CharData:
			if inside > 0 {
				out.WriteString(strings.Join(strings.Fields(string(t)), " "))
			}
		}
	}
}

// xfaData returns the values of data sets, "name: value" a line.
func xfaData(packet []byte, l guard.Limits) string {
	x := guard.NewXML(bytes.NewReader(packet), l)
	var out strings.Builder
	name, value := "", ""
	for {
		t, err := x.Token()
		if err != nil {
			return out.String()
		}
		switch t := t.(type) {
		case xml.StartElement:
			name, value = t.Name.Local, ""
		case xml.CharData:
			value += string(t)
		case xml.EndElement:
			if t.Name.Local == name && !text.IsBlank(value) {
				out.WriteString(name + ": " + strings.Join(strings.Fields(value), " ") + "\n")
			}
			name, value = "", ""
		}
	}
}
