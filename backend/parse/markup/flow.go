package markup

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/rag"
)

// page is what the parts of a page share while it is written.
type page struct {
	limits guard.Limits
	health *rag.Health
	warn   func(code, detail string)
	stop   func() error
	// drop are the bars around the main part.
	drop       map[*html.Node]bool
	showHidden bool
	// embedded counts what is shown but is no text, by element.
	embedded map[string]int
	tables   map[*html.Node]*tableShape
	cells    int
	repeated int
	nodes    int
	// frames is how many pages are inside each other.
	frames int
	// err ends the writing.
	err error
}

// skip reports whether an element is not written.
func (p *page) skip(n *html.Node) bool {
	return silent(n) || p.drop[n] || !p.showHidden && hidden(n)
}

// step counts a node and reports whether writing goes on.
func (p *page) step() bool {
	if p.nodes++; p.nodes%4096 == 0 && p.err == nil {
		p.err = p.stop()
	}
	return p.err == nil
}

func (p *page) embed(name string) {
	if p.embedded == nil {
		p.embedded = map[string]int{}
	}
	p.embedded[name]++
}

func (p *page) warnEmbedded() {
	var found []string
	for _, name := range slices.Sorted(maps.Keys(p.embedded)) {
		found = append(found, fmt.Sprintf("%s ×%d", name, p.embedded[name]))
	}
	if len(found) > 0 {
		p.warn(WarnEmbedded, strings.Join(found, ", "))
	}
}

// out is where blocks go: the document, or a cell.
type out interface {
	Heading(level int, title string)
	Paragraph(s string)
	List(items []doctext.Item)
	Code(language, s string)
}

// flow writes the blocks below an element.
type flow struct {
	*page
	out   out
	text  inline
	items []doctext.Item
	lists []list
	// quotes is how many block quotes are open.
	quotes int
}

// list is a list being written.
type list struct {
	ordered bool
	kind    string
	next    int
	step    int
}

// end writes what is open.
func (f *flow) end() {
	f.breakBlock()
	f.endList()
}

// breakBlock ends the paragraph.
func (f *flow) breakBlock() {
	s := f.text.take()
	if s == "" {
		return
	}
	switch {
	case len(f.lists) > 0 && len(f.items) > 0:
		it := &f.items[len(f.items)-1]
		if it.Text != "" {
			it.Text += "\n"
		}
		it.Text += s
	case f.quotes > 0:
		f.out.Paragraph("> " + strings.ReplaceAll(s, "\n", "\n> "))
	default:
		f.out.Paragraph(s)
	}
}

// endList writes the list's entries so far.
func (f *flow) endList() {
	if len(f.items) > 0 {
		f.out.List(f.items)
	}
	f.items = nil
}

// endBlocks ends the paragraph and the list, for a block that stands by itself.
func (f *flow) endBlocks() {
	f.breakBlock()
	f.endList()
}

func (f *flow) children(n *html.Node) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if !f.step() {
			return
		}
		switch child.Type {
		case html.TextNode:
			f.text.add(child.Data)
		case html.ElementNode:
			if !f.skip(child) {
				f.element(child)
			}
		}
	}
}

// block writes an element as blocks of their own.
func (f *flow) block(n *html.Node) {
	f.breakBlock()
	f.children(n)
	f.breakBlock()
}

func (f *flow) element(n *html.Node) {
	if n.Namespace != "" {
		f.foreign(n)
		return
	}
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		f.heading(n, int(n.Data[1]-'0'))
	case atom.Br:
		f.text.line()
	case atom.Hr, atom.P, atom.Div, atom.Section, atom.Article, atom.Main, atom.Header, atom.Footer, atom.Nav,
		atom.Aside, atom.Address, atom.Figure, atom.Figcaption, atom.Form, atom.Fieldset, atom.Legend, atom.Details,
		atom.Summary, atom.Body, atom.Html, atom.Center, atom.Caption, atom.Hgroup, atom.Dialog, atom.Optgroup,
		atom.Search, atom.Tr, atom.Tbody, atom.Thead, atom.Tfoot, atom.Frameset, atom.Marquee:
		f.division(n)
	case atom.Ul, atom.Menu, atom.Dir:
		f.list(n, list{})
	case atom.Ol:
		f.list(n, numbered(n))
	case atom.Li:
		f.listItem(n)
	case atom.Dl:
		f.list(n, list{})
	case atom.Dt:
		f.definition(n, 0)
	case atom.Dd:
		f.definition(n, 1)
	case atom.Blockquote:
		f.endBlocks()
		f.quotes++
		f.children(n)
		f.endBlocks()
		f.quotes--
	case atom.Pre, atom.Xmp, atom.Listing, atom.Plaintext:
		f.code(n)
	case atom.Table:
		f.table(n)
	case atom.Td, atom.Th:
		f.block(n)
	default:
		f.inlineElement(n)
	}
}

// division writes a block element, which may be a heading by its role.
func (f *flow) division(n *html.Node) {
	if attr(n, "role") == "heading" {
		level := 2
		if l := attr(n, "aria-level"); len(l) == 1 && l >= "1" && l <= "6" {
			level = int(l[0] - '0')
		}
		f.heading(n, level)
		return
	}
	f.block(n)
}

// heading writes a heading; pictures and tables in it are its text.
func (f *flow) heading(n *html.Node, level int) {
	f.endBlocks()
	if title := f.inner(n); title != "" {
		f.out.Heading(level, title)
	}
}

// inner returns the text below n as one piece, its blocks on lines of their own.
func (f *flow) inner(n *html.Node) string {
	var c cellOut
	inner := flow{page: f.page, out: &c}
	inner.children(n)
	inner.end()
	return c.String()
}

// inlineElement writes an element that is part of a line.
func (f *flow) inlineElement(n *html.Node) {
	switch n.DataAtom {
	case atom.Img:
		f.image(n, attr(n, "alt"))
	case atom.Sup, atom.Sub:
		f.shifted(n)
	case atom.Q:
		f.text.add("“")
		f.children(n)
		f.text.add("”")
	case atom.Input:
		f.input(n)
	case atom.Button, atom.Select, atom.Textarea, atom.Output:
		f.text.part()
		f.children(n)
		f.text.part()
	case atom.Option:
		if !firstElement(n) {
			f.text.add(" / ")
		}
		f.children(n)
	case atom.Iframe:
		f.iframe(n)
	case atom.Embed, atom.Frame, atom.Applet:
		f.embed(n.Data)
	case atom.Object:
		f.embed(n.Data)
		f.children(n)
	default:
		f.children(n)
	}
}

// image counts a picture and writes what it stands for.
func (f *flow) image(n *html.Node, alt string) {
	if tiny(attr(n, "width")) || tiny(attr(n, "height")) {
		return // counts visits, shows nothing
	}
	f.health.Images++
	alt = strings.TrimSpace(alt)
	if alt == "" {
		return
	}
	f.text.pause()
	f.text.add(alt)
	f.text.pause()
}

func tiny(size string) bool { return size == "0" || size == "1" || size == "1px" || size == "0px" }

// shifted writes an index or exponent.
func (f *flow) shifted(n *html.Node) {
	forms := raised
	if n.DataAtom == atom.Sub {
		forms = lowered
	}
	if s, ok := shifted(textOf(n), forms); ok {
		f.text.add(s)
		return
	}
	f.children(n)
}

// input writes what a form's field shows.
func (f *flow) input(n *html.Node) {
	f.text.part()
	switch strings.ToLower(attr(n, "type")) {
	case "checkbox", "radio":
		mark := "☐"
		if has(n, "checked") {
			mark = "☑"
		}
		f.text.add(mark)
	case "password", "hidden", "file", "color", "range":
	case "image":
		f.image(n, attr(n, "alt"))
	default:
		f.text.add(attr(n, "value"))
	}
	f.text.part()
}

// iframe writes a page inside the page that is written out, and counts others.
func (f *flow) iframe(n *html.Node) {
	inside := attr(n, "srcdoc")
	if inside == "" {
		if !tiny(attr(n, "width")) && !tiny(attr(n, "height")) {
			f.embed(n.Data)
		}
		return
	}
	root, err := parseTree(inside, false, true, f.limits)
	if err != nil || f.frames == maxFrames || depthOf(root, f.limits.Depth) > f.limits.Depth {
		f.embed(n.Data)
		return
	}
	f.endBlocks()
	f.frames++
	f.children(root)
	f.endBlocks()
	f.frames--
}

// maxFrames is how deep pages inside pages are read.
const maxFrames = 4

// firstElement reports whether no element stands before n in its parent.
func firstElement(n *html.Node) bool {
	for p := n.PrevSibling; p != nil; p = p.PrevSibling {
		if p.Type == html.ElementNode {
			return false
		}
	}
	return true
}
