package docx

import (
	"strings"
	"unicode"

	"ragdesk/backend/parse/count"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/office/opc"
)

// levels is how many levels a list has.
const levels = 9

// listLevel is one level of a list.
type listLevel struct {
	start int
	// format names a system of package count.
	format string
	// text is the label with %1 to %9 for the numbers of the levels.
	text string
	// tight says that nothing stands between the label and the text.
	tight bool
	// decimal says that all numbers of the label are decimal.
	decimal bool
	// restart is the level (from 1) whose numbers restart this one: 0 never, -1 any
	// above it.
	restart int
	// style is the paragraph style that stands for the level.
	style string
}

// abstract is a list definition.
type abstract struct {
	levels [levels]listLevel
	// styleLink names the list style this is the definition of, numStyleLink the
	// one whose definition counts instead.
	styleLink, numStyleLink string
}

// list is a list of the document: a definition with levels of its own.
type list struct {
	abstract string
	// starts override where levels start.
	starts map[int]int
	// own override whole levels.
	own map[int]listLevel
}

// numbering numbers the paragraphs of lists as they come.
type numbering struct {
	abstracts map[string]*abstract
	lists     map[int]*list
	// counts are, by definition, the current numbers of the levels; -1 where a
	// level has not begun.
	counts map[string]*[levels]int
	// begun are the lists whose own starts were applied.
	begun map[int]bool
}

func newNumbering() *numbering {
	n := &numbering{abstracts: make(map[string]*abstract), lists: make(map[int]*list)}
	return n.fresh()
}

// fresh returns n with nothing counted.
func (n *numbering) fresh() *numbering {
	return &numbering{n.abstracts, n.lists, make(map[string]*[levels]int), make(map[int]bool)}
}

func (n *numbering) read(r *opc.Reader) error {
	return r.Children(func(e opc.Element) error {
		switch e.Name.Local {
		case "abstractNum":
			a, err := readAbstract(r)
			n.abstracts[guard.Attr(e, "abstractNumId")] = a
			return err
		case "num":
			l, err := readList(r)
			n.lists[opc.Int(e, "numId", -1)] = l
			return err
		}
		return nil
	})
}

func readAbstract(r *opc.Reader) (*abstract, error) {
	a := &abstract{}
	for i := range a.levels {
		a.levels[i] = listLevel{start: 1, format: "decimal", restart: -1}
	}
	err := r.Children(func(e opc.Element) error {
		switch e.Name.Local {
		case "styleLink":
			a.styleLink = guard.Attr(e, "val")
		case "numStyleLink":
			a.numStyleLink = guard.Attr(e, "val")
		case "lvl":
			i := opc.Int(e, "ilvl", -1)
			l, err := readLevel(r)
			if i >= 0 && i < levels {
				a.levels[i] = l
			}
			return err
		}
		return nil
	})
	return a, err
}

func readLevel(r *opc.Reader) (listLevel, error) {
	l := listLevel{format: "decimal", restart: -1}
	err := r.Children(func(e opc.Element) error {
		switch e.Name.Local {
		case "start":
			l.start = opc.Int(e, "val", 0)
		case "numFmt":
			if l.format = guard.Attr(e, "val"); l.format == "custom" && strings.HasPrefix(guard.Attr(e, "format"), "0") {
				l.format = "decimalZero"
			}
		case "lvlText":
			l.text = guard.Attr(e, "val")
		case "suff":
			l.tight = guard.Attr(e, "val") == "nothing"
		case "isLgl":
			l.decimal = opc.On(e)
		case "lvlRestart":
			l.restart = opc.Int(e, "val", -1)
		case "pStyle":
			l.style = guard.Attr(e, "val")
		}
		return nil
	})
	return l, err
}

func readList(r *opc.Reader) (*list, error) {
	l := &list{starts: make(map[int]int), own: make(map[int]listLevel)}
	err := r.Children(func(e opc.Element) error {
		switch e.Name.Local {
		case "abstractNumId":
			l.abstract = guard.Attr(e, "val")
		case "lvlOverride":
			i := opc.Int(e, "ilvl", -1)
			if i < 0 || i >= levels {
				return nil
			}
			return r.Children(func(e opc.Element) error {
				switch e.Name.Local {
				case "startOverride":
					l.starts[i] = opc.Int(e, "val", 1)
				case "lvl":
					own, err := readLevel(r)
					l.own[i] = own
					return err
				}
				return nil
			})
		}
		return nil
	})
	return l, err
}

// definition returns the definition of a list, through links to list styles.
func (n *numbering) definition(l *list, s styles) (id string, a *abstract) {
	id = l.abstract
	a = n.abstracts[id]
	if a == nil || a.numStyleLink == "" {
		return id, a
	}
	numID, _ := s.list(a.numStyleLink)
	if linked := n.lists[numID]; linked != nil && n.abstracts[linked.abstract] != nil {
		return linked.abstract, n.abstracts[linked.abstract]
	}
	for other, b := range n.abstracts {
		if b.styleLink == a.numStyleLink {
			return other, b
		}
	}
	return id, a
}

// label is the number of a paragraph.
type label struct {
	// depth is the level from 0.
	depth int
	// text is "" for a bullet, or where the level shows nothing.
	text string
	// bullet says that the level has a sign in place of a number, tight that
	// nothing stands between label and text, none that nothing is shown.
	bullet, tight, none bool
}

// next counts a paragraph of the list numID at a level (-1: the one that stands
// for its style or a style above it) and returns its label; ok is false when there is no such list.
func (n *numbering) next(numID, level int, id string, s styles) (out label, ok bool) {
	l := n.lists[numID]
	if l == nil {
		return label{}, false
	}
	list, a := n.definition(l, s)
	if a == nil {
		return label{}, false
	}
	if level < 0 {
		s.chain(id, func(id string, _ style) bool {
			level = a.levelOf(id)
			return level >= 0
		})
		level = max(level, 0)
	}
	level = min(level, levels-1)
	counts := n.counts[list]
	if counts == nil {
		counts = &[levels]int{-1, -1, -1, -1, -1, -1, -1, -1, -1}
		n.counts[list] = counts
	}
	if !n.begun[numID] {
		n.begun[numID] = true
		for i := range l.starts {
			counts[i] = -1
		}
	}
	l.advance(a, counts, level)
	return l.label(a, counts, level), true
}

// levelOf returns the level that a paragraph style stands for, -1 without.
func (a *abstract) levelOf(style string) int {
	for i, l := range a.levels {
		if l.style == style && style != "" {
			return i
		}
	}
	return -1
}

// at returns a level of the list.
func (l *list) at(a *abstract, level int) listLevel {
	if own, ok := l.own[level]; ok {
		return own
	}
	return a.levels[level]
}

// start returns the first number of a level.
func (l *list) start(a *abstract, level int) int {
	if n, ok := l.starts[level]; ok {
		return n
	}
	return l.at(a, level).start
}

// advance counts a paragraph at level: levels above it that have not begun begin,
// levels below it start anew.
func (l *list) advance(a *abstract, counts *[levels]int, level int) {
	for i := range level {
		if counts[i] < 0 {
			counts[i] = l.start(a, i)
		}
	}
	if counts[level] < 0 {
		counts[level] = l.start(a, level)
	} else {
		counts[level]++
	}
	for i := level + 1; i < levels; i++ {
		if r := l.at(a, i).restart; r < 0 || r > 0 && level < r {
			counts[i] = -1
		}
	}
}

func (l *list) label(a *abstract, counts *[levels]int, level int) label {
	lv := l.at(a, level)
	out := label{depth: level, tight: lv.tight}
	if lv.format == "bullet" {
		out.bullet = true
		return out
	}
	var b strings.Builder
	for i := 0; i < len(lv.text); i++ {
		c := lv.text[i]
		if c != '%' || i+1 == len(lv.text) || lv.text[i+1] < '1' || lv.text[i+1] > '9' {
			b.WriteByte(c)
			continue
		}
		i++
		of := int(lv.text[i] - '1')
		format := l.at(a, of).format
		if lv.decimal && format != "none" {
			format = "decimal"
		}
		b.WriteString(count.Format(format, max(counts[of], 0)))
	}
	out.text = strings.TrimFunc(b.String(), unicode.IsSpace)
	out.none = out.text == ""
	return out
}
