package chunk

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// strength says how good a place is to break before.
type strength int8

const (
	never     strength = iota // would tear a character apart, or a heading off its text
	inWord                    // between two tokens of a word
	word                      // between words
	clause                    // after a comma or the like, or at a line's end
	sentence                  // between sentences
	paragraph                 // after a blank line
	heading                   // before a heading
)

// breaks returns the strength of each place at (ascending bytes of doc.Text)
// where a chunk may start.
func breaks(doc rag.Document, at []int) []strength {
	out := make([]strength, len(at))
	for i, p := range at {
		out[i] = local(doc.Text, p)
	}
	mark(doc.Text, at, out, sentenceStarts(doc.Text), sentence)
	mark(doc.Text, at, out, paragraphStarts(doc.Text), paragraph)
	var heads, bodies []int
	for _, s := range doc.Sections {
		heads, bodies = append(heads, s.Span.Start), append(bodies, s.Span.End)
	}
	mark(doc.Text, at, out, heads, heading)
	for _, i := range places(doc.Text, at, bodies) {
		out[i] = never // a heading stays with what follows it
	}
	return out
}

// mark raises the strength of the places that the positions stand for.
func mark(s string, at []int, out []strength, positions []int, to strength) {
	for _, i := range places(s, at, positions) {
		if out[i] != never {
			out[i] = max(out[i], to)
		}
	}
}

// places returns the indices of the places in at that the ascending positions
// stand for: the first one at or after a position with only space in between.
func places(s string, at, positions []int) []int {
	var out []int
	i := 0
	for _, p := range positions {
		for i < len(at) && at[i] < p {
			i++
		}
		if i < len(at) && strings.TrimSpace(s[p:at[i]]) == "" {
			out = append(out, i)
		}
	}
	return out
}

// local judges the place at p by the characters around it.
func local(s string, p int) strength {
	if p == 0 || p >= len(s) {
		return heading
	}
	if isPlain(s[p-1]) && isPlain(s[p]) {
		return inWord
	}
	next, _ := utf8.DecodeRuneInString(s[p:])
	last, _ := utf8.DecodeLastRuneInString(s[:p])
	if joins(last, next) {
		return never
	}
	if unicode.IsSpace(last) {
		return afterSpace(s[max(0, p-maxGap):p])
	}
	switch {
	case strings.ContainsRune("，、；：", last):
		return clause
	case isWordRune(last) && isWordRune(next):
		return inWord
	}
	return word
}

// maxGap is how many bytes of space are looked past for what stands before.
const maxGap = 16

// afterSpace judges a place that follows the space at the end of before.
func afterSpace(before string) strength {
	solid := strings.TrimRightFunc(before, unicode.IsSpace)
	if strings.ContainsAny(before[len(solid):], "\n\r\f\v\u2028\u2029") {
		return clause
	}
	if last, _ := utf8.DecodeLastRuneInString(solid); strings.ContainsRune(",;:，、；：", last) {
		return clause
	}
	return word
}

// isPlain reports whether b is an ASCII letter or digit.
func isPlain(b byte) bool {
	return 'a' <= b|0x20 && b|0x20 <= 'z' || '0' <= b && b <= '9'
}

// joins reports whether next belongs to the character that last is part of:
// combining and variation marks, emoji modifiers, what a joiner joins, and the
// second half of a line end. Flags, pairs of regional indicators, may be torn.
func joins(last, next rune) bool {
	const joiner = '\u200d'
	switch {
	case last == '\r' && next == '\n':
		return true
	case next < 0x300:
		return false
	case next < 0x2e80 || next > 0xd7ff:
		return next == joiner || last == joiner || unicode.Is(unicode.M, next) || 0x1f3fb <= next && next <= 0x1f3ff
	}
	return last == joiner || 0x302a <= next && next <= 0x302f || next == 0x3099 || next == 0x309a
}

// isWordRune reports whether r is part of words that have several characters.
func isWordRune(r rune) bool {
	if 0x4e00 <= r && r <= 0x9fff {
		return false
	}
	return r == '_' || unicode.IsLetter(r) && !text.Han(r) || unicode.IsDigit(r)
}

// sentenceStarts returns where sentences start. Emphasis marks of Markdown that
// touch the sentence before and no word belong to it.
func sentenceStarts(s string) []int {
	spans := text.Sentences(s)
	out := make([]int, len(spans))
	for i, span := range spans {
		out[i] = span.Start
		if i == 0 || s[span.Start] >= utf8.RuneSelf || !strings.ContainsRune("*_~`", rune(s[span.Start])) {
			continue
		}
		rest := strings.TrimLeft(s[span.Start:span.End], "*_~`")
		closing := rest == "" || strings.ContainsRune(" \t\r\n", rune(rest[0]))
		if closing && !strings.ContainsRune(" \t\r\n", rune(s[span.Start-1])) {
			out[i] = span.End - len(rest)
		}
	}
	return out
}

// paragraphStarts returns where text starts again after blank lines or a form
// feed.
func paragraphStarts(s string) []int {
	var out []int
	for at := 0; at < len(s); {
		i := strings.IndexAny(s[at:], "\n\f\r")
		if i < 0 {
			break
		}
		start := at + i
		rest := strings.TrimLeft(s[start:], " \t\r\n\f\u3000")
		at = len(s) - len(rest)
		gap := strings.ReplaceAll(s[start:at], "\r\n", "\n")
		if strings.Count(gap, "\n")+strings.Count(gap, "\r") > 1 || strings.Contains(gap, "\f") {
			out = append(out, at)
		}
	}
	return out
}

// fences returns the spans of the fenced code blocks of Markdown source.
func fences(doc rag.Document) []rag.Span {
	if doc.MediaType != "text/markdown" {
		return nil
	}
	return fencesOf(doc.Text)
}

// fencesOf returns the spans of the fenced blocks that are closed, whole lines.
func fencesOf(s string) []rag.Span {
	var out []rag.Span
	open, start := "", 0
	for at := 0; at < len(s); {
		end := nextLine(s, at, len(s))
		line := strings.TrimSpace(s[at:end])
		switch {
		case open == "":
			if open = fenceMark(line); open != "" {
				start = at
			}
		case strings.HasPrefix(line, open) && strings.Trim(line, open[:1]) == "":
			out, open = append(out, rag.Span{Start: start, End: end}), ""
		}
		at = end
	}
	return out
}

// fenceMark returns the run of ` or ~ that opens a fence, or "".
func fenceMark(line string) string {
	if !strings.HasPrefix(line, "```") && !strings.HasPrefix(line, "~~~") {
		return ""
	}
	run := line[:len(line)-len(strings.TrimLeft(line, line[:1]))]
	if run[0] == '`' && strings.Contains(line[len(run):], "`") {
		return ""
	}
	return run
}

// fenceOf returns the fence that p lies strictly inside, if any.
func fenceOf(fences []rag.Span, p int) (rag.Span, bool) {
	i := sort.Search(len(fences), func(i int) bool { return fences[i].End > p })
	if i < len(fences) && fences[i].Start < p {
		return fences[i], true
	}
	return rag.Span{}, false
}
