// Package guard bounds what a file can make a parser do: bytes, inflated size
// and ratio, pages, nesting, cells and text, each with its fault. Time and
// memory are bounded from outside, by the process a parser runs in.
//
//	z, err := guard.OpenZip(in.Bytes, env.Limits)
//	xml := guard.NewXML(r, env.Limits)
//
// Faults: limit_bytes {limit, size}, limit_inflated {limit}, limit_ratio {limit,
// part}, limit_pages {limit, pages}, limit_depth {limit}, limit_entities,
// limit_cells {limit}, limit_text {limit}, corrupt {format, reason}, password.
package guard

import (
	"context"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// Limits are what one file may cost. Zero in a field means its default.
type Limits struct {
	// Bytes is the largest file.
	Bytes int64
	// Inflated is how many bytes a file may unpack to in all.
	Inflated int64
	// Ratio is how many times its packed size a part may unpack to; parts below
	// 1 MiB unpacked are not held to it.
	Ratio int64
	// Pages is the most pages, slides or sheets.
	Pages int
	// Depth is the deepest nesting of elements, lists, tables, archives and mails.
	Depth int
	// Cells is the most cells of a spreadsheet that hold something.
	Cells int
	// Text is the most bytes of text taken from a file.
	Text int64
}

// Defaults returns the limits that hold unless a user raises them.
func Defaults() Limits {
	return Limits{Bytes: 64 << 20, Inflated: 512 << 20, Ratio: 1000, Pages: 5000, Depth: 256, Cells: 5_000_000, Text: 64 << 20}
}

// Filled returns l with its zero fields at their defaults.
func (l Limits) Filled() Limits {
	d := Defaults()
	fill(&l.Bytes, d.Bytes)
	fill(&l.Inflated, d.Inflated)
	fill(&l.Ratio, d.Ratio)
	fill(&l.Pages, d.Pages)
	fill(&l.Depth, d.Depth)
	fill(&l.Cells, d.Cells)
	fill(&l.Text, d.Text)
	return l
}

func fill[T int | int64](v *T, standard T) {
	if *v <= 0 {
		*v = standard
	}
}

// Env is what a format's parser gets beside the file.
type Env struct {
	Limits Limits
	// Nested reads a file inside the file, such as a mail's attachment, by the
	// same rules and one level deeper; its faults are the inner file's.
	Nested func(ctx context.Context, in rag.Input) (rag.Document, error)
	// Cache is a folder for what is costly to compute, "" for none.
	Cache string
	// OCR says that the text in pictures is to be read where the machine can.
	OCR bool
}

// Corrupt is the fault for a file that is not what its format demands.
func Corrupt(format string, reason error) error {
	return fault.Wrap(reason, "corrupt", fault.P("format", format), fault.P("reason", reason))
}

// Password is the fault for a file that is encrypted.
func Password(format string) error { return fault.New("password", fault.P("format", format)) }
