package chunk

import (
	"strings"

	"ragdesk/backend/rag"
)

// headingRule packs the blocks of one section. Neighbouring sections that fit a
// chunk together share one, a section with its sub-sections or with those beside
// it, but not with what comes after its parent: a chunk for each small section
// ranked clearly worse on the sample library (docs/benchmarks.md). Code and tables
// are only broken if they do not fit alone.
func headingRule() rule {
	return rule{name: "headings/2", repeat: true, units: headingUnits}
}

// headingUnits returns the blocks of doc, each heading with what follows it.
func headingUnits(doc rag.Document, p *pieces, c tokens) []unit {
	units := tidy(p, blockUnits(doc, p, c.size))
	mergeSmall(units, c.size, c.size)
	return units
}

// tableRule packs the rows of a table with its header: parsers repeat the header
// in each group of rows, and chunks hold whole groups. Nothing is repeated; a
// sheet or section starts a chunk, a table preferably.
func tableRule() rule {
	return rule{name: "table/1", units: func(doc rag.Document, p *pieces, c tokens) []unit {
		units := blockUnits(doc, p, c.size)
		for i := range units {
			if units[i].cut == cutUnit && units[i].table != "" && (i == 0 || units[i-1].table != units[i].table) {
				units[i].cut = cutGroup
			}
		}
		return units
	}}
}

// blockUnits returns the blocks of doc as units, each heading with what follows.
func blockUnits(doc rag.Document, p *pieces, size int) []unit {
	b := blockWalk{pieces: p, size: size, path: headingPath{sections: doc.Sections}}
	next := 0
	for _, block := range structure(doc) {
		for next < len(doc.Sections) && doc.Sections[next].Span.Start < block.Span.Start {
			next++
		}
		level := 0
		if next < len(doc.Sections) && doc.Sections[next].Span.Start == block.Span.Start {
			level = max(1, doc.Sections[next].Level)
		}
		b.block(block, level)
	}
	b.heading(len(doc.Text))
	return b.units
}

// blockWalk makes units of blocks in text order.
type blockWalk struct {
	*pieces
	size  int
	path  headingPath
	units []unit
	// open: headings were read that wait for what follows; head is their unit.
	open bool
	head unit
}

// block takes the next block; level is above 0 for a heading of the document.
func (b *blockWalk) block(block rag.Block, level int) {
	path := b.path.at(block.Span.Start)
	if level > 0 || block.Kind == rag.BlockHeading {
		if !b.open {
			b.head = unit{start: block.Span.Start, cut: cutGroup, level: level}
		}
		if level > 0 {
			b.head.cut = cutAlways
		}
		b.open, b.head.path = true, path
		return
	}
	rigid := block.Kind == rag.BlockCode || block.Kind == rag.BlockTable
	if b.open && rigid && b.weight(b.head.start, block.Span.End) > b.size && b.weight(block.Span.Start, block.Span.End) <= b.size {
		b.heading(block.Span.Start)
	}
	u := unit{start: block.Span.Start, cut: cutUnit, path: path}
	if b.open {
		u.start, u.cut, u.level = b.head.start, b.head.cut, b.head.level
	}
	u.split, u.prose = blockSplitter(block), !rigid && block.Kind != rag.BlockList
	if block.Kind == rag.BlockTable {
		u.table = strings.TrimSpace(b.text[block.Header.Start:block.Header.End])
		if u.table == "" {
			u.table = "without header"
		}
	}
	b.open = false
	b.units = append(b.units, u)
}

// heading makes a unit of headings that nothing follows before byte end.
func (b *blockWalk) heading(end int) {
	if b.open && b.head.start < end {
		b.head.split = byLines(b.head.start, bySentences, sameLine)
		b.units = append(b.units, b.head)
	}
	b.open = false
}

// blockSplitter says how a block is split that does not fit alone; what is glued
// before it, headings and a table's header, stays with its first part.
func blockSplitter(block rag.Block) splitter {
	start := block.Span.Start
	switch block.Kind {
	case rag.BlockTable:
		return byLines(max(start, block.Header.End), nil, rowLine)
	case rag.BlockCode:
		return byLines(start, nil, codeLine)
	case rag.BlockList:
		return byLines(start, bySentences, itemLine)
	}
	return func(s string, span rag.Span) []unit {
		out := bySentences(s, span)
		for len(out) > 1 && out[1].start <= start {
			out = append(out[:1], out[2:]...) // a heading is a sentence of its own
		}
		return out
	}
}

// itemLine rates the lines of a list: between items rather than inside one.
func itemLine(line string, _ bool) cut {
	indent, body := indentation(line)
	if mark := strings.TrimLeft(body, "0123456789"); mark == "" || !strings.ContainsRune("-*+.)•·、（(", []rune(mark)[0]) {
		return cutLine
	}
	return cutFine - cut(min(indent/2, 3))
}
