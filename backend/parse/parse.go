// Package parse reads bytes into documents.
//
// The formats are a closed list; a source's extension chooses. Each family has a
// package of its own below this one, and all share three: charset finds
// encodings, guard bounds what a file may cost, doctext builds text with its
// structure. Invariants of a document parse returns: Text is valid UTF-8;
// section, block and page spans lie within Text on rune boundaries, in order; a
// doubtful reading carries a warning. Plain text and Markdown stay as they were
// read, without the byte-order mark.
//
//	p := parse.New(parse.Options{})
//	doc, err := p.Parse(ctx, rag.Input{Source: "handbook.md", Bytes: b})
//
// Faults: format_unsupported, binary_content, encoding_unknown, encoding, and
// those of package guard.
package parse

import (
	"context"
	"path"
	"strings"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/code"
	"ragdesk/backend/parse/data"
	"ragdesk/backend/parse/epub"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/legacy"
	"ragdesk/backend/parse/mail"
	"ragdesk/backend/parse/markup"
	"ragdesk/backend/parse/ocr"
	"ragdesk/backend/parse/office"
	"ragdesk/backend/parse/pdf"
	"ragdesk/backend/parse/rtf"
	"ragdesk/backend/rag"
)

// Options are the limits of a Parser.
type Options struct {
	Limits guard.Limits
	// Cache is a folder for what is costly to compute, such as a compiled PDF
	// library; "" for none.
	Cache string
	// OCR reads the text in pictures where the machine can.
	OCR bool
}

// Parser reads every known format. It is safe for concurrent use.
type Parser struct {
	limits guard.Limits
	cache  string
	ocr    bool
	// pdf keeps the PDF library that it starts for the first such file.
	pdf *pdf.Reader
	// byName and byExtension find a format by a file's whole name in lower case, or
	// by its extension.
	byName, byExtension map[string]format
}

var _ rag.Parser = (*Parser)(nil)

// New returns a parser with the given limits.
func New(o Options) *Parser {
	p := &Parser{limits: o.Limits.Filled(), cache: o.Cache, ocr: o.OCR, pdf: pdf.NewReader(),
		byName: map[string]format{}, byExtension: map[string]format{}}
	for _, f := range p.formats() {
		for _, e := range f.extensions {
			p.byExtension[e] = f
		}
	}
	for _, name := range code.Names() {
		p.byName[name] = p.byExtension[".go"] // all source code is read alike
	}
	return p
}

// Close frees what the parser has started. It may be used again afterwards.
func (p *Parser) Close() error { return p.pdf.Close() }

// read is how a format is read.
type read func(ctx context.Context, in rag.Input, env guard.Env) (rag.Document, error)

// format is one entry of the closed list.
type format struct {
	name       string
	extensions []string
	parse      read
}

func (p *Parser) formats() []format {
	return []format{
		{"text", []string{".txt", ".text", ".log", ""}, parsePlain},
		{"markdown", []string{".md", ".markdown", ".mdx", ".mkd", ".rmd", ".qmd"}, parseMarkdown},
		{"html", []string{".html", ".htm", ".xhtml", ".xht", ".shtml"}, markup.ParseHTML},
		{"xml", []string{".xml", ".rss", ".atom", ".opml", ".svg", ".plist", ".xsd", ".dita", ".tei", ".fb2", ".kml", ".gpx"}, markup.ParseXML},
		{"csv", []string{".csv", ".tsv", ".tab", ".psv"}, data.ParseCSV},
		{"json", []string{".json", ".json5", ".jsonc", ".geojson", ".webmanifest", ".har"}, data.ParseJSON},
		{"jsonl", []string{".jsonl", ".ndjson"}, data.ParseJSONLines},
		{"ipynb", []string{".ipynb"}, data.ParseNotebook},
		{"docx", []string{".docx", ".docm", ".dotx", ".dotm"}, office.Parse},
		{"pptx", []string{".pptx", ".pptm", ".ppsx", ".ppsm", ".potx", ".potm"}, office.Parse},
		{"xlsx", []string{".xlsx", ".xlsm", ".xltx", ".xltm", ".xlsb"}, office.Parse},
		{"odf", []string{".odt", ".ott", ".fodt", ".ods", ".ots", ".fods", ".odp", ".otp", ".fodp", ".odg"}, office.Parse},
		{"pdf", []string{".pdf"}, p.pdf.Parse},
		{"xls", []string{".xls", ".xlt", ".et"}, legacy.ParseXLS},
		{"doc", []string{".doc", ".dot", ".wps", ".wpt"}, legacy.ParseDOC},
		{"ppt", []string{".ppt", ".pps", ".pot", ".dps"}, legacy.ParsePPT},
		{"rtf", []string{".rtf"}, rtf.Parse},
		{"mail", []string{".eml"}, mail.Parse},
		{"mht", []string{".mht", ".mhtml"}, mail.ParseMHT},
		{"mbox", []string{".mbox"}, mail.ParseMbox},
		{"msg", []string{".msg"}, mail.ParseMSG},
		{"epub", []string{".epub"}, epub.Parse},
		{"picture", ocr.Extensions(), ocr.Parse},
		{"code", code.Extensions(), code.Parse},
	}
}

// formatOf finds the format that a source's name stands for.
func (p *Parser) formatOf(source string) (format, bool) {
	base := strings.ToLower(path.Base(source))
	if f, ok := p.byName[base]; ok {
		return f, true
	}
	f, ok := p.byExtension[path.Ext(base)]
	return f, ok
}

// maxNesting is how deep files inside files are read.
const maxNesting = 4

// Parse reads in as the format its extension names. Faults: format_unsupported
// {ext}, limit_bytes {limit, size}, and the format's own.
func (p *Parser) Parse(ctx context.Context, in rag.Input) (rag.Document, error) {
	return p.nested(ctx, in, 0)
}

func (p *Parser) nested(ctx context.Context, in rag.Input, level int) (rag.Document, error) {
	if err := ctx.Err(); err != nil {
		return rag.Document{}, err
	}
	f, ok := p.formatOf(in.Source)
	if !ok {
		return rag.Document{}, fault.New("format_unsupported",
			fault.P("ext", path.Ext(path.Base(in.Source))))
	}
	if size := int64(len(in.Bytes)); size > p.limits.Bytes {
		return rag.Document{}, fault.New("limit_bytes", fault.P("limit", p.limits.Bytes), fault.P("size", size))
	}
	if level > maxNesting {
		return rag.Document{}, fault.New("limit_depth", fault.P("limit", maxNesting))
	}
	return f.parse(ctx, in, guard.Env{Limits: p.limits, Cache: p.cache, OCR: p.ocr,
		Nested: func(ctx context.Context, in rag.Input) (rag.Document, error) {
			return p.nested(ctx, in, level+1)
		}})
}
