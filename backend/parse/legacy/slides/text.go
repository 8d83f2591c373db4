package slides

import (
	"math/bits"
	"slices"
	"strings"
	"unicode/utf16"

	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/text"
)

// Kinds of text.
const (
	textTitle       = 0
	textBody        = 1
	textOther       = 4
	textCenterTitle = 6
	textHalf        = 7
	textQuarter     = 8
)

// textRun is the text of one shape: its paragraphs with how deep each is.
type textRun struct {
	kind   int
	text   string
	depths []depthRun
}

// title reports whether the text is a slide's title.
func (t textRun) title() bool { return t.kind == textTitle || t.kind == textCenterTitle }

// field reports whether the text stands for a number or a date only.
func (t textRun) field() bool { return strings.TrimSpace(t.text) == "*" }

// outlined reports whether the text is a list of points.
func (t textRun) outlined() bool {
	deeper := slices.ContainsFunc(t.depths, func(r depthRun) bool { return r.depth > 0 })
	return t.kind == textBody || t.kind == textHalf || t.kind == textQuarter || deeper
}

// textReader puts texts together from the records that describe them.
type textReader struct {
	list []textRun
	open bool
}

// take reads one record.
func (t *textReader) take(r record) {
	switch r.kind {
	case typeTextHeader:
		t.list = append(t.list, textRun{kind: int(u32(r.body, 0))})
		t.open = true
	case typeTextChars, typeTextBytes:
		if !t.open {
			t.list = append(t.list, textRun{kind: textOther})
		}
		t.open = true
		t.list[len(t.list)-1].text = decode(r)
	case typeTextProps:
		if t.open && len(t.list) > 0 {
			last := &t.list[len(t.list)-1]
			last.depths = depthRuns(r.body, len(last.text))
		}
	}
}

func (t *textReader) runs() []textRun { return t.list }

// decode returns the characters of a text record; a paragraph ends in \r, a line
// in \v. The short form holds the low bytes of the characters.
func decode(r record) string {
	b := r.body
	if r.kind == typeTextBytes {
		wide := make([]byte, 0, 2*len(b))
		for _, c := range b {
			wide = append(wide, c, 0)
		}
		b = wide
	}
	s, err := text.Loose("UTF-16LE", b)
	if err != nil {
		return ""
	}
	return s
}

// Parts of a paragraph's properties that have sizes other than two bytes, by
// their bits.
const (
	maskBulletFlags = 0x000f
	maskBulletColor = 0x0020
	maskTabStops    = 0x100000
	maskWrap        = 0x0e0000
	// maskPairsBefore are the parts of two bytes each that stand before the tab
	// stops, maskPairsAfter those after them.
	maskPairsBefore = 0x0010 | 0x0040 | 0x0080 | 0x0100 | 0x0400 | 0x0800 | 0x1000 | 0x2000 | 0x4000 | 0x8000
	maskPairsAfter  = 0x010000 | 0x200000
)

// depthRun is how deep the paragraphs of so many characters are.
type depthRun struct{ chars, depth int }

// depthRuns reads the properties of a text's paragraphs; size bounds its
// characters.
func depthRuns(b []byte, size int) []depthRun {
	var out []depthRun
	for covered := 0; covered <= size && len(b) >= paraHead; {
		run := depthRun{int(u32(b, 0)), min(u16(b, 4), maxDepth)}
		if run.chars <= 0 {
			break
		}
		out = append(out, run)
		covered += run.chars
		n := propertySize(b)
		if n > len(b) {
			break
		}
		b = b[n:]
	}
	return out
}

// Sizes of a paragraph's head, and the deepest point.
const (
	paraHead = 10
	maxDepth = 8
)

// propertySize is the size of the properties that b starts with.
func propertySize(b []byte) int {
	mask := u32(b, 6)
	n := paraHead + 2*bits.OnesCount32(mask&maskPairsBefore)
	if mask&maskBulletFlags != 0 {
		n += 2
	}
	if mask&maskBulletColor != 0 {
		n += 4
	}
	if mask&maskTabStops != 0 {
		n += 2 + 4*u16(b, n)
	}
	if mask&maskWrap != 0 {
		n += 2
	}
	return n + 2*bits.OnesCount32(mask&maskPairsAfter)
}

// points cuts a text into its paragraphs, each with its depth.
func (t textRun) points() []doctext.Item {
	var items []doctext.Item
	runs, left := t.depths, 0
	if len(runs) > 0 {
		left = runs[0].chars
	}
	for p := range strings.SplitSeq(t.text, "\r") {
		item := doctext.Item{Text: strings.ReplaceAll(p, "\v", "\n")}
		for left <= 0 && len(runs) > 1 {
			runs = runs[1:]
			left += runs[0].chars
		}
		if len(runs) > 0 {
			item.Depth = runs[0].depth
		}
		left -= len(utf16.Encode([]rune(p))) + 1
		items = append(items, item)
	}
	return items
}

// plain is the text with line ends.
func (t textRun) plain() string {
	return strings.TrimSpace(strings.NewReplacer("\r", "\n", "\v", "\n").Replace(t.text))
}
