package parse

import (
	"context"
	"strings"

	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/rag"
)

// parseMarkdown reads Markdown: the text stays source, its headings become
// sections and the first one the title, and its blocks and the rows of its
// tables are found.
func parseMarkdown(_ context.Context, in rag.Input, _ guard.Env) (rag.Document, error) {
	d, err := doctext.Plain(in, "")
	if err != nil {
		return rag.Document{}, err
	}
	d.MediaType, d.ParsedBy = "text/markdown", "markdown/1"
	s := scan(d.Text)
	d.Sections, d.Blocks = s.sections, s.blocks
	d.Health.Tables, d.Health.RowsRead, d.Health.RowsKept = s.tables, s.rows, s.rows
	if len(d.Sections) > 0 {
		d.Title = d.Sections[0].Title
	}
	return d, nil
}

// scan finds the blocks of Markdown source and its ATX and setext headings by
// the rules of CommonMark's outermost blocks and GitHub's tables. Headings inside
// block quotes and list items structure no document and are left out, as is
// everything inside fenced and indented code, raw HTML blocks, HTML comments and
// front matter.
func scan(source string) scanner {
	s := scanner{source: source, lastClose: strings.LastIndex(source, "-->")}
	at := frontMatter(source)
	if at > 0 {
		s.start(blockCode, rag.Span{End: at})
	}
	for at < len(source) {
		end, next := lineEnd(source, at)
		s.line(at, end, next)
		at = next
	}
	s.finish()
	return s
}

// scanner is the state between two lines.
type scanner struct {
	source   string
	sections []rag.Section
	blocks   []rag.Block
	// open is the block being read, blockNone between blocks.
	open openBlock
	// tables and rows count what was found, headers included.
	tables, rows int
	// lastClose is where the last "-->" of source stands.
	lastClose int
	// fence is the marker that opened a code block, "" outside.
	fence string
	// until ends a raw HTML block, "" outside; blank is its other way to end.
	until string
	blank bool
	// paragraph covers the paragraph being read, if one is.
	paragraph   rag.Span
	inParagraph bool
	// lastLine is where the paragraph's last line starts.
	lastLine int
	// inList: the last block is a list; what is indented under it belongs to it.
	inList bool
	// lazy: the line before belongs to a quote or list item, and so does a line
	// of text that follows at once.
	lazy bool
}

// line takes the line [start, end) without its terminator; the next one starts
// at next.
func (s *scanner) line(start, end, next int) {
	full := s.source[start:end]
	indent, body := outdent(full)
	switch {
	case s.fence != "":
		if (indent < 4 || s.inList) && closesFence(body, s.fence) {
			s.fence = ""
		}
		s.extend(end)
	case s.until != "":
		if strings.Contains(strings.ToLower(full), s.until) {
			s.until = ""
		}
		s.extend(end)
	case s.blank:
		if s.blank = strings.TrimSpace(full) != ""; s.blank {
			s.extend(end)
		}
	case body == "":
		s.inParagraph, s.lazy, s.open.parted = false, false, true
	case s.inList && indent >= 2:
		s.fence = opensFence(body)
		s.extend(end)
	case indent >= 4:
		s.indented(start, end)
	default:
		s.block(rag.Span{Start: start, End: end}, next, body)
	}
}

// block takes a line that may start a block; body is its text without the
// indentation.
func (s *scanner) block(line rag.Span, next int, body string) {
	wasLazy, wasParagraph := s.lazy, s.inParagraph
	s.lazy, s.inParagraph = false, false
	bodyStart := line.End - len(body)
	switch level, title := atx(body); {
	case opensFence(body) != "":
		s.fence, s.inList = opensFence(body), false
		s.start(blockCode, line)
	case s.html(body):
		s.inList = false
		s.startHTML(body, line)
	case level > 0:
		s.inList = false
		s.heading(level, title, rag.Span{Start: bodyStart, End: line.End})
	case wasParagraph && underline(body) > 0:
		title := s.source[s.paragraph.Start:s.paragraph.End]
		s.heading(underline(body), strings.Join(strings.Fields(title), " "),
			rag.Span{Start: s.paragraph.Start, End: line.End})
	case wasParagraph && s.startsTable(body):
		s.table(rag.Span{Start: s.lastLine, End: line.End}, next)
	case thematic(body):
		s.inList = false
		s.start(blockRule, line)
	case container(body):
		s.inList, s.lazy = body[0] != '>', true
		s.container(line)
	case wasLazy:
		s.lazy = true
		s.extend(line.End)
	case s.open.kind == blockTable && !s.open.parted:
		s.rows++
		s.extend(line.End)
	default:
		s.inList, s.inParagraph = false, true
		s.text(bodyStart, line, wasParagraph)
		s.comment(line.Start, line.End)
	}
}

// text takes a line of a paragraph.
func (s *scanner) text(bodyStart int, line rag.Span, continues bool) {
	if continues {
		s.extend(line.End)
	} else {
		s.paragraph.Start = bodyStart
		s.start(blockText, line)
	}
	s.paragraph.End, s.lastLine = line.End, line.Start
}

// indented takes a line of indented code or of a paragraph.
func (s *scanner) indented(start, end int) {
	switch {
	case s.inParagraph:
		s.paragraph.End, s.lastLine = end, start
		s.extend(end)
	case s.lazy, s.open.kind == blockIndented, s.open.kind == blockTable && !s.open.parted:
		s.extend(end)
	default:
		s.start(blockIndented, rag.Span{Start: start, End: end})
	}
}

// heading adds a heading's block and, unless it is empty, its section.
func (s *scanner) heading(level int, title string, span rag.Span) {
	s.start(blockHeading, span)
	if title != "" {
		s.sections = append(s.sections, rag.Section{Level: level, Title: title, Span: span})
	}
}

// comment enters an HTML comment that opens inside a line of text and closes on
// a later one. One that never closes is no comment.
func (s *scanner) comment(start, end int) {
	open := strings.LastIndex(s.source[start:end], "<!--")
	if open < 0 || strings.Contains(s.source[start+open:end], "-->") {
		return
	}
	if s.lastClose >= end {
		s.until, s.inParagraph = "-->", false
	}
}

// html reports whether body starts a raw HTML block, and enters it unless the
// line ends it too.
func (s *scanner) html(body string) bool {
	if !strings.HasPrefix(body, "<") {
		return false
	}
	lower := strings.ToLower(body)
	for _, b := range rawBlocks {
		if startsTag(lower, b.open) {
			if !strings.Contains(lower[len(b.open):], b.close) {
				s.until = b.close
			}
			return true
		}
	}
	s.blank = blockTag(lower)
	return s.blank
}

// rawBlock is a kind of HTML block: what opens it and what ends it.
type rawBlock struct{ open, close string }

var rawBlocks = []rawBlock{
	{"<!--", "-->"},
	{"<?", "?>"},
	{"<![cdata[", "]]>"},
	{"<!doctype", ">"},
	{"<script", "</script>"},
	{"<pre", "</pre>"},
	{"<style", "</style>"},
	{"<textarea", "</textarea>"},
}

// blockTags start an HTML block that a blank line ends.
const blockTags = " address article aside blockquote body center details dialog dd div dl dt fieldset figcaption " +
	"figure footer form h1 h2 h3 h4 h5 h6 head header html li main nav ol p section summary table tbody td tfoot th " +
	"thead title tr ul "

// blockTag reports whether line opens or closes one of blockTags.
func blockTag(line string) bool {
	name := strings.TrimPrefix(strings.TrimPrefix(line, "<"), "/")
	if end := strings.IndexAny(name, " \t/>"); end >= 0 {
		name = name[:end]
	}
	return name != "" && strings.Contains(blockTags, " "+name+" ")
}

// startsTag reports whether line begins with open and, for a tag's name, with
// nothing more of a name after it.
func startsTag(line, open string) bool {
	rest, ok := strings.CutPrefix(line, open)
	if !ok {
		return false
	}
	last := open[len(open)-1]
	isName := 'a' <= last && last <= 'z' || '0' <= last && last <= '9'
	return !isName || rest == "" || strings.ContainsRune(" \t/>", rune(rest[0]))
}

// atx returns the level and title of "# title", or level 0.
func atx(body string) (level int, title string) {
	for level < len(body) && body[level] == '#' {
		level++
	}
	rest := body[level:]
	if level < 1 || level > 6 || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return 0, ""
	}
	title = strings.TrimSpace(rest)
	if closed := strings.TrimRight(title, "#"); closed == "" || strings.HasSuffix(closed, " ") ||
		strings.HasSuffix(closed, "\t") {
		title = strings.TrimSpace(closed)
	}
	return level, title
}

// underline returns the level of a setext underline, or 0.
func underline(body string) int {
	line := strings.TrimRight(body, " \t")
	switch {
	case line == "":
		return 0
	case strings.Trim(line, "=") == "":
		return 1
	case strings.Trim(line, "-") == "":
		return 2
	}
	return 0
}

// thematic reports whether body is a thematic break.
func thematic(body string) bool {
	line := strings.NewReplacer(" ", "", "\t", "").Replace(body)
	if len(line) < 3 || !strings.ContainsRune("*-_", rune(line[0])) {
		return false
	}
	return strings.Trim(line, line[:1]) == ""
}

// container reports whether body starts a block quote or a list item.
func container(body string) bool {
	if body == "" {
		return false
	}
	var rest string
	switch c := body[0]; {
	case c == '>':
		return true
	case c == '-' || c == '*' || c == '+':
		rest = body[1:]
	case '0' <= c && c <= '9':
		digits := strings.TrimLeft(body, "0123456789")
		if digits == "" || len(body)-len(digits) > 9 || digits[0] != '.' && digits[0] != ')' {
			return false
		}
		rest = digits[1:]
	default:
		return false
	}
	return rest == "" || rest[0] == ' ' || rest[0] == '\t'
}

// opensFence returns the run of ` or ~ that opens a code block, or "".
func opensFence(body string) string {
	if body == "" || body[0] != '`' && body[0] != '~' {
		return ""
	}
	rest := strings.TrimLeft(body, body[:1])
	run := body[:len(body)-len(rest)]
	if len(run) < 3 || run[0] == '`' && strings.Contains(rest, "`") {
		return ""
	}
	return run
}

func closesFence(body, fence string) bool {
	line := strings.TrimRight(body, " \t")
	return len(line) >= len(fence) && strings.Trim(line, fence[:1]) == ""
}

// outdent returns the width of a line's indentation and the rest of the line.
func outdent(line string) (indent int, body string) {
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			indent++
		case '\t':
			indent += 4 - indent%4
		default:
			return indent, line[i:]
		}
	}
	return indent, ""
}

// frontMatter returns where the text after YAML or TOML front matter starts.
func frontMatter(source string) int {
	end, at := lineEnd(source, 0)
	marker := strings.TrimRight(source[:end], " \t")
	if marker != "---" && marker != "+++" {
		return 0
	}
	for first := true; at < len(source); first = false {
		end, next := lineEnd(source, at)
		line := strings.TrimRight(source[at:end], " \t")
		if line == marker || marker == "---" && line == "..." {
			return next
		}
		if first && line == "" {
			return 0 // a thematic break
		}
		at = next
	}
	return 0
}

// lineEnd returns the end of the line at start without its terminator, and the
// start of the next line. Lines end in LF, CR LF or CR.
func lineEnd(s string, start int) (end, next int) {
	i := strings.IndexAny(s[start:], "\r\n")
	if i < 0 {
		return len(s), len(s)
	}
	end = start + i
	if strings.HasPrefix(s[end:], "\r\n") {
		return end, end + 2
	}
	return end, end + 1
}
