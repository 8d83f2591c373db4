package markup

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"ragdesk/backend/parse/doctext"
)

// maxIndent is how deep entries of lists are indented.
const maxIndent = 16

// list writes a list; entries of lists inside it follow in the same one.
func (f *flow) list(n *html.Node, l list) {
	f.breakBlock()
	if len(f.lists) == 0 {
		f.endList()
	}
	f.lists = append(f.lists, l)
	f.children(n)
	f.breakBlock()
	f.lists = f.lists[:len(f.lists)-1]
	if len(f.lists) == 0 {
		f.endList()
	}
}

// numbered returns the list that an ol element is.
func numbered(n *html.Node) list {
	l := list{ordered: true, kind: attr(n, "type"), next: 1, step: 1}
	if has(n, "reversed") {
		l.step, l.next = -1, 0
		for child := n.FirstChild; child != nil; child = child.NextSibling {
			if child.DataAtom == atom.Li {
				l.next++
			}
		}
	}
	if start, err := strconv.Atoi(strings.TrimSpace(attr(n, "start"))); err == nil {
		l.next = start
	}
	return l
}

// listItem writes an entry. One outside any list is one of a list by itself.
func (f *flow) listItem(n *html.Node) {
	f.breakBlock()
	if len(f.lists) == 0 {
		f.lists = append(f.lists, list{})
		defer func() {
			f.breakBlock()
			f.lists = f.lists[:0]
		}()
	}
	l := &f.lists[len(f.lists)-1]
	marker := ""
	if l.ordered {
		if v, err := strconv.Atoi(strings.TrimSpace(attr(n, "value"))); err == nil {
			l.next = v
		}
		marker = ordinal(l.next, l.kind) + "."
		l.next += l.step
	}
	f.entry(n, len(f.lists)-1, marker)
}

// entry writes n as an entry of the open list.
func (f *flow) entry(n *html.Node, depth int, marker string) {
	f.items = append(f.items, doctext.Item{Depth: min(depth, maxIndent), Marker: marker})
	f.children(n)
	f.breakBlock()
}

// definition writes a term (deeper 0) or what it means (deeper 1) as an entry.
func (f *flow) definition(n *html.Node, deeper int) {
	f.breakBlock()
	if len(f.lists) == 0 {
		f.block(n)
		return
	}
	f.entry(n, len(f.lists)-1+deeper, "")
}

// ordinal writes a number as a list of the given type does: 1, a, A, i or I.
func ordinal(n int, kind string) string {
	switch {
	case kind == "a" && n > 0:
		return letterNumber(n)
	case kind == "A" && n > 0:
		return strings.ToUpper(letterNumber(n))
	case kind == "i" && n > 0 && n < 4000:
		return strings.ToLower(roman(n))
	case kind == "I" && n > 0 && n < 4000:
		return roman(n)
	}
	return fmt.Sprint(n)
}

// letterNumber writes 1 as a, 26 as z, 27 as aa.
func letterNumber(n int) string {
	s := ""
	for ; n > 0; n = (n - 1) / 26 {
		s = string(rune('a'+(n-1)%26)) + s
	}
	return s
}

func roman(n int) string {
	var b strings.Builder
	for _, d := range []struct {
		value  int
		letter string
	}{
		{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"},
		{10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"},
	} {
		for n >= d.value {
			b.WriteString(d.letter)
			n -= d.value
		}
	}
	return b.String()
}
