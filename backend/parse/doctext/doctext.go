// Package doctext builds a document's text from the structure that a parser
// reads: headings, paragraphs, lists, tables and code, written as Markdown, with
// the spans of sections, blocks and pages beside it.
//
// Invariants of what Document returns: Text is valid UTF-8 without a NUL; blocks
// are in text order, do not overlap, and hold all that is not blank; spans lie
// on rune boundaries; a table's rows are a line each.
//
//	var b doctext.Builder
//	b.Heading(1, "年假")
//	b.Table([][]string{{"工龄", "天数"}, {"1–10 年", "5"}}, 1)
//	doc, err := b.Document(in, env.Limits)
package doctext

import (
	"path"
	"strings"
	"unicode/utf8"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/charset"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// Builder collects a document. The zero value is ready; it is for one goroutine.
type Builder struct {
	// Health is what the parser counts; Document adds Garbled.
	Health rag.Health
	// Title, MediaType, Encoding and ParsedBy go to the document. Without a Title
	// it is the first heading or the file's name; without an Encoding, "UTF-8".
	Title, MediaType, Encoding, ParsedBy string

	out      strings.Builder
	sections []rag.Section
	blocks   []rag.Block
	pages    []rag.Span
	warnings []rag.Notice
	// paged says that pages[len-1] is open.
	paged bool
}

// Len is the number of bytes of text so far.
func (b *Builder) Len() int { return b.out.Len() }

// Warn adds a warning.
func (b *Builder) Warn(code, detail string) {
	b.warnings = append(b.warnings, rag.Notice{Code: code, Detail: detail})
}

// WarnAll adds warnings.
func (b *Builder) WarnAll(n []rag.Notice) { b.warnings = append(b.warnings, n...) }

// Page starts the next page, slide or sheet.
func (b *Builder) Page() {
	b.closePage()
	b.paged = true
	b.pages = append(b.pages, rag.Span{Start: -1})
}

func (b *Builder) closePage() {
	if !b.paged {
		return
	}
	p := &b.pages[len(b.pages)-1]
	b.Health.Pages++
	if p.Start < 0 {
		p.Start = b.out.Len()
	} else {
		b.Health.PagesWithText++
	}
	p.End = b.out.Len()
}

// block writes s as a block of its own; a blank s is nothing.
func (b *Builder) block(kind rag.BlockKind, s string) (span rag.Span, ok bool) {
	s = strings.Trim(clean(s), "\n")
	if text.IsBlank(s) {
		return rag.Span{}, false
	}
	if b.out.Len() > 0 {
		b.out.WriteString("\n\n")
	}
	span.Start = b.out.Len()
	b.out.WriteString(s)
	span.End = b.out.Len()
	if b.paged && b.pages[len(b.pages)-1].Start < 0 {
		b.pages[len(b.pages)-1].Start = span.Start
	}
	b.blocks = append(b.blocks, rag.Block{Kind: kind, Span: span})
	return span, true
}

// clean makes s valid UTF-8 with LF line ends, without NUL and without blanks at
// the ends of lines.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.ContainsAny(s, "\r\x00") {
		s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "").Replace(s)
	}
	if !strings.Contains(s, " \n") && !strings.Contains(s, "\t\n") {
		return strings.TrimRight(s, " \t")
	}
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \t")
	}
	return strings.Join(lines, "\n")
}

// Heading adds a heading of level 1 to 6 (clamped) and the section it starts; a
// blank title is nothing.
func (b *Builder) Heading(level int, title string) {
	title = strings.Join(strings.Fields(clean(title)), " ")
	level = min(max(level, 1), 6)
	if title == "" {
		return
	}
	span, _ := b.block(rag.BlockHeading, strings.Repeat("#", level)+" "+title)
	b.sections = append(b.sections, rag.Section{Level: level, Title: title, Span: span})
	if b.Title == "" {
		b.Title = title
	}
}

// Paragraph adds running text; line breaks inside it stay.
func (b *Builder) Paragraph(s string) { b.block(rag.BlockParagraph, s) }

// Item is an entry of a list.
type Item struct {
	// Depth is 0 for the outermost list.
	Depth int
	// Marker is "-" or a number such as "3."; "" means "-".
	Marker string
	Text   string
}

// List adds a list.
func (b *Builder) List(items []Item) {
	var s strings.Builder
	for _, it := range items {
		if text.IsBlank(it.Text) {
			continue
		}
		marker := it.Marker
		if marker == "" {
			marker = "-"
		}
		indent := strings.Repeat("  ", max(it.Depth, 0))
		s.WriteString(indent + marker + " ")
		s.WriteString(strings.ReplaceAll(strings.TrimSpace(clean(it.Text)), "\n", "\n"+indent+"  "))
		s.WriteByte('\n')
	}
	b.block(rag.BlockList, s.String())
}

// Code adds lines that stay as they are, fenced.
func (b *Builder) Code(language, s string) {
	if text.IsBlank(s) {
		return
	}
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	b.block(rag.BlockCode, fence+language+"\n"+strings.Trim(s, "\r\n")+"\n"+fence)
}

// Document ends the build. Faults: limit_text.
func (b *Builder) Document(in rag.Input, l guard.Limits) (rag.Document, error) {
	if int64(b.out.Len()) > l.Text {
		return rag.Document{}, fault.New("limit_text", fault.P("limit", l.Text))
	}
	b.closePage()
	b.paged = false
	s := b.out.String()
	b.Health.Garbled = charset.Garbled(s)
	if b.Health.Confidence == 0 {
		b.Health.Confidence = 1
	}
	d := rag.Document{
		Source: in.Source, Title: b.Title, MediaType: b.MediaType, Encoding: b.Encoding, ParsedBy: b.ParsedBy,
		Text: s, Language: text.Language(s), Sections: b.sections, Blocks: b.blocks, Pages: b.pages,
		Warnings: append(b.warnings, charset.Odd(s)...), Health: b.Health,
	}
	if d.Title == "" || !utf8.ValidString(d.Title) {
		d.Title = path.Base(in.Source)
	}
	if d.Encoding == "" {
		d.Encoding = "UTF-8"
	}
	return d, nil
}
