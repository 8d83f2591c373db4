package odf

import (
	"strconv"
	"strings"

	"ragdesk/backend/parse/count"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/office/opc"
)

// style is what of a style matters to text.
type style struct {
	parent, display string
	// outline is the level of a heading from 1, 0 for none.
	outline int
	// list is the list style of its paragraphs; listed says that it names one, be it
	// none.
	list   string
	listed bool
	// hidden says that text, a sheet or a slide of the style is not shown; shown
	// that it is, whatever the parent says.
	hidden, shown bool
}

// listLevel is a level of a list style.
type listLevel struct {
	// system is a name of package count, "" for no number; unmarked says that the
	// level has neither number nor sign.
	system         string
	unmarked       bool
	prefix, suffix string
	// format is a label with %1% for the number of level 1; "" for prefix, numbers,
	// suffix.
	format string
	// shown is how many levels of numbers the label has.
	shown, start int
}

// deepest is the most levels of a list, and how far chains of styles are followed.
const deepest = 10

// listStyle is a list style by levels from 0.
type listStyle [deepest]listLevel

// counters are the numbers of a list's levels; 0 where a level has not begun.
type counters [deepest]int

// styles are the styles of a file, by family and name.
type styles struct {
	byName     map[string]style
	listStyles map[string]*listStyle
	outline    *listStyle
}

func newStyles() styles {
	return styles{byName: make(map[string]style), listStyles: make(map[string]*listStyle), outline: &listStyle{}}
}

// read reads the styles just started.
func (s *styles) read(r *opc.Reader) error {
	return r.Children(func(e opc.Element) error {
		switch e.Name.Local {
		case "style":
			st, err := readStyle(r, e)
			s.byName[guard.Attr(e, "family")+"/"+guard.Attr(e, "name")] = st
			return err
		case "list-style":
			l, err := readListStyle(r)
			s.listStyles[guard.Attr(e, "name")] = l
			return err
		case "outline-style":
			l, err := readListStyle(r)
			s.outline = l
			return err
		}
		return nil
	})
}

func readStyle(r *opc.Reader, e opc.Element) (style, error) {
	st := style{parent: guard.Attr(e, "parent-style-name"), display: guard.Attr(e, "display-name"),
		outline: opc.Int(e, "default-outline-level", 0)}
	if st.display == "" {
		st.display = strings.ReplaceAll(guard.Attr(e, "name"), "_20_", " ")
	}
	for _, a := range e.Attr {
		if a.Name.Local == "list-style-name" {
			st.list, st.listed = a.Value, true
		}
	}
	err := r.Children(func(e opc.Element) error {
		switch e.Name.Local {
		case "text-properties":
			switch guard.Attr(e, "display") {
			case "none":
				st.hidden = true
			case "true":
				st.shown = true
			}
		case "table-properties":
			st.hidden = st.hidden || guard.Attr(e, "display") == "false"
		case "drawing-page-properties":
			st.hidden = st.hidden || guard.Attr(e, "visibility") == "hidden"
		}
		return nil
	})
	return st, err
}

func readListStyle(r *opc.Reader) (*listStyle, error) {
	l := &listStyle{}
	err := r.Children(func(e opc.Element) error {
		i := opc.Int(e, "level", 0) - 1
		if i < 0 || i >= deepest {
			return nil
		}
		switch e.Name.Local {
		case "list-level-style-number", "outline-level-style":
			l[i] = listLevel{
				system: system(guard.Attr(e, "num-format")), prefix: guard.Attr(e, "num-prefix"),
				suffix: guard.Attr(e, "num-suffix"), format: guard.Attr(e, "num-list-format"),
				shown: opc.Int(e, "display-levels", 1), start: opc.Int(e, "start-value", 1),
			}
			l[i].unmarked = l[i].system == ""
		case "list-level-style-bullet", "list-level-style-image":
			l[i] = listLevel{}
		}
		return nil
	})
	return l, err
}

// system returns the name package count has for a number format, which is written
// by its first numbers.
func system(format string) string {
	for _, f := range []struct{ begins, system string }{
		{"1", "decimal"}, {"a", "lowerLetter"}, {"A", "upperLetter"}, {"i", "lowerRoman"}, {"I", "upperRoman"},
		{"一", "chineseCountingThousand"}, {"壹, 贰", "chineseLegalSimplified"}, {"壹, 貳", "ideographLegalTraditional"},
		{"壱", "japaneseLegal"}, {"甲", "ideographTraditional"}, {"子", "ideographZodiac"}, {"①", "decimalEnclosedCircle"},
		{"１", "decimalFullWidth"}, {"ア", "aiueo"}, {"ｱ", "aiueo"}, {"イ", "iroha"}, {"ｲ", "iroha"}, {"가", "ganada"},
		{"〇", "ideographDigital"}, {"01", "decimalZero"},
	} {
		if format == "" {
			return ""
		}
		if strings.HasPrefix(format, "01") {
			return "decimalZero"
		}
		if strings.HasPrefix(format, f.begins) {
			return f.system
		}
	}
	return "decimal"
}

// chain calls fn for the style of a family and those above it until fn returns
// true.
func (s *styles) chain(family, name string, fn func(style) bool) {
	for range deepest {
		st, ok := s.byName[family+"/"+name]
		if !ok || fn(st) {
			return
		}
		name = st.parent
	}
}

// isHidden reports whether what is of the style is not shown.
func (s *styles) isHidden(family, name string) bool {
	hidden := false
	s.chain(family, name, func(st style) bool {
		hidden = st.hidden
		return st.hidden || st.shown
	})
	return hidden
}

// heading returns the level of a paragraph whose style makes it a heading, 0 for
// other paragraphs.
func (s *styles) heading(name string) int {
	level := 0
	s.chain("paragraph", name, func(st style) bool {
		if level = st.outline; level == 0 && (st.display == "Title" || st.display == "标题" || st.display == "Titel") {
			level = 1
		}
		return level > 0
	})
	return level
}

// contents returns the depth from 0 of an entry in an index, by the number that
// its style's name ends in.
func (s *styles) contents(name string) int {
	depth := 0
	s.chain("paragraph", name, func(st style) bool {
		if i := strings.LastIndexByte(st.display, ' '); i >= 0 {
			if n, err := strconv.Atoi(st.display[i+1:]); err == nil && n >= 1 && n <= deepest {
				depth = n - 1
				return true
			}
		}
		return false
	})
	return depth
}

// next counts an entry at a level and returns its label, "" for a sign or nothing.
func (l *listStyle) next(c *counters, level int) string {
	c.advance(l, level)
	lv := l[level]
	if lv.system == "" {
		return ""
	}
	number := func(i int) string {
		if i < 0 || i >= deepest || l[i].system == "" {
			return ""
		}
		return count.Format(l[i].system, max(c[i], 1))
	}
	if lv.format != "" {
		out := lv.format
		for i := range deepest {
			out = strings.ReplaceAll(out, "%"+strconv.Itoa(i+1)+"%", number(i))
		}
		return strings.TrimSpace(out)
	}
	var parts []string
	for i := max(0, level-lv.shown+1); i <= level; i++ {
		if n := number(i); n != "" {
			parts = append(parts, n)
		}
	}
	return strings.TrimSpace(lv.prefix + strings.Join(parts, ".") + lv.suffix)
}

func (c *counters) advance(l *listStyle, level int) {
	for i := range level {
		if c[i] == 0 {
			c[i] = max(l[i].start, 1)
		}
	}
	if c[level] == 0 {
		c[level] = max(l[level].start, 1)
	} else {
		c[level]++
	}
	for i := level + 1; i < deepest; i++ {
		c[i] = 0
	}
}
