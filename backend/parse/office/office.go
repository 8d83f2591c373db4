// Package office reads the files of office programs: Word, PowerPoint and Excel in
// their XML formats, and OpenDocument texts, sheets and slides.
//
// What a file is, its content says, not its name: a zip archive is read as what its
// parts are, and a file of the older binary formats, or one that is no office file
// at all, is handed on as what it is. An encrypted file is a fault of its own.
//
//	doc, err := office.Parse(ctx, rag.Input{Source: "规程.docx", Bytes: b}, env)
package office

import (
	"bytes"
	"context"
	"errors"
	"path"
	"strings"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/office/docx"
	"ragdesk/backend/parse/office/odf"
	"ragdesk/backend/parse/office/opc"
	"ragdesk/backend/parse/office/pptx"
	"ragdesk/backend/parse/office/xlsx"
	"ragdesk/backend/rag"
)

// Parse reads an office file. Faults: corrupt {format, reason}, password {format},
// format_unsupported {ext} and the limits of package guard. An empty file is an
// empty document.
func Parse(ctx context.Context, in rag.Input, env guard.Env) (rag.Document, error) {
	ext := strings.TrimPrefix(strings.ToLower(path.Ext(in.Source)), ".")
	switch content := sniff(in.Bytes, ext); content {
	case "empty":
		var b doctext.Builder
		b.MediaType, b.ParsedBy = "application/octet-stream", "office/1"
		return b.Document(in, env.Limits)
	case "encrypted":
		return rag.Document{}, guard.Password(ext)
	case "zip":
		return parseZip(ctx, in, env, ext)
	case "flat":
		return odf.ReadFlat(ctx, in, env)
	case "":
		return rag.Document{}, guard.Corrupt(ext, errors.New("not a zip archive"))
	default:
		return other(ctx, in, env, ext, content)
	}
}

// other reads a file that is not what its name says.
func other(ctx context.Context, in rag.Input, env guard.Env, ext, content string) (rag.Document, error) {
	if env.Nested == nil || content == ext {
		return rag.Document{}, guard.Corrupt(ext, errors.New("content of another format: "+content))
	}
	inner := in
	inner.Source = strings.TrimSuffix(in.Source, path.Ext(in.Source)) + "." + content
	d, err := env.Nested(ctx, inner)
	if err != nil {
		return rag.Document{}, err
	}
	if d.Title == path.Base(inner.Source) {
		d.Title = path.Base(in.Source)
	}
	d.Source = in.Source
	d.Warnings = append(d.Warnings, rag.Notice{Code: guard.WarnExtension, Detail: ext + ": " + content})
	return d, nil
}

// parseZip reads a package as what its parts are.
func parseZip(ctx context.Context, in rag.Input, env guard.Env, ext string) (rag.Document, error) {
	pkg, err := opc.Open(in.Bytes, env.Limits)
	if err != nil {
		return rag.Document{}, ofFormat(ext, err)
	}
	kind, main, err := identify(pkg)
	if err != nil {
		return rag.Document{}, ofFormat(ext, err)
	}
	var d rag.Document
	switch kind {
	case "docx":
		d, err = docx.Read(ctx, pkg, main, in, env)
	case "pptx":
		d, err = pptx.Read(ctx, pkg, main, in, env)
	case "xlsx":
		d, err = xlsx.Read(ctx, pkg, main, in, env)
	case "xlsb":
		return rag.Document{}, fault.New("format_unsupported", fault.P("ext", ".xlsb"))
	case "odf":
		d, err = odf.Read(ctx, pkg, in, env)
	default:
		return rag.Document{}, guard.Corrupt(ext, errors.New("no document inside the archive"))
	}
	return d, ofFormat(ext, err)
}

// ofFormat names the file's format in a fault of a part of it.
func ofFormat(ext string, err error) error {
	if !fault.Is(err, "corrupt") || fault.Of(err).Code != "corrupt" {
		return err
	}
	return guard.Corrupt(ext, rootCause(err))
}

// rootCause returns the reason inside faults for a corrupt file.
func rootCause(err error) error {
	for {
		f := fault.Of(err)
		if f == nil || f.Code != "corrupt" || f.Err == nil {
			return err
		}
		err = f.Err
	}
}

// identify returns what a package is and its main part.
func identify(pkg *opc.Package) (kind, main string, err error) {
	rels, err := pkg.Relations("")
	if err != nil {
		return "", "", err
	}
	candidates := append(rels.All("officeDocument"),
		"word/document.xml", "ppt/presentation.xml", "xl/workbook.xml", "xl/workbook.bin")
	for _, part := range candidates {
		if !pkg.Has(part) {
			continue
		}
		if kind := byType(pkg.Type(part)); kind != "" {
			return kind, part, nil
		}
		if kind := byName(part); kind != "" {
			return kind, part, nil
		}
	}
	if pkg.Has("content.xml") {
		return "odf", "content.xml", nil
	}
	return "", "", nil
}

func byType(contentType string) string {
	t := strings.ToLower(contentType)
	switch {
	case strings.Contains(t, "wordprocessingml"), strings.Contains(t, "ms-word."):
		return "docx"
	case strings.Contains(t, "presentationml"), strings.Contains(t, "ms-powerpoint."):
		return "pptx"
	case strings.Contains(t, "sheet.binary"):
		return "xlsb"
	case strings.Contains(t, "spreadsheetml"), strings.Contains(t, "ms-excel."):
		return "xlsx"
	}
	return ""
}

func byName(part string) string {
	part = strings.ToLower(part)
	switch {
	case strings.HasPrefix(part, "word/"):
		return "docx"
	case strings.HasPrefix(part, "ppt/"):
		return "pptx"
	case strings.HasSuffix(part, ".bin"):
		return "xlsb"
	case strings.HasPrefix(part, "xl/"):
		return "xlsx"
	}
	return ""
}

// sniff returns what content is: "zip", "flat" (OpenDocument in one XML file),
// "encrypted", "empty", an extension of another format, or "" for none that is
// known.
func sniff(b []byte, ext string) string {
	head := bytes.TrimLeft(bytes.TrimPrefix(b[:min(len(b), 4096)], []byte("\xef\xbb\xbf")), " \t\r\n")
	lower := bytes.ToLower(head)
	switch {
	case len(b) == 0:
		return "empty"
	case bytes.HasPrefix(b, []byte("PK")):
		return "zip"
	case bytes.HasPrefix(b, []byte(oleMagic)):
		return sniffOLE(b, ext)
	case bytes.HasPrefix(head, []byte(`{\rtf`)):
		return "rtf"
	case bytes.HasPrefix(head, []byte("%PDF-")):
		return "pdf"
	case bytes.Contains(head, []byte("urn:oasis:names:tc:opendocument")):
		return "flat"
	case bytes.HasPrefix(lower, []byte("mime-version:")):
		return "mht"
	case bytes.HasPrefix(lower, []byte("<!doctype html")), bytes.HasPrefix(lower, []byte("<html")),
		bytes.HasPrefix(lower, []byte("<?xml")) && bytes.Contains(lower, []byte("<html")):
		return "html"
	case bytes.Contains(b[max(0, len(b)-66000):], []byte("PK\x05\x06")):
		// An archive behind something else, such as a program that unpacks it.
		return "zip"
	}
	return ""
}
