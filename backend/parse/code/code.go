// Package code reads source code and configuration: the characters are the
// document, unchanged, and the media type names the language.
//
//	doc, err := code.Parse(ctx, rag.Input{Source: "main.go", Bytes: b}, env)
//	doc.MediaType // "text/x-go"
//
// What a file says of its own encoding (a coding cookie, a style sheet's
// @charset) is a hint for the evidence. Faults are those of charset.Read, such
// as binary_content for a compiled file under a source file's name.
package code

import (
	"context"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/rag"
)

// WarnMinified says that a machine wrote the code for machines, so that neither
// its lines nor its names say much. The detail is the longest line's length in
// bytes.
const WarnMinified = "code_minified"

// Parse reads in as source code.
func Parse(_ context.Context, in rag.Input, _ guard.Env) (rag.Document, error) {
	d, err := doctext.Plain(in, declared(in.Bytes))
	if err != nil {
		return rag.Document{}, err
	}
	d.MediaType, d.ParsedBy = mediaType(in.Source), "code/1"
	if n := longestLine(d.Text); n > minifiedLine && n > len(d.Text)/2 && isScript(d.MediaType) {
		d.Warnings = append(d.Warnings, rag.Notice{Code: WarnMinified, Detail: fmt.Sprint(n)})
	}
	return d, nil
}

// Extensions lists the file name extensions that are read as code, with the dot
// and in lower case, in order.
func Extensions() []string {
	var all []string
	for _, e := range slices.Sorted(maps.Keys(languages())) {
		all = append(all, "."+e)
	}
	return all
}

// Names lists, in lower case and in order, the base names of files that are code
// whatever their extension is, such as "dockerfile".
func Names() []string { return slices.Sorted(maps.Keys(names())) }

// mediaType returns the type of a source file by its name: "text/x-" and the
// language, "text/yaml" and "text/toml" for these, and "text/plain" for settings
// without a language of their own and for unknown names.
func mediaType(source string) string {
	base := strings.ToLower(path.Base(source))
	language, ok := names()[base]
	if !ok {
		language = languages()[strings.TrimPrefix(path.Ext(base), ".")]
	}
	switch language {
	case "", "plain":
		return "text/plain"
	case "yaml", "toml":
		return "text/" + language
	}
	return "text/x-" + language
}

// cookie is how Python, Ruby, Emacs and Vim have a file name its encoding, and
// what a style sheet may begin with.
var cookie = regexp.MustCompile(`(?:coding[:=][ \t]*|^@charset ["'])([-\w.]+)`)

// declared returns the encoding that b names in its first two lines, or "".
func declared(b []byte) string {
	head := b[:min(len(b), 512)]
	lines := strings.SplitN(string(head), "\n", 3)
	for _, line := range lines[:min(len(lines), 2)] {
		if m := cookie.FindStringSubmatch(line); m != nil {
			return m[1]
		}
	}
	return ""
}

// minifiedLine is the length in bytes beyond which a line was not written by hand.
const minifiedLine = 5000

// isScript reports whether code of a media type is commonly minified.
func isScript(media string) bool {
	return media == "text/x-javascript" || media == "text/x-css"
}

func longestLine(s string) int {
	longest := 0
	for line := range strings.Lines(s) {
		longest = max(longest, len(line))
	}
	return longest
}
