package markup

import (
	"strings"

	"golang.org/x/net/html"
)

// foreign writes a drawing or a formula.
func (f *flow) foreign(n *html.Node) {
	switch {
	case n.Namespace == "svg" && n.Data == "svg":
		f.drawing(n)
	case n.Namespace == "math":
		f.text.add(f.formula(n))
	default:
		f.children(n)
	}
}

// drawing counts a drawing and writes its texts, or else the name it has for
// those who do not see it.
func (f *flow) drawing(n *html.Node) {
	if tiny(attr(n, "width")) || tiny(attr(n, "height")) {
		return
	}
	f.health.Images++
	var texts, names []string
	f.labels(n, &texts, &names)
	if len(texts) == 0 {
		texts = names
	}
	for i, s := range texts {
		if i > 0 {
			f.text.line()
		} else {
			f.text.pause()
		}
		f.text.add(s)
	}
	f.text.pause()
}

// labels collects the texts of a drawing, and its title and description.
func (f *flow) labels(n *html.Node, texts, names *[]string) {
	for child := n.FirstChild; child != nil && f.step(); child = child.NextSibling {
		if child.Type != html.ElementNode || hidden(child) {
			continue
		}
		switch child.Data {
		case "text":
			if s := strings.Join(strings.Fields(textOf(child)), " "); s != "" {
				*texts = append(*texts, s)
			}
		case "title", "desc":
			if s := strings.Join(strings.Fields(textOf(child)), " "); s != "" {
				*names = append(*names, s)
			}
		case "foreignObject", "foreignobject":
			if s := f.inner(child); s != "" {
				*texts = append(*texts, s)
			}
		case "script", "style", "defs", "metadata":
		default:
			f.labels(child, texts, names)
		}
	}
}

// formula writes MathML in a line: the TeX that it was made from, or fractions,
// roots and indices with signs.
func (f *flow) formula(n *html.Node) string {
	if tex := annotation(n); tex != "" {
		return tex
	}
	return linear(n)
}

// annotation returns the TeX source in a formula, "" without.
func annotation(n *html.Node) string {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.Data == "annotation" && strings.Contains(attr(child, "encoding"), "tex") {
			return strings.TrimSpace(textOf(child))
		}
		if s := annotation(child); s != "" {
			return s
		}
	}
	return ""
}

// linear writes the elements of a formula.
func linear(n *html.Node) string {
	var parts []string
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		switch {
		case child.Type == html.TextNode:
			if s := strings.TrimSpace(child.Data); s != "" {
				parts = append(parts, s)
			}
		case child.Type == html.ElementNode && child.Data != "annotation" && child.Data != "annotation-xml":
			parts = append(parts, linear(child))
		}
	}
	part := func(i int) string {
		if i >= len(parts) {
			return ""
		}
		return grouped(parts[i])
	}
	switch n.Data {
	case "mfrac":
		return part(0) + "/" + part(1)
	case "msqrt":
		return "√" + grouped(strings.Join(parts, ""))
	case "mroot":
		return "root(" + part(1) + ")(" + part(0) + ")"
	case "msup", "mover":
		return part(0) + "^" + part(1)
	case "msub", "munder":
		return part(0) + "_" + part(1)
	case "msubsup", "munderover":
		return part(0) + "_" + part(1) + "^" + part(2)
	case "mtr":
		return strings.Join(parts, " ") + "; "
	}
	return strings.Join(parts, "")
}

// grouped puts an expression of more than one sign in parentheses.
func grouped(s string) string {
	for i, r := range s {
		if i > 0 && strings.ContainsRune("+-−×*/=<>±^_ ", r) {
			return "(" + s + ")"
		}
	}
	return s
}
