package chunk

import (
	"strings"
	"sync"

	"ragdesk/backend/rag"
)

// syntax is what the outline of a program depends on in its language.
type syntax struct {
	// name is the language, as in the media type "text/x-" and the name.
	name string
	// braces: blocks stand in braces; else they show by their indentation.
	braces bool
	// line opens a comment up to the end of the line; block and its end enclose one.
	line            []string
	block, blockEnd string
	// nested: block comments nest.
	nested bool
	// quotes open strings of one line, with \ as the escape.
	quotes string
	// raw open and close strings of several lines, the longest first; those that do
	// not take \ as an escape.
	raw []string
	// newline: the end of a line may end a statement.
	newline bool
	// directives: lines with # are instructions of their own.
	directives bool
}

// syntaxes are the languages that have a syntax of their own, by name.
var syntaxes = sync.OnceValue(func() map[string]syntax {
	curly := syntax{braces: true, line: []string{"//"}, block: "/*", blockEnd: "*/", quotes: `"'`}
	with := func(names string, change func(*syntax)) []syntax {
		var out []syntax
		for name := range strings.FieldsSeq(names) {
			s := curly
			s.name = name
			change(&s)
			out = append(out, s)
		}
		return out
	}
	hash := func(s *syntax) { *s = syntax{name: s.name, line: []string{"#"}} }
	all := map[string]syntax{}
	for _, list := range [][]syntax{
		with("c cpp c++ cuda objectivec objective-c glsl", func(s *syntax) { s.directives = true }),
		with("java groovy", func(s *syntax) { s.raw = []string{`"""`} }),
		with("csharp", func(s *syntax) { s.raw, s.directives = []string{`"""`}, true }),
		with("go", func(s *syntax) { s.raw, s.newline = []string{"`"}, true }),
		with("javascript typescript vue svelte", func(s *syntax) { s.raw, s.newline = []string{"`"}, true }),
		with("kotlin swift", func(s *syntax) { s.raw, s.newline, s.nested = []string{`"""`}, true, true }),
		with("scala dart", func(s *syntax) { s.raw, s.newline = []string{`"""`, "'''"}, true }),
		with("rust", func(s *syntax) { s.nested = true }),
		with("php", func(s *syntax) { s.line = []string{"//", "#"} }),
		with("css sass less", func(s *syntax) { s.line = nil }),
		with("proto prisma solidity zig", func(s *syntax) { s.newline = s.name == "prisma" }),
		with("python cython starlark", func(s *syntax) {
			*s = syntax{name: s.name, line: []string{"#"}, quotes: `"'`, raw: []string{`"""`, "'''"}}
		}),
		with("ruby shell julia r elixir perl tcl nim powershell", hash),
		with("lua haskell sql elm ada", func(s *syntax) { *s = syntax{name: s.name, line: []string{"--"}} }),
	} {
		for _, s := range list {
			all[s.name] = s
		}
	}
	return all
})

// noCode are languages of media types "text/x-" that are prose or records.
const noCode = " rst org asciidoc tex diff markdown log "

// languageOf returns the programming language of doc, the name in its media type
// "text/x-NAME"; "" if it is not code.
func languageOf(doc rag.Document) string {
	name, ok := strings.CutPrefix(doc.MediaType, "text/x-")
	if !ok || strings.Contains(noCode, " "+name+" ") {
		return ""
	}
	return name
}
