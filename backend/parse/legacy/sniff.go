package legacy

import (
	"archive/zip"
	"bytes"
	"strings"

	"ragdesk/backend/parse/charset"
	"ragdesk/backend/parse/legacy/biff"
	"ragdesk/backend/parse/legacy/ole"
)

// sniffed is how many bytes of a text are looked at.
const sniffed = 4096

// sniff names the format of b: "ole", "biff", "xmlss", an extension of another
// format, or "" for none. format is what the name says, for plain text.
func sniff(b []byte, format string) string {
	switch {
	case ole.Is(b):
		return "ole"
	case biff.IsRaw(b):
		return "biff"
	case bytes.HasPrefix(b, []byte("PK\x03\x04")):
		return sniffZip(b)
	}
	switch charset.Signature(b) {
	case "":
		return sniffText(b, format)
	case "pdf":
		return "pdf"
	}
	return ""
}

// sniffZip names the format of a zip archive by what it holds.
func sniffZip(b []byte) string {
	r, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return ""
	}
	for _, f := range r.File {
		for prefix, ext := range map[string]string{
			"word/": "docx", "xl/": "xlsx", "ppt/": "pptx", "META-INF/container.xml": "epub",
		} {
			if strings.HasPrefix(f.Name, prefix) {
				return ext
			}
		}
		if f.Name == "content.xml" {
			return "odt"
		}
	}
	return "zip"
}

// sniffText names the format of a text by how it starts.
func sniffText(b []byte, format string) string {
	head := b[:min(len(b), sniffed)]
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		head = bytes.ReplaceAll(head[2:], []byte{0}, nil)
	}
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	s := strings.ToLower(strings.TrimSpace(string(head)))
	switch {
	case strings.HasPrefix(s, `{\rtf`):
		return "rtf"
	case strings.HasPrefix(s, "<?xml") || strings.HasPrefix(s, "<workbook") || strings.HasPrefix(s, "<ss:workbook"):
		return sniffXML(s)
	case isHTML(s):
		return "html"
	case strings.Contains(s, "mime-version:") && strings.Contains(s, "content-type:"):
		return "mht"
	case bytes.HasPrefix(b, []byte("\xdb\xa5")), bytes.HasPrefix(b, []byte("\x31\xbe")): // Word 2 and before
		return ""
	case format == "xls":
		return "csv"
	}
	return "txt"
}

func sniffXML(s string) string {
	switch {
	case strings.Contains(s, "urn:schemas-microsoft-com:office:spreadsheet"):
		return "xmlss"
	case strings.Contains(s, "<html"), strings.Contains(s, "<!doctype html"):
		return "html"
	}
	return "xml"
}

// isHTML reports whether a text begins as a web page, or as the table alone that
// many programs call a workbook.
func isHTML(s string) bool {
	for strings.HasPrefix(s, "<!--") {
		_, rest, ok := strings.Cut(s, "-->")
		if !ok {
			return true
		}
		s = strings.TrimSpace(rest)
	}
	for _, tag := range []string{"!doctype html", "html", "head", "meta", "body", "table", "style", "title", "div", "p>", "center", "font", "script", "h1"} {
		if strings.HasPrefix(s, "<"+tag) {
			return true
		}
	}
	return false
}
