// Package parse reads bytes into documents.
//
// The formats are a closed list, one file each; a source's extension chooses.
// The character encoding is found by evidence over the whole content, or forced,
// and always reported. Invariants of a document it returns: Text is valid UTF-8
// and is what was read, without the byte-order mark and otherwise unchanged;
// section spans lie within Text on rune boundaries, in order; a doubtful reading
// carries a warning.
//
//	p := parse.New(parse.Options{})
//	doc, err := p.Parse(ctx, rag.Input{Source: "handbook.md", Bytes: b})
//
// Faults: format_unsupported, limit_bytes, binary_content, encoding_unknown,
// encoding. Warnings: encoding_uncertain, control_chars, replacement_chars.
package parse

import (
	"context"
	"path"
	"strings"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// DefaultLimitBytes is the largest file read unless Options says otherwise.
const DefaultLimitBytes = 64 << 20

// Codes of the warnings a document may carry.
const (
	// WarnUncertain: another encoding is nearly as plausible, or the evidence is
	// short. The detail names both and their scores.
	WarnUncertain = "encoding_uncertain"
	// WarnControl: the text holds control characters; the detail counts them.
	WarnControl = "control_chars"
	// WarnReplacement: the text holds U+FFFD, a trace of damage done before.
	WarnReplacement = "replacement_chars"
)

// Options are the limits of a Parser.
type Options struct {
	// LimitBytes is the largest content accepted; 0 means DefaultLimitBytes.
	LimitBytes int64
}

// Parser reads every known format. It is safe for concurrent use.
type Parser struct{ limit int64 }

var _ rag.Parser = (*Parser)(nil)

// New returns a parser with the given limits.
func New(o Options) *Parser {
	if o.LimitBytes <= 0 {
		o.LimitBytes = DefaultLimitBytes
	}
	return &Parser{limit: o.LimitBytes}
}

// format is one entry of the closed list.
type format struct {
	name       string
	extensions []string
	parse      func(in rag.Input) (rag.Document, error)
}

func formats() []format {
	return []format{
		{name: "text", extensions: []string{".txt", ".text", ".log", ""}, parse: parsePlain},
		{name: "markdown", extensions: []string{".md", ".markdown"}, parse: parseMarkdown},
	}
}

// Format returns the name of the format that source's extension stands for, such
// as "text" or "markdown"; ok is false when it is not read.
func Format(source string) (name string, ok bool) {
	f, ok := formatOf(source)
	return f.name, ok
}

func formatOf(source string) (format, bool) {
	ext := strings.ToLower(path.Ext(path.Base(source)))
	for _, f := range formats() {
		for _, e := range f.extensions {
			if e == ext {
				return f, true
			}
		}
	}
	return format{}, false
}

// Parse reads in as the format its extension names. Faults: format_unsupported
// {ext}, limit_bytes {limit, size}, binary_content {kind}, encoding_unknown
// {encoding, known}, encoding {encoding, offset}.
func (p *Parser) Parse(ctx context.Context, in rag.Input) (rag.Document, error) {
	if err := ctx.Err(); err != nil {
		return rag.Document{}, err
	}
	f, ok := formatOf(in.Source)
	if !ok {
		return rag.Document{}, fault.New("format_unsupported",
			fault.P("ext", path.Ext(path.Base(in.Source))))
	}
	if size := int64(len(in.Bytes)); size > p.limit {
		return rag.Document{}, fault.New("limit_bytes", fault.P("limit", p.limit), fault.P("size", size))
	}
	return f.parse(in)
}
