package markup

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"ragdesk/backend/text"
)

// code writes preformatted text with its lines as they are.
func (f *flow) code(n *html.Node) {
	var b strings.Builder
	f.lines(&b, n)
	s := strings.Trim(strings.ReplaceAll(b.String(), "\u00a0", " "), "\n")
	if text.IsBlank(s) {
		return
	}
	f.endBlocks()
	f.out.Code(language(n), s)
}

// lines writes the text below n; an element that is a block has lines of its own.
func (f *flow) lines(b *strings.Builder, n *html.Node) {
	for child := n.FirstChild; child != nil && f.step(); child = child.NextSibling {
		switch {
		case child.Type == html.TextNode:
			b.WriteString(child.Data)
		case child.Type != html.ElementNode, f.skip(child), isGutter(child):
		case child.DataAtom == atom.Br:
			b.WriteByte('\n')
		case child.DataAtom == atom.Img:
			f.health.Images++
			b.WriteString(attr(child, "alt"))
		case child.DataAtom == atom.Div, child.DataAtom == atom.P, child.DataAtom == atom.Li:
			newline(b)
			f.lines(b, child)
			newline(b)
		default:
			f.lines(b, child)
		}
	}
}

func newline(b *strings.Builder) {
	if s := b.String(); s != "" && s[len(s)-1] != '\n' {
		b.WriteByte('\n')
	}
}

// isGutter reports whether n holds the numbers of lines of code.
func isGutter(n *html.Node) bool {
	for _, c := range []string{"gutter", "lineno", "linenos", "line-numbers", "line-numbers-rows", "linenodiv", "lnt", "ln", "blob-num"} {
		if class(n, c) {
			return true
		}
	}
	return false
}

// language returns the language that a block of code names by the usual classes
// of highlighters, on itself, its code element or the elements around it.
func language(n *html.Node) string {
	at := []*html.Node{n, n.Parent}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.Type == html.ElementNode {
			at = append(at, child)
		}
	}
	if n.Parent != nil {
		at = append(at, n.Parent.Parent)
	}
	for _, e := range at {
		if e == nil || e.Type != html.ElementNode {
			continue
		}
		for c := range strings.FieldsSeq(attr(e, "class")) {
			for _, prefix := range []string{"language-", "lang-", "highlight-source-", "brush:"} {
				if l, ok := strings.CutPrefix(c, prefix); ok && isWord(l) {
					return l
				}
			}
		}
		if l := attr(e, "data-lang"); isWord(l) {
			return l
		}
	}
	return ""
}

func isWord(s string) bool {
	return s != "" && len(s) < 24 && strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz0123456789+#-.") == ""
}
