package pdf

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/requests"

	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/text"
)

// writeXFA adds the text of a form whose pages are made by XFA: PDFium sees only
// a page that asks for another program. The template holds its words, the data
// sets its values. What is not well-formed is read as far as it goes, with a
// warning.
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
	broken := false
	for k := range min(n.Count, maxNotes) {
		name, err := s.FPDF_GetXFAPacketName(&requests.FPDF_GetXFAPacketName{Document: s.doc, Index: k})
		if err != nil {
			broken = true
			continue
		}
		packet, err := s.FPDF_GetXFAPacketContent(&requests.FPDF_GetXFAPacketContent{Document: s.doc, Index: k})
		if err != nil {
			broken = true
			continue
		}
		words := ""
		switch strings.ToLower(strings.TrimSpace(name.Name)) {
		case "template":
			words, err = xfaTemplate(packet.Content, l)
		case "datasets":
			words, err = xfaData(packet.Content, l)
		}
		b.Paragraph(words)
		broken = broken || err != nil
	}
	if broken && !s.damaged {
		b.Warn(WarnDamaged, "")
	}
}

// xfaTemplate returns the words of a template, a text a line, those before an
// error with it. Scripts are none.
func xfaTemplate(packet []byte, l guard.Limits) (string, error) {
	x := guard.NewXML(bytes.NewReader(packet), l)
	var out strings.Builder
	inside := 0
	for {
		t, err := x.Token()
		if errors.Is(err, io.EOF) {
			return out.String(), nil
		}
		if err != nil {
			return out.String(), err
		}
		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "script", "event", "calculate", "validate", "items":
				if err := x.Skip(); err != nil {
					return out.String(), err
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

// xfaData returns the values of data sets, "name: value" a line, those before an
// error with it.
func xfaData(packet []byte, l guard.Limits) (string, error) {
	x := guard.NewXML(bytes.NewReader(packet), l)
	var out strings.Builder
	name, value := "", ""
	for {
		t, err := x.Token()
		if errors.Is(err, io.EOF) {
			return out.String(), nil
		}
		if err != nil {
			return out.String(), err
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
