package doctext

import (
	"strings"

	"ragdesk/backend/parse/charset"
	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// Append adds all of d, a document read from inside the one being built, such as
// an attachment or a chapter: its text block by block, its headings levels
// deeper (at most 6), its counts and its warnings. Pages of d are counted in
// Health but get no span, since they are no pages of the outer document. Text
// without blocks, such as plain text, becomes paragraphs.
func (b *Builder) Append(d rag.Document, levels int) {
	blocks := d.Blocks
	if len(blocks) == 0 {
		blocks = split(d)
	}
	titles := make(map[int]rag.Section, len(d.Sections))
	for _, s := range d.Sections {
		titles[s.Span.Start] = s
	}
	for _, block := range blocks {
		s, err := block.Span.Of(d.Text)
		if err != nil {
			continue
		}
		if h, ok := titles[block.Span.Start]; ok && block.Kind == rag.BlockHeading {
			b.Heading(h.Level+levels, h.Title)
			continue
		}
		span, ok := b.block(block.Kind, s)
		if ok && block.Header.Len() > 0 {
			b.blocks[len(b.blocks)-1].Header = rag.Span{
				Start: span.Start, End: min(span.Start+block.Header.Len(), span.End)}
		}
	}
	for _, w := range d.Warnings {
		// Document warns of these for the whole text.
		if w.Code != charset.WarnControl && w.Code != charset.WarnReplacement {
			b.warnings = append(b.warnings, w)
		}
	}
	b.count(d.Health)
}

// count adds the counts of a document inside this one; the least sure encoding
// is the document's.
func (b *Builder) count(h rag.Health) {
	if b.Health.Confidence == 0 || h.Confidence > 0 && h.Confidence < b.Health.Confidence {
		b.Health.Confidence = h.Confidence
	}
	b.Health.Pages += h.Pages
	b.Health.PagesWithText += h.PagesWithText
	b.Health.RowsRead += h.RowsRead
	b.Health.RowsKept += h.RowsKept
	b.Health.Tables += h.Tables
	b.Health.Images += h.Images
	b.Health.Repeated += h.Repeated
}

// split finds the blocks of a text that has none: the headings, and between them
// paragraphs parted by blank lines; a fenced code block is one.
func split(d rag.Document) []rag.Block {
	var blocks []rag.Block
	at := 0
	for _, h := range d.Sections {
		if h.Span.Start < at || h.Span.End > len(d.Text) {
			continue
		}
		blocks = append(blocks, paragraphs(d.Text, at, h.Span.Start)...)
		blocks = append(blocks, rag.Block{Kind: rag.BlockHeading, Span: h.Span})
		at = h.Span.End
	}
	return append(blocks, paragraphs(d.Text, at, len(d.Text))...)
}

// paragraphs finds the paragraphs of s[at:end].
func paragraphs(s string, at, end int) []rag.Block {
	var blocks []rag.Block
	var open rag.Span
	fence := ""
	add := func(kind rag.BlockKind, to int) {
		if open.End = to; !text.IsBlank(s[open.Start:open.End]) {
			blocks = append(blocks, rag.Block{Kind: kind, Span: open})
		}
		open.Start = to
	}
	for open.Start = at; at < end; {
		next := end
		if i := strings.IndexByte(s[at:end], '\n'); i >= 0 {
			next = at + i + 1
		}
		line := strings.TrimSpace(s[at:next])
		switch {
		case fence != "":
			if strings.HasPrefix(line, fence) {
				fence = ""
				add(rag.BlockCode, next)
			}
		case strings.HasPrefix(line, "```"), strings.HasPrefix(line, "~~~"):
			fence = line[:3]
			add(rag.BlockParagraph, at)
		case line == "":
			add(rag.BlockParagraph, next)
		}
		at = next
	}
	kind := rag.BlockParagraph
	if fence != "" {
		kind = rag.BlockCode
	}
	add(kind, end)
	return blocks
}
