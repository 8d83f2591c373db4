package chunk

import (
	"strings"
	"unicode"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// solid returns where what shows something starts at or after byte at.
func solid(s string, at int) int {
	if i := strings.IndexFunc(s[at:], func(r rune) bool { return !unicode.IsSpace(r) }); i >= 0 {
		return at + i
	}
	return len(s)
}

// structure returns the blocks of doc in text order: its headings, and what lies
// between them as the parser found it or, without a parser's blocks, by blank
// lines, fences and pipe tables. All text that shows something is in a block.
func structure(doc rag.Document) []rag.Block {
	found := doc.Blocks
	if len(found) == 0 {
		found = derive(doc.Text)
	}
	b := blocks{text: doc.Text}
	next := 0
	for _, s := range doc.Sections {
		for ; next < len(found) && found[next].Span.Start < s.Span.Start; next++ {
			b.add(clip(found[next], b.end, s.Span.Start))
			if found[next].Span.End > s.Span.Start {
				break // goes on behind the heading
			}
		}
		b.fill(s.Span.Start)
		b.add(rag.Block{Kind: rag.BlockHeading, Span: s.Span})
	}
	for ; next < len(found); next++ {
		b.add(clip(found[next], b.end, len(doc.Text)))
	}
	b.fill(len(doc.Text))
	return b.list
}

// blocks collects blocks so that they neither overlap nor leave text out.
type blocks struct {
	text string
	list []rag.Block
	end  int // of the last one
}

// add appends block, unless it is empty or lies before the end.
func (b *blocks) add(block rag.Block) {
	if block.Span.Start < b.end || block.Span.End > len(b.text) || block.Span.Len() <= 0 {
		return
	}
	b.fill(block.Span.Start)
	b.list = append(b.list, block)
	b.end = block.Span.End
}

// fill makes a paragraph of what shows something before byte at.
func (b *blocks) fill(at int) {
	if at <= b.end {
		return
	}
	if !text.IsBlank(b.text[b.end:at]) {
		b.list = append(b.list, rag.Block{Kind: rag.BlockParagraph, Span: rag.Span{Start: b.end, End: at}})
	}
	b.end = at
}

// clip returns what of block lies in [start, end).
func clip(block rag.Block, start, end int) rag.Block {
	block.Span.Start, block.Span.End = max(block.Span.Start, start), min(block.Span.End, end)
	if h := block.Header; h.Len() < 0 || h.Start != block.Span.Start || h.End > block.Span.End {
		block.Header = rag.Span{}
	}
	return block
}

// derive finds the paragraphs, closed fences and pipe tables of a text.
func derive(s string) []rag.Block {
	var out []rag.Block
	fenced := fencesOf(s)
	var open rag.Block // the block being read, empty outside
	flush := func() {
		if open.Span.Len() > 0 {
			out = append(out, open)
		}
		open = rag.Block{}
	}
	for at := 0; at < len(s); {
		if len(fenced) > 0 && fenced[0].Start == at {
			flush()
			out = append(out, rag.Block{Kind: rag.BlockCode, Span: fenced[0]})
			at, fenced = fenced[0].End, fenced[1:]
			continue
		}
		end := nextLine(s, at, len(s))
		line := strings.TrimSpace(s[at:end])
		row := strings.HasPrefix(line, "|") && strings.Count(line, "|") > 1
		switch {
		case text.IsBlank(line):
			flush()
		case open.Kind == rag.BlockTable && row, open.Kind == rag.BlockParagraph && !row:
			if open.Kind == rag.BlockTable && isRule(line) && strings.Count(s[open.Span.Start:at], "\n") == 1 {
				open.Header = rag.Span{Start: open.Span.Start, End: end}
			}
			open.Span.End = end
		default:
			flush()
			open = rag.Block{Kind: rag.BlockParagraph, Span: rag.Span{Start: at, End: end}}
			if row {
				open.Kind = rag.BlockTable
			}
		}
		at = end
	}
	flush()
	return out
}

// isRule reports whether a line is the rule under a table's header.
func isRule(line string) bool {
	return strings.Contains(line, "-") && strings.Trim(line, "|-: \t") == ""
}
