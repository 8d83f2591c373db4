package parse

import (
	"strings"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// markdownBlock is a kind of outermost block of Markdown source.
type markdownBlock int

const (
	blockNone markdownBlock = iota
	blockText
	blockQuote
	blockRule
	blockHTML
	blockHeading
	blockList
	blockTable
	blockCode
	blockIndented
)

// kind is what the block is in a document.
func (k markdownBlock) kind() rag.BlockKind {
	switch k {
	case blockHeading:
		return rag.BlockHeading
	case blockList:
		return rag.BlockList
	case blockTable:
		return rag.BlockTable
	case blockCode, blockIndented:
		return rag.BlockCode
	}
	return rag.BlockParagraph
}

// openBlock is a block whose end is not known yet.
type openBlock struct {
	kind markdownBlock
	span rag.Span
	// header is a table's, empty otherwise.
	header rag.Span
	// parted says that a blank line followed what was read of the block.
	parted bool
}

// start ends the open block and begins another. A setext heading and a table
// begin in the paragraph before them, of which the lines above remain.
func (s *scanner) start(kind markdownBlock, span rag.Span) {
	if s.open.kind != blockNone && span.Start < s.open.span.End {
		s.open.span.End = span.Start
	}
	s.finish()
	s.open = openBlock{kind: kind, span: span}
}

// extend makes the open block end at end.
func (s *scanner) extend(end int) { s.open.span.End, s.open.parted = end, false }

// finish ends the open block. Its blank ends belong to no block.
func (s *scanner) finish() {
	o := s.open
	s.open = openBlock{}
	if o.kind == blockNone {
		return
	}
	content := s.source[o.span.Start:o.span.End]
	if text.IsBlank(content) {
		return
	}
	o.span.End = o.span.Start + len(strings.TrimRight(content, " \t\r\n"))
	o.header.End = min(o.header.End, o.span.End)
	s.blocks = append(s.blocks, rag.Block{Kind: o.kind.kind(), Span: o.span, Header: o.header})
}

// container takes a line that starts a list item or belongs to a quote. Items of
// one list are one block, and so are the lines of a quote until a blank one.
func (s *scanner) container(line rag.Span) {
	kind := blockList
	if !s.inList {
		kind = blockQuote
	}
	if s.open.kind == kind && (kind == blockList || !s.open.parted) {
		s.extend(line.End)
		return
	}
	s.start(kind, line)
}

// startHTML begins a block of raw HTML; preformatted text is code.
func (s *scanner) startHTML(body string, line rag.Span) {
	kind := blockHTML
	if startsTag(strings.ToLower(body), "<pre") {
		kind = blockCode
	}
	s.start(kind, line)
}

// startsTable reports whether body is the rule under a table's header, which is
// the last line of the paragraph before and has as many cells.
func (s *scanner) startsTable(body string) bool {
	n := tableRule(body)
	if n == 0 {
		return false
	}
	end, _ := lineEnd(s.source, s.lastLine)
	return tableCells(s.source[s.lastLine:end]) == n
}

// table begins a table whose header and rule cover span; its rows start at next.
func (s *scanner) table(span rag.Span, next int) {
	s.start(blockTable, span)
	s.open.header = rag.Span{Start: span.Start, End: next}
	s.tables++
	s.rows++
}

// tableRule returns the number of cells of a rule such as "| --- | :-: |", or 0.
func tableRule(body string) int {
	if !strings.Contains(body, "|") && !strings.Contains(body, ":") || !strings.Contains(body, "-") ||
		strings.Trim(body, "|:- \t") != "" {
		return 0
	}
	cells := strings.Split(strings.Trim(strings.TrimSpace(body), "|"), "|")
	for _, c := range cells {
		c = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(c), ":"), ":")
		if c == "" || strings.Trim(c, "-") != "" {
			return 0
		}
	}
	return len(cells)
}

// tableCells counts the cells of a table's row.
func tableCells(line string) int {
	line = strings.TrimPrefix(strings.TrimSpace(line), "|")
	if strings.HasSuffix(line, "|") && !strings.HasSuffix(line, `\|`) {
		line = line[:len(line)-1]
	}
	return strings.Count(line, "|") - strings.Count(line, `\|`) + 1
}
