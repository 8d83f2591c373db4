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
	// types and functions are the words that declare them.
	types, functions []string
}

// syntaxes are the languages that have a syntax of their own, by name.
var syntaxes = sync.OnceValue(func() map[string]syntax {
	all := map[string]syntax{}
	for _, list := range languageTable() {
		for _, s := range list {
			all[s.name] = s
		}
	}
	return all
})

// with returns the syntax of languages with braces and // under each of names,
// changed.
func with(names string, change func(*syntax)) []syntax {
	var out []syntax
	for name := range strings.FieldsSeq(names) {
		s := syntax{
			name: name, braces: true, line: []string{"//"}, block: "/*", blockEnd: "*/", quotes: `"'`,
			types: []string{"class", "struct", "interface", "enum", "union", "namespace"},
		}
		change(&s)
		out = append(out, s)
	}
	return out
}

// languageTable lists the languages, those of one syntax together.
func languageTable() [][]syntax {
	return [][]syntax{
		with("c cpp c++ cuda objectivec objective-c glsl", func(s *syntax) { s.directives = true }),
		with("java groovy", func(s *syntax) {
			s.raw, s.types = []string{`"""`}, []string{"class", "interface", "enum", "record"}
			s.functions = []string{"def"}
		}),
		with("csharp", func(s *syntax) {
			s.raw, s.directives = []string{`"""`}, true
			s.types = append(s.types[:5:5], "namespace", "record")
		}),
		with("go", func(s *syntax) { s.raw, s.newline = []string{"`"}, true }),
		with("javascript typescript vue svelte", func(s *syntax) {
			s.raw, s.newline = []string{"`"}, true
			s.types, s.functions = []string{"class", "interface", "enum", "namespace", "module"}, []string{"function"}
		}),
		with("kotlin", func(s *syntax) {
			s.raw, s.newline, s.nested = []string{`"""`}, true, true
			s.types, s.functions = []string{"class", "interface", "object"}, []string{"fun", "constructor", "init"}
		}),
		with("swift", func(s *syntax) {
			s.raw, s.newline, s.nested = []string{`"""`}, true, true
			s.types = []string{"class", "struct", "enum", "protocol", "extension", "actor"}
			s.functions = []string{"func", "init", "deinit", "subscript"}
		}),
		with("scala dart", func(s *syntax) {
			s.raw, s.newline = []string{`"""`, "'''"}, true
			s.types, s.functions = []string{"class", "trait", "object", "enum", "mixin", "extension"}, []string{"def"}
		}),
		with("rust", func(s *syntax) {
			s.nested, s.types, s.functions = true, []string{"struct", "enum", "union", "trait", "impl", "mod"}, []string{"fn", "macro_rules"}
		}),
		with("php", func(s *syntax) {
			s.line = []string{"//", "#"}
			s.types, s.functions = []string{"class", "interface", "trait", "enum", "namespace"}, []string{"function"}
		}),
		with("css sass less", func(s *syntax) { s.line = nil }),
		with("proto prisma solidity zig", func(s *syntax) {
			s.newline = s.name == "prisma"
			s.types = []string{"message", "service", "enum", "struct", "contract", "library", "interface", "model"}
			s.functions = []string{"function", "fn", "constructor", "rpc"}
		}),
		with("python cython starlark", func(s *syntax) {
			*s = syntax{name: s.name, line: []string{"#"}, quotes: `"'`, raw: []string{`"""`, "'''"}}
		}),
		with("ruby shell julia r elixir perl tcl nim powershell", func(s *syntax) { *s = syntax{name: s.name, line: []string{"#"}} }),
		with("lua haskell sql elm ada", func(s *syntax) { *s = syntax{name: s.name, line: []string{"--"}} }),
	}
}

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
