package pdf

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/structs"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/layout"
)

// glyph is what one character of the page shows, and where.
type glyph struct {
	// text is one character or, for a ligature, several.
	text string
	box  layout.Box
	// size is the font's size in points as shown.
	size float64
	// index is the character's number in PDFium's text page; -1 for none.
	index int
	// spaced says that a blank or a line end stands before it.
	spaced bool
	// quarter is the direction of writing: quarter turns clockwise, or layout.Skew.
	quarter int
	// bad says that the file does not tell which character it is; unsure that it is
	// taken from the character's code in the font of that name.
	bad    bool
	unsure bool
	code   rune
	font   string
}

// readText returns the segments of page i, parted at rules, and counts its
// characters without meaning. PDFium's order of characters is that of
// the file with right-to-left runs made logical.
func (s *session) readText(i int, f frame, rules []layout.Box) (segs []layout.Segment, bad int, err error) {
	loaded, err := s.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: s.page(i)})
	if err != nil {
		return nil, 0, fmt.Errorf("load text: %w", err)
	}
	g := &glyphReader{session: s, text: loaded.TextPage, frame: f}
	defer func() {
		_, _ = s.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: g.text})
	}()
	counted, err := s.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: g.text})
	if err != nil {
		return nil, 0, fmt.Errorf("count characters: %w", err)
	}
	if counted.Count > s.maxChars {
		return nil, 0, fault.New("limit_text", fault.P("limit", s.maxChars))
	}
	chars, err := g.chars(counted.Count)
	if err != nil {
		return nil, 0, err
	}
	for i := 0; i < len(chars); {
		n := wordLength(chars[i:])
		if err := g.word(i, chars[i:i+n]); err != nil {
			return nil, 0, err
		}
		i += n
	}
	settle(g.out)
	for _, c := range g.out {
		if c.bad {
			bad++
		}
	}
	return segments(g.out, g.font, rules), bad, nil
}

// glyphReader reads the characters of a page one by one, asking for what they
// share once for each run of characters on one line in one size.
type glyphReader struct {
	*session
	text  references.FPDF_TEXTPAGE
	frame frame
	out   []glyph
	// spaced says that a blank was met since the last glyph.
	spaced bool
	// These are of the last character.
	low, high float32
	size      float64
	quarter   int
	// unsure says that the font does not map its codes to characters; name is its
	// own.
	unsure bool
	name   string
}

// none stands for a character that is part of the one before it.
const none = -1

// chars returns the n characters of the page. PDFium counts a character beyond
// the basic plane as two, of which the second is none here.
func (g *glyphReader) chars(n int) ([]rune, error) {
	if n == 0 {
		return nil, nil
	}
	chars := make([]rune, n)
	if all, err := g.FPDFText_GetText(&requests.FPDFText_GetText{TextPage: g.text, StartIndex: 0, Count: n}); err == nil {
		if units := utf16.Encode([]rune(all.Text)); len(units) == n {
			for i, u := range units {
				chars[i] = rune(u)
			}
			pairs(chars)
			return chars, nil
		}
	}
	// A character without any code is missing from the text of the whole page.
	for i := range chars {
		c, err := g.FPDFText_GetUnicode(&requests.FPDFText_GetUnicode{TextPage: g.text, Index: i})
		if err != nil {
			return nil, fmt.Errorf("read character %d: %w", i, err)
		}
		chars[i] = utf8.RuneError
		if c.Unicode <= utf8.MaxRune {
			chars[i] = rune(c.Unicode)
		}
	}
	pairs(chars)
	return chars, nil
}

// pairs joins surrogates.
func pairs(chars []rune) {
	for i := 1; i < len(chars); i++ {
		if r := utf16.DecodeRune(chars[i-1], chars[i]); r != utf8.RuneError {
			chars[i-1], chars[i] = r, none
		}
	}
	for i, r := range chars {
		if utf16.IsSurrogate(r) {
			chars[i] = utf8.RuneError
		}
	}
}

// errGone ends the reading of a page when PDFium has been killed or has crashed.
var errGone = errors.New("PDFium is gone")

// blank reports whether r separates words; PDFium writes a blank wherever it sees
// a gap, and a line end wherever the next text stands elsewhere.
func blank(r rune) bool {
	switch r {
	case '\r', '\n', '\t', ' ', 0xA0, 0x3000, 0x2002, 0x2003, 0x2009, 0x202F:
		return true
	}
	return false
}

// maxWord is the most characters whose places are told from the first and the
// last.
const maxWord = 24

// wordLength is the number of characters that chars starts with and that stand
// beside each other: a word, a blank, or one letter of a right-to-left script.
func wordLength(chars []rune) int {
	for n, r := range chars {
		if n == maxWord || blank(r) || rightToLeft(r) {
			return max(n, 1)
		}
	}
	return len(chars)
}

// word reads a word of at least one character from number i on. Asking for a
// place is what costs most: within a word the places follow from the first and
// the last, if they stand on one line as far apart as letters take.
func (g *glyphReader) word(i int, chars []rune) error {
	if blank(chars[0]) {
		g.spaced = true
		return nil
	}
	n := len(chars)
	if n < 4 || slices.Contains(chars, none) {
		return g.letters(i, chars)
	}
	first, err := g.place(i)
	if err != nil {
		return err
	}
	last, err := g.place(i + n - 1)
	if err != nil {
		return err
	}
	if first == nil || last == nil {
		return g.letters(i, chars)
	}
	units := 0.0
	for _, r := range chars {
		units += breadth(r)
	}
	length, height := float64(last.Right-first.Left), float64(first.Top-first.Bottom)
	if first.Bottom != last.Bottom || first.Top != last.Top || length <= 0 || length > 1.3*units*height {
		return g.letters(i, chars)
	}
	at := *first
	for k, r := range chars {
		at.Right = at.Left + float32(length*breadth(r)/units)
		g.add(i+k, r, at)
		at.Left = at.Right
	}
	return nil
}

// breadth is about how many ems r takes.
func breadth(r rune) float64 {
	if wide(r) {
		return 1
	}
	return 0.5
}

// letters reads characters one by one.
func (g *glyphReader) letters(i int, chars []rune) error {
	for k, r := range chars {
		if r == none {
			continue
		}
		at, err := g.place(i + k)
		if err != nil {
			return err
		}
		if at != nil {
			g.add(i+k, r, *at)
		}
	}
	return nil
}

// place returns the box of character i; nil for one that PDFium made up.
func (g *glyphReader) place(i int) (*structs.FPDF_FS_RECTF, error) {
	loose, err := g.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{TextPage: g.text, Index: i})
	switch {
	case err == nil:
		return &loose.Rect, nil
	case gone(err):
		return nil, fmt.Errorf("%w: %w", errGone, err)
	}
	return nil, nil
}

// add adds character i, which stands at b.
func (g *glyphReader) add(i int, r rune, b structs.FPDF_FS_RECTF) {
	if b.Bottom != g.low || b.Top != g.high {
		g.low, g.high = b.Bottom, b.Top
		g.startRun(i)
	} else if g.spaced || g.unsure {
		g.unmapped(i)
	}
	place := g.frame.box(float64(b.Left), float64(b.Bottom), float64(b.Right), float64(b.Top))
	g.put(glyph{box: place, size: g.size, index: i, quarter: g.quarter}, r)
}

// put adds what r shows, with the place and size of like.
func (g *glyphReader) put(like glyph, r rune) {
	like.spaced = g.spaced
	s := plain(r)
	switch {
	case g.unsure:
		like.unsure, like.code, like.font = true, r, g.name
		if s == "" {
			s = string(utf8.RuneError)
		}
	case r == 0:
		s, like.bad = string(utf8.RuneError), true
	case s == "":
		return
	case meaningless(firstRune(s)):
		like.bad = true
		if c, ok := hongKong(r); ok && hongKongFont(g.font(like.index).name) {
			s, like.bad = c, false
		}
	}
	like.text = s
	g.out = append(g.out, like)
	g.spaced = false
}

// settle decides on the characters of fonts that do not map their codes. Where
// all codes are those of Latin letters they are taken for such; a font with other
// codes numbers its glyphs, and none of them can be told.
func settle(glyphs []glyph) {
	numbered := map[string]bool{}
	for _, g := range glyphs {
		if g.unsure && (g.code < ' ' || g.code >= 0x7f && g.code < 0xa0 || g.code > 0xff) {
			numbered[g.font] = true
		}
	}
	for i := range glyphs {
		if g := &glyphs[i]; g.unsure && numbered[g.font] {
			g.text, g.bad = string(utf8.RuneError), true
		}
	}
}

func firstRune(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }

func lastRune(s string) rune { r, _ := utf8.DecodeLastRuneInString(s); return r }

// gone reports whether err says that the instance can no longer be used.
func gone(err error) bool {
	s := err.Error()
	return strings.Contains(s, "closed") || strings.Contains(s, "exit_code") || strings.Contains(s, "wasm error")
}

// startRun reads what the characters of a run share.
func (g *glyphReader) startRun(i int) {
	g.size, g.quarter = 0, 0
	if size, err := g.FPDFText_GetFontSize(&requests.FPDFText_GetFontSize{TextPage: g.text, Index: i}); err == nil {
		g.size = math.Abs(size.FontSize)
	}
	m, err := g.FPDFText_GetMatrix(&requests.FPDFText_GetMatrix{TextPage: g.text, Index: i})
	if err == nil {
		if scale := math.Hypot(float64(m.Matrix.C), float64(m.Matrix.D)); scale > 0 {
			g.size *= scale
		}
		g.quarter = quarterOf(float64(m.Matrix.A), float64(m.Matrix.B), g.frame.quarter)
	}
	g.unmapped(i)
}

// quarterOf returns the direction of writing of a text matrix on a page turned
// by page quarters: quarter turns clockwise, or layout.Skew.
func quarterOf(a, b float64, page int) int {
	if a == 0 && b == 0 {
		return 0
	}
	turns := -math.Atan2(b, a) / (math.Pi / 2)
	nearest := math.Round(turns)
	if math.Abs(turns-nearest) > 0.06 {
		return layout.Skew
	}
	return ((int(nearest)+page)%4 + 4) % 4
}

// unmapped finds out whether the font of character i maps its codes.
func (g *glyphReader) unmapped(i int) {
	m, err := g.FPDFText_HasUnicodeMapError(&requests.FPDFText_HasUnicodeMapError{TextPage: g.text, Index: i})
	g.unsure = err == nil && m.HasUnicodeMapError
	if g.unsure {
		g.name = g.font(i).name
	}
}

// font is what matters of a font.
type font struct {
	name string
	bold bool
	// symbols says that its letters show marks.
	symbols bool
}

// Bits of a font descriptor's flags.
const forceBold = 1 << 18

// font returns the font of character i.
func (g *glyphReader) font(i int) font {
	info, err := g.FPDFText_GetFontInfo(&requests.FPDFText_GetFontInfo{TextPage: g.text, Index: i})
	if err != nil {
		return font{}
	}
	if f, ok := g.fonts[info.FontName]; ok {
		return f
	}
	f := font{name: info.FontName, symbols: symbolFont(info.FontName), bold: info.Flags&forceBold != 0 || boldName(info.FontName)}
	if !f.bold {
		w, err := g.FPDFText_GetFontWeight(&requests.FPDFText_GetFontWeight{TextPage: g.text, Index: i})
		f.bold = err == nil && w.FontWeight >= 600
	}
	g.fonts[info.FontName] = f
	return f
}

func symbolFont(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "wingdings") || strings.Contains(name, "webdings") || strings.HasSuffix(name, "symbol") ||
		strings.HasSuffix(name, "symbolmt")
}

func boldName(name string) bool {
	name = strings.ToLower(name)
	for _, part := range []string{"bold", "black", "heavy", "simhei", "heiti", "-bd", ",bd"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}
