package markup

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// silent reports whether an element's content is never text of the page.
func silent(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Head, atom.Datalist, atom.Noembed, atom.Noframes, atom.Rt, atom.Rp:
		return true
	case atom.Template:
		return !has(n, "shadowrootmode")
	case atom.Title, atom.Link, atom.Meta, atom.Base:
		return n.Namespace == ""
	case atom.Audio, atom.Video, atom.Canvas:
		return true // their content is for browsers that do not know them
	}
	return n.Data == "rtc"
}

// hidden reports whether a browser does not show n, or it is text that was
// deleted.
func hidden(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Html, atom.Body, atom.Main:
		return false // hidden until a script has run
	case atom.Del:
		return true
	case atom.Dialog:
		return !has(n, "open")
	case atom.Input:
		return strings.EqualFold(attr(n, "type"), "hidden")
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return !strings.EqualFold(a.Val, "until-found")
		case "style":
			if s := style(a.Val); strings.Contains(s, ";display:none;") || strings.Contains(s, ";visibility:hidden;") ||
				strings.Contains(s, ";mso-hide:all;") {
				return true
			}
		case "class":
			// The part of a formula that is drawn repeats the part that is read.
			if class(n, "katex-html") && n.PrevSibling != nil && class(n.PrevSibling, "katex-mathml") {
				return true
			}
		}
	}
	return false
}

// style writes declarations without blanks, in lower case, between semicolons.
func style(s string) string {
	s = strings.ToLower(strings.Join(strings.Fields(s), ""))
	return ";" + strings.ReplaceAll(s, "!important", "") + ";"
}

// counts are the characters of a page that are not space.
type counts struct{ visible, hidden int }

// count walks n; within says that n lies in something hidden.
func (c *counts) count(n *html.Node, within bool) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		switch child.Type {
		case html.TextNode:
			if within {
				c.hidden += letters(child.Data)
			} else {
				c.visible += letters(child.Data)
			}
		case html.ElementNode:
			if !silent(child) {
				c.count(child, within || hidden(child))
			}
		}
	}
}

// hiddenEnough is the number of hidden characters from which on they may be the
// content of a page that shows it by a script, and not a trick.
const hiddenEnough = 500

// hiddenIsContent reports whether a page hides so much of its text that leaving
// it out would lose content: all of it, or much and more than a third.
func (c counts) hiddenIsContent() bool {
	return c.hidden > 0 && (c.visible == 0 || c.hidden >= hiddenEnough && c.visible < 2*c.hidden)
}

// letters counts the characters of s that are not space.
func letters(s string) int {
	n := 0
	for _, r := range s {
		if !unicode.IsSpace(r) {
			n++
		}
	}
	return n
}

// mainEnough is the number of characters that make a main part worth trusting,
// however much stands around it.
const mainEnough = 200

// bars are the parts of a page around its main part.
type bars struct {
	// mains are the main parts, above their ancestors.
	mains, above map[*html.Node]bool
	found        []*html.Node
	headed       bool
}

// boilerplate returns the elements around the main part of the page that are
// not content, and their characters. Without a main part, or with one that says
// less than they do, there are none.
func boilerplate(root *html.Node) (drop map[*html.Node]bool, chars int) {
	b := bars{mains: map[*html.Node]bool{}, above: map[*html.Node]bool{}}
	for _, isMain := range []func(*html.Node) bool{isMainPart, isArticle} {
		if b.findMains(root, isMain); len(b.mains) > 0 {
			break
		}
	}
	if len(b.mains) == 0 {
		return nil, 0
	}
	b.findBars(root)
	var inside, outside counts
	for n := range b.mains {
		inside.count(n, false)
	}
	drop = map[*html.Node]bool{}
	for _, n := range b.found {
		outside.count(n, false)
		drop[n] = true
	}
	if inside.visible < mainEnough && inside.visible < outside.visible {
		return nil, 0
	}
	return drop, outside.visible
}

// findMains collects the outermost parts for which isMain is true.
func (b *bars) findMains(n *html.Node, isMain func(*html.Node) bool) (found bool) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		switch {
		case child.Type != html.ElementNode, silent(child), hidden(child):
		case isMain(child):
			b.mains[child], found = true, true
			b.headed = b.headed || contains(child, atom.H1)
		case b.findMains(child, isMain):
			b.above[child], found = true, true
		}
	}
	return found
}

// findBars collects the bars outside the main parts. A header with the page's
// only first heading is content.
func (b *bars) findBars(n *html.Node) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		switch {
		case child.Type != html.ElementNode, b.mains[child]:
		case b.above[child] || !isBar(child):
			b.findBars(child)
		case b.headed || !contains(child, atom.H1):
			b.found = append(b.found, child)
		}
	}
}

func isMainPart(n *html.Node) bool {
	return n.DataAtom == atom.Main || strings.EqualFold(attr(n, "role"), "main")
}

func isArticle(n *html.Node) bool { return n.DataAtom == atom.Article }

func isBar(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Nav, atom.Header, atom.Footer, atom.Aside:
		return true
	}
	switch strings.ToLower(attr(n, "role")) {
	case "navigation", "banner", "contentinfo", "complementary", "search":
		return true
	}
	return false
}

// contains reports whether an element of a kind lies within n.
func contains(n *html.Node, a atom.Atom) bool {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.DataAtom == a || contains(child, a) {
			return true
		}
	}
	return false
}
