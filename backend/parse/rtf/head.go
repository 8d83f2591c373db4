package rtf

import (
	"strings"
	"unicode/utf8"

	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/text"
)

// font is an entry of the table of fonts.
type font struct {
	// page is the code page of its bytes, "" for the document's.
	page string
	// symbols: its characters are pictures; greek: they are Greek letters.
	symbols, greek bool
	// western: its bytes are of the code page of the West, unless the document's
	// takes two bytes a character and fits.
	western bool
}

// charset takes the number of a character set.
func (f *font) charset(n int) {
	pages := map[int]string{77: "macintosh", 78: "932", 79: "949", 80: "936", 81: "950", 128: "932", 129: "949", 130: "949",
		134: "936", 136: "950", 161: "1253", 162: "1254", 163: "1258", 177: "1255", 178: "1256", 186: "1257", 204: "1251",
		222: "874", 238: "1250", 254: "437", 255: "850"}
	f.page, f.western, f.symbols = pages[n], n == 0, n == 2
}

func (r *reader) fontOf(n int) *font {
	if r.fonts[n] == nil {
		r.fonts[n] = &font{}
	}
	return r.fonts[n]
}

// style is an entry of the sheet of styles.
type style struct{ outline, base int }

func (r *reader) styleOf(n int) *style {
	if r.styles[n] == nil {
		r.styles[n] = &style{base: -1}
	}
	return r.styles[n]
}

// define ends an entry of a table of the head by its name.
func (r *reader) define(k tableKind) {
	r.flush()
	name := strings.ToLower(strings.Trim(r.name.String(), " ;\n"))
	r.name.Reset()
	switch {
	case name == "":
	case k == fontTable:
		f := r.fontOf(r.fontAt)
		f.greek = name == "symbol"
		f.symbols = f.symbols || f.greek || strings.HasPrefix(name, "wingdings") || name == "webdings"
	case k == styleTable:
		if s := r.styleOf(r.styleAt); s.outline == 0 {
			s.outline = headingLevel(name)
		}
	}
}

// headingLevel is the level that a style's name in one of several languages says,
// 0 for running text.
func headingLevel(name string) int {
	name, _, _ = strings.Cut(name, ",") // alternative names
	switch name {
	case "title", "标题", "標題":
		return 1
	}
	for _, prefix := range []string{"heading", "标题", "標題", "見出し", "überschrift", "titre", "título", "titolo", "заголовок", "제목"} {
		rest, ok := strings.CutPrefix(name, prefix)
		rest = strings.TrimSpace(rest)
		if ok && len(rest) == 1 && '1' <= rest[0] && rest[0] <= '9' {
			return int(rest[0] - '0')
		}
	}
	return 0
}

// outlineOf is the level of a style or of the styles it stands on.
func (r *reader) outlineOf(n int) int {
	for range 16 {
		s := r.styles[n]
		switch {
		case s == nil:
			return 0
		case s.outline > 0:
			return s.outline
		}
		n = s.base
	}
	return 0
}

// para puts a paragraph together.
func (r *reader) para(s string, p paragraph) doctext.Para {
	marker := strings.TrimSpace(r.marker)
	r.marker = ""
	if marker == "o" { // a bullet of a typewriter's font
		marker = ""
	}
	heading := p.outline
	if heading == 0 {
		heading = r.outlineOf(p.style)
	}
	return doctext.Para{Text: s, Heading: heading, List: p.list > 0 || marker != "", Depth: p.level, Marker: marker}
}

// addBoxes adds the text boxes anchored in the paragraph just ended.
func (r *reader) addBoxes() {
	for _, b := range r.boxes {
		for p := range strings.SplitSeq(b, "\n") {
			r.flow.Add(doctext.Para{Text: p})
		}
	}
	r.boxes = nil
}

// Pages of pending bytes that are none.
const (
	pageSymbols = "symbols"
	pageGreek   = "greek"
	pageWest    = "west"
)

// fontPage names how bytes are to be read now.
func (r *reader) fontPage() string {
	f := r.fonts[r.st.font]
	switch {
	case r.st.table == fontTable || f == nil:
		return r.page
	case f.greek:
		return pageGreek
	case f.symbols:
		return pageSymbols
	case f.page != "":
		return f.page
	case f.western:
		return pageWest
	}
	return r.page
}

// flush decodes the pending bytes.
func (r *reader) flush() {
	if len(r.pending) == 0 {
		return
	}
	b := r.pending
	raw := r.rawHigh
	r.pending, r.rawHigh = nil, false
	switch {
	case raw && utf8.Valid(b):
		r.emit(string(b))
	case r.pendingPage == pageSymbols, r.pendingPage == pageGreek:
		var s strings.Builder
		for _, c := range b {
			s.WriteString(symbolOf(c, r.pendingPage == pageGreek))
		}
		r.emit(s.String())
	default:
		r.emit(r.decode(b))
	}
}

// decode reads bytes of the pending page. A Western font in a document of a page
// that takes two bytes a character may hold either.
func (r *reader) decode(b []byte) string {
	page := r.pendingPage
	if page == pageWest {
		page = "1252"
		switch r.page {
		case "932", "936", "949", "950":
			if s, err := text.Decode(r.page, b); err == nil {
				return s
			}
		}
	}
	s, err := text.Loose(page, b)
	if err != nil {
		s, _ = text.Loose("1252", b) // a page that is always known
	}
	return s
}

// symbol writes a character of the current font of symbols.
func (r *reader) symbol(c byte) string {
	f := r.fonts[r.st.font]
	return symbolOf(c, f != nil && f.greek)
}

// symbolOf writes a character of a font of symbols by what it looks like.
func symbolOf(c byte, greek bool) string {
	if c == ' ' || c == 0xa0 {
		return " "
	}
	if greek {
		switch {
		case 'a' <= c && c <= 'z':
			return string([]rune("αβχδεφγηιϕκλμνοπθρστυϖωξψζ")[c-'a'])
		case 'A' <= c && c <= 'Z':
			return string([]rune("ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ")[c-'A'])
		case c < 0x80:
			return string(rune(c))
		}
		named := map[byte]string{0xb0: "°", 0xb1: "±", 0xa3: "≤", 0xb3: "≥", 0xb4: "×", 0xb8: "÷", 0xb9: "≠", 0xbb: "≈", 0xae: "→", 0xa5: "∞", 0xe5: "∑", 0xd6: "√"}
		if s := named[c]; s != "" {
			return s
		}
		return "•"
	}
	switch c {
	case 0xfc, 0x50:
		return "✓"
	case 0xfb, 0x4f:
		return "✗"
	case 0xfe, 0x52:
		return "☑"
	case 0xa8, 0x6f, 0x72, 0xa3:
		return "☐"
	case 0xe0, 0xe8, 0xf0:
		return "→"
	}
	return "•"
}
