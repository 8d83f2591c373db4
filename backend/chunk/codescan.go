package chunk

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// lexKind is what a lexeme of source code is.
type lexKind uint8

const (
	lexWord lexKind = iota
	lexMark         // one character that is neither word, string nor space
	lexText         // a string or character
	lexNote         // a comment
	lexLine         // a line's end
	lexRule         // a preprocessor line
)

// lexeme is a piece of source code.
type lexeme struct {
	kind       lexKind
	start, end int
	// match is the index of the bracket that belongs to this one, 0 for none.
	match int
}

// scan cuts source code into lexemes; space is left out. It never fails: a string
// that does not close ends with its line, a comment with the text.
func scan(s string, syn syntax) []lexeme {
	c := lexer{text: s, syntax: syn, out: make([]lexeme, 0, len(s)/4)}
	for at := 0; at < len(s); {
		at = c.next(at)
	}
	matchBrackets(s, c.out)
	return c.out
}

type lexer struct {
	syntax
	text string
	out  []lexeme
	// stale: something stands on the line already.
	stale bool
}

// next reads what starts at byte at and returns where it ends.
func (c *lexer) next(at int) int {
	r, size := utf8.DecodeRuneInString(c.text[at:])
	if r == '\n' || r == '\r' {
		c.stale = false
		return c.emit(lexLine, at, at+1)
	}
	if unicode.IsSpace(r) {
		return at + size
	}
	rest := c.text[at:]
	stale := c.stale
	c.stale = true
	if c.directives && r == '#' && !stale {
		return c.emit(lexRule, at, c.directive(at))
	}
	if c.block != "" && strings.HasPrefix(rest, c.block) {
		return c.emit(lexNote, at, c.comment(at))
	}
	for _, open := range c.line {
		if strings.HasPrefix(rest, open) && (open != "#" || !strings.HasPrefix(rest, "#[")) {
			return c.emit(lexNote, at, c.lineEnd(at))
		}
	}
	if end := c.str(at, r); end > at {
		return c.emit(lexText, at, end)
	}
	if isIdent(r) {
		return c.emit(lexWord, at, c.word(at))
	}
	return c.emit(lexMark, at, at+size)
}

func (c *lexer) emit(kind lexKind, start, end int) int {
	c.out = append(c.out, lexeme{kind: kind, start: start, end: end})
	return end
}

// isIdent reports whether r is part of names and numbers.
func isIdent(r rune) bool {
	return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// word returns the end of the name or number at byte at.
func (c *lexer) word(at int) int {
	number := '0' <= c.text[at] && c.text[at] <= '9'
	for i, r := range c.text[at:] {
		if !isIdent(r) && (!number || r != '\'' && r != '.') {
			return at + i
		}
	}
	return len(c.text)
}

func (c *lexer) lineEnd(at int) int {
	if i := strings.IndexAny(c.text[at:], "\n\r"); i >= 0 {
		return at + i
	}
	return len(c.text)
}

// directive returns the end of a preprocessor line with its continuations.
func (c *lexer) directive(at int) int {
	end := c.lineEnd(at)
	for end < len(c.text) && c.text[end-1] == '\\' {
		next := nextLine(c.text, end, len(c.text))
		end = c.lineEnd(next)
		if end == next {
			break
		}
	}
	return end
}

// comment returns the end of the block comment at byte at.
func (c *lexer) comment(at int) int {
	depth, i := 1, at+len(c.block)
	for i < len(c.text) {
		switch rest := c.text[i:]; {
		case strings.HasPrefix(rest, c.blockEnd):
			i += len(c.blockEnd)
			if depth--; depth == 0 {
				return i
			}
		case c.nested && strings.HasPrefix(rest, c.block):
			i += len(c.block)
			depth++
		default:
			i++
		}
	}
	return len(c.text)
}

// str returns the end of the string or character at byte at, or at.
func (c *lexer) str(at int, r rune) int {
	rest := c.text[at:]
	if r == '`' && c.name != "go" && len(c.raw) > 0 && c.raw[0] == "`" {
		return c.template(at+1, 0)
	}
	for _, mark := range c.raw {
		if strings.HasPrefix(rest, mark) {
			return c.closing(at+len(mark), mark, mark != `"""` || c.name != "csharp")
		}
	}
	switch c.name {
	case "rust":
		if r == '\'' && !isRustChar(rest) {
			return at // a lifetime
		}
		if r == 'r' || r == 'b' {
			return c.hashed(at)
		}
	case "cpp", "c++", "cuda":
		if strings.HasPrefix(rest, `R"`) {
			if i := strings.IndexByte(rest[:min(len(rest), 20)], '('); i > 0 {
				return c.closing(at+i, ")"+rest[2:i]+`"`, false)
			}
		}
	case "csharp":
		if strings.HasPrefix(rest, `@"`) || strings.HasPrefix(rest, `$@"`) || strings.HasPrefix(rest, `@$"`) {
			return c.closing(at+strings.IndexByte(rest, '"')+1, `"`, false)
		}
	case "javascript", "typescript", "vue", "svelte":
		if r == '/' && c.mayBePattern() {
			return c.pattern(at)
		}
	}
	if r >= utf8.RuneSelf || strings.IndexByte(c.quotes, byte(r)) < 0 {
		return at
	}
	for i := at + 1; i < len(c.text); i++ {
		switch b := c.text[i]; {
		case b == '\\':
			i++
		case b == byte(r):
			return i + 1
		case (b == '\n' || b == '\r') && c.name != "rust":
			return i
		}
	}
	return len(c.text)
}

// template returns the end of a template string of JavaScript whose content starts
// at byte i; what stands in ${…} may hold further ones.
func (c *lexer) template(i, depth int) int {
	braces := 0
	for ; i < len(c.text); i++ {
		switch b := c.text[i]; {
		case b == '\\':
			i++
		case b == '`' && braces == 0:
			return i + 1
		case b == '`' && depth < 20:
			i = c.template(i+1, depth+1) - 1
		case b == '$' && braces == 0 && strings.HasPrefix(c.text[i:], "${"), b == '{' && braces > 0:
			braces++
			if b == '$' {
				i++
			}
		case b == '}' && braces > 0:
			braces--
		}
	}
	return len(c.text)
}

// closing returns the end of a string whose content starts at byte from and that
// mark closes; \ escapes in some languages.
func (c *lexer) closing(from int, mark string, escapes bool) int {
	escapes = escapes && c.name != "go"
	for i := min(from, len(c.text)); i < len(c.text); i++ {
		if escapes && c.text[i] == '\\' {
			i++
		} else if c.text[i] == mark[0] && strings.HasPrefix(c.text[i:], mark) {
			return i + len(mark)
		}
	}
	return len(c.text)
}

// hashed returns the end of a raw string r"…", r#"…"# of Rust at byte at, or at.
func (c *lexer) hashed(at int) int {
	rest := strings.TrimPrefix(c.text[at:], "b")
	body, ok := strings.CutPrefix(rest, "r")
	if !ok {
		return at
	}
	quoted := strings.TrimLeft(body[:min(len(body), 300)], "#")
	hashes := min(len(body), 300) - len(quoted)
	if !strings.HasPrefix(quoted, `"`) {
		return at
	}
	return c.closing(len(c.text)-len(body)+hashes+1, `"`+body[:hashes], false)
}

// isRustChar reports whether s starts with a character literal, not a lifetime.
func isRustChar(s string) bool {
	if strings.HasPrefix(s, `'\`) {
		return true
	}
	_, size := utf8.DecodeRuneInString(s[1:])
	return strings.HasPrefix(s[min(1+size, len(s)):], "'")
}

// mayBePattern reports whether a / stands where a value is due.
func (c *lexer) mayBePattern() bool {
	for i := len(c.out) - 1; i >= 0; i-- {
		switch l := c.out[i]; l.kind {
		case lexNote, lexLine:
		case lexWord:
			switch c.text[l.start:l.end] {
			case "return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "else", "do":
				return true
			}
			return false
		case lexMark:
			return strings.IndexByte(")]}", c.text[l.start]) < 0
		default:
			return false
		}
	}
	return true
}

// pattern returns the end of the regular expression at byte at, or at if none
// closes on the line.
func (c *lexer) pattern(at int) int {
	class := false
	for i := at + 1; i < len(c.text); i++ {
		switch c.text[i] {
		case '\\':
			i++
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if !class {
				return i + 1
			}
		case '\n', '\r':
			return at
		}
	}
	return at
}

// matchBrackets finds the bracket that belongs to each. A closing brace ends what
// was left open inside it; others that do not fit are passed over. Of the branches
// of a preprocessor's condition the first counts if they open different braces.
func matchBrackets(s string, all []lexeme) {
	var open, saved []int
	braces, skipping := 0, 0
	pair := func(i int) {
		last := open[len(open)-1]
		open = open[:len(open)-1]
		all[i].match, all[last].match = last, i
	}
	for i, l := range all {
		if l.kind == lexRule {
			saved, skipping = condition(s[l.start:l.end], saved, len(open), skipping)
			continue
		}
		if l.kind != lexMark {
			continue
		}
		if skipping > 0 {
			all[i].kind = lexText
			continue
		}
		switch s[l.start] {
		case '{':
			braces++
			open = append(open, i)
		case '(', '[':
			open = append(open, i)
		case '}':
			for braces > 0 && s[all[open[len(open)-1]].start] != '{' {
				open = open[:len(open)-1]
			}
			if braces > 0 {
				braces--
				pair(i)
			}
		case ')', ']':
			if len(open) > 0 && closes(s[all[open[len(open)-1]].start], s[l.start]) {
				pair(i)
			}
		}
	}
}

// closes reports whether mark ends what open began.
func closes(open, mark byte) bool {
	return open == '(' && mark == ')' || open == '[' && mark == ']'
}

// condition follows #if, #else and #endif: saved is how many brackets were open
// at each #if, skipping counts the conditions within a branch that is left out.
func condition(line string, saved []int, open, skipping int) ([]int, int) {
	word := strings.TrimLeft(line, "# \t")
	switch {
	case strings.HasPrefix(word, "if"):
		if skipping > 0 {
			return saved, skipping + 1
		}
		return append(saved, open), 0
	case strings.HasPrefix(word, "el") && skipping == 0 && len(saved) > 0 && saved[len(saved)-1] != open:
		return saved, 1
	case strings.HasPrefix(word, "endif"):
		if skipping > 1 {
			return saved, skipping - 1
		}
		return saved[:max(0, len(saved)-1)], 0
	}
	return saved, skipping
}
