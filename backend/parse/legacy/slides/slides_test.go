package slides_test

import (
	"context"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"ragdesk/backend/fault"
	"ragdesk/backend/parse/doctext"
	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/legacy/ole"
	"ragdesk/backend/parse/legacy/ole/oletest"
	"ragdesk/backend/parse/legacy/slides"
	"ragdesk/backend/rag"
)

var le = binary.LittleEndian

// atom is a record of data, box one of records.
func atom(kind, instance int, body ...byte) []byte {
	b := le.AppendUint16(nil, uint16(instance<<4))
	b = le.AppendUint16(b, uint16(kind))
	return append(le.AppendUint32(b, uint32(len(body))), body...)
}

func box(kind, instance int, children ...[]byte) []byte {
	b := atom(kind, instance, slices.Concat(children...)...)
	b[0] |= 15
	return b
}

func u32s(list ...uint32) []byte {
	var b []byte
	for _, v := range list {
		b = le.AppendUint32(b, v)
	}
	return b
}

// text is a text of a kind, in characters of two bytes.
func text(kind uint32, s string, depths ...byte) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = le.AppendUint16(b, u)
	}
	out := slices.Concat(atom(0xf9f, 0, u32s(kind)...), atom(0xfa0, 0, b...))
	if len(depths) == 0 {
		return out
	}
	var props []byte
	for i, p := range strings.Split(s, "\r") {
		props = append(props, u32s(uint32(len([]rune(p))+1))...)
		// A bullet's flags, its colour, and two tab stops stand before the next run.
		props = append(props, depths[i], 0, 0x2f, 0, 0x10, 0)
		props = append(props, make([]byte, 2+4+2+8)...)
		props[len(props)-10] = 2
	}
	return slices.Concat(out, atom(0xfa1, 0, props...))
}

// shape is a shape of a type with what it holds.
func shape(kind int, children ...[]byte) []byte {
	return box(0xf004, 0, append([][]byte{atom(0xf00a, kind, make([]byte, 8)...)}, children...)...)
}

func own(kind uint32, s string) []byte { return box(0xf00d, 0, text(kind, s)) }
func ref(i uint32) []byte              { return box(0xf00d, 0, atom(0xf9e, 0, u32s(i)...)) }
func anchor(top, left uint32) []byte   { return atom(0xf00f, 0, u32s(left, top, left+9, top+9)...) }
func placeholder(kind byte) []byte {
	return box(0xf011, 0, atom(0xbc3, 0, 0, 0, 0, 0, kind, 0, 0, 0))
}

func drawing(shapes ...[]byte) []byte {
	return box(0x40c, 0, box(0xf002, 0, box(0xf003, 0, shapes...)))
}

// slide is a slide, its notes' id, and what it shows.
func slide(notes uint32, parts ...[]byte) []byte {
	head := make([]byte, 24)
	le.PutUint32(head[16:], notes)
	return box(0x3ee, 0, append([][]byte{atom(0x3ef, 2, head...)}, parts...)...)
}

// listed is an entry of a list: an object, an id, and texts.
type listed struct {
	object, id uint32
	texts      [][]byte
}

func list(instance int, entries ...listed) []byte {
	var parts [][]byte
	for _, e := range entries {
		parts = append(parts, atom(0x3f3, 0, u32s(e.object, 0, uint32(len(e.texts)), e.id, 0)...))
		parts = append(parts, e.texts...)
	}
	return box(0xff0, instance, parts...)
}

// show builds a presentation of objects numbered from 1; the first lists slides.
func show(objects ...[]byte) map[string][]byte {
	var stream []byte
	offsets := u32s(uint32(len(objects))<<20 | 1)
	for _, o := range objects {
		offsets = append(offsets, u32s(uint32(len(stream)))...)
		stream = append(stream, o...)
	}
	directory := uint32(len(stream))
	stream = append(stream, atom(0x1772, 0, offsets...)...)
	edit := uint32(len(stream))
	stream = append(stream, atom(0xff5, 0, u32s(0, 0, 0, directory, 1, 99, 0)...)...)
	return map[string][]byte{"PowerPoint Document": stream, "Current User": atom(0xff6, 0, u32s(20, 0xe391c05f, edit, 0)...)}
}

func read(streams map[string][]byte, l guard.Limits) (rag.Document, error) {
	f, err := ole.Open(oletest.File(streams))
	if err != nil {
		return rag.Document{}, err
	}
	return slides.Parse(context.Background(), f, rag.Input{Source: "s.ppt"}, guard.Env{Limits: l})
}

func parse(t *testing.T, objects ...[]byte) rag.Document {
	t.Helper()
	d, err := read(show(objects...), guard.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestSlides(t *testing.T) {
	t.Parallel()
	one := func(texts [][]byte, parts ...[]byte) [][]byte {
		return [][]byte{box(0x3e8, 0, list(0, listed{2, 256, texts})), slide(0, parts...)}
	}
	for name, c := range map[string]struct {
		objects [][]byte
		want    string
	}{
		"texts in the list": {one([][]byte{text(0, "标题"), text(1, "一\r二")}, drawing(shape(1, ref(1)), shape(1, ref(0)))), "# 标题\n\n- 一\n- 二"},
		"texts in shapes":   {one(nil, drawing(shape(202, own(4, "box\vline\rmore")), shape(1, own(6, "Title")))), "# Title\n\nbox\nline\n\nmore"},
		"depths":            {one([][]byte{text(1, "a\rb\rc", 0, 1, 0)}, drawing(shape(1, ref(0)))), "- a\n  - b\n- c"},
		"one point":         {one([][]byte{text(1, "alone")}, drawing(shape(1, ref(0)))), "alone"},
		"bytes":             {one(nil, drawing(shape(1, box(0xf00d, 0, atom(0xf9f, 0, u32s(4)...), atom(0xfa8, 0, []byte("caf\xe9")...))))), "café"},
		"no head":           {one(nil, drawing(shape(1, box(0xf00d, 0, atom(0xfa8, 0, []byte("x")...))))), "x"},
		"not shown":         {one([][]byte{text(4, "left over")}), "left over"},
		"a group":           {one(nil, drawing(box(0xf003, 0, shape(1, own(4, "in"))), shape(1, own(4, "out")))), "in\n\nout"},
		"number and footer": {one(nil, drawing(shape(1, own(4, "*")), shape(1, placeholder(9), own(4, "foot")), shape(1, own(4, "body")))), "body"},
		"second title":      {one(nil, drawing(shape(1, own(0, "A")), shape(1, own(0, "B")))), "# A\n\nB"},
		"a table": {one(nil, drawing(box(0xf003, 0, shape(0, atom(0xf122, 1, 0x9f, 0x03, 1, 0, 0, 0)), shape(1, anchor(10, 0), own(4, "c")), shape(1, anchor(0, 5), own(4, "b")),
			shape(1, anchor(0, 0), own(4, "a\rx")), shape(20, anchor(0, 0))))), "| a<br>x | b |\n| --- | --- |\n| c |  |"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if d := parse(t, c.objects...); d.Text != c.want {
				t.Errorf("got\n%s\nwant\n%s", d.Text, c.want)
			}
		})
	}
}

func TestShow(t *testing.T) {
	t.Parallel()
	hidden := atom(0x3f9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0)
	d := parse(t,
		box(0x3e8, 0, list(1, listed{9, 9, nil}), list(0, listed{3, 256, nil}, listed{2, 257, nil}, listed{8, 258, [][]byte{text(4, "kept")}}), list(2, listed{4, 77, [][]byte{text(2, "spoken\rwords"), text(4, "*")}})),
		slide(0, hidden, drawing(shape(1, own(0, "Second")), shape(75))),
		slide(77, drawing(shape(1, own(0, "First")))),
		box(0x3f0, 0, drawing(shape(1, ref(0)))))
	if want := "# First\n\n> spoken\n> words\n\n# Second\n\nkept"; d.Text != want {
		t.Errorf("got\n%s\nwant\n%s", d.Text, want)
	}
	if d.Health.Pages != 3 || d.Health.PagesWithText != 3 || d.Health.Images != 1 || len(d.Pages) != 3 || d.Title != "First" {
		t.Errorf("%+v, title %q", d.Health, d.Title)
	}
	want := []rag.Notice{{Code: doctext.WarnHidden, Detail: "slide 2"}, {Code: doctext.WarnTruncated, Detail: "slide 3"}}
	if !slices.Equal(d.Warnings, want) {
		t.Errorf("warnings %v", d.Warnings)
	}
}

// TestEdits saves a presentation twice: the newer place of a slide holds.
func TestEdits(t *testing.T) {
	t.Parallel()
	doc := box(0x3e8, 0, list(0, listed{2, 256, nil}))
	streams := show(doc, slide(0, drawing(shape(1, own(4, "old")))))
	stream := streams["PowerPoint Document"]
	last := uint32(len(stream)) - 36
	at := uint32(len(stream))
	stream = append(stream, slide(0, drawing(shape(1, own(4, "new"))))...)
	directory := uint32(len(stream))
	stream = append(stream, atom(0x1772, 0, u32s(1<<20|2, at)...)...)
	edit := uint32(len(stream))
	stream = append(stream, atom(0xff5, 0, u32s(0, 0, last, directory, 1, 99, 0)...)...)
	streams["PowerPoint Document"] = stream
	for name, user := range map[string][]byte{
		"stated": atom(0xff6, 0, u32s(20, 0xe391c05f, edit, 0)...),
		"lost":   atom(0xff6, 0, u32s(20, 0xe391c05f, 3, 0)...),
		"none":   nil,
	} {
		streams["Current User"] = user
		if d, err := read(streams, guard.Defaults()); err != nil || d.Text != "new" {
			t.Errorf("%s: %q (%v)", name, d.Text, err)
		}
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	plain := show(box(0x3e8, 0, list(0, listed{2, 256, nil}, listed{2, 257, nil})), slide(0, drawing(shape(1, own(4, "words")))))
	with := func(name string, b []byte) map[string][]byte {
		return map[string][]byte{"PowerPoint Document": plain["PowerPoint Document"], "Current User": plain["Current User"], name: b}
	}
	ring := slices.Clone(plain["PowerPoint Document"])
	le.PutUint32(ring[len(ring)-20:], uint32(len(ring)-36)) // the edit before is itself
	few, small := guard.Defaults(), guard.Defaults()
	few.Pages, small.Text = 1, 3
	deep := [][]byte{shape(1, own(4, "deep"))}
	for range 2000 {
		deep = [][]byte{box(0xf003, 0, deep...)}
	}
	for name, c := range map[string]struct {
		streams map[string][]byte
		l       guard.Limits
		code    string
	}{
		"encrypted":           {with("Current User", atom(0xff6, 0, u32s(20, 0xf3d1c4df, 0, 0)...)), guard.Defaults(), "password"},
		"encrypted, no user":  {map[string][]byte{"PowerPoint Document": slices.Concat(plain["PowerPoint Document"], atom(0xff5, 0, u32s(0, 0, 0, 0, 1, 9, 0, 5)...))}, guard.Defaults(), "password"},
		"no table":            {with("PowerPoint Document", []byte("words and words")), guard.Defaults(), "corrupt"},
		"no list":             {show(slide(0)), guard.Defaults(), "corrupt"},
		"edits in a ring":     {with("PowerPoint Document", ring), guard.Defaults(), ""},
		"too many":            {plain, few, "limit_pages"},
		"too long":            {plain, small, "limit_text"},
		"deep inside shapes":  {show(box(0x3e8, 0, list(0, listed{2, 256, nil})), slide(0, drawing(deep...))), guard.Defaults(), ""},
		"nothing":             {with("PowerPoint Document", nil), guard.Defaults(), "corrupt"},
		"nothing, nobody":     {map[string][]byte{"PowerPoint Document": nil}, guard.Defaults(), "corrupt"},
		"an edit of an edit ": {with("Current User", atom(0xff6, 0, u32s(20, 0xe391c05f, 1<<31, 0)...)), guard.Defaults(), ""},
	} {
		d, err := read(c.streams, c.l)
		if c.code == "" && err != nil || c.code != "" && !fault.Is(err, c.code) {
			t.Errorf("%s: %q, %v; want %q", name, d.Text, err, c.code)
		}
	}
}

func FuzzParse(f *testing.F) {
	s := show(box(0x3e8, 0, list(0, listed{2, 256, [][]byte{text(0, "A"), text(1, "a\rb", 0, 1)}}), list(2, listed{3, 7, [][]byte{text(2, "n")}})),
		slide(7, drawing(shape(1, ref(0)), box(0xf003, 0, shape(0, atom(0xf122, 1, 0x9f, 3, 0, 0, 0, 0)), shape(1, anchor(0, 0), own(4, "c"))))), box(0x3f0, 0))
	f.Add(s["PowerPoint Document"], s["Current User"])
	f.Fuzz(func(t *testing.T, stream, user []byte) {
		l := guard.Defaults()
		l.Text = 1 << 20
		d, err := read(map[string][]byte{"PowerPoint Document": stream, "Current User": user}, l)
		if err != nil && fault.Of(err).Code == "internal" {
			t.Errorf("%v is no fault", err)
		}
		if strings.ToValidUTF8(d.Text, "") != d.Text {
			t.Error("the text is no UTF-8")
		}
	})
}
