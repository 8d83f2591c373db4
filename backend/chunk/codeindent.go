package chunk

import (
	"strings"
	"unicode"

	"ragdesk/backend/text"
)

// codeText is a line of a language whose blocks show by their indentation.
type codeText struct {
	start, end int
	indent     int
	body       string
	// inside: the line goes on with a string or bracket of the one before.
	inside bool
}

// indentOutline reads languages by the indentation of their lines.
func indentOutline(s string, syn syntax) []item {
	inside := insideLines(s, syn)
	var lines []codeText
	heredoc := ""
	for at := 0; at < len(s); {
		end := nextLine(s, at, len(s))
		indent, body := indentation(s[at:end])
		line := codeText{start: at, end: end, indent: indent, body: body, inside: inside[at] || heredoc != ""}
		switch {
		case heredoc != "" && body == heredoc:
			heredoc = ""
		case heredoc == "" && !line.inside && (syn.name == "shell" || syn.name == "ruby" || syn.name == "perl"):
			heredoc = heredocTag(body)
		}
		lines = append(lines, line)
		at = end
	}
	o := lineOutline{syntax: syn, lines: lines}
	return o.items(0, len(lines), 0)
}

// insideLines returns the starts of the lines that begin inside a string or
// brackets, for languages with strings of several lines.
func insideLines(s string, syn syntax) map[int]bool {
	out := map[int]bool{}
	if len(syn.raw) == 0 {
		return out
	}
	mark := func(start, end int) {
		for at := nextLine(s, start, len(s)); at <= end && at < len(s); at = nextLine(s, at, len(s)) {
			out[at] = true
		}
	}
	last := 0 // lexemes before it are in brackets that were marked
	all := scan(s, syn)
	for i, l := range all {
		switch {
		case i < last:
		case l.kind == lexText:
			mark(l.start, l.end-1)
		case l.match > i:
			last = l.match
			mark(l.start, all[last].start)
		}
	}
	return out
}

// heredocTag returns the word that ends the text which a line of shell, Ruby or
// Perl opens with <<, or "".
func heredocTag(line string) string {
	i := strings.Index(line, "<<")
	if i < 0 || strings.HasPrefix(line, "#") {
		return ""
	}
	rest := strings.TrimLeft(line[i+2:], "-~")
	tag := strings.TrimLeft(rest, `"'`)
	if n := strings.IndexFunc(tag, func(r rune) bool { return !unicode.IsUpper(r) && r != '_' && !unicode.IsDigit(r) }); n >= 0 {
		tag = tag[:n]
	}
	if tag == "" || !unicode.IsUpper(rune(tag[0])) {
		return ""
	}
	return tag
}

// lineOutline is the outline of lines.
type lineOutline struct {
	syntax
	lines []codeText
}

// items reads the statements among the lines [i, end).
func (o *lineOutline) items(i, end, depth int) []item {
	var out []item
	level := -1
	lead := -1 // the byte where comments and decorators start before a statement
	gap := true
	for ; i < end; i++ {
		line := o.lines[i]
		switch {
		case line.inside || level >= 0 && line.indent > level && line.body != "":
			if len(out) > 0 {
				out[len(out)-1].end, lead = line.end, -1
			}
			continue
		case text.IsBlank(line.body):
			gap = true
			if lead >= 0 && !o.decorates(i-1) {
				lead = -1
			}
			continue
		case o.leads(line.body):
			if lead < 0 {
				lead = line.start
			}
			if level < 0 {
				level = line.indent
			}
			continue
		case len(out) > 0 && lead < 0 && closesBlock(line.body) && o.name != "":
			out[len(out)-1].end = line.end
			gap = false
			continue
		}
		level = line.indent
		one := item{start: line.start, end: line.end}
		one.kind, one.names = o.classify(line.body)
		if one.kind == itemOther && !gap && lead < 0 && len(out) > 0 && out[len(out)-1].kind == itemOther {
			out[len(out)-1].end = line.end
			continue
		}
		if lead >= 0 {
			one.start = lead
		}
		if one.kind == itemType && depth < deepest {
			one.items = o.inner(i+1, end, level, depth)
		}
		out = append(out, one)
		lead, gap = -1, false
	}
	return out
}

// inner returns the statements in the block under a line of the given indentation.
func (o *lineOutline) inner(i, end, level, depth int) []item {
	stop := i // after the last line of the block; comments may stand further left
	for k := i; k < end; k++ {
		line := o.lines[k]
		switch {
		case line.inside || line.body != "" && line.indent > level:
			stop = k + 1
		case line.body != "" && !o.leads(line.body):
			k = end
		}
	}
	found := o.items(i, stop, depth+1)
	for _, one := range found {
		if one.kind != itemOther {
			return found
		}
	}
	return nil
}

// leads reports whether a line is a comment or a decorator.
func (o *lineOutline) leads(body string) bool {
	for _, open := range o.line {
		if strings.HasPrefix(body, open) && !strings.HasPrefix(body, "#!") {
			return true
		}
	}
	return strings.HasPrefix(body, "@") && (o.name == "python" || o.name == "cython")
}

// decorates reports whether line i is a decorator, which a blank line does not
// part from what it decorates.
func (o *lineOutline) decorates(i int) bool {
	return i >= 0 && strings.HasPrefix(o.lines[i].body, "@")
}

// classify says what a line declares.
func (o *lineOutline) classify(body string) (itemKind, []string) {
	word, rest := firstWord(body)
	switch word {
	case "async", "private", "protected", "public", "local", "static", "export":
		word, rest = firstWord(rest)
	}
	switch word {
	case "def", "defp", "function", "func", "fun", "sub", "proc", "macro", "defmacro", "cdef", "cpdef", "fn", "procedure":
		return itemFunction, crumbs(callable(rest))
	case "class", "module", "defmodule", "trait", "protocol", "struct", "interface", "enum", "instance", "package":
		if word == "package" && o.name != "perl" && o.name != "ada" {
			break
		}
		return itemType, crumbs(strings.TrimRight(callable(rest), ":"))
	}
	if o.name == "shell" || o.name == "r" || o.name == "powershell" {
		name, after, ok := strings.Cut(body, "()")
		if ok && o.name == "shell" && callable(name) == strings.TrimSpace(name) && (strings.TrimSpace(after) == "" || strings.HasPrefix(strings.TrimSpace(after), "{")) {
			return itemFunction, crumbs(name)
		}
		name, after, ok = strings.Cut(body, "<-")
		if ok && o.name == "r" && strings.HasPrefix(strings.TrimSpace(after), "function") {
			return itemFunction, crumbs(name)
		}
	}
	return itemOther, nil
}

// firstWord cuts the first word off a line.
func firstWord(s string) (word, rest string) {
	s = strings.TrimLeft(s, " \t")
	i := strings.IndexFunc(s, func(r rune) bool { return !isIdent(r) })
	if i < 0 {
		return s, ""
	}
	return s[:i], s[i:]
}

// callable returns the name at the start of s, up to its parameters.
func callable(s string) string {
	s = strings.TrimLeft(s, " \t")
	if i := strings.IndexAny(s, "(<[{;:= \t"); i >= 0 {
		if s[i] == ':' && strings.HasPrefix(s[i:], "::") {
			return strings.ReplaceAll(s[:i], "::", ".") + "." + callable(s[i+2:])
		}
		s = s[:i]
	}
	return strings.TrimPrefix(s, "self.")
}
