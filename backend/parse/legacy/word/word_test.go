package word_test

import (
	"context"
	"strings"
	"testing"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/legacy/ole"
	"ragdesk/backend/parse/legacy/ole/oletest"
	"ragdesk/backend/parse/legacy/word"
	"ragdesk/backend/rag"
)

func read(b []byte, l guard.Limits) (rag.Document, error) {
	f, err := ole.Open(b)
	if err != nil {
		return rag.Document{}, err
	}
	return word.Parse(context.Background(), f, rag.Input{Source: "旧.doc"}, guard.Env{Limits: l})
}

func parse(t *testing.T, d doc) rag.Document {
	t.Helper()
	got, err := read(d.build(), guard.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// text makes paragraphs without formatting, one a line.
func text(s string) []para {
	var list []para
	for line := range strings.SplitSeq(s, "\n") {
		list = append(list, para{text: line + "\r"})
	}
	return list
}

func TestText(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		d    doc
		want string
	}{
		"paragraphs":           {doc{main: text("第一段。\nsecond 😀")}, "第一段。\n\nsecond 😀"},
		"one byte a character": {doc{main: text("café \u0093q\u0094"), narrow: true}, "café “q”"},
		"line breaks":          {doc{main: text("a\vb\x0ec\x1ed\x1fe")}, "a\nb\nc-de"},
		"page break":           {doc{main: text("a\fb")}, "a\n\nb"},
		"a field":              {doc{main: text("see \x13HYPERLINK \"http://x\"\x14the page\x15.")}, "see the page."},
		"a field in a field":   {doc{main: text("\x13TOC \x14One \x13PAGEREF x\x143\x15\x15!")}, "One 3!"},
		"a field without text": {doc{main: text("a\x13XE \"b\"\x15c")}, "ac"},
		"an end without start": {doc{main: text("a\x15b\x14c")}, "abc"},
		"a field left open":    {doc{main: append(text("a\x13"+strings.Repeat("x", 8193)), text("kept")...)}, "a\n\nkept"},
		"deleted":              {doc{main: []para{{text: "a"}, {text: "gone", chars: sprm(0x0800, 1)}, {text: "b\r"}}}, "ab"},
		"hidden":               {doc{main: []para{{text: "a"}, {text: "gone", chars: sprm(0x083c, 1)}, {text: "b\r", chars: sprm(0x083c, 0)}}}, "ab"},
		"a symbol":             {doc{main: []para{{text: "a"}, {text: "(", chars: sprm(0x6a09, 3, 0, 0xfc, 0xf0)}, {text: "(b\r"}}}, "a✓(b"},
		"private characters":   {doc{main: text("\uf0b7 a \uf0fe \ue000")}, "• a ☑ \ue000"},
		"headers are not text": {doc{main: text("body"), headers: text("head\n\nfoot")}, "body"},
		"comments are not":     {doc{main: text("bo\x05dy"), comments: text("note")}, "body"},
		"boxes come last":      {doc{main: text("bo\x08dy"), boxes: text("box")}, "body\n\nbox"},
		"notes":                {doc{main: text("a\x02b\nc\x02d"), notes: text("\x02 one\n\x02 two"), noteRefs: []int{1, 5}}, "a[^1]b\n\nc[^2]d\n\n[^1]: one\n\n[^2]: two"},
		"endnotes":             {doc{main: text("a\x02b"), endnotes: text("\x02 end"), endRefs: []int{1}, headers: text("h")}, "a[^1]b\n\n[^1]: end"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := parse(t, c.d).Text; got != c.want {
				t.Errorf("text %q, want %q", got, c.want)
			}
		})
	}
}

// Properties of paragraphs.
var (
	inTable = sprm(0x2416, 1)
	rowEnd  = append(sprm(0x2416, 1), sprm(0x2417, 1)...)
)

func cells(s string) []para {
	var list []para
	for c := range strings.SplitSeq(s, "|") {
		list = append(list, para{text: c + "\a", props: inTable})
	}
	return list
}

func row(s string, more ...byte) []para {
	return append(cells(s), para{text: "\a", props: append(rowEnd[:len(rowEnd):len(rowEnd)], more...)})
}

// rowOf describes a row by the flags of its cells.
func rowOf(flags ...int) []byte {
	b := []byte{byte(len(flags))}
	b = append(b, make([]byte, 2*(len(flags)+1))...)
	for _, f := range flags {
		b = le.AppendUint16(b, uint16(f))
		b = append(b, make([]byte, 18)...)
	}
	return append(le.AppendUint16(le.AppendUint16(nil, 0xd608), uint16(len(b)+1)), b...)
}

func join(lists ...[]para) []para {
	var all []para
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

func TestStructure(t *testing.T) {
	t.Parallel()
	styles := [][]byte{styleOf(0, 0xfff, nil), styleOf(1, 0, nil), styleOf(0xffe, 1, nil), styleOf(62, 0, nil),
		styleOf(0xffe, 0, sprm(0x2640, 2)), nil, styleOf(0xffe, 0, sprm(0x460b, 1, 0))}
	lists := append([]byte{1, 0}, make([]byte, 28)...)
	lists[2] = 7 // the list's id
	levels := append(levelOf(1, 0, "\x00."), levelOf(1, 4, "\x00.\x01)")...)
	for range 7 {
		levels = append(levels, levelOf(1, 23, "\uf0b7")...)
	}
	overrides := append([]byte{1, 0, 0, 0, 7, 0, 0, 0}, make([]byte, 12)...)
	item := func(s string, level byte) para {
		return para{text: s + "\r", props: append(sprm(0x260a, level), sprm(0x460b, 1, 0)...)}
	}
	huge := append([]byte{9, 9, byte(len(rowEnd)), 0}, rowEnd...)
	innerRow := append(append(inTable[:3:3], sprm(0x6649, 2, 0, 0, 0)...), sprm(0x244c, 1)...)
	innerCell := append(append(inTable[:3:3], sprm(0x6649, 2, 0, 0, 0)...), sprm(0x244b, 1)...)
	for name, c := range map[string]struct {
		main []para
		data []byte
		want string
	}{
		"headings":        {[]para{{text: "A\r", style: 1}, {text: "B\r", style: 2}, {text: "T\r", style: 3}, {text: "C\r", style: 4}, {text: "d\r"}, {text: "e\r", style: 99}}, nil, "# A\n\n# B\n\n# T\n\n### C\n\nd\n\ne"},
		"outline":         {[]para{{text: "A\r", props: sprm(0x2640, 1)}, {text: "b\r", style: 1, props: sprm(0x2640, 9)}}, nil, "## A\n\nb"},
		"list":            {[]para{item("a", 0), item("b", 1), item("c", 1), item("d", 2), item("e", 0), item("f", 1), {text: "g\r"}}, nil, "1. a\n  1.a) b\n  1.b) c\n    - d\n2. e\n  2.a) f\n\ng"},
		"list by style":   {[]para{{text: "a\r", style: 6}, {text: "b\r", style: 6}}, nil, "1. a\n2. b"},
		"numbered":        {[]para{{text: "A\r", style: 1, props: sprm(0x460b, 1, 0)}}, nil, "# 1. A"},
		"no such list":    {[]para{{text: "a\r", props: sprm(0x460b, 9, 0)}}, nil, "a"},
		"table":           {join(row("a|b"), row("c|d"), text("e")), nil, "| a | b |\n| --- | --- |\n| c | d |\n\ne"},
		"lines in a cell": {join([]para{{text: "a\r", props: inTable}}, row("b|"), row("c|d")), nil, "| a<br>b |  |\n| --- | --- |\n| c | d |"},
		"merged":          {join(row("a|b", rowOf(0x60, 0)...), row("|c", rowOf(0x20, 0)...), row("d|", rowOf(1, 2)...)), nil, "| a | b |\n| --- | --- |\n| a | c |\n| d | d |"},
		"two tables":      {join(row("a"), text(""), row("b")), nil, "|  |\n| --- |\n| a |\n\n|  |\n| --- |\n| b |"},
		"huge properties": {join(cells("a|b"), []para{{text: "\a", props: sprm(0x6646, 2, 0, 0, 0)}}, row("c|d")), huge, "| a | b |\n| --- | --- |\n| c | d |"},
		"table in a cell": {join([]para{{text: "x\r", props: innerCell}, {text: "y\r", props: innerCell}, {text: "\r", props: innerRow}}, row("z")), nil, "|  |\n| --- |\n| x \\| y<br>z |"},
		"cut off":         {cells("a|b"), nil, "|  |  |\n| --- | --- |\n| a | b |"},
		"many paragraphs": {text(strings.TrimSuffix(strings.Repeat("p\n", 40), "\n")), nil, strings.TrimSuffix(strings.Repeat("p\n\n", 40), "\n\n")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := parse(t, doc{main: c.main, styles: styles, lists: lists, levels: levels, overrides: overrides, data: c.data})
			if d.Text != c.want {
				t.Errorf("got\n%s\nwant\n%s", d.Text, c.want)
			}
		})
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	hidden := parse(t, doc{main: []para{{text: "a"}, {text: "gone", chars: sprm(0x083c, 1)}, {text: "b\r"}}})
	if len(hidden.Warnings) != 1 || hidden.Warnings[0] != (rag.Notice{Code: doctext.WarnHiddenText, Detail: "4"}) {
		t.Errorf("hidden text: %v", hidden.Warnings)
	}
	d := parse(t, doc{main: text("\x01a\x08"), headers: text("head\n\nfoot")})
	if d.Health.Images != 2 || d.Health.Repeated != 2 || d.Title != "旧.doc" || len(d.Warnings) > 0 {
		t.Errorf("%+v, title %q, %v", d.Health, d.Title, d.Warnings)
	}
	cut := doc{main: text("abc"), change: func(main, _ []byte) { le.PutUint32(main[0x4c:], 1000) }}
	if d := parse(t, cut); d.Text != "abc" || len(d.Warnings) != 1 || d.Warnings[0].Code != doctext.WarnTruncated {
		t.Errorf("%q %v", d.Text, d.Warnings)
	}
}

// old builds a file of Word 95.
func old(lid int, flags int, s string, characters int) []byte {
	main := make([]byte, 0x300)
	le.PutUint16(main, 0xa5dc)
	le.PutUint16(main[2:], 104)
	le.PutUint16(main[6:], uint16(lid))
	le.PutUint16(main[10:], uint16(flags))
	le.PutUint32(main[0x18:], 0x300)
	le.PutUint32(main[0x34:], uint32(characters))
	return oletest.File(map[string][]byte{"WordDocument": append(main, s...)})
}

func TestOldFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		b    []byte
		want string
	}{
		"Chinese":    {old(0x0804, 0, "\xc4\xe3\xba\xc3\rb\r", 7), "你好\n\nb"},
		"Russian":    {old(0x0419, 0, "\xcf\xf0\r", 3), "Пр"},
		"a table":    {old(0x0409, 0, "a\ab\a\ac\ad\a\ae\r", 12), "| a | b |\n| --- | --- |\n| c | d |\n\ne"},
		"wide":       {old(0x0804, 0x1000, "`O}Y\r\x00", 3), "你好"},
		"the rest":   {old(0x0409, 0, "body\rfootnote", 5), "body"},
		"no text":    {old(0x0409, 0, "", 0), ""},
		"short file": {old(0x0409, 0, "abc", 1000), "abc"},
	} {
		d, err := read(c.b, guard.Defaults())
		if err != nil || d.Text != c.want {
			t.Errorf("%s: %q (%v), want %q", name, d.Text, err, c.want)
		}
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	small := guard.Defaults()
	small.Text = 3
	change := func(f func(main, table []byte)) []byte { return doc{main: text("abcdef"), change: f}.build() }
	for name, c := range map[string]struct {
		b    []byte
		l    guard.Limits
		code string
	}{
		"encrypted":  {change(func(main, _ []byte) { main[11] |= 1 }), guard.Defaults(), "password"},
		"no pieces":  {change(func(main, _ []byte) { le.PutUint32(main[0x1a2:], 1<<30) }), guard.Defaults(), "corrupt"},
		"no header":  {change(func(main, _ []byte) { main[0] = 0 }), guard.Defaults(), "corrupt"},
		"too long":   {change(nil), small, "limit_text"},
		"a fragment": {oletest.File(map[string][]byte{"WordDocument": []byte("\xec\xa5")}), guard.Defaults(), "corrupt"},
	} {
		if d, err := read(c.b, c.l); !fault.Is(err, c.code) {
			t.Errorf("%s: %q, %v; want %s", name, d.Text, err, c.code)
		}
	}
}

func FuzzParse(f *testing.F) {
	rich := doc{main: join([]para{{text: "A\r", style: 1}}, row("a|b", rowOf(0x60, 2)...), text("a\x02\x13x\x14y\x15")), notes: text("\x02 n"), noteRefs: []int{8},
		styles: [][]byte{styleOf(0, 0xfff, nil), styleOf(1, 0, sprm(0x460b, 1, 0))}, lists: append([]byte{1, 0}, make([]byte, 28)...),
		levels: levelOf(1, 1, "\x00."), overrides: append([]byte{1, 0, 0, 0}, make([]byte, 16)...)}
	b := rich.build()
	file, err := ole.Open(b)
	if err != nil {
		f.Fatal(err)
	}
	main, _ := file.Stream("WordDocument")
	table, _ := file.Stream("1Table")
	f.Add(main, table)
	f.Add(old(0x0804, 0, "a\ab\a\a\r", 7), []byte{})
	f.Fuzz(func(t *testing.T, main, table []byte) {
		l := guard.Defaults()
		l.Text = 1 << 20
		d, err := read(oletest.File(map[string][]byte{"WordDocument": main, "1Table": table, "0Table": table, "Data": table}), l)
		if err != nil && fault.Of(err).Code == "internal" {
			t.Errorf("%v is no fault", err)
		}
		if strings.ToValidUTF8(d.Text, "") != d.Text {
			t.Error("the text is no UTF-8")
		}
	})
}
