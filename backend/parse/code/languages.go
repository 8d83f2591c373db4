package code

import (
	"strings"
	"sync"
)

// languages maps an extension without its dot to a language; "plain" stands for
// settings without one.
var languages = sync.OnceValue(func() map[string]string {
	return expand(map[string]string{
		"ada":        "adb ads",
		"asm":        "asm s nasm",
		"asciidoc":   "adoc asciidoc",
		"rst":        "rst",
		"org":        "org",
		"tex":        "tex bib sty cls",
		"awk":        "awk",
		"batch":      "bat cmd",
		"c":          "c h",
		"clojure":    "clj cljs cljc edn",
		"cmake":      "cmake",
		"cobol":      "cob cbl cpy",
		"coffee":     "coffee",
		"cpp":        "cc cpp cxx c++ hh hpp hxx ino",
		"csharp":     "cs csx",
		"css":        "css",
		"cuda":       "cu cuh",
		"cython":     "pyx pxd",
		"dart":       "dart",
		"diff":       "diff patch",
		"dockerfile": "dockerfile",
		"elixir":     "ex exs",
		"elm":        "elm",
		"erlang":     "erl hrl",
		"fortran":    "f f90 f95 f03 for",
		"fsharp":     "fs fsi fsx",
		"glsl":       "glsl vert frag wgsl hlsl",
		"go":         "go mod",
		"graphql":    "graphql gql",
		"groovy":     "groovy gradle jenkinsfile",
		"haskell":    "hs lhs",
		"hcl":        "tf tfvars hcl",
		"java":       "java",
		"javascript": "js mjs cjs jsx",
		"julia":      "jl",
		"kotlin":     "kt kts",
		"less":       "less",
		"lisp":       "lisp el scm rkt",
		"lua":        "lua",
		"makefile":   "mk mak",
		"matlab":     "m",
		"objectivec": "mm",
		"nim":        "nim",
		"nix":        "nix",
		"ocaml":      "ml mli",
		"pascal":     "pas pp dpr",
		"perl":       "pl pm",
		"php":        "php phtml",
		"plain":      "ini cfg conf config properties env editorconfig gitignore gitattributes dockerignore npmrc reg desktop service",
		"powershell": "ps1 psm1 psd1",
		"prisma":     "prisma",
		"proto":      "proto",
		"python":     "py pyi pyw",
		"r":          "r",
		"ruby":       "rb rake gemspec",
		"rust":       "rs",
		"sass":       "sass scss",
		"scala":      "scala sc sbt",
		"shell":      "sh bash zsh fish ksh",
		"solidity":   "sol",
		"sql":        "sql ddl dml",
		"starlark":   "bzl star",
		"svelte":     "svelte",
		"swift":      "swift",
		"tcl":        "tcl",
		"toml":       "toml",
		"typescript": "ts mts cts tsx",
		"vb":         "vb vbs bas frm",
		"verilog":    "v sv svh",
		"vhdl":       "vhd vhdl",
		"vim":        "vim",
		"vue":        "vue",
		"yaml":       "yaml yml",
		"zig":        "zig",
	})
})

// names maps the base name of a file to its language.
var names = sync.OnceValue(func() map[string]string {
	return expand(map[string]string{
		"cmake":      "cmakelists.txt",
		"dockerfile": "dockerfile containerfile",
		"go":         "go.mod go.work",
		"groovy":     "jenkinsfile",
		"makefile":   "makefile gnumakefile",
		"plain":      ".editorconfig .gitignore .gitattributes .dockerignore .npmrc .env codeowners go.sum",
		"ruby":       "gemfile rakefile vagrantfile podfile brewfile",
		"shell":      ".bashrc .bash_profile .profile .zshrc",
		"starlark":   "build.bazel workspace.bazel",
		"vim":        ".vimrc",
	})
})

// expand turns a list of words by language into a language by word.
func expand(byLanguage map[string]string) map[string]string {
	byWord := map[string]string{}
	for language, words := range byLanguage {
		for word := range strings.FieldsSeq(words) {
			byWord[word] = language
		}
	}
	return byWord
}
