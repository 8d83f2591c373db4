package chunk

import (
	"slices"
	"strings"

	"ragdesk/backend/text"
)

// itemKind is what a statement of a program declares.
type itemKind uint8

const (
	itemOther itemKind = iota
	itemFunction
	itemType // a type, a module, or what else holds functions
)

// item is a statement of a program with the comments, attributes and decorators
// that stand directly before it.
type item struct {
	start, end int
	kind       itemKind
	// names is its own path: one name or, as for "Type::method", several.
	names []string
	// items are those inside a type, in text order.
	items []item
}

// outline returns the statements of a program at its outermost level. It never
// fails: what it does not understand is itemOther.
func outline(s string, syn syntax) []item {
	if syn.braces {
		b := braceOutline{text: s, syntax: syn, all: scan(s, syn)}
		return b.items(0, len(b.all), 0)
	}
	return indentOutline(s, syn)
}

// braceOutline reads languages whose blocks stand in braces.
type braceOutline struct {
	syntax
	text string
	all  []lexeme
}

// deepest is how deep types are looked into.
const deepest = 12

// items reads the statements among the lexemes [i, end).
func (b *braceOutline) items(i, end, depth int) []item {
	var out []item
	lead := -1 // the lexeme where comments start that touch the next statement
	lines := 2 // line ends since the last lexeme
	for i < end {
		switch l := b.all[i]; {
		case l.kind == lexLine:
			if !b.crlf(i) {
				lines++
			}
			if lines > 1 {
				lead = -1
			}
			i++
			continue
		case l.kind == lexNote && (lines > 0 || lead >= 0):
			if lead < 0 {
				lead = i
			}
			lines = 0
			i++
			continue
		case l.kind == lexRule && b.pairs(l) != "":
			if b.pairs(l) == "end" {
				lead = -1
			} else if lead < 0 {
				lead = i
			}
			lines = 0
			i++
			continue
		case l.kind == lexNote, l.kind == lexMark && strings.IndexByte(";,})]", b.text[l.start]) >= 0:
			lines, lead = 0, -1
			i++
			continue
		}
		if n := b.accessLabel(i, end); n > 0 {
			if lead < 0 {
				lead = i
			}
			i, lines = i+n, 0
			continue
		}
		one, next := b.statement(i, end, depth)
		if lead >= 0 {
			one.start = b.all[lead].start
		}
		out = append(out, one)
		i, lead, lines = max(next, i+1), -1, 0
	}
	return out
}

// pairs returns "if" for a preprocessor line that opens a condition or region,
// which goes with what follows, "end" for one that continues or closes it, which
// goes with what is before, and "" for others.
func (b *braceOutline) pairs(l lexeme) string {
	word := strings.TrimLeft(b.text[l.start:l.end], "# \t")
	switch {
	case strings.HasPrefix(word, "if"), strings.HasPrefix(word, "region"):
		return "if"
	case strings.HasPrefix(word, "end"), strings.HasPrefix(word, "el"):
		return "end"
	}
	return ""
}

// crlf reports whether line end i is the second half of one.
func (b *braceOutline) crlf(i int) bool {
	return i > 0 && b.text[b.all[i].start] == '\n' && b.all[i-1].end == b.all[i].start && b.text[b.all[i].start-1] == '\r'
}

// accessLabel returns how many lexemes a label such as "public:" takes, or 0.
func (b *braceOutline) accessLabel(i, end int) int {
	if i+1 < end && b.all[i].kind == lexWord && b.is(i+1, ':') && !b.is(i+2, ':') {
		switch b.word(i) {
		case "public", "private", "protected", "signals":
			return 2
		}
	}
	return 0
}

func (b *braceOutline) word(i int) string {
	if i < 0 || i >= len(b.all) || b.all[i].kind != lexWord {
		return ""
	}
	return b.text[b.all[i].start:b.all[i].end]
}

// is reports whether lexeme i is the mark c.
func (b *braceOutline) is(i int, c byte) bool {
	return i >= 0 && i < len(b.all) && b.all[i].kind == lexMark && b.text[b.all[i].start] == c
}

// statement reads the statement that begins with lexeme i, and returns the lexeme
// after it.
func (b *braceOutline) statement(i, end, depth int) (item, int) {
	if b.all[i].kind == lexRule {
		return item{start: b.all[i].start, end: b.all[i].end}, i + 1
	}
	body, j := -1, i // the first block, the lexeme being read
	last := i        // the last lexeme that counts
	for ; j < end; j++ {
		l := b.all[j]
		switch {
		case l.kind == lexNote || l.kind == lexRule:
			continue
		case l.kind == lexLine:
			if j > i && b.newline && b.endsLine(i, last, j, end) {
				return b.declared(i, j, body, last, depth), j
			}
			continue
		case b.is(j, ';'):
			return b.declared(i, j, body, j, depth), j + 1
		case b.is(j, '{'), b.is(j, '('), b.is(j, '['):
			block := b.is(j, '{')
			if block && body < 0 {
				body = j
			}
			if l.match == 0 {
				if block {
					return b.declared(i, end, body, end-1, depth), end
				}
				break
			}
			j = min(l.match, end-1)
			if block && b.endsBlock(i, j, end) {
				return b.declared(i, j+1, body, j, depth), j + 1
			}
		case b.is(j, '}'):
			return b.declared(i, j, body, last, depth), j
		}
		last = j
	}
	return b.declared(i, end, body, last, depth), end
}

// following returns the next lexeme after j that counts, and whether a line ends
// before it.
func (b *braceOutline) following(j, end int) (next int, newline bool) {
	for j++; j < end && (b.all[j].kind == lexNote || b.all[j].kind == lexLine); j++ {
		newline = newline || b.all[j].kind == lexLine
	}
	return j, newline
}

// endsBlock reports whether the statement from i ends with the brace at j.
func (b *braceOutline) endsBlock(i, j, end int) bool {
	next, newline := b.following(j, end)
	if next >= end || b.all[next].kind == lexRule {
		return true
	}
	switch b.word(next) {
	case "else", "catch", "finally":
		return false
	case "while":
		return b.word(i) != "do"
	}
	if b.all[next].kind == lexMark {
		switch mark := b.text[b.all[next].start]; {
		case strings.IndexByte(";,).=", mark) >= 0:
			return false
		case strings.IndexByte("([?:", mark) >= 0:
			return newline
		}
	}
	if newline {
		return true
	}
	switch b.word(i) { // "struct s { … } name;", "enum e {A} f() {"
	case "struct", "union", "enum", "typedef", "static", "const", "var", "let", "export", "return":
		return false
	}
	return b.all[next].kind == lexWord
}

// endsLine reports whether the statement from i, of which last is the last lexeme
// that counts, ends with the line end at j.
func (b *braceOutline) endsLine(i, last, j, end int) bool {
	next, _ := b.following(j, end)
	if next >= end {
		return true
	}
	if b.is(next, '{') {
		return b.name == "go"
	}
	if b.all[next].kind == lexMark && strings.IndexByte(".=,:?)]&|+-*/<>", b.text[b.all[next].start]) >= 0 {
		return false
	}
	switch b.word(next) {
	case "extends", "implements", "where", "with", "else", "catch", "finally":
		return false
	}
	if b.all[last].kind == lexMark && strings.IndexByte(",=+-*/&|<?:.([{!", b.text[b.all[last].start]) >= 0 {
		return false
	}
	if b.is(last, '>') && b.is(last-1, '=') {
		return false
	}
	return !b.onlyPrefix(i, last)
}

// onlyPrefix reports whether the lexemes [i, last] are annotations and modifiers,
// which belong to the declaration on the next line.
func (b *braceOutline) onlyPrefix(i, last int) bool {
	for i <= last {
		switch {
		case b.is(i, '@'):
			i += 2
			for b.is(i, '.') {
				i += 2
			}
			if b.is(i, '(') && b.all[i].match > 0 {
				i = b.all[i].match + 1
			}
		case isModifier(b.word(i)), b.all[i].kind == lexNote, b.all[i].kind == lexLine:
			i++
		default:
			return false
		}
	}
	return true
}

// declared makes an item of the lexemes [i, end): body is its first block or -1,
// last its last lexeme.
func (b *braceOutline) declared(i, end, body, last, depth int) item {
	one := item{start: b.all[i].start, end: b.all[max(i, min(last, len(b.all)-1))].end}
	stop := end
	if body >= 0 {
		stop = body
	}
	one.kind, one.names = b.classify(i, stop, body >= 0)
	if one.kind == itemType && body >= 0 && depth < deepest && b.name != "go" {
		inner := end
		if m := b.all[body].match; m > 0 {
			inner = min(m, end)
		}
		one.items = b.items(body+1, inner, depth+1)
		if !slices.ContainsFunc(one.items, func(in item) bool { return in.kind != itemOther }) {
			one.items = nil
		}
	}
	return one
}

// crumbs drops empty names and folds their space.
func crumbs(names ...string) []string {
	var out []string
	for _, name := range names {
		if !text.IsBlank(name) {
			out = append(out, strings.Join(strings.Fields(name), " "))
		}
	}
	return out
}
