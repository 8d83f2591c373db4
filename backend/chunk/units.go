package chunk

import (
	"strings"
	"unicode"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// cut says how good the start of a unit is to break before.
type cut int8

const (
	cutPart   cut = 0  // inside a sentence or line that is too long
	cutLine   cut = 1  // before a line that hangs on the one before; up to cutFine the better the higher
	cutFine   cut = 9  // between the sentences, lines or rows of a unit
	cutUnit   cut = 10 // between units
	cutGroup  cut = 11 // between groups of units: topics, tables, small sections
	cutAlways cut = 12 // no chunk reaches across
)

// unit is a stretch of text that a chunk keeps whole if it fits.
type unit struct {
	// start is its first byte; a unit ends where the next one starts.
	start int
	// weight is its tokens in the document.
	weight int
	cut    cut
	// level is the rank of the heading that opens the unit's group; 0 is above all.
	level int
	// path is the headings above it, outermost first.
	path []string
	// split finds the finer units of a unit that is too long; nil if there are none
	// but tokens.
	split splitter
	// prose: split finds sentences, which the next chunk may repeat.
	prose bool
	// table tells the tables of a document apart; empty for other units.
	table string
}

// splitter returns the finer units of span, the first one at its start.
type splitter func(s string, span rag.Span) []unit

// tidy makes units, in text order, tile s: each has its weight, the first starts
// the text, and none is blank.
func tidy(p *pieces, units []unit) []unit {
	if len(units) == 0 { // a program of comments alone
		units = []unit{{split: byLines(0, bySentences, sameLine)}}
	}
	out := units[:0]
	for i, u := range units {
		end := len(p.text)
		if i+1 < len(units) {
			end = units[i+1].start
		}
		switch {
		case end <= u.start:
			continue
		case text.IsBlank(p.text[u.start:end]):
			if len(out) == 0 && i+1 < len(units) {
				units[i+1].start = u.start
			}
			continue
		case len(out) == 0:
			u.start = 0
		}
		out = append(out, u)
	}
	for i := range out {
		out[i].weight = p.weight(out[i].start, unitEnd(out, i, len(p.text)))
	}
	return out
}

// unitEnd returns where unit i ends in a text of n bytes.
func unitEnd(units []unit, i, n int) int {
	if i+1 < len(units) {
		return units[i+1].start
	}
	return n
}

// mergeSmall lets a chunk reach across the start of a group if both the group and
// what it would join weigh less than least, together at most most, and the group's
// level is not above the one it would join.
func mergeSmall(units []unit, least, most int) {
	weight, level := 0, 0
	for i := 0; i < len(units); {
		next, own := i+1, units[i].weight
		for ; next < len(units) && units[next].cut != cutAlways; next++ {
			own += units[next].weight
		}
		if i > 0 && weight < least && own < least && weight+own <= most && units[i].level >= level {
			units[i].cut = cutGroup
			weight += own
		} else {
			weight, level = own, units[i].level
		}
		i = next
	}
}

// bySentences splits at sentences.
func bySentences(s string, span rag.Span) []unit {
	starts := sentenceStarts(s[span.Start:span.End])
	out := make([]unit, len(starts))
	for i, at := range starts {
		out[i] = unit{start: span.Start + at, cut: cutFine}
	}
	return out
}

// byLines returns a splitter at the lines that show something, each as good a
// place as rate says of it and of its distance in lines from the one before. The
// lines up to the byte body stay with the first one after it.
func byLines(body int, inner splitter, rate func(line string, blank bool) cut) splitter {
	return func(s string, span rag.Span) []unit {
		out := []unit{{start: span.Start, split: inner}}
		blank := false
		for at := span.Start; at < span.End; {
			end := nextLine(s, at, span.End)
			line := s[at:end]
			switch {
			case text.IsBlank(line):
				blank = true
			case at > body && at > span.Start:
				out = append(out, unit{start: at, cut: rate(line, blank), split: inner})
				fallthrough
			default:
				blank = false
			}
			at = end
		}
		return out
	}
}

// nextLine returns where the line after the one at byte at starts, at most limit.
func nextLine(s string, at, limit int) int {
	i := strings.IndexAny(s[at:limit], "\n\r")
	switch {
	case i < 0:
		return limit
	case s[at+i] == '\r' && at+i+1 < limit && s[at+i+1] == '\n':
		return at + i + 2
	}
	return at + i + 1
}

// sameLine rates all lines alike.
func sameLine(string, bool) cut { return cutFine }

// rowLine rates the rows of a table alike, and so that none is repeated.
func rowLine(string, bool) cut { return cutFine - 1 }

// codeLine rates lines of code: the less indented the better, better after a
// blank line, and not before what closes or continues a block.
func codeLine(line string, blank bool) cut {
	indent, body := indentation(line)
	if closesBlock(body) {
		return cutPart
	}
	c := cutFine - 1 - cut(min(indent/2, int(cutFine-1-cutLine)))
	if blank && c < cutFine {
		c++
	}
	return c
}

// indentation returns the columns of a line's indentation, a tab counting up to
// the next multiple of four, and the rest of the line without space around it.
func indentation(line string) (columns int, body string) {
	for i, r := range line {
		switch {
		case r == ' ':
			columns++
		case r == '\t':
			columns += 4 - columns%4
		case unicode.IsSpace(r):
		default:
			return columns, strings.TrimRightFunc(line[i:], unicode.IsSpace)
		}
	}
	return columns, ""
}

// closesBlock reports whether a line of code ends a block or goes on with its
// statement, so that it does not stand well at the start of a chunk.
func closesBlock(body string) bool {
	if body == "" || strings.IndexByte("})]>,.;", body[0]) >= 0 {
		return true
	}
	word := body
	if i := strings.IndexFunc(body, func(r rune) bool { return !unicode.IsLetter(r) }); i >= 0 {
		word = body[:i]
	}
	switch word {
	case "end", "else", "elif", "elsif", "elseif", "except", "finally", "catch", "rescue", "ensure", "fi", "done", "esac", "then", "do":
		return true
	}
	return false
}
