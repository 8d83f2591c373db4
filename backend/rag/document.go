// Package rag holds the domain of ragdesk: documents, chunks, hits, pipelines,
// the ordering rule, and the ports through which the layers above reach parsers,
// chunkers, embedders, indexes, rerankers and generators.
//
// It imports nothing but the standard library and package fault. Every offset in
// Go is a half-open range of bytes; Points converts to the Unicode code points
// that leave the program.
package rag

import (
	"fmt"
	"unicode/utf8"
)

// DocumentID names a document within its library; hexadecimal or, for imported
// chunk lists, the id that was given.
type DocumentID string

// ChunkID names a chunk within its library. Equal scores are ordered by it.
type ChunkID string

// Span is the half-open range [Start, End) of bytes in a document's text, both
// ends on rune boundaries. Fields that hold code points say so.
type Span struct{ Start, End int }

// Len returns the number of bytes (or points) covered.
func (s Span) Len() int { return s.End - s.Start }

// Contains reports whether s covers all of t.
func (s Span) Contains(t Span) bool { return s.Start <= t.Start && t.End <= s.End }

// Overlaps reports whether s and t share at least one position.
func (s Span) Overlaps(t Span) bool { return s.Start < t.End && t.Start < s.End }

// Of returns text[s.Start:s.End], or an error when s does not fit text.
func (s Span) Of(text string) (string, error) {
	if s.Start < 0 || s.End < s.Start || s.End > len(text) {
		return "", fmt.Errorf("span [%d,%d) outside text of %d bytes", s.Start, s.End, len(text))
	}
	return text[s.Start:s.End], nil
}

// Points converts byte spans of text to spans of Unicode code points. It is the
// one place where offsets are converted. Invalid UTF-8 counts one point a byte,
// as a Go range loop does. It panics if a span lies outside text or off a rune
// boundary, since only broken code can make such a span.
func Points(text string, spans []Span) []Span {
	out := make([]Span, len(spans))
	at, points := 0, 0
	advance := func(to int) int {
		if to < at {
			at, points = 0, 0
		}
		points += utf8.RuneCountInString(text[at:to])
		at = to
		return points
	}
	for i, s := range spans {
		start := advance(s.Start)
		out[i] = Span{start, start + utf8.RuneCountInString(text[s.Start:s.End])}
	}
	return out
}

// BytesOf converts a span of code points to the bytes it covers in text; ok is
// false when it does not fit.
func BytesOf(text string, points Span) (s Span, ok bool) {
	if points.Start < 0 || points.End < points.Start {
		return Span{}, false
	}
	n, start := 0, -1
	for i := range text {
		if n == points.Start {
			start = i
		}
		if n == points.End {
			return Span{start, i}, true
		}
		n++
	}
	if n == points.Start {
		start = len(text)
	}
	return Span{start, len(text)}, n == points.End && start >= 0
}

// Document is a source as it was read. Text is unfolded: for plain text and
// Markdown the decoded characters without the byte-order mark and nothing else
// changed.
type Document struct {
	ID DocumentID
	// Source is the path as given joined with the path inside it, '/'-separated.
	Source string
	// Title is the first heading or, without one, the file's name.
	Title     string
	MediaType string
	// Encoding is the name of the character encoding the bytes were read in.
	Encoding string
	// Language is "zh", "en" or "" when the text shows neither.
	Language string
	Text     string
	// Sections are headings in text order.
	Sections []Section
	// Pages are the spans of the document's pages; empty when it has none.
	Pages []Span
	// Blocks are the units of the text's structure in text order, not overlapping;
	// what lies between two of them is blank. Empty when the format has none.
	Blocks   []Block
	ParsedBy string
	// Health tells how completely the source was read.
	Health Health
	// Warnings tell what the reader should know of how the text was got.
	Warnings []Notice
}

// Section is a heading and where its section starts.
type Section struct {
	// Level is 1 for the outermost heading.
	Level int
	Title string
	// Span covers the heading's own line or lines.
	Span Span
}

// BlockKind names a unit of structure.
type BlockKind string

// The kinds of block.
const (
	BlockParagraph BlockKind = "paragraph"
	BlockHeading   BlockKind = "heading"
	BlockList      BlockKind = "list"
	// BlockTable is a Markdown table: a row a line, without line breaks in cells.
	BlockTable BlockKind = "table"
	// BlockCode is text whose lines must stay as they are, fences included.
	BlockCode BlockKind = "code"
)

// Block is a unit of structure that a chunker keeps whole where it can.
type Block struct {
	Kind BlockKind
	Span Span
	// Header covers a table's header rows and the rule under them, from the start
	// of Span; empty for other kinds and for a table without header.
	Header Span
}

// Health is what a reader of a document's text should know of its source. A
// count that a format does not have is 0.
type Health struct {
	// Confidence is how sure the character encoding is, in [0, 1]; 1 where the
	// source states it beyond doubt.
	Confidence float64 `json:"encoding_confidence"`
	// Pages counts pages, slides or sheets; PagesWithText those that gave text.
	Pages         int `json:"pages"`
	PagesWithText int `json:"pages_with_text"`
	// RowsRead counts the rows of tables and records found, RowsKept those in the
	// text.
	RowsRead int `json:"rows_read"`
	RowsKept int `json:"rows_kept"`
	Tables   int `json:"tables"`
	// Images counts pictures whose content is not in the text.
	Images int `json:"images"`
	// Repeated counts lines dropped because they repeat on many pages: headers,
	// footers, page numbers.
	Repeated int `json:"repeated_lines"`
	// Garbled is the share of characters without meaning, in [0, 1]: U+FFFD,
	// private use, unassigned, and control characters.
	Garbled float64 `json:"garbled"`
}

// Notice is a warning with a stable code and a detail without language.
type Notice struct {
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

// Chunk is a piece of a document: doc.Text[Span] == Text.
type Chunk struct {
	ID      ChunkID
	DocID   DocumentID
	Ordinal int
	Span    Span
	// Points is Span in code points of the document's text.
	Points Span
	// Headings is the path of headings above the chunk, outermost first.
	Headings []string
	// Parent is the passage that the prompt shows for the chunk: bytes of the
	// document's text that contain Span. Empty when it is the chunk itself.
	Parent Span
	Text   string
	// Tokens counts content tokens of the library's embedder; 0 when not counted.
	Tokens int
}
