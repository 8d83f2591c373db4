package docx

import (
	"strconv"
	"strings"

	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/office/opc"
)

// style is what of a style matters to text; numbers are -1 where it is silent.
type style struct {
	name, basedOn string
	// outline is the level of a heading from 0; 9 says that it is none.
	outline int
	numID   int
	level   int
	vanish  *bool
}

// styles are the styles of a document by id.
type styles struct {
	byID map[string]style
	// paragraph is the id of the style of paragraphs that name none.
	paragraph string
}

// deepest is how far chains of styles are followed.
const deepest = 32

func readStyles(r *opc.Reader) (styles, error) {
	s := styles{byID: make(map[string]style)}
	err := r.Children(func(e opc.Element) error {
		if e.Name.Local != "style" {
			return nil
		}
		id := guard.Attr(e, "styleId")
		if opc.True(guard.Attr(e, "default")) && guard.Attr(e, "type") == "paragraph" {
			s.paragraph = id
		}
		one, err := readStyle(r)
		s.byID[id] = one
		return err
	})
	return s, err
}

func readStyle(r *opc.Reader) (style, error) {
	s := style{outline: -1, numID: -1, level: -1}
	err := r.Children(func(e opc.Element) error {
		switch e.Name.Local {
		case "name":
			s.name = guard.Attr(e, "val")
		case "basedOn":
			s.basedOn = guard.Attr(e, "val")
		case "rPr":
			return r.Children(func(e opc.Element) error {
				if e.Name.Local == "vanish" {
					on := opc.On(e)
					s.vanish = &on
				}
				return nil
			})
		case "pPr":
			return r.Children(func(e opc.Element) error {
				switch e.Name.Local {
				case "outlineLvl":
					s.outline = opc.Int(e, "val", -1)
				case "numPr":
					var err error
					s.numID, s.level, err = readNumPr(r)
					return err
				}
				return nil
			})
		}
		return nil
	})
	return s, err
}

// readNumPr reads which list a paragraph belongs to and at which level; -1 where
// nothing is said.
func readNumPr(r *opc.Reader) (numID, level int, err error) {
	numID, level = -1, -1
	err = r.Children(func(e opc.Element) error {
		switch e.Name.Local {
		case "numId":
			numID = opc.Int(e, "val", -1)
		case "ilvl":
			level = opc.Int(e, "val", -1)
		}
		return nil
	})
	return numID, level, err
}

// chain calls fn for the style id and those it is based on until fn returns true.
func (s styles) chain(id string, fn func(id string, st style) bool) {
	for range deepest {
		st, ok := s.byID[id]
		if !ok || fn(id, st) {
			return
		}
		id = st.basedOn
	}
}

// heading returns the level from 1 of a paragraph of style id with its own
// outline level (-1 for none); 0 when it is no heading.
func (s styles) heading(id string, outline int) int {
	level := 0
	if outline < 0 {
		s.chain(id, func(_ string, st style) bool {
			if outline = st.outline; outline < 0 {
				level = headingName(st.name)
			}
			return outline >= 0 || level > 0
		})
		if _, known := s.byID[id]; !known {
			level = headingName(id)
		}
	}
	if outline >= 0 && outline < 9 {
		return outline + 1
	}
	if outline == 9 {
		return 0
	}
	return level
}

// headingNames are the names of headings, before their number, in the languages
// of the programs that write their own.
var headingNames = []string{"heading", "标题", "標題", "見出し", "제목", "titre", "überschrift", "título", "titolo", "заголовок", "kop"}

// headingName returns the level a style's name gives, 0 for other names.
func headingName(name string) int {
	name = strings.ToLower(strings.TrimSpace(name))
	switch name {
	case "title", "标题", "標題", "表題", "doc title", "文档标题":
		return 1
	}
	for _, h := range headingNames {
		rest, ok := strings.CutPrefix(name, h)
		if !ok {
			continue
		}
		if n, err := strconv.Atoi(strings.TrimSpace(rest)); err == nil && n >= 1 && n <= 9 {
			return n
		}
	}
	return 0
}

// contents returns the level from 1 of an entry of a table of contents, 0 for
// other styles.
func (s styles) contents(id string) int {
	name := id
	if st, ok := s.byID[id]; ok {
		name = st.name
	}
	name = strings.ToLower(name)
	for _, toc := range []string{"toc", "目录", "目錄", "目次"} {
		if rest, ok := strings.CutPrefix(name, toc); ok {
			if n, err := strconv.Atoi(strings.TrimSpace(rest)); err == nil && n >= 1 && n <= 9 {
				return n
			}
		}
	}
	return 0
}

// list returns the list and level that a style puts its paragraphs in; -1 where it
// says nothing.
func (s styles) list(id string) (numID, level int) {
	numID, level = -1, -1
	s.chain(id, func(_ string, st style) bool {
		if level < 0 {
			level = st.level
		}
		numID = st.numID
		return numID >= 0
	})
	return numID, level
}

// hidden reports whether the style makes its text hidden.
func (s styles) hidden(id string) bool {
	hidden := false
	s.chain(id, func(_ string, st style) bool {
		if st.vanish != nil {
			hidden = *st.vanish
		}
		return st.vanish != nil
	})
	return hidden
}
