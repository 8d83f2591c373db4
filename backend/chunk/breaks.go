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
	next, _ := utf8.DecodeRuneInString(s[p:])
	last, _ := utf8.DecodeLastRuneInString(s[:p])
	if joins(last, next) {
		return never
	}
	before := strings.TrimRightFunc(s[max(0, p-16):p], unicode.IsSpace)
	gap := s[max(0, p-16)+len(before) : p]
	solid, _ := utf8.DecodeLastRuneInString(before)
	switch {
	case strings.ContainsAny(gap, "\n\r\f\v\u2028\u2029"),
		strings.ContainsRune("，、；：", solid),
		gap != "" && strings.ContainsRune(",;:", solid):
		return clause
	case gap == "" && isWordRune(solid) && isWordRune(next):
		return inWord
	}
	return word
}

// joins reports whether next belongs to the character that last is part of:
// combining and variation marks, emoji modifiers, what a joiner joins, and the
// second half of a line end. (A plain rule that needs no tables; flags of two
// regional indicators may be torn.)
func joins(last, next rune) bool {
	const joiner = '\u200d'
	return next == joiner || last == joiner || unicode.Is(unicode.M, next) ||
		0x1f3fb <= next && next <= 0x1f3ff || last == '\r' && next == '\n'
}

// isWordRune reports whether r is part of words that have several characters.
func isWordRune(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_') && !text.Han(r)
}

func sentenceStarts(s string) []int {
	var out []int
	for _, span := range text.Sentences(s) {
		out = append(out, span.Start)
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
	var out []rag.Span
	open, start := "", 0
	for at := 0; at < len(doc.Text); {
		end := len(doc.Text)
		if i := strings.IndexAny(doc.Text[at:], "\n\r"); i >= 0 {
			end = at + i + 1
		}
		line := strings.TrimSpace(doc.Text[at:end])
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
