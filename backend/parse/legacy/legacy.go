// Package legacy reads the binary formats of Office 97 to 2003: documents,
// workbooks and presentations, in an OLE container.
//
// A file's content decides, not its name: a ".xls" may be a web page, comma
// separated values, an XML spreadsheet or a newer workbook, a ".doc" may be RTF.
// Such a file is read as what it is, with a warning.
//
//	doc, err := legacy.ParseXLS(ctx, rag.Input{Source: "报价.xls", Bytes: b}, env)
//
// Faults: corrupt, password, limit_cells, limit_pages, limit_text, limit_depth,
// and those of the format that the content is.
package legacy

import (
	"context"
	"errors"
	"fmt"

	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/legacy/biff"
	"ragdesk/backend/parse/legacy/ole"
	"ragdesk/backend/parse/legacy/slides"
	"ragdesk/backend/parse/legacy/word"
	"ragdesk/backend/rag"
)

// ParseXLS reads a workbook.
func ParseXLS(ctx context.Context, in rag.Input, env guard.Env) (rag.Document, error) {
	return parse(ctx, in, env, "xls")
}

// ParseDOC reads a document.
func ParseDOC(ctx context.Context, in rag.Input, env guard.Env) (rag.Document, error) {
	return parse(ctx, in, env, "doc")
}

// ParsePPT reads a presentation.
func ParsePPT(ctx context.Context, in rag.Input, env guard.Env) (rag.Document, error) {
	return parse(ctx, in, env, "ppt")
}

// parse reads in as what it is; format is what its name says.
func parse(ctx context.Context, in rag.Input, env guard.Env, format string) (rag.Document, error) {
	if err := ctx.Err(); err != nil {
		return rag.Document{}, err
	}
	var d rag.Document
	var err error
	found := sniff(in.Bytes, format)
	switch found {
	case "ole":
		d, found, err = container(ctx, in, env, format)
	case "biff":
		found = "xls"
		d, err = biff.Parse(ctx, in.Bytes, in, env)
	case "xmlss":
		d, err = parseXMLSpreadsheet(ctx, in, env)
	case "":
		return rag.Document{}, guard.Corrupt(format, errors.New("content of no known format"))
	default:
		d, err = guard.ReadAs(ctx, in, env, found)
	}
	if err != nil {
		return rag.Document{}, err
	}
	if found != format {
		d.Warnings = append(d.Warnings, rag.Notice{Code: guard.WarnExtension, Detail: format + ": " + found})
	}
	return d, nil
}

// container reads an OLE file by the streams it has.
func container(ctx context.Context, in rag.Input, env guard.Env, format string) (d rag.Document, found string, err error) {
	f, err := ole.Open(in.Bytes)
	if err != nil {
		return d, format, guard.Corrupt(format, fmt.Errorf("open container: %w", err))
	}
	stream := func(name string) []byte { b, _ := f.Stream(name); return b }
	switch {
	case f.Has("EncryptedPackage"):
		return d, format, guard.Password(format)
	case f.Has("Workbook"):
		found = "xls"
		d, err = biff.Parse(ctx, stream("Workbook"), in, env)
	case f.Has("Book"):
		found = "xls"
		d, err = biff.Parse(ctx, stream("Book"), in, env)
	case f.Has("PowerPoint Document"):
		found = "ppt"
		d, err = slides.Parse(ctx, f, in, env)
	case f.Has("WordDocument"):
		found = "doc"
		d, err = word.Parse(ctx, f, in, env)
	case f.Has("__properties_version1.0"):
		found = "msg"
		d, err = guard.ReadAs(ctx, in, env, found)
	default:
		return d, format, guard.Corrupt(format, errors.New("no document in the container"))
	}
	if err == nil && f.Cut() {
		d.Warnings = append(d.Warnings, rag.Notice{Code: doctext.WarnTruncated})
	}
	return d, found, err
}
